// Sums numbers in a parallel loop: as it should be ("clean"), or with a data race ("racy").
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <thread>

#include "base/row_space.h"
#include "base/threads/parallel.h"

int main(int argc, char** argv) {
  constexpr std::size_t kNumbers = 100'000;
  constexpr int kThreads = 4;
  double sum = 0;
  if (argc > 1 && std::string_view(argv[1]) == "racy") {
    // On a busy machine one thread may have done all before another wakes: each waits for the
    // other, by relaxed reads and writes, which order nothing else.
    std::atomic<int> begun = 0;
    simplexboost::parallel_for(2, 2, [&](std::size_t task) {
      begun.fetch_add(1, std::memory_order_relaxed);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (begun.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      for (std::size_t i = task; i < kNumbers; i += 2) sum += static_cast<double>(i);
    });
  } else {
    const simplexboost::RowSpace numbers(kNumbers, kThreads);
    sum = numbers.sum(64, [](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t i = begin; i < end; ++i) part += static_cast<double>(i);
      return part;
    });
  }
  std::printf("%g\n", sum);
  return 0;
}
