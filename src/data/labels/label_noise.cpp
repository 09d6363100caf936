#include "data/labels/label_noise.h"

#include <cassert>
#include <utility>
#include <vector>

#include "base/random.h"
#include "simplexboost/dataset.h"

namespace simplexboost {
namespace {

constexpr std::uint64_t kNoiseStream = 0x4e4f'4953'45;  // "NOISE"

void flip_sets(Labels& labels, double noise, Random& random) {
  std::vector<std::int32_t> codes;
  std::vector<std::size_t> offsets{0};
  for (std::size_t i = 0; i + 1 < labels.offsets.size(); ++i) {
    std::size_t next = labels.offsets[i];
    for (std::size_t l = 0; l < labels.classes.size(); ++l) {
      const auto code = static_cast<std::int32_t>(l);
      const bool is = next < labels.offsets[i + 1] && labels.codes[next] == code;
      if (is) ++next;
      const bool flip = random.uniform() < noise;
      if (is != flip) codes.push_back(code);
    }
    offsets.push_back(codes.size());
  }
  labels.codes = std::move(codes);
  labels.offsets = std::move(offsets);
}

}  // namespace

void flip_classes(std::span<std::int32_t> codes, std::size_t classes, double noise,
                  Random& random) {
  assert(classes >= 2);
  for (std::int32_t& code : codes) {
    if (random.uniform() >= noise) continue;
    const std::uint64_t step = 1 + random.below(classes - 1);
    code = static_cast<std::int32_t>((static_cast<std::uint64_t>(code) + step) % classes);
  }
}

void flip_labels(Labels& labels, double noise, std::uint64_t seed) {
  Random random(seed, kNoiseStream);
  if (labels.multi_label()) return flip_sets(labels, noise, random);
  if (labels.classes.size() >= 2) flip_classes(labels.codes, labels.classes.size(), noise, random);
}

}  // namespace simplexboost
