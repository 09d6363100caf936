// Times batch prediction of a model on a data file, for comparison with other programs
// (bench/peers):
//   predict_file MODEL FILE THREADS RUNS
// Prints one JSON object with the median rows a second and the error. The rows
// (numeric features only) are repeated to 100,000 or more, so that a run is long enough to be
// timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "simplexboost/model.h"
#include "simplexboost/read.h"

namespace {

using namespace simplexboost;

constexpr std::size_t kLeastRows = 100'000;

void repeat_rows(Dataset& data) {
  const std::size_t times = (kLeastRows + data.rows - 1) / std::max<std::size_t>(data.rows, 1);
  for (Column& column : data.columns) {
    std::vector<double> values(times * data.rows);
    for (std::size_t i = 0; i < times; ++i)
      column.copy(0, data.rows, values.data() + i * data.rows);
    column = Column::numeric(column.schema.name, std::move(values));
  }
  data.rows *= times;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: predict_file MODEL FILE THREADS RUNS\n");
    return 2;
  }
  const Model model = Model::load(argv[1]);
  ReadOptions read;
  read.schema = &model.schema();
  Dataset data = read_dataset(argv[2], read);
  const PredictOptions options{std::atoi(argv[3]), 0};
  const std::vector<std::int32_t> classes = model.predict(data, options);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.rows; ++i) wrong += classes[i] != data.labels.codes[i];
  const double error = static_cast<double>(wrong) / static_cast<double>(data.rows);
  repeat_rows(data);
  std::vector<double> rates;
  for (int run = 0; run < std::atoi(argv[4]); ++run) {
    const auto start = std::chrono::steady_clock::now();
    const Matrix scores = model.predict_scores(data, options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    rates.push_back(static_cast<double>(scores.rows) / taken.count());
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("{{\"rows\": {}, \"rounds\": {}, \"error\": {:.6f}, \"rows_per_second\": {:.1f}}}\n",
             data.rows, model.rounds(), error, rates[rates.size() / 2]);
  return 0;
}
