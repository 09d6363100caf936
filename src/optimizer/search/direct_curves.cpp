#include "optimizer/search/direct_curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDirectCurvesRowBlock = StepCurves::kRowBlock;
constexpr double kLargestSum = 0x1p30;
constexpr std::size_t kSampleRows = 20'000;
// A rival so many widths behind the strongest has no share that the integers could tell.
constexpr float kFar = 20;
// Integers hold the softmax until its sum is known.
constexpr float kShareUnit = 0x1p30F;

// Finds the first step above a point: a table over the range leaves little to search.
class StepFinder {
 public:
  explicit StepFinder(std::span<const double> steps) : steps_(steps), first_(kCells + 1) {
    low_ = steps.front();
    const double range = steps.back() - low_;
    scale_ = range > 0 ? kCells / range : 0;
    for (std::size_t cell = 0, k = 0; cell <= kCells; ++cell) {
      // A cell too early: rounding may put a point into the next one.
      const double start = low_ + (static_cast<double>(cell) - 1) / std::max(scale_, 1e-300);
      while (k < steps.size() && steps[k] <= start) ++k;
      first_[cell] = static_cast<std::uint32_t>(k);
    }
  }

  // steps.size() if there is none.
  std::size_t above(double point) const {
    if (point < low_) return 0;
    if (point >= steps_.back()) return steps_.size();
    std::size_t k = first_[static_cast<std::size_t>((point - low_) * scale_)];
    while (steps_[k] <= point) ++k;
    return k;
  }

 private:
  static constexpr std::size_t kCells = 1024;
  std::span<const double> steps_;
  std::vector<std::uint32_t> first_;
  double low_ = 0;
  double scale_ = 0;
};

void start(const VoteView& view, std::size_t steps, bool dense, StepCurves& curves) {
  curves.rows = view.problem.rows();
  curves.classes = view.problem.classes;
  curves.steps = steps;
  curves.dense = dense;
  curves.blocks.resize((curves.rows + kDirectCurvesRowBlock - 1) / kDirectCurvesRowBlock);
}

// Calls row(block, i) for all rows, blocks in parallel.
template <class Row>
void for_rows(int threads, StepCurves& curves, const Row& row) {
  parallel_blocks(
      threads, curves.rows, kDirectCurvesRowBlock, [&](std::size_t begin, std::size_t end) {
        CurveBlock& block = curves.blocks[begin / kDirectCurvesRowBlock];
        block.marks.clear();
        block.cells.clear();
        block.begin.assign(1, 0);
        for (std::size_t i = begin; i < end; ++i) {
          row(block, i);
          block.begin.push_back(
              static_cast<std::uint32_t>(curves.dense ? block.cells.size() : block.marks.size()));
        }
      });
}

// Whole numbers stay what they are.
void set_weights(const Problem& problem, StepCurves& curves, double& unit) {
  const RowWeights& weights = problem.weights;
  const double sum = weight_of_rows(problem);
  bool whole = true;
  for (std::size_t i = 0; i < problem.rows(); ++i) whole &= weights[i] == std::floor(weights[i]);
  const double scale = whole && sum < kLargestSum ? 1 : kLargestSum / 2 / sum;
  unit = 1 / scale;
  curves.weights.resize(problem.rows());
  for (std::size_t i = 0; i < problem.rows(); ++i)
    curves.weights[i] = static_cast<std::int32_t>(std::lround(weights[i] * scale));
}

// The middles of the intervals between neighbouring points, and one step beyond the last.
void add_middles(const std::vector<double>& points, double sign, std::vector<double>& steps) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double from = points[i];
    const double to = i + 1 < points.size() ? points[i + 1] : from + std::max(from, 1.0);
    steps.push_back(sign * (from + to) / 2);
  }
}

}  // namespace

double weight_of_rows(const Problem& problem) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) sum += problem.weights[i];
  return sum;
}

std::vector<double> error_steps(const VoteView& view, std::size_t count) {
  const Problem& problem = view.problem;
  const std::size_t stride = problem.rows() / kSampleRows + 1;
  std::vector<std::pair<double, double>> weighted;  // points with the weights of their rows
  double weight = 0;
  for (std::size_t i = 0; i < problem.rows(); i += stride) {
    const RowVotes& row = view.rows[i];
    const auto add = [&](float other) {
      weighted.emplace_back(std::fabs(static_cast<double>(row.own) - static_cast<double>(other)),
                            problem.weights[i]);
      weight += problem.weights[i];
    };
    add(row.top);
    // A row that is right may be lost to other labels too.
    if (problem.classes > 2 && row.right(view.label(i))) add(row.second);
  }
  std::sort(weighted.begin(), weighted.end());
  // Points that rounding alone keeps apart are one.
  const double least = 1e-6 * weighted.back().first;
  const auto close = [&](double a, double b) { return b - a <= least; };
  std::vector<double> distinct{0};
  for (const auto& [point, w] : weighted) distinct.push_back(point);
  distinct.erase(std::unique(distinct.begin(), distinct.end(), close), distinct.end());
  const std::size_t positive = std::max<std::size_t>(count * 3 / 4, 1);
  const auto some = [&](std::size_t wanted) {
    if (distinct.size() <= wanted) return distinct;
    // Quantiles, denser near 0.
    std::vector<double> chosen{0};
    double reached = 0;
    std::size_t j = 1;
    for (const auto& [point, w] : weighted) {
      reached += w;
      const auto place = [&] { return static_cast<double>(j) / static_cast<double>(wanted); };
      if (j >= wanted || reached < place() * place() * weight) continue;
      if (!close(chosen.back(), point)) chosen.push_back(point);
      while (j < wanted && reached >= place() * place() * weight) ++j;
    }
    return chosen;
  };
  std::vector<double> steps;
  add_middles(some(std::max<std::size_t>(count - positive, 1)), -1, steps);
  std::reverse(steps.begin(), steps.end());
  add_middles(some(positive), 1, steps);
  return steps;
}

void error_curves(const VoteView& view, std::span<const double> steps, StepCurves& curves) {
  start(view, steps.size(), false, curves);
  double unit = 1;
  set_weights(view.problem, curves, unit);
  const StepFinder finder(steps);
  const std::size_t count = steps.size();
  for_rows(view.problem.space.threads(), curves, [&](CurveBlock& block, std::size_t i) {
    const RowVotes& row = view.rows[i];
    const float* votes = view.of(i);
    const std::int32_t c = view.label(i);
    const bool right = row.right(c);
    const auto mark = [&](std::size_t y, std::size_t k, bool falls) {
      if (k < count)
        block.marks.push_back(static_cast<std::uint32_t>(2 * (y * count + k) + (falls ? 1 : 0)));
    };
    // A vote for c: right above this step.
    const std::size_t own =
        finder.above(static_cast<double>(row.top) - static_cast<double>(row.own));
    if (!right) {
      mark(static_cast<std::size_t>(c), own, false);
    } else if (own > 0) {
      mark(static_cast<std::size_t>(c), 0, true);
      mark(static_cast<std::size_t>(c), own, false);
    }
    // A vote for another: right below some step, if c wins against the rest.
    const auto other = [&](std::int32_t y) {
      const auto at = static_cast<std::size_t>(y);
      const std::size_t k =
          finder.above(static_cast<double>(row.own) - static_cast<double>(votes[at]));
      if (right) {
        mark(at, k, true);
      } else if (k > 0) {
        mark(at, 0, false);
        mark(at, k, true);
      }
    };
    if (right) {
      for (std::size_t y = 0; y < curves.classes; ++y)
        if (static_cast<std::int32_t>(y) != c) other(static_cast<std::int32_t>(y));
    } else if (row.right_but_for_rival(c)) {
      other(row.rival);
    }
  });
  double weight_right = 0;
  for (std::size_t i = 0; i < curves.rows; ++i)
    if (view.rows[i].right(view.label(i))) weight_right += view.problem.weights[i];
  curves.offset.assign(count, weight_right);
  curves.factor.assign(count, unit);
}

void margin_slopes(const VoteView& view, double edge, double width, StepCurves& curves) {
  start(view, 1, true, curves);
  const RowWeights& weights = view.problem.weights;
  const double scale = kLargestSum / 2 / weight_of_rows(view.problem);
  const auto rate = static_cast<float>(1 / width);
  for_rows(view.problem.space.threads(), curves, [&](CurveBlock& block, std::size_t i) {
    const RowVotes& row = view.rows[i];
    const float beyond = (row.own - row.top - static_cast<float>(edge)) * rate;
    const auto active = static_cast<float>(weights[i] * scale) / (1 + std::exp(beyond));
    if (active < 1) return;
    const float* votes = view.of(i);
    const auto c = static_cast<std::size_t>(view.label(i));
    const auto share = [&](std::size_t y) {
      const float behind = (row.top - votes[y]) * rate;
      return y == c || behind > kFar ? 0 : std::exp(-behind);
    };
    const std::size_t first = block.cells.size();
    block.cells.resize(first + curves.classes);
    std::int32_t* const cells = block.cells.data() + first;
    float sum = 0;
    for (std::size_t y = 0; y < curves.classes; ++y) {
      const float part = share(y);
      sum += part;
      cells[y] = static_cast<std::int32_t>(part * kShareUnit);
    }
    const float factor = -active / (sum * kShareUnit);
    for (std::size_t y = 0; y < curves.classes; ++y)
      cells[y] = static_cast<std::int32_t>(static_cast<float>(cells[y]) * factor);
    cells[c] = static_cast<std::int32_t>(active);
  });
  curves.offset.assign(1, 0);
  curves.factor.assign(1, 1 / scale);
}

}  // namespace simplexboost
