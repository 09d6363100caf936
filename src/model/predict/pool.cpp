#include "model/predict/pool.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/threads/parallel.h"
#include "model/predict/link.h"

namespace simplexboost {
namespace {

double pooled_log(double p, bool odds) {
  const double bounded = std::clamp(p, kLeastPooled, odds ? 1 - kLeastPooled : 1.0);
  return odds ? std::log(bounded) - std::log1p(-bounded) : std::log(bounded);
}

}  // namespace

void pool_scores(const Ensemble& ensemble, std::span<const float> outputs,
                 std::span<float> scores) {
  thread_local std::vector<double> sums;
  thread_local std::vector<double> one;
  const std::size_t classes = scores.size();
  const bool sets = ensemble.schema.multi_label;
  const bool product = ensemble.pool == Pool::kProduct;
  sums.assign(classes, 0);
  one.resize(classes);
  for (std::size_t m = 0; m < ensemble.members.size(); ++m) {
    const Member& member = ensemble.members[m];
    to_probabilities({member.link, member.scale, member.shift, sets},
                     outputs.subspan(m * classes, classes), one.data());
    for (std::size_t k = 0; k < classes; ++k)
      sums[k] += member.weight * (product ? pooled_log(one[k], sets) : one[k]);
  }
  for (std::size_t k = 0; k < classes; ++k)
    scores[k] = static_cast<float>(product ? sums[k] : pooled_log(sums[k], sets));
}

void to_pooled_scores(bool multi_label, Matrix& probabilities) {
  for (float& p : probabilities.values)
    p = static_cast<float>(pooled_log(static_cast<double>(p), multi_label));
}

void rescale(const Ensemble& ensemble, int threads, Matrix& probabilities) {
  constexpr std::size_t kRowBlock = 256;
  const bool sets = ensemble.schema.multi_label;
  parallel_blocks(threads, probabilities.rows, kRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<float> row(probabilities.row(i), probabilities.columns);
      for (float& p : row) p = static_cast<float>(pooled_log(static_cast<double>(p), sets));
      to_probabilities(ensemble, row);
    }
  });
}

}  // namespace simplexboost
