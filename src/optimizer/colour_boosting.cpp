#include "optimizer/colour_boosting.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/threads/parallel.h"

namespace simplexboost {

ColourBoosting::ColourBoosting(const Problem& problem, Colouring colouring, std::uint64_t seed)
    : problem_(problem),
      colouring_(colouring),
      seed_(seed),
      mislabels_(problem, 0.5),
      rows_of_class_(problem.classes),
      class_rows_(problem.classes),
      colours_(problem.classes),
      pulls_(problem.rows()),
      weights_(problem.rows()) {
  for (std::size_t i = 0; i < problem.rows(); ++i)
    rows_of_class_[static_cast<std::size_t>(problem.labels.codes[i])].push_back(
        static_cast<std::uint32_t>(i));
  for (std::size_t k = 0; k < problem.classes; ++k) class_rows_[k] = std::ssize(rows_of_class_[k]);
  problem.space.add_up(class_rows_);
}

// Half of the classes that have rows get +1, so that no round is without a cut.
void ColourBoosting::colour() {
  Random random(seed_, 2 * round_++);
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < problem_.classes; ++k) {
    colours_[k] = -1;
    if (class_rows_[k] > 0) present.push_back(k);
  }
  for (std::size_t i = present.size(); i-- > 1;)
    std::swap(present[i], present[random.below(i + 1)]);
  for (std::size_t i = 0; i < present.size() / 2; ++i) colours_[present[i]] = 1;
  if (colouring_ == Colouring::kMaxCut) improve_cut();
}

// All weights together are 1, and in whole parts of that their sums do not depend on the order.
std::vector<double> ColourBoosting::confusion() const {
  constexpr double kParts = 0x1p60;
  const std::size_t classes = problem_.classes;
  std::vector<std::int64_t> sums(classes * classes);
  parallel_for(problem_.space.threads(), classes, [&](std::size_t k) {
    std::int64_t* row = sums.data() + k * classes;
    for (const std::uint32_t i : rows_of_class_[k]) {
      const float* pulls = mislabels_.pulls().data() + i * classes;
      for (std::size_t l = 0; l < classes; ++l)
        row[l] -= static_cast<std::int64_t>(static_cast<double>(pulls[l]) * kParts);
    }
    row[k] = 0;
  });
  problem_.space.add_up(sums);
  std::vector<double> result(classes * classes);
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t l = 0; l < k; ++l)
      result[k * classes + l] = result[l * classes + k] =
          static_cast<double>(sums[k * classes + l] + sums[l * classes + k]) / kParts;
  return result;
}

// Local search: at its end at least half of all the weight lies across the cut.
void ColourBoosting::improve_cut() {
  constexpr double kLeastGain = 1e-9;
  const std::size_t classes = problem_.classes;
  const std::vector<double> weight = confusion();
  bool moved = true;
  for (std::size_t sweep = 0; moved && sweep < classes; ++sweep) {
    moved = false;
    for (std::size_t k = 0; k < classes; ++k) {
      double gain = 0;  // what comes across the cut, less what no longer does
      for (std::size_t l = 0; l < classes; ++l)
        gain += weight[k * classes + l] * static_cast<double>(colours_[l] * colours_[k]);
      if (gain <= kLeastGain) continue;
      colours_[k] = -colours_[k];
      moved = true;
    }
  }
}

double ColourBoosting::weigh_across() {
  const std::size_t classes = problem_.classes;
  return problem_.space.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const float* pulls = mislabels_.pulls().data() + i * classes;
      const auto c = static_cast<std::size_t>(problem_.labels.codes[i]);
      float across = 0;
      for (std::size_t l = 0; l < classes; ++l)
        across -= colours_[l] != colours_[c] ? pulls[l] : 0.0F;
      weights_[i] = across;
      pulls_[i] = colours_[c] * across;
      total += static_cast<double>(across);
    }
    return total;
  });
}

RoundTarget ColourBoosting::target(const float* scores) {
  // Less weight than this across the colours is not worth a round.
  constexpr double kLeastCut = 1e-3;
  mislabels_.set_scores(scores);
  colour();
  cut_ = weigh_across();
  if (cut_ < kLeastCut) {
    improve_cut();
    cut_ = weigh_across();
  }
  RoundTarget target{{problem_.rows(), 1, present(pulls_), present(weights_), nullptr}};
  target.to.code = colours_;
  return target;
}

Step ColourBoosting::step(const RowVectors& hypothesis) {
  if (!(cut_ > 0)) return {0, "no mislabel has any weight across the colours"};
  const double lack = edge_lack(problem_, pulls_.data(), hypothesis, -1) / cut_;
  edge_ = 1 - lack;
  if (!(edge_ > 0)) return {0, "no weak hypothesis tells the two colours apart"};
  length_ = 0.5 * std::log((1 + edge_) / std::max(lack, kLeastLack));
  // With more than two classes other colours may still be mixed.
  if (lack < kLeastLack && problem_.classes == 2) return {length_, kNoError};
  return {length_, {}};
}

std::vector<RoundMetric> ColourBoosting::metrics() const {
  return {{"edge", edge_}, {"step", length_}, {"cut", cut_}, {"log_risk", mislabels_.log_risk()}};
}

}  // namespace simplexboost
