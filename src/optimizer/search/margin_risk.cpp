#include "optimizer/search/margin_risk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/reduce.h"
#include "base/shorten.h"
#include "optimizer/search/line_search.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 256;
// Of the pulls, which are of single precision: what is left of sums of them that are zero.
constexpr double kRounding = 1e-6;

}  // namespace

MarginRisk::MarginRisk(const Problem& problem, const Codebook& codebook, const Loss& loss)
    : problem_(problem),
      codebook_(codebook),
      loss_(loss),
      block_(loss.rows_at_once(kRowBlock, problem.rows)),
      row_weights_(problem.weights.begin(), problem.weights.end()) {}

LossBlock MarginRisk::frame() const {
  LossBlock block;
  block.classes = problem_.classes;
  block.costs = problem_.costs.empty() ? nullptr : problem_.costs.data();
  return block;
}

LossBlock MarginRisk::all() const {
  LossBlock block = frame();
  block.rows = problem_.rows;
  block.scores = class_scores_.data();
  block.labels = problem_.labels.codes.data();
  block.weights = row_weights_.data();
  return block;
}

void MarginRisk::set_scores(const float* scores) {
  const std::size_t d = codebook_.dimension();
  const std::size_t classes = problem_.classes;
  class_scores_.resize(problem_.rows * classes);
  parallel_blocks(
      problem_.threads, problem_.rows, kRowBlock, [&](std::size_t begin, std::size_t end) {
        codebook_.class_scores({scores + begin * d, (end - begin) * d},
                               {class_scores_.data() + begin * classes, (end - begin) * classes});
      });
}

double MarginRisk::class_pulls(float* pulls, float* curvature) const {
  LossBlock rows = all();
  rows.weights = nullptr;
  return simplexboost::class_pulls(loss_, rows, problem_.threads, pulls, curvature);
}

void MarginRisk::weigh(float* values, std::size_t width) const {
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i)
                      for (std::size_t j = 0; j < width; ++j) {
                        float& value = values[i * width + j];
                        value = row_weights_[i] * shorten(value);
                      }
                  });
}

ScaledSum MarginRisk::risk() const { return total_risk(loss_, all(), problem_.threads); }

void MarginRisk::pull_back(const float* class_pulls, float* pulls) const {
  const std::size_t d = codebook_.dimension();
  const std::size_t classes = problem_.classes;
  parallel_blocks(problem_.threads, problem_.rows, kRowBlock,
                  [&](std::size_t begin, std::size_t end) {
                    codebook_.pulls({class_pulls + begin * classes, (end - begin) * classes},
                                    {pulls + begin * d, (end - begin) * d});
                  });
}

void MarginRisk::set_direction(const RowVectors& hypothesis) {
  const std::size_t d = codebook_.dimension();
  std::size_t count = problem_.rows;
  index_ = hypothesis.index;
  if (index_) count = *std::max_element(index_, index_ + problem_.rows) + std::size_t{1};
  // Vectors of a part of the outputs (a coordinate) are zero in the others.
  std::vector<float> whole;
  const float* vectors = hypothesis.values;
  if (hypothesis.width < d) {
    whole.resize(count * d);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(vectors + i * hypothesis.width, hypothesis.width,
                  whole.data() + i * d + hypothesis.output);
    vectors = whole.data();
  }
  direction_.resize(count * problem_.classes);
  codebook_.class_scores({vectors, count * d}, direction_);
  direction_size_ = 0;
  for (const float value : direction_)
    direction_size_ = std::max(direction_size_, std::fabs(static_cast<double>(value)));
}

template <class Use>
double MarginRisk::sum_moved(double step, const Use& use) const {
  const std::size_t classes = problem_.classes;
  const auto factor = static_cast<float>(step);
  return sum_blocks(problem_.threads, problem_.rows, block_,
                    [&](std::size_t begin, std::size_t end) {
                      thread_local std::vector<float> moved;
                      moved.resize(block_ * classes);
                      for (std::size_t i = begin; i < end; ++i) {
                        const float* h = direction(i);
                        const float* u = class_scores_.data() + i * classes;
                        float* out = moved.data() + (i - begin) * classes;
                        for (std::size_t k = 0; k < classes; ++k) out[k] = u[k] + factor * h[k];
                      }
                      LossBlock block = all().part(begin, end);
                      block.scores = moved.data();
                      return use(block, begin);
                    });
}

template <class Use>
double MarginRisk::sum_descents(double step, double log_scale, const Use& use) const {
  const std::size_t classes = problem_.classes;
  return sum_moved(step, [&](const LossBlock& block, std::size_t first) {
    thread_local std::vector<float> pulls;
    pulls.resize(block_ * classes);
    // Weighted in double precision, so that a row of weight 2 is that row twice.
    LossBlock alone = block;
    alone.weights = nullptr;
    loss_.pulls(alone, log_scale, pulls.data(), nullptr);
    double sum = 0;
    for (std::size_t i = 0; i < block.rows; ++i) {
      const float* h = direction(first + i);
      const float* pull = pulls.data() + i * classes;
      float row = 0;
      for (std::size_t k = 0; k < classes; ++k) row += pull[k] * h[k];
      const double weighted = problem_.weights[first + i] * static_cast<double>(row);
      use(first, weighted);
      sum += weighted;
    }
    return sum;
  });
}

double MarginRisk::descent_at(double step, double log_scale) const {
  return sum_descents(step, log_scale, [](std::size_t, double) {});
}

double MarginRisk::edge(double log_scale) const {
  std::vector<double> sizes((problem_.rows + block_ - 1) / block_);
  const double sum = sum_descents(0, log_scale, [&](std::size_t first, double row) {
    sizes[first / block_] += std::fabs(row);
  });
  const double size = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  return sum > kRounding * size ? sum : 0;
}

ExactStep MarginRisk::exact_step(double guess, double log_scale) const {
  ExactStep found;
  found.edge = edge(log_scale);
  if (!(found.edge > 0) || !(direction_size_ > 0)) return found;
  const double most = kMostChange / direction_size_;
  found.length = find_step([&](double a) { return descent_at(a, log_scale); }, found.edge,
                           std::min(guess, most), most);
  return found;
}

ScaledSum MarginRisk::risk_at(double step, double log_scale) const {
  return {sum_moved(step,
                    [&](const LossBlock& block, std::size_t) {
                      const ScaledSum part = loss_.risk(block);
                      return part.value * std::exp(part.log_scale - log_scale);
                    }),
          log_scale};
}

}  // namespace simplexboost
