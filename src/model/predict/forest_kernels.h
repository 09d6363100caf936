// Prediction on a device, as Predictor and the link do it, to the last bit.
#pragma once

#include "cuda/kernel.h"
#include "cuda/kernels/device_column.h"
#include "model/predict/packed_forest.h"
#include "model/predict/softmax.h"

namespace simplexboost {

// A forest without linear parts in the memory of a device, its values in single precision.
struct DeviceTrees {
  const PackedNode* nodes;
  const PackedTree* trees;
  const std::uint32_t* set_words;
  const float* values;
  const std::uint64_t* entry_ends;
  const std::uint32_t* entry_outputs;
  const float* entry_values;
  const float* bias;
  std::uint32_t outputs;
};

// Sends rows down all trees, a few of them at a time, and adds up what their leaves say.
struct AddTrees {
  static constexpr const char* kName = "add trees";
  static constexpr unsigned kThreads = 128;  // and as many rows
  static constexpr unsigned kTrees = 16;     // at a time
  using Local = NoLocal;
  DeviceTrees forest;
  const DeviceColumn* columns;  // of the features that are used
  std::size_t rows;
  std::uint32_t trees;
  float* out;  // rows x outputs

  LANES_INLINE std::size_t shared_bytes() const {
    return std::size_t{kThreads} * kTrees * sizeof(std::uint32_t);
  }
  LANES_INLINE unsigned phases() const {
    return trees == 0 ? 2 : 2 * ((trees + kTrees - 1) / kTrees);
  }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const leaves = static_cast<std::uint32_t*>(shared);  // trees x rows
    const std::uint32_t begin = phase / 2 * kTrees;
    const std::uint32_t end = begin + kTrees < trees ? begin + kTrees : trees;
    const std::size_t first = self.block * kThreads;
    if (phase % 2 == 0) {
      const std::size_t row = first + self.thread;
      for (std::uint32_t t = begin; t < end && row < rows; ++t)
        leaves[(t - begin) * kThreads + self.thread] = leaf_of(forest.trees[t], row);
      return;
    }
    const auto here = static_cast<std::uint32_t>(rows - first < kThreads ? rows - first : kThreads);
    for (std::uint32_t i = self.thread; i < here * forest.outputs; i += kThreads) {
      const std::uint32_t row = i / forest.outputs;
      const std::uint32_t output = i % forest.outputs;
      float* const place = out + (first + row) * forest.outputs + output;
      float sum = begin == 0 ? forest.bias[output] : *place;
      for (std::uint32_t t = begin; t < end; ++t)
        sum = with_tree(forest.trees[t], leaves[(t - begin) * kThreads + row], output, sum);
      *place = sum;
    }
  }

 private:
  LANES_INLINE std::uint32_t leaf_of(const PackedTree& tree, std::size_t row) const {
    const PackedNode* const nodes = forest.nodes + tree.begin;
    for (std::uint32_t at = 0;;) {
      const PackedNode node = nodes[at];
      if (node.child == at) return node.leaf();
      const double x = columns[node.feature & PackedNode::kFeature].value(row);
      at = tree.mixed ? node.template next<true>(x, forest.set_words)
                      : node.template next<false>(x, forest.set_words);
    }
  }

  // What a tree makes of an output.
  LANES_INLINE float with_tree(const PackedTree& tree, std::uint32_t leaf, std::uint32_t output,
                               float sum) const {
    if (tree.whole)
      return sum + forest.values[tree.value_begin + std::size_t{leaf} * tree.width + output];
    if (tree.sparse) return with_entries(tree, leaf, output, sum);
    const bool plus = tree.reaches(tree.output, output, std::size_t{output} + 1);
    const bool minus = tree.reaches(tree.minus_output, output, std::size_t{output} + 1);
    const float* const values = forest.values + tree.value_begin + std::size_t{leaf} * tree.width;
    if (plus) sum += values[output - tree.output];
    if (minus) sum -= values[output - tree.minus_output];
    return sum;
  }

  LANES_INLINE float with_entries(const PackedTree& tree, std::uint32_t leaf, std::uint32_t output,
                                  float sum) const {
    const std::size_t at = tree.value_begin + leaf;
    for (std::size_t e = at == 0 ? 0 : forest.entry_ends[at - 1]; e < forest.entry_ends[at]; ++e)
      if (tree.output + forest.entry_outputs[e] == output) sum += forest.entry_values[e];
    return sum;
  }
};

// From outputs to class scores by codewords, which are stored or those of a simplex.
struct ClassScores {
  static constexpr const char* kName = "class scores";
  static constexpr unsigned kThreads = 128;
  using Local = NoLocal;
  const float* outputs;  // rows x width
  std::size_t rows;
  std::uint32_t width;
  std::uint32_t classes;
  const float* codewords;       // width x classes, halved; null: a simplex, by these
  const double* half_diagonal;  // of the outputs
  const double* half_below;
  float* scores;  // rows x classes

  // Threads that work: one a row, or one a score.
  LANES_INLINE std::size_t numbers() const { return codewords ? rows * classes : rows; }
  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t number = self.block * kThreads + self.thread;
    if (number >= numbers()) return;
    if (!codewords) {
      double carry = 0;
      simplex_scores(outputs + number * width, width, half_diagonal, half_below, carry,
                     scores + number * classes);
      return;
    }
    const float* const own = outputs + number / classes * width;
    const float* word = codewords + number % classes;
    float sum = 0;
    for (std::uint32_t c = 0; c < width; ++c, word += classes) sum += own[c] * *word;
    scores[number] = sum;
  }
};

// Probabilities by the soft maximum.
template <class Real>
struct TellProbabilities {
  static constexpr const char* kName = "tell probabilities";
  static constexpr unsigned kThreads = 128;
  using Local = NoLocal;
  const float* scores;  // rows x classes
  std::size_t rows;
  std::uint32_t classes;
  double scale;
  Real* out;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row >= rows) return;
    const double factor = scale;
    normalise(
        scores + row * classes, classes, [factor](double u) { return factor * u; },
        out + row * classes);
  }
};

// The class of highest score.
struct PickClasses {
  static constexpr const char* kName = "pick classes";
  static constexpr unsigned kThreads = 128;
  using Local = NoLocal;
  const float* scores;  // rows x classes
  std::size_t rows;
  std::uint32_t classes;
  std::int32_t* picked;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row < rows)
      picked[row] = static_cast<std::int32_t>(best_class(scores + row * classes, classes));
  }
};

}  // namespace simplexboost
