#include "model/predict/node_masks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(MaskKernels, kMaskKernels)

const MaskKernels& mask_kernels() {
  static const MaskKernels& chosen = SIMPLEXBOOST_ISA_CHOICE(kMaskKernels);
  return chosen;
}

namespace {

// Beyond this a walk from node to node looks at far fewer of them.
constexpr std::size_t kWordLeaves = 16;
constexpr std::size_t kMostLeaves = 256;
constexpr std::size_t kMostRanks = 65535;
constexpr std::uint32_t kNoColumn = 0xffffffff;

// Ranks begin with the least of their integers.
std::int16_t rank_of(std::size_t below) {
  return static_cast<std::int16_t>(static_cast<std::int32_t>(below) +
                                   std::numeric_limits<std::int16_t>::min());
}

bool of_number(const Node& node) { return !node.categorical && node.filter == kNoFilter; }

// How many of the thresholds are below each value. Values go side by side, so that none waits for
// the search of another.
template <std::size_t N>
void count_below(std::span<const double> thresholds, const double* values, std::int16_t* ranks) {
  std::array<std::size_t, N> low{};
  for (std::size_t left = thresholds.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    for (std::size_t k = 0; k < N; ++k)
      low[k] += values[k] > thresholds[low[k] + half - 1] ? half : 0;
    left -= half;
  }
  for (std::size_t k = 0; k < N; ++k) ranks[k] = rank_of(low[k]);
}

}  // namespace

NodeMasks::NodeMasks(const Forest& forest) : trees_(forest.trees.size()) {
  find_columns(forest);
  for (std::size_t t = 0; t < trees_.size(); ++t) pack(forest, t);
}

// Features with more thresholds than there are ranks have no column.
void NodeMasks::find_columns(const Forest& forest) {
  std::size_t features = 0;
  for (const Node& node : forest.nodes)
    features = std::max<std::size_t>(features, node.feature + 1);
  column_of_.assign(2 * features, kNoColumn);
  for (const Node& node : forest.nodes) {
    if (!of_number(node)) continue;
    std::uint32_t& column = column_of_[2 * node.feature + (node.missing_left ? 0 : 1)];
    if (column == kNoColumn) {
      column = static_cast<std::uint32_t>(columns_.size());
      columns_.push_back({node.feature, !node.missing_left, {}});
    }
    columns_[column].thresholds.push_back(node.threshold);
  }
  for (Column& column : columns_) {
    std::vector<double>& thresholds = column.thresholds;
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    thresholds.shrink_to_fit();
  }
}

std::uint32_t NodeMasks::column_of(const Node& node) const {
  return column_of_[2 * std::size_t{node.feature} + (node.missing_left ? 0 : 1)];
}

bool NodeMasks::fits(const Forest& forest, const TreeSpan& span) const {
  const std::size_t count = span.node_end - span.node_begin;
  if (count == 0 || count + 1 > kMostLeaves) return false;
  if (!span.sparse && span.value_begin + (count + 1) * span.width > 0xffffffff) return false;
  return std::all_of(forest.nodes.begin() + span.node_begin, forest.nodes.begin() + span.node_end,
                     [&](const Node& node) {
                       return of_number(node) && column_of(node) <= 0xffff &&
                              columns_[column_of(node)].thresholds.size() <= kMostRanks;
                     });
}

// A node whose left child has the leaves [first, end): a step for each word that has some of them.
void NodeMasks::add_steps(const Node& node, std::size_t first, std::size_t end,
                          std::span<std::vector<MaskStep>> words) const {
  const std::vector<double>& thresholds = columns_[column_of(node)].thresholds;
  const auto rank =
      std::lower_bound(thresholds.begin(), thresholds.end(), node.threshold) - thresholds.begin();
  for (std::size_t word = first / kWordLeaves; word <= (end - 1) / kWordLeaves; ++word) {
    std::uint32_t kept = 0xffff;
    for (std::size_t bit = 0; bit < kWordLeaves; ++bit)
      if (word * kWordLeaves + bit >= first && word * kWordLeaves + bit < end) kept &= ~(1U << bit);
    words[word].push_back({static_cast<std::uint16_t>(column_of(node)),
                           rank_of(static_cast<std::size_t>(rank)),
                           static_cast<std::uint16_t>(kept)});
  }
}

void NodeMasks::pack(const Forest& forest, std::size_t index) {
  const TreeSpan& span = forest.trees[index];
  if (!fits(forest, span)) return;
  const std::size_t count = span.node_end - span.node_begin;
  const std::span<const Node> nodes(forest.nodes.data() + span.node_begin, count);
  // Leaves below each node, children standing after their parents; and the first of them.
  std::vector<std::size_t> below(count);
  std::vector<std::size_t> first(count);
  const auto leaves_of = [&](std::int32_t child) {
    return child < 0 ? 1 : below[static_cast<std::size_t>(child)];
  };
  for (std::size_t i = count; i-- > 0;)
    below[i] = leaves_of(nodes[i].left) + leaves_of(nodes[i].right);
  Tree& tree = trees_[index];
  tree.leaf_begin = numbers_.size();
  tree.leaves = count + 1;
  tree.output = span.output;
  tree.single = span.width == 1 && !span.sparse && span.minus_output == kNoOutput && !span.linear();
  tree.words = (tree.leaves + kWordLeaves - 1) / kWordLeaves;
  tree.step_begin = steps_.size();
  tree.word_begin = word_ends_.size();
  std::vector<std::vector<MaskStep>> words(tree.words);
  numbers_.resize(numbers_.size() + tree.leaves);
  places_.resize(numbers_.size());
  const auto place = [&](std::int32_t child, std::size_t at) {
    if (child >= 0) {
      first[static_cast<std::size_t>(child)] = at;
      return;
    }
    numbers_[tree.leaf_begin + at] = static_cast<std::uint16_t>(~child);
    places_[tree.leaf_begin + at] = static_cast<std::uint32_t>(
        span.value_begin + static_cast<std::size_t>(~child) * span.width);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t middle = first[i] + leaves_of(nodes[i].left);
    place(nodes[i].left, first[i]);
    place(nodes[i].right, middle);
    add_steps(nodes[i], first[i], middle, words);
  }
  for (const std::vector<MaskStep>& word : words) {
    steps_.insert(steps_.end(), word.begin(), word.end());
    word_ends_.push_back(static_cast<std::uint32_t>(steps_.size() - tree.step_begin));
  }
}

void NodeMasks::set_ranks(const Dataset& data, std::size_t begin, std::size_t end,
                          std::int16_t* ranks) const {
  constexpr std::size_t kAtOnce = 8;
  const std::size_t stride = padded_rows(end - begin);
  std::array<double, 256> values{};
  for (const Column& column : columns_) {
    const std::size_t all = column.thresholds.size();
    const std::int16_t missing = rank_of(column.missing_high ? std::min(all, kMostRanks) : 0);
    for (std::size_t i = begin; all <= kMostRanks && i < end; i += values.size()) {
      const std::size_t count = std::min(values.size(), end - i);
      data.columns[column.feature].copy(i, i + count, values.data());
      std::int16_t* const out = ranks + (i - begin);
      // Whole groups: there is room for what lies behind the last row.
      for (std::size_t k = 0; k < count; k += kAtOnce)
        count_below<kAtOnce>(column.thresholds, values.data() + k, out + k);
      for (std::size_t k = 0; k < count; ++k)
        if (std::isnan(values[k])) out[k] = missing;
    }
    ranks += stride;
  }
}

void NodeMasks::find_leaves(std::size_t tree, const std::int16_t* ranks, std::size_t rows,
                            std::uint16_t* leaves) const {
  const Tree& packed = trees_[tree];
  mask_kernels().find_leaves({steps_.data() + packed.step_begin,
                              word_ends_.data() + packed.word_begin, packed.words, ranks, rows,
                              leaves});
}

std::span<const std::uint16_t> NodeMasks::leaf_numbers(std::size_t tree) const {
  return {numbers_.data() + trees_[tree].leaf_begin, trees_[tree].leaves};
}

const std::uint32_t* NodeMasks::places(std::size_t tree) const {
  return places_.data() + trees_[tree].leaf_begin;
}

// Row by row, so that the outputs of a row stay at hand while the trees go by, in their order.
void NodeMasks::add_singles(std::size_t begin, std::size_t end, const std::uint16_t* leaves,
                            std::size_t rows, const Forest& forest, float* out) const {
  const std::size_t stride = padded_rows(rows);
  const std::size_t outputs = forest.outputs;
  forest.leaf_values.visit([&](const auto& values) {
    for (std::size_t i = 0; i < rows; ++i, out += outputs)
      for (std::size_t t = begin; t < end; ++t)
        out[trees_[t].output] +=
            widen(values[places_[trees_[t].leaf_begin + leaves[(t - begin) * stride + i]]]);
  });
}

}  // namespace simplexboost
