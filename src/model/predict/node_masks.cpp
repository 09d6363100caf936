#include "model/predict/node_masks.h"

#include <algorithm>

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(MaskKernels, kMaskKernels)

const MaskKernels& mask_kernels() {
  static const MaskKernels& chosen = SIMPLEXBOOST_ISA_CHOICE(kMaskKernels);
  return chosen;
}

namespace {

// Beyond this a walk from node to node looks at far fewer of them.
constexpr std::size_t kMostLeaves = 256;
constexpr std::size_t kWordLeaves = 8;

bool can_be_masked(const Forest& forest, const TreeSpan& span) {
  const std::size_t count = span.node_end - span.node_begin;
  if (count == 0 || count + 1 > kMostLeaves) return false;
  if (!span.sparse && span.value_begin + (count + 1) * span.width > 0xffffffff) return false;
  return std::all_of(
      forest.nodes.begin() + span.node_begin, forest.nodes.begin() + span.node_end,
      [](const Node& node) { return !node.categorical && node.filter == kNoFilter; });
}

}  // namespace

NodeMasks::NodeMasks(const Forest& forest) : trees_(forest.trees.size()) {
  std::vector<std::uint16_t> columns(forest.nodes.size());
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const TreeSpan& span = forest.trees[t];
    if (!can_be_masked(forest, span)) continue;
    const std::size_t count = span.node_end - span.node_begin;
    if (columns_.add({forest.nodes.data() + span.node_begin, count},
                     columns.data() + span.node_begin))
      trees_[t].leaves = count + 1;
  }
  columns_.finish();
  for (std::size_t t = 0; t < trees_.size(); ++t)
    if (trees_[t].leaves > 0) pack(forest, t, columns.data() + forest.trees[t].node_begin);
}

// A node whose left child has the leaves [first, end): a step for each word that has some of them.
void NodeMasks::add_steps(std::size_t column, double threshold, std::size_t first, std::size_t end,
                          std::span<std::vector<MaskStep>> words) const {
  const std::int8_t rank = columns_.rank(column, threshold);
  for (std::size_t word = first / kWordLeaves; word <= (end - 1) / kWordLeaves; ++word) {
    std::uint32_t kept = 0xff;
    for (std::size_t bit = 0; bit < kWordLeaves; ++bit)
      if (word * kWordLeaves + bit >= first && word * kWordLeaves + bit < end) kept &= ~(1U << bit);
    words[word].push_back(
        {static_cast<std::uint16_t>(column), rank, static_cast<std::uint8_t>(kept)});
  }
}

void NodeMasks::pack(const Forest& forest, std::size_t index, const std::uint16_t* columns) {
  const TreeSpan& span = forest.trees[index];
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
    add_steps(columns[i], nodes[i].threshold, first[i], middle, words);
  }
  for (const std::vector<MaskStep>& word : words) {
    steps_.insert(steps_.end(), word.begin(), word.end());
    word_ends_.push_back(static_cast<std::uint32_t>(steps_.size() - tree.step_begin));
  }
}

void NodeMasks::find_leaves(std::size_t tree, const std::int8_t* ranks, std::size_t rows,
                            std::uint8_t* leaves) const {
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
void NodeMasks::add_singles(std::size_t begin, std::size_t end, const std::uint8_t* leaves,
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
