// Sums numbers in a parallel loop: as it should be ("clean"), or with a data race ("racy").
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "base/parallel.h"
#include "base/reduce.h"

int main(int argc, char** argv) {
  constexpr std::size_t kNumbers = 100'000;
  constexpr int kThreads = 4;
  double sum = 0;
  if (argc > 1 && std::string_view(argv[1]) == "racy") {
    simplexboost::parallel_for(kThreads, kNumbers,
                               [&](std::size_t i) { sum += static_cast<double>(i); });
  } else {
    sum = simplexboost::sum_blocks(kThreads, kNumbers, 64, [](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t i = begin; i < end; ++i) part += static_cast<double>(i);
      return part;
    });
  }
  std::printf("%g\n", sum);
  return 0;
}
