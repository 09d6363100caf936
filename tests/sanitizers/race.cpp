// Sums numbers in an OpenMP loop: as it should be ("clean"), or with a data race ("racy").
#include <cstdio>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  const bool racy = argc == 2 && std::string_view(argv[1]) == "racy";
  constexpr int kItems = 100000;
  std::vector<int> squares(kItems);
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < kItems; ++i) squares[static_cast<std::size_t>(i)] = i % 7;

  // Reads what other threads wrote before the barrier: only Archer knows that this is in order.
  long sum = 0;
  if (racy) {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < kItems; ++i) sum += squares[static_cast<std::size_t>(kItems - 1 - i)];
  } else {
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < kItems; ++i) sum += squares[static_cast<std::size_t>(kItems - 1 - i)];
  }
  std::printf("%ld\n", sum);
  return 0;
}
