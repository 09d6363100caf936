#include "cli/options/priors.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/communicator.h"
#include "base/random.h"
#include "boosting/setup/class_weights.h"
#include "cli/options/arguments.h"
#include "cli/terminal/job.h"
#include "data/readers/dataset_stream.h"
#include "data/readers/share_reader.h"
#include "data/rows/row_split.h"
#include "metric/evaluation.h"
#include "simplexboost/certainty.h"

namespace simplexboost::cli {
namespace {

// Which rows are drawn evenly from all that come, in one pass.
class RowLottery {
 public:
  explicit RowLottery(std::size_t classes) {
    constexpr std::size_t kMostNumbers = std::size_t{1} << 25;
    most_ = std::max<std::size_t>(kMostNumbers / classes, 1000);
  }

  // The place of the next row in the sample, instead of who had it; nothing: it is not drawn.
  std::optional<std::uint64_t> next() {
    const std::uint64_t place = seen_ < most_ ? seen_ : random_.below(seen_ + 1);
    ++seen_;
    return place < most_ ? std::optional(place) : std::nullopt;
  }

 private:
  std::uint64_t most_ = 0;
  std::uint64_t seen_ = 0;
  Random random_{0};
};
static_assert(std::is_trivially_copyable_v<RowLottery>);  // goes from rank to rank

// Probabilities of rows that are drawn.
class ProbabilitySample {
 public:
  ProbabilitySample(const Model& model, const PredictOptions& options)
      : model_(model), options_(options), lottery_(model.schema().classes.size()) {
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

  void add_share(const Dataset& share, Communicator& ranks);

  const Matrix& rows() const { return sample_; }

 private:
  void add_row(const float* row) {
    const std::optional<std::uint64_t> place = lottery_.next();
    if (place) put_row(*place, row);
  }
  // Places come one after the other until the sample is full.
  void put_row(std::uint64_t place, const float* row) {
    if (place == sample_.rows) {
      sample_.values.resize(sample_.values.size() + sample_.columns);
      ++sample_.rows;
    }
    std::copy_n(row, sample_.columns, sample_.row(place));
  }

  const Model& model_;
  PredictOptions options_;
  RowLottery lottery_;
  Matrix sample_;
};

// The places of this rank's rows, and of each the last row that has it. The ranks draw in turn, as
// one process would that has all their rows.
std::map<std::uint64_t, std::uint32_t> drawn_here(std::size_t rows, std::size_t classes,
                                                  Communicator& ranks) {
  std::map<std::uint64_t, std::uint32_t> drawn;
  RowLottery lottery(classes);
  in_turn(ranks, lottery, [&] {
    for (std::size_t i = 0; i < rows; ++i)
      if (const std::optional<std::uint64_t> place = lottery.next())
        drawn[*place] = static_cast<std::uint32_t>(i);
  });
  return drawn;
}

// The sample of all ranks' rows, on each of them.
void ProbabilitySample::add_share(const Dataset& share, Communicator& ranks) {
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> rows;
  for (const auto& [place, row] : drawn_here(share.rows, sample_.columns, ranks)) {
    places.push_back(place);
    rows.push_back(row);
  }
  const Matrix mine = model_.predict_proba(select_rows(share, rows), options_);
  const std::vector<std::uint64_t> all = gather_values<std::uint64_t>(ranks, places);
  const std::vector<float> values = gather_values<float>(ranks, mine.values);
  for (std::size_t i = 0; i < all.size(); ++i) put_row(all[i], values.data() + i * sample_.columns);
}

std::vector<double> shares_of_rows(const Model& model, const std::string& data,
                                   const ReadOptions& read, const PredictOptions& options) {
  if (data == "-")
    throw UsageError("--priors estimate: reads DATA twice; give a file, not standard input");
  std::error_code none;
  if (std::filesystem::is_fifo(data, none))
    throw UsageError(
        fmt::format("--priors estimate: reads DATA twice, and '{}' is a pipe; give a file", data));
  if (model.schema().multi_label)
    throw UsageError(
        "--priors estimate: is for one label a row; give the share of each label, as in a=0.2");
  ProbabilitySample sample(model, options);
  if (job_ranks().size() > 1 || is_pattern(data)) {
    sample.add_share(read_share(data, read, job_ranks()), job_ranks());
    return estimate_priors(sample.rows(), class_shares(model));
  }
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
