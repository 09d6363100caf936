// The generator of random numbers: drawn once a row and feature by the data generators.
#include "base/random.h"

#include <benchmark/benchmark.h>

namespace simplexboost {
namespace {

void uniform(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.uniform());
}
BENCHMARK(uniform);

void normal(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.normal());
}
BENCHMARK(normal);

}  // namespace
}  // namespace simplexboost
