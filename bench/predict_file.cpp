// Times prediction of a model on a data file, in a batch and row by row, for comparison with other
// programs (bench/peers, bench/prediction):
//   predict_file MODEL FILE THREADS RUNS [LEAST_ROWS [cpu]]
// Prints one JSON object with the median rows a second of both and the error. The batch is the rows
// of the file, repeated to LEAST_ROWS (100,000) or more, so that a run is long enough to be timed.
// "cpu": seconds are those of the processor, for a machine that does other work.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "simplexboost/model.h"
#include "simplexboost/read.h"

namespace {

using namespace simplexboost;

constexpr std::size_t kLeastRows = 100'000;
constexpr double kSingleSeconds = 0.05;

Dataset repeat_rows(const Dataset& data, std::size_t least) {
  const std::size_t times = (least + data.rows - 1) / std::max<std::size_t>(data.rows, 1);
  std::vector<std::uint32_t> rows(times * data.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i % data.rows);
  return select_rows(data, rows);
}

bool count_processor_time = false;

class Stopwatch {
 public:
  double seconds() const {
    if (count_processor_time)
      return static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return taken.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t processor_ = std::clock();
};

double batch_rate(const Model& model, const Dataset& data, const PredictOptions& options) {
  const Stopwatch watch;
  const Matrix scores = model.predict_scores(data, options);
  return static_cast<double>(scores.rows) / watch.seconds();
}

// Calls for one row after the other, each with features and scores in memory of the caller's.
double single_rate(const Model& model, const Dataset& data) {
  const std::size_t features = data.columns.size();
  std::vector<double> rows(data.rows * features);
  std::vector<double> column(data.rows);
  for (std::size_t j = 0; j < features; ++j) {
    data.columns[j].copy(0, data.rows, column.data());
    for (std::size_t i = 0; i < data.rows; ++i) rows[i * features + j] = column[i];
  }
  std::vector<float> scores(model.schema().classes.size());
  const Stopwatch watch;
  constexpr std::size_t kBetweenLooks = 64;  // at the watch, which take time themselves
  std::size_t done = 0;
  while (watch.seconds() < kSingleSeconds)
    for (std::size_t i = 0; i < kBetweenLooks; ++i, ++done) {
      const double* row = rows.data() + done % data.rows * features;
      model.predict_row({row, features}, scores);
    }
  return static_cast<double>(done) / watch.seconds();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  count_processor_time = argc == 7 && std::string_view(argv[6]) == "cpu";
  if (argc < 5 || argc > 7 || (argc == 7 && !count_processor_time)) {
    fmt::print(stderr, "usage: predict_file MODEL FILE THREADS RUNS [LEAST_ROWS [cpu]]\n");
    return 2;
  }
  const Model model = Model::load(argv[1]);
  ReadOptions read;
  read.schema = &model.schema();
  const Dataset data = read_dataset(argv[2], read);
  const PredictOptions options{std::atoi(argv[3]), 0};
  const std::vector<std::int32_t> classes = model.predict(data, options);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.rows; ++i) wrong += classes[i] != data.labels.codes[i];
  const double error = static_cast<double>(wrong) / static_cast<double>(data.rows);
  const std::size_t least = argc >= 6 ? std::strtoull(argv[5], nullptr, 10) : kLeastRows;
  const Dataset batch = repeat_rows(data, least);
  std::vector<double> batch_rates;
  std::vector<double> single_rates;
  for (int run = 0; run < std::max(1, std::atoi(argv[4])); ++run) {
    batch_rates.push_back(batch_rate(model, batch, options));
    single_rates.push_back(single_rate(model, data));
  }
  fmt::print(
      "{{\"rows\": {}, \"rounds\": {}, \"error\": {:.6f}, \"rows_per_second\": {:.1f}, "
      "\"single_rows_per_second\": {:.1f}}}\n",
      batch.rows, model.rounds(), error, median(batch_rates), median(single_rates));
  return 0;
}
