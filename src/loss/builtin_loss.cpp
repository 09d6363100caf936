#include "loss/builtin_loss.h"

#include <algorithm>
#include <limits>

#include "loss/loss_kernels.h"
#include "loss/posterior.h"

namespace simplexboost {
namespace {

// So few that a chunk's pulls stay in the cache.
std::size_t chunk_rows(std::size_t classes) {
  return std::clamp<std::size_t>(8192 / std::max<std::size_t>(classes, 1) / 8 * 8, 8, kLossChunk);
}

template <class Visit>
void for_chunks(const LossBlock& block, const Visit& visit) {
  const std::size_t rows = chunk_rows(block.classes);
  for (std::size_t begin = 0; begin < block.rows; begin += rows)
    visit(begin, block.part(begin, std::min(begin + rows, block.rows)));
}

using PosteriorRule = void (*)(std::size_t rows, std::size_t classes, const float* scores,
                               float* probabilities);

class BuiltinLoss final : public Loss {
 public:
  BuiltinLoss(const char* name, const LossKernels& kernels, PosteriorRule posterior,
              bool curvature_from_pulls = false)
      : name_(name),
        kernels_(kernels),
        posterior_(posterior),
        curvature_from_pulls_(curvature_from_pulls) {}

  std::string name() const override { return name_; }
  bool curvature_from_pulls() const override { return curvature_from_pulls_; }

  ScaledSum risk(const LossBlock& block) const override {
    ScaledSum total;
    for_chunks(block, [&](std::size_t /*begin*/, const LossBlock& chunk) {
      const ChunkRisk part = kernels_.risk(chunk);
      total.add({part.sum, part.log_scale});
    });
    return total;
  }

  double pulls(const LossBlock& block, double log_scale, float* pulls,
               float* curvature) const override {
    float largest = -std::numeric_limits<float>::infinity();
    for_chunks(block, [&](std::size_t begin, const LossBlock& chunk) {
      const std::size_t first = begin * block.classes;
      largest =
          std::max(largest, kernels_.pulls(chunk, static_cast<float>(log_scale), pulls + first,
                                           curvature ? curvature + first : nullptr));
    });
    return largest;
  }

  void posteriors(std::size_t rows, std::size_t classes, const float* scores,
                  float* probabilities) const override {
    posterior_(rows, classes, scores, probabilities);
  }

 private:
  const char* name_;
  const LossKernels& kernels_;
  PosteriorRule posterior_;
  bool curvature_from_pulls_;
};

}  // namespace

std::shared_ptr<const Loss> exponential_loss() {
  return std::make_shared<BuiltinLoss>("exponential", loss_kernels().exponential,
                                       softmax_posteriors);
}

std::shared_ptr<const Loss> logistic_loss() {
  return std::make_shared<BuiltinLoss>("logistic", loss_kernels().logistic, softmax_posteriors,
                                       true);
}

std::shared_ptr<const Loss> savage_loss() {
  return std::make_shared<BuiltinLoss>("savage", loss_kernels().savage, savage_posteriors);
}

}  // namespace simplexboost
