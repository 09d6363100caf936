#include "cli/options/priors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/random.h"
#include "boosting/setup/class_weights.h"
#include "cli/options/arguments.h"
#include "data/readers/dataset_stream.h"
#include "data/row_split.h"
#include "metric/evaluation.h"
#include "simplexboost/certainty.h"

namespace simplexboost::cli {
namespace {

// Probabilities of rows drawn evenly from all that come, in one pass.
class ProbabilitySample {
 public:
  ProbabilitySample(const Model& model, const PredictOptions& options)
      : model_(model), options_(options) {
    constexpr std::size_t kMostNumbers = std::size_t{1} << 25;
    most_ = std::max<std::size_t>(kMostNumbers / model.schema().classes.size(), 1000);
    sample_.columns = model.schema().classes.size();
  }

  void add(const Dataset& data) {
    const std::size_t block = rows_per_block(sample_.columns);
    for (std::size_t first = 0; first < data.rows; first += block) {
      const std::size_t end = std::min(first + block, data.rows);
      const Matrix proba = model_.predict_proba(slice_features(data, first, end), options_);
      for (std::size_t i = 0; i < proba.rows; ++i) add_row(proba.row(i));
    }
  }

  const Matrix& rows() const { return sample_; }

 private:
  void add_row(const float* row) {
    const std::uint64_t place = seen_ < most_ ? seen_ : random_.below(seen_ + 1);
    ++seen_;
    if (place >= most_) return;
    if (place == sample_.rows) {
      sample_.values.resize(sample_.values.size() + sample_.columns);
      ++sample_.rows;
    }
    std::copy_n(row, sample_.columns, sample_.row(place));
  }

  const Model& model_;
  PredictOptions options_;
  std::size_t most_ = 0;
  std::uint64_t seen_ = 0;
  Random random_{0};
  Matrix sample_;
};

std::vector<double> shares_of_rows(const Model& model, const std::string& data,
                                   const ReadOptions& read, const PredictOptions& options) {
  if (data == "-")
    throw UsageError("--priors estimate: reads DATA twice; give a file, not standard input");
  ProbabilitySample sample(model, options);
  DatasetStream rows(data, read);
  while (const std::optional<Dataset> block = rows.next()) sample.add(*block);
  return estimate_priors(sample.rows(), class_shares(model));
}

}  // namespace

std::vector<double> read_priors(const std::string& text, const Model& model,
                                const std::string& data, const ReadOptions& read,
                                const PredictOptions& options) {
  class_shares(model);  // must be known
  if (text == "estimate") return shares_of_rows(model, data, read, options);
  std::vector<double> priors;
  const std::vector<std::string>& classes = model.schema().classes;
  const std::vector<std::optional<double>> numbers = class_numbers("--priors", text, classes);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!numbers[k])
      throw UsageError(fmt::format("--priors: the share of '{}' is missing; name all {} classes",
                                   classes[k], classes.size()));
    priors.push_back(*numbers[k]);
  }
  return priors;
}

}  // namespace simplexboost::cli
