// Loads a data file and prints the seconds that it took: the partner of bench/loader.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "simplexboost/error.h"
#include "simplexboost/read.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: load_file FILE THREADS\n");
    return 2;
  }
  simplexboost::ReadOptions options;
  options.threads = std::atoi(argv[2]);
  try {
    const auto start = std::chrono::steady_clock::now();
    const simplexboost::Dataset data = simplexboost::read_dataset(argv[1], options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("{:.6f} {} {}\n", seconds.count(), data.rows, data.columns.size());
  } catch (const simplexboost::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
