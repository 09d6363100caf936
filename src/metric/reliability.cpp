#include "metric/reliability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/communicator.h"
#include "data/rows/row_shares.h"
#include "data/rows/row_split.h"
#include "metric/evaluation.h"
#include "metric/interval.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Those of the calibration error, and of reports.
constexpr std::size_t kReliabilityBins = Calibration::kBins;

class ReliabilityCount {
 public:
  explicit ReliabilityCount(std::size_t classes) : classes_(classes) {}

  void add(std::size_t row, const float* p, std::size_t truth) {
    const auto best = static_cast<std::size_t>(std::max_element(p, p + classes_.size()) - p);
    const auto top = static_cast<double>(p[best]);
    top_.add(row, top, best == truth);
    for (std::size_t k = 0; k < classes_.size(); ++k)
      classes_[k].add(row, static_cast<double>(p[k]), k == truth);
    const std::size_t b = Calibration::bin_of(top);
    bins_[b].rows += 1;
    bins_[b].probability += top;
    bins_[b].share += best == truth ? 1 : 0;
  }

  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(top_)(classes_)(bins_);
  }

  Reliability result() const {
    Reliability result;
    result.top = top_.figure();
    for (const GroupedCalibration& one : classes_) result.classes.push_back(one.figure());
    for (std::size_t b = 0; b < kReliabilityBins; ++b) {
      ReliabilityBin bin = bins_[b];
      if (bin.rows == 0) continue;
      bin.from = static_cast<double>(b) / kReliabilityBins;
      bin.to = static_cast<double>(b + 1) / kReliabilityBins;
      bin.probability /= bin.rows;
      bin.share /= bin.rows;
      const Interval interval = wilson_interval(bin.share, bin.rows);
      bin.low = interval.low;
      bin.high = interval.high;
      result.bins.push_back(bin);
    }
    return result;
  }

 private:
  GroupedCalibration top_;
  std::vector<GroupedCalibration> classes_;
  std::array<ReliabilityBin, kReliabilityBins> bins_;
};

}  // namespace

Reliability measure_reliability(const Model& model, const Dataset& data,
                                const PredictOptions& options, Communicator& ranks) {
  if (model.schema().multi_label || data.labels.codes.size() != data.rows)
    throw DataError({data.source}, "reliability is that of one label a row");
  const std::size_t classes = model.schema().classes.size();
  const std::size_t block = rows_per_block(classes);
  // Blocks need not be kept where nobody else counts before.
  std::vector<Matrix> kept;
  const auto predict = [&](std::size_t first) {
    const std::size_t end = std::min(first + block, data.rows);
    return model.predict_proba(slice_features(data, first, end), options);
  };
  if (ranks.size() > 1)
    for (std::size_t first = 0; first < data.rows; first += block) kept.push_back(predict(first));
  ReliabilityCount count(classes);
  const std::size_t before = place_of_share(data.rows, ranks).first;
  in_turn(ranks, count, [&] {
    for (std::size_t first = 0; first < data.rows; first += block) {
      const Matrix proba = kept.empty() ? predict(first) : std::move(kept[first / block]);
      for (std::size_t i = 0; i < proba.rows; ++i)
        if (const std::int32_t code = data.labels.codes[first + i]; code >= 0)
          count.add(before + first + i, proba.row(i), static_cast<std::size_t>(code));
    }
  });
  return count.result();
}

}  // namespace simplexboost
