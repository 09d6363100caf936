#include "tree/histogram/part_histograms.h"

#include <algorithm>

#include "base/threads/parallel.h"

namespace simplexboost {

PartHistograms::PartHistograms(int threads) : own_(static_cast<std::size_t>(threads)) {}

void PartHistograms::fill(const FeatureBlocks& blocks, const NodeRows& rows, std::size_t node,
                          std::size_t parts, std::size_t channels) {
  blocks_ = &blocks;
  channels_ = channels;
  ++fills_;
  const std::size_t count = rows.count(node);
  // The blocks of a part follow each other, so that a thread reads the list of its rows once.
  parallel_for(static_cast<int>(own_.size()), parts * blocks.size(), [&](std::size_t task) {
    const std::size_t part = task / blocks.size();
    const std::size_t b = task % blocks.size();
    const FeatureBlock& block = blocks[b];
    Own& own = own_[static_cast<std::size_t>(worker_index())];
    own.numbers.resize(std::max(own.numbers.size(), blocks.bins() * channels));
    own.filled.resize(std::max(own.filled.size(), blocks.size()));
    std::int32_t* const histogram = own.numbers.data() + block.first_bin * channels;
    if (own.filled[b] != fills_) std::fill_n(histogram, block.bins * channels, 0);
    own.filled[b] = fills_;
    rows.fill(block, node, {count * part / parts, count * (part + 1) / parts}, histogram);
  });
}

PartHistograms::Range PartHistograms::range(std::size_t block, std::size_t f) const {
  const FeatureBlock& in = (*blocks_)[block];
  const std::size_t end = f + 1 < in.width() ? in.offsets[f + 1] : in.bins;
  return {(in.first_bin + in.offsets[f]) * channels_, (end - in.offsets[f]) * channels_};
}

template <class Use>
void PartHistograms::for_filled(std::size_t block, const Use& use) const {
  for (const Own& own : own_)
    if (block < own.filled.size() && own.filled[block] == fills_) use(own.numbers.data());
}

void PartHistograms::add_up(std::size_t block, std::size_t f, std::int32_t* out) const {
  const Range bins = range(block, f);
  bool first = true;
  for_filled(block, [&](const std::int32_t* numbers) {
    if (first) {
      std::copy_n(numbers + bins.begin, bins.size, out);
    } else {
      kernels().add_integers(numbers + bins.begin, bins.size, out);
    }
    first = false;
  });
}

void PartHistograms::total(std::int32_t* out) const {
  const Range bins = range(0, 0);
  std::fill_n(out, channels_, 0);
  for_filled(0, [&](const std::int32_t* numbers) {
    for (std::size_t j = 0; j < bins.size; j += channels_)
      kernels().add_integers(numbers + bins.begin + j, channels_, out);
  });
}

}  // namespace simplexboost
