#include "optimizer/search/simplex_steps.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "codeword/simplex.h"
#include "loss/loss_table.h"
#include "optimizer/search/line_search.h"

namespace simplexboost {
namespace {

constexpr std::size_t kSimplexStepsRowBlock = 256;
// Logs of S beyond this leave no room for the sums and products of double.
constexpr double kMostLog = 300;

}  // namespace

// What a trial step does to the classes of each coordinate, as functions of the vote h = +-1:
// e^{h p} = even + h odd.
struct SimplexSteps::Factors {
  std::vector<double> own_even, own_odd;      // cosh, sinh of r a s_j / 2
  std::vector<double> after_even, after_odd;  // of r a b_j / 2

  Factors(const SimplexSteps& steps, const std::vector<double>& a) {
    for (std::size_t j = 0; j < steps.dimension_; ++j) {
      const double p = steps.rate_ * a[j] * steps.diagonal_[j] / 2;
      const double q = steps.rate_ * a[j] * steps.below_[j] / 2;
      own_even.push_back(std::cosh(p));
      own_odd.push_back(std::sinh(p));
      after_even.push_back(std::cosh(q));
      after_odd.push_back(std::sinh(q));
    }
  }
};

SimplexSteps::SimplexSteps(std::size_t classes, const LossFacts& loss, double most_change,
                           const RowSpace& space)
    : classes_(classes),
      dimension_(classes - 1),
      formula_(loss.formula),
      most_change_(most_change),
      space_(space) {
  plain::visit_formula(
      formula_, [&](auto formula) { rate_ = static_cast<double>(decltype(formula)::kRate); });
  for (std::size_t j = 0; j < dimension_; ++j) {
    diagonal_.push_back(simplex_diagonal(classes, j));
    below_.push_back(simplex_below(classes, j));
  }
}

bool SimplexSteps::assign(const LossBlock& all) {
  rows_ = all;
  scale_.resize(all.rows);
  for (std::vector<float>* part : {&before_, &own_, &after_}) part->resize(all.rows * dimension_);
  std::atomic<bool> plain = true;
  space_.for_blocks(kSimplexStepsRowBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<double> terms(classes_);
    for (std::size_t i = begin; i < end; ++i) {
      const float* u = all.scores + i * classes_;
      const auto label = static_cast<std::size_t>(all.labels[i]);
      double top = -std::numeric_limits<double>::infinity();
      for (std::size_t l = 0; l < classes_; ++l)
        if (l != label) top = std::max(top, rate_ * static_cast<double>(u[l]));
      for (std::size_t l = 0; l < classes_; ++l) {
        const double cost = all.costs ? static_cast<double>(all.costs[label * classes_ + l]) : 1.0;
        terms[l] = l == label ? 0 : cost * std::exp(rate_ * static_cast<double>(u[l]) - top);
      }
      const double log_scale = top - rate_ * static_cast<double>(u[label]);
      if (!(std::fabs(log_scale) < kMostLog)) plain = false;
      scale_[i] = std::exp(log_scale);
      double before = 0;
      double after = 0;
      for (std::size_t j = 0; j < dimension_; ++j) {
        before_[i * dimension_ + j] = static_cast<float>(before);
        own_[i * dimension_ + j] = static_cast<float>(terms[j]);
        before += terms[j];
      }
      for (std::size_t j = dimension_; j-- > 0;) {
        after += terms[j + 1];
        after_[i * dimension_ + j] = static_cast<float>(after);
      }
    }
  });
  return space_.every(plain);
}

// use(i, sums) adds what row i brings to the sum of each coordinate.
template <class Use>
std::vector<double> SimplexSteps::sum_rows(const Use& use) const {
  return space_.sums(kSimplexStepsRowBlock, dimension_,
                     [&](std::size_t begin, std::size_t end, double* sums) {
                       for (std::size_t i = begin; i < end; ++i) use(i, sums);
                     });
}

template <class Formula, bool kRisk>
std::vector<double> SimplexSteps::evaluate(const std::int8_t* votes,
                                           const std::vector<double>& a) const {
  const Factors factors(*this, a);
  const double* const diagonal = diagonal_.data();
  const double* const below = below_.data();
  return sum_rows([&](std::size_t i, double* sums) {
    const std::size_t first = i * dimension_;
    const std::size_t label = std::min(static_cast<std::size_t>(rows_.labels[i]), dimension_);
    const double scale = scale_[i];
    const double weight = rows_.weights ? static_cast<double>(rows_.weights[i]) : 1.0;
    // The row's own class moves as one of those after j, as j itself, or not at all.
    const auto range = [&](std::size_t begin, std::size_t end, const auto& own_factor,
                           const auto& own_rate) {
      for (std::size_t j = begin; j < end; ++j) {
        const auto h = static_cast<double>(votes[first + j]);
        const double own =
            static_cast<double>(own_[first + j]) * (factors.own_even[j] + h * factors.own_odd[j]);
        const double after = static_cast<double>(after_[first + j]) *
                             (factors.after_even[j] - h * factors.after_odd[j]);
        const double factor = scale * own_factor(j, h);
        const double s = factor * (static_cast<double>(before_[first + j]) + own + after);
        if constexpr (kRisk) {
          sums[j] += weight * Formula::gamma(s);
        } else {
          const double rise = factor * (own * diagonal[j] - after * below[j]) + s * own_rate(j);
          sums[j] -= weight * Formula::gamma_slope(s) * h * rise;
        }
      }
    };
    range(
        0, label,
        [&](std::size_t j, double h) { return factors.after_even[j] + h * factors.after_odd[j]; },
        [&](std::size_t j) { return below[j]; });
    if (label < dimension_)
      range(
          label, label + 1,
          [&](std::size_t j, double h) { return factors.own_even[j] - h * factors.own_odd[j]; },
          [&](std::size_t j) { return -diagonal[j]; });
    range(
        std::min(label + 1, dimension_), dimension_, [](std::size_t, double) { return 1.0; },
        [](std::size_t) { return 0.0; });
  });
}

template <bool kRisk>
std::vector<double> SimplexSteps::dispatch(const std::int8_t* votes,
                                           const std::vector<double>& a) const {
  std::vector<double> sums;
  plain::visit_formula(formula_,
                       [&](auto formula) { sums = evaluate<decltype(formula), kRisk>(votes, a); });
  return sums;
}

std::vector<double> SimplexSteps::descents(const std::int8_t* votes,
                                           const std::vector<double>& a) const {
  std::vector<double> sums = dispatch<false>(votes, a);
  for (double& sum : sums) sum *= rate_ / 2;
  return sums;
}

std::vector<double> SimplexSteps::risks(const std::int8_t* votes,
                                        const std::vector<double>& a) const {
  return dispatch<true>(votes, a);
}

SimplexSteps::Best SimplexSteps::best(const std::int8_t* votes,
                                      const std::vector<double>& guess) const {
  std::vector<double> trial(dimension_);
  const std::vector<double> start = descents(votes, trial);
  std::vector<StepSearch> searches;
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double most = most_change_ / (diagonal_[j] / 2);
    searches.emplace_back(start[j], std::min(guess[j], most), most);
  }
  const auto all_done = [&] {
    return std::all_of(searches.begin(), searches.end(),
                       [](const StepSearch& search) { return search.done(); });
  };
  while (!all_done()) {
    for (std::size_t j = 0; j < dimension_; ++j) trial[j] = searches[j].step();
    const std::vector<double> found = descents(votes, trial);
    for (std::size_t j = 0; j < dimension_; ++j)
      if (!searches[j].done()) searches[j].observe(found[j]);
  }
  for (std::size_t j = 0; j < dimension_; ++j) trial[j] = searches[j].step();
  const std::vector<double> risk = risks(votes, trial);
  std::size_t best = 0;
  for (std::size_t j = 1; j < dimension_; ++j)
    if (trial[j] > 0 && (risk[j] < risk[best] || !(trial[best] > 0))) best = j;
  return {best, trial[best]};
}

}  // namespace simplexboost
