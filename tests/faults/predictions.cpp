// Many threads predict with one model at the same time, each in its own way, and must all get the
// same bits; meant for the thread sanitizer. simplexboost_predictions [RUNS [THREADS]]: rows that
// each thread predicts.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <thread>
#include <vector>

#include "simplexboost/generate.h"
#include "simplexboost/model.h"
#include "simplexboost/train.h"

namespace {

using simplexboost::Dataset;
using simplexboost::Matrix;
using simplexboost::Model;

constexpr std::size_t kRows = 500;

std::vector<double> row_of(const Dataset& data, std::size_t row) {
  std::vector<double> values(data.columns.size());
  for (std::size_t c = 0; c < values.size(); ++c) data.columns[c].copy(row, row + 1, &values[c]);
  return values;
}

struct Expected {
  std::vector<std::vector<double>> rows;
  Matrix scores;
  Matrix probabilities;
};

// False at the first bit that differs. Every thread mixes rows alone with whole batches, and begins
// at another row.
bool predict(const Model& model, const Dataset& data, const Expected& expected, std::size_t begin,
             std::size_t runs) {
  std::vector<float> scores(expected.scores.columns);
  const std::size_t bytes = scores.size() * sizeof(float);
  for (std::size_t done = 0; done < runs; ++done) {
    const std::size_t row = (begin + done) % kRows;
    model.predict_row(expected.rows[row], scores);
    if (std::memcmp(scores.data(), expected.scores.row(row), bytes) != 0) return false;
    model.scores_to_proba(scores);
    if (std::memcmp(scores.data(), expected.probabilities.row(row), bytes) != 0) return false;
    if ((begin + done) % 10'000 != 0) continue;
    const auto threads = static_cast<int>(1 + begin % 3);
    if (model.predict_proba(data, {.threads = threads}).values != expected.probabilities.values)
      return false;
    done += kRows;
  }
  return true;
}

Expected expectation(const Model& model, const Dataset& data) {
  Expected expected;
  for (std::size_t i = 0; i < kRows; ++i) expected.rows.push_back(row_of(data, i));
  expected.scores = model.predict_scores(data, {.threads = 1});
  expected.probabilities = model.predict_proba(data, {.threads = 1});
  return expected;
}

std::size_t word(int count, char** words, int at, std::size_t otherwise) {
  return at < count ? std::strtoull(words[at], nullptr, 10) : otherwise;
}

}  // namespace

int main(int count, char** words) {
  const std::size_t runs = word(count, words, 1, 1000);
  const std::size_t threads = word(count, words, 2, 16);
  simplexboost::GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = kRows;
  const Dataset data = simplexboost::generate(spec);
  std::size_t wrong = 0;
  std::size_t models = 0;
  for (const char* algorithm : {"newton", "gd-mcboost", "adaboost-mh", "aoso-logitboost"}) {
    simplexboost::Parameters parameters;
    parameters.algorithm = algorithm;
    parameters.rounds = 10;
    const Model model = simplexboost::train(data, parameters);
    const Expected expected = expectation(model, data);
    std::atomic<std::size_t> differing{0};
    std::latch together(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        together.arrive_and_wait();
        if (!predict(model, data, expected, t * 31, runs)) ++differing;
      });
    pool.clear();
    wrong += differing;
    ++models;
  }
  std::printf("predictions: %zu threads x %zu rows, %zu models, %zu threads saw other bits\n",
              threads, runs, models, wrong);
  return wrong == 0 ? 0 : 1;
}
