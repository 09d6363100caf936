#include "model/predict/predictor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/aligned_vector.h"
#include "base/memory.h"
#include "base/threads/parallel.h"
#include "codeword/simplex.h"
#include "model/predict/adjusted.h"
#include "model/predict/pool.h"
#include "model/predict/softmax.h"

namespace simplexboost {
namespace {

constexpr std::size_t kLanes = 8;                             // rows that walk a tree side by side
constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;  // features and outputs of a block
constexpr std::size_t kMinBlock = 16;
constexpr std::size_t kMaxBlock = 1024;
constexpr std::size_t kTreesAtOnce = 32;  // whose leaves are found before any is added
constexpr std::size_t kFewNumbers = 256;  // of a single row's features kept on the stack
constexpr std::size_t kRowChunk = 1024;   // outputs of a single row kept on the stack

template <class Value>
void add(const Value* values, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] += widen(values[i]);
}

template <class Value>
void subtract(const Value* values, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] -= widen(values[i]);
}

void add_scaled(const float* values, std::size_t count, double scale, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] += static_cast<float>(scale * values[i]);
}

}  // namespace

Predictor::Predictor(const Ensemble& ensemble)
    : ensemble_(ensemble), packed_(ensemble.forest, ensemble.schema.features.size()) {
  const Forest& forest = ensemble.forest;
  filters_.reserve(forest.filters.size());
  for (const ImageFilter& filter : forest.filters)
    filters_.push_back(filter_taps(filter, forest.image));
  stride_ = packed_.features.size() + (filters_.empty() ? 0 : integral_places(forest.image));
  const std::size_t outputs = forest.outputs;
  const std::size_t classes = ensemble.classes();
  codewords_.resize(ensemble.codewords.size());
  if (!codewords_.empty())
    for (std::size_t k = 0; k < classes; ++k)
      for (std::size_t c = 0; c < outputs; ++c)
        codewords_[c * classes + k] = ensemble.codewords[k * outputs + c] / 2;
  if (!ensemble.simplex) return;
  half_diagonal_.resize(outputs);
  half_below_.resize(outputs);
  for (std::size_t j = 0; j < outputs; ++j) {
    half_diagonal_[j] = simplex_diagonal(classes, j) / 2;
    half_below_[j] = simplex_below(classes, j) / 2;
  }
}

// The node after `at`. `features` maps a compact feature number to the row's value.
template <bool kMixed, class Features>
std::uint32_t Predictor::step(const PackedNode* nodes, std::uint32_t at,
                              const Features& features) const {
  const PackedNode& node = nodes[at];
  if constexpr (kMixed)
    if ((node.feature & PackedNode::kFilter) != 0) {
      const auto first = static_cast<std::uint32_t>(packed_.features.size());
      const double value = filters_[node.feature & PackedNode::kFeature].value(
          [&](std::uint32_t place) { return features(first + place); });
      return node.child + (value > node.threshold ? 1U : 0U);
    }
  return node.next<kMixed>(features(node.feature & PackedNode::kFeature),
                           ensemble_.forest.set_words.data());
}

void Predictor::add_entries(const PackedTree& tree, std::size_t leaf, std::size_t begin,
                            std::span<float> part) const {
  const Forest& forest = ensemble_.forest;
  const std::size_t at = tree.value_begin + leaf;
  const std::size_t last = forest.entry_ends[at];
  for (std::size_t e = at == 0 ? 0 : forest.entry_ends[at - 1]; e < last; ++e) {
    const std::size_t to = std::size_t{tree.output} + forest.entry_outputs[e] - begin;
    if (to < part.size()) part[to] += forest.entry_values[e];  // wraps around below `begin`
  }
}

void Predictor::add_leaf(const PackedTree& tree, std::uint32_t leaf, float* out) const {
  if (tree.sparse) return add_entries(tree, leaf, 0, {out, ensemble_.forest.outputs});
  ensemble_.forest.leaf_values.visit([&](const auto& all) {
    const auto* const values = all.data() + tree.value_begin + std::size_t{leaf} * tree.width;
    add(values, tree.width, out + tree.output);
    if (tree.minus_output != kNoOutput) subtract(values, tree.width, out + tree.minus_output);
  });
}

// Walks one tree with all rows of a block. Rows go in groups so that the loads of one hide the
// latency of another; a group is done when none of its rows moves.
template <bool kMixed, class Use>
void Predictor::walk(const PackedTree& tree, const double* rows, std::size_t count,
                     const Use& use) const {
  const PackedNode* nodes = packed_.nodes.data() + tree.begin;
  const std::size_t stride = stride_;
  std::array<std::uint32_t, kLanes> at{};
  for (std::size_t first = 0; first < count; first += kLanes) {
    const double* group = rows + first * stride;
    at.fill(0);
    std::uint32_t moved = 1;
    while (moved != 0) {
      moved = 0;
      for (std::size_t k = 0; k < kLanes; ++k) {
        const double* row = group + k * stride;
        const std::uint32_t next =
            step<kMixed>(nodes, at[k], [row](std::uint32_t f) { return row[f]; });
        moved |= next ^ at[k];
        at[k] = next;
      }
    }
    const std::size_t lanes = std::min(kLanes, count - first);
    for (std::size_t k = 0; k < lanes; ++k) use(first + k, nodes[at[k]].leaf());
  }
}

template <bool kMixed>
void Predictor::add_tree(const PackedTree& tree, const double* rows, std::size_t count,
                         float* out) const {
  const std::size_t outputs = ensemble_.forest.outputs;
  walk<kMixed>(tree, rows, count, [&](std::size_t row, std::uint32_t leaf) {
    add_leaf(tree, leaf, out + row * outputs);
  });
}

void Predictor::add_linear(const PackedTree& tree, const double* rows, std::size_t count,
                           float* out) const {
  const std::size_t stride = stride_;
  const std::size_t outputs = ensemble_.forest.outputs;
  for (std::size_t i = 0; i < count; ++i) {
    const float* slopes = ensemble_.forest.slopes.data() + tree.slope_begin;
    for (const PackedLinear& term : packed_.linear_of(tree)) {
      const double position = term.scale.position(rows[i * stride + term.feature]);
      add_scaled(slopes, tree.width, position, out + i * outputs + tree.output);
      if (tree.minus_output != kNoOutput)
        add_scaled(slopes, tree.width, -position, out + i * outputs + tree.minus_output);
      slopes += tree.width;
    }
  }
}

void Predictor::add_trees(std::size_t tree_begin, std::size_t tree_end, const double* rows,
                          std::size_t count, float* out) const {
  const std::size_t outputs = ensemble_.forest.outputs;
  for (std::size_t t = tree_begin; t < tree_end; ++t) {
    const PackedTree& tree = packed_.trees[t];
    if (tree.depth == 0) {
      for (std::size_t i = 0; i < count; ++i) add_leaf(tree, 0, out + i * outputs);
    } else if (tree.mixed) {
      add_tree<true>(tree, rows, count, out);
    } else {
      add_tree<false>(tree, rows, count, out);
    }
    if (tree.linear()) add_linear(tree, rows, count, out);
  }
}

// As many rows as the cache holds, but a share for every thread.
std::size_t Predictor::block_rows(std::size_t rows, std::size_t trees, int threads) const {
  const std::size_t row_bytes = stride_ * sizeof(double) + ensemble_.forest.outputs * sizeof(float);
  const std::size_t share = rows / static_cast<std::size_t>(threads) + 1;
  const std::size_t most = std::clamp(kBlockBytes / row_bytes, kMinBlock, kMaxBlock);
  return masks_pay(rows, trees) ? std::clamp(padded_rows(share), kMaskRows, padded_rows(most))
                                : std::clamp(share, kMinBlock, most);
}

// Rows [begin, end) of the used features, row-major.
void Predictor::gather(const Dataset& data, std::size_t begin, std::size_t end,
                       double* rows) const {
  const std::size_t stride = stride_;
  std::array<double, 256> values;
  for (std::size_t f = 0; f < packed_.features.size(); ++f) {
    const Column& column = data.columns[packed_.features[f]];
    for (std::size_t i = begin; i < end; i += values.size()) {
      const std::size_t count = std::min(values.size(), end - i);
      column.copy(i, i + count, values.data());
      for (std::size_t k = 0; k < count; ++k) rows[(i - begin + k) * stride + f] = values[k];
    }
  }
}

// Their integral images, behind these.
void Predictor::gather_images(const Dataset& data, std::size_t begin, std::size_t end,
                              double* rows) const {
  const ImageShape& image = ensemble_.forest.image;
  const std::size_t count = end - begin;
  std::vector<double> values(count);
  std::vector<double> pixels(count * image.features());
  for (std::size_t f = 0; f < image.features(); ++f) {
    data.columns[f].copy(begin, end, values.data());
    for (std::size_t i = 0; i < count; ++i) pixels[i * image.features() + f] = values[i];
  }
  for (std::size_t i = 0; i < count; ++i)
    integrate_image(pixels.data() + i * image.features(), image,
                    rows + i * stride_ + packed_.features.size());
}

// In whole groups of lanes: those beyond the last row walk zeros and are not used.
std::vector<double> Predictor::gathered(const Dataset& data, std::size_t first,
                                        std::size_t last) const {
  const std::size_t padded = (last - first + kLanes - 1) / kLanes * kLanes;
  std::vector<double> rows(padded * stride_);
  gather(data, first, last, rows.data());
  if (!filters_.empty()) gather_images(data, first, last, rows.data());
  return rows;
}

void Predictor::add_by_walks(const Dataset& data, std::size_t first, std::size_t last,
                             std::size_t tree_begin, std::size_t tree_end, float* out) const {
  add_trees(tree_begin, tree_end, gathered(data, first, last).data(), last - first, out);
}

Predictor::AddBlock Predictor::adder(std::size_t rows, std::size_t trees) const {
  return masks_pay(rows, trees) ? &Predictor::add_by_masks : &Predictor::add_by_walks;
}

// Making masks takes about as long as a few rows through each node.
bool Predictor::masks_pay(std::size_t rows, std::size_t trees) const {
  constexpr std::size_t kRowsForMasks = kMaskRows / 2;
  constexpr std::size_t kLeastTrees = 4;
  constexpr std::size_t kRowsToANode = 4;
  if (rows < kRowsForMasks || trees < kLeastTrees) return false;
  const std::lock_guard lock(masks_mutex_);
  return masks_ || rows * trees >= kRowsToANode * ensemble_.forest.nodes.size();
}

const NodeMasks& Predictor::masks() const {
  const std::lock_guard lock(masks_mutex_);
  if (!masks_) masks_ = std::make_unique<const NodeMasks>(ensemble_.forest);
  return *masks_;
}

bool Predictor::alike(const NodeMasks& all, std::size_t tree, std::size_t other) const {
  const PackedTree& a = packed_.trees[tree];
  const PackedTree& b = packed_.trees[other];
  if (all.single(tree) || all.single(other)) return all.single(tree) == all.single(other);
  return a.plain() == b.plain() && (!a.plain() || (a.output == b.output && a.width == b.width));
}

// What the leaves of rows say, trees x rows (padded), counted from the left.
void Predictor::add_leaves(std::size_t tree_begin, std::size_t tree_end, const std::uint8_t* leaves,
                           std::size_t rows, float* out) const {
  const std::size_t outputs = ensemble_.forest.outputs;
  const std::size_t stride = padded_rows(rows);
  const PackedTree& first = packed_.trees[tree_begin];
  if (masks_->single(tree_begin) && outputs > 1)
    return masks_->add_singles(tree_begin, tree_end, leaves, rows, ensemble_.forest, out);
  if (first.plain()) {
    std::array<const std::uint32_t*, kTreesAtOnce> places{};
    for (std::size_t t = tree_begin; t < tree_end; ++t) places[t - tree_begin] = masks_->places(t);
    return ensemble_.forest.leaf_values.visit([&]<class Value>(const std::vector<Value>& all) {
      mask_kernels().add(LeafSumArgs<Value>{all.data(), places.data(), leaves, stride,
                                            tree_end - tree_begin, rows, first.width, outputs,
                                            out + first.output});
    });
  }
  for (std::size_t t = tree_begin; t < tree_end; ++t, leaves += stride) {
    const std::span<const std::uint16_t> numbers = masks_->leaf_numbers(t);
    for (std::size_t i = 0; i < rows; ++i)
      add_leaf(packed_.trees[t], numbers[leaves[i]], out + i * outputs);
  }
}

void Predictor::add_by_masks(const Dataset& data, std::size_t first, std::size_t last,
                             std::size_t tree_begin, std::size_t tree_end, float* out) const {
  const NodeMasks& all = masks();
  const std::size_t rows = last - first;
  const std::size_t padded = padded_rows(rows);
  AlignedVector<std::int8_t> ranks(all.columns() * padded);
  all.set_ranks(data, first, last, ranks.data());
  AlignedVector<std::uint8_t> leaves(kTreesAtOnce * padded);
  std::vector<double> values;  // for trees that walk
  const auto masked = [&](std::size_t t) { return all.has(t) && !packed_.trees[t].linear(); };
  for (std::size_t t = tree_begin; t < tree_end;) {
    const std::size_t run = t;
    if (!masked(t)) {
      while (t < tree_end && !masked(t)) ++t;
      if (values.empty()) values = gathered(data, first, last);
      add_trees(run, t, values.data(), rows, out);
      continue;
    }
    for (; t < std::min(tree_end, run + kTreesAtOnce) && masked(t); ++t) {
      if (!alike(all, run, t)) break;
      all.find_leaves(t, ranks.data(), padded, leaves.data() + (t - run) * padded);
    }
    add_leaves(run, t, leaves.data(), rows, out);
  }
}

std::vector<std::uint32_t> Predictor::leaves(const Dataset& data, std::size_t rounds,
                                             int threads) const {
  const std::size_t trees = ensemble_.forest.trees_of(rounds);
  std::vector<std::uint32_t> result(data.rows * trees);
  threads = resolve_threads(threads);
  parallel_blocks(threads, data.rows, block_rows(data.rows, 0, threads),
                  [&](std::size_t first, std::size_t last) {
                    const std::vector<double> rows = gathered(data, first, last);
                    for (std::size_t t = 0; t < trees; ++t)
                      if (packed_.trees[t].depth > 0)  // else leaf 0
                        walk<true>(packed_.trees[t], rows.data(), last - first,
                                   [&](std::size_t row, std::uint32_t leaf) {
                                     result[(first + row) * trees + t] = leaf;
                                   });
                  });
  return result;
}

Matrix Predictor::start(std::size_t rows) const {
  require_memory("a matrix of scores", rows, ensemble_.forest.outputs, sizeof(float));
  Matrix result{rows, ensemble_.forest.outputs, {}};
  result.values.reserve(result.rows * result.columns);
  for (std::size_t i = 0; i < rows; ++i)
    result.values.insert(result.values.end(), ensemble_.bias.begin(), ensemble_.bias.end());
  return result;
}

void Predictor::score_blocks(const Dataset& data, std::size_t rounds, int threads,
                             const BlockUse& use) const {
  const std::size_t trees = ensemble_.forest.trees_of(rounds);
  threads = resolve_threads(threads);
  const AddBlock add = adder(data.rows, trees);
  parallel_blocks(threads, data.rows, block_rows(data.rows, trees, threads),
                  [&](std::size_t first, std::size_t last) {
                    Matrix outputs = start(last - first);
                    (this->*add)(data, first, last, 0, trees, outputs.values.data());
                    use(first, class_scores(std::move(outputs), 1));
                  });
}

void Predictor::add_rounds(const Dataset& data, std::size_t begin, std::size_t end, int threads,
                           Matrix& outputs) const {
  const std::size_t tree_begin = ensemble_.forest.trees_of(begin);
  const std::size_t tree_end = ensemble_.forest.trees_of(end);
  threads = resolve_threads(threads);
  const AddBlock add = adder(data.rows, tree_end - tree_begin);
  parallel_blocks(threads, data.rows, block_rows(data.rows, tree_end - tree_begin, threads),
                  [&](std::size_t first, std::size_t last) {
                    (this->*add)(data, first, last, tree_begin, tree_end, outputs.row(first));
                  });
}

// u += sum_c f_c (y_1c .. y_Kc) / 2, always in the order of the outputs, so that a row in parts and
// a whole row give the same sums. Of a simplex a class score needs one output and the sum over
// those before it.
void Predictor::add_codewords(std::size_t first_output, std::span<const float> outputs,
                              std::span<float> scores, double& carry) const {
  if (first_output == 0) std::fill(scores.begin(), scores.end(), 0.0F);
  if (ensemble_.simplex)
    return simplex_scores(outputs.data(), outputs.size(), half_diagonal_.data() + first_output,
                          half_below_.data() + first_output, carry, scores.data() + first_output);
  const float* words = codewords_.data() + first_output * scores.size();
  for (const float f : outputs) {
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += f * words[k];
    words += scores.size();
  }
}

Matrix Predictor::class_scores(Matrix outputs, int threads) const {
  Matrix result = own_scores(std::move(outputs), threads);
  if (ensemble_.adjusted())
    parallel_blocks(resolve_threads(threads), result.rows, kMaxBlock,
                    [&](std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i)
                        adjust_scores(ensemble_, {result.row(i), result.columns});
                    });
  return result;
}

Matrix Predictor::own_scores(Matrix outputs, int threads) const {
  if (!has_codewords() && !pooled()) return outputs;
  Matrix result{outputs.rows, ensemble_.classes(), {}};
  result.values.resize(result.rows * result.columns);
  parallel_blocks(resolve_threads(threads), result.rows, kMaxBlock,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const std::span<float> from(outputs.row(i), outputs.columns);
                      const std::span<float> to(result.row(i), result.columns);
                      double carry = 0;
                      if (pooled())
                        pool_scores(ensemble_, from, to);
                      else
                        add_codewords(0, from, to, carry);
                    }
                  });
  return result;
}

// Some trees with one row, side by side, so that the loads of one hide the latency of another.
// Lanes beyond them walk the first.
template <bool kMixed>
void Predictor::walk_row(std::span<const PackedTree* const> trees, const double* row,
                         std::uint32_t* leaves) const {
  std::array<const PackedNode*, kLanes> nodes{};
  std::array<std::uint32_t, kLanes> at{};
  for (std::size_t k = 0; k < kLanes; ++k)
    nodes[k] = packed_.nodes.data() + trees[k < trees.size() ? k : 0]->begin;
  std::uint32_t moved = stride_ == 0 ? 0 : 1;  // else all are leaves
  while (moved != 0) {
    moved = 0;
    for (std::size_t k = 0; k < kLanes; ++k) {
      const std::uint32_t next =
          step<kMixed>(nodes[k], at[k], [row](std::uint32_t f) { return row[f]; });
      moved |= next ^ at[k];
      at[k] = next;
    }
  }
  for (std::size_t k = 0; k < trees.size(); ++k) leaves[k] = nodes[k][at[k]].leaf();
}

void Predictor::add_row_leaf(const PackedTree& tree, std::size_t leaf_number, const double* row,
                             std::size_t begin, std::span<float> part) const {
  if (tree.plain() && part.size() == ensemble_.forest.outputs)
    return add_leaf(tree, static_cast<std::uint32_t>(leaf_number), part.data());
  if (tree.sparse) return add_entries(tree, leaf_number, begin, part);
  const std::size_t end = begin + part.size();
  const std::size_t leaf = tree.value_begin + leaf_number * tree.width;
  const auto give = [&](std::uint32_t output, double sign) {
    if (!tree.reaches(output, begin, end)) return;
    const std::size_t low = std::max<std::size_t>(output, begin);
    const std::size_t count = std::min(std::size_t{output} + tree.width, end) - low;
    float* const to = part.data() + (low - begin);
    ensemble_.forest.leaf_values.visit([&](const auto& all) {
      const auto* const values = all.data() + leaf + (low - output);
      sign > 0 ? add(values, count, to) : subtract(values, count, to);
    });
    if (!tree.linear()) return;
    const float* slopes = ensemble_.forest.slopes.data() + tree.slope_begin + (low - output);
    for (const PackedLinear& term : packed_.linear_of(tree)) {
      add_scaled(slopes, count, sign * term.scale.position(row[term.feature]), to);
      slopes += tree.width;
    }
  };
  give(tree.output, 1);
  give(tree.minus_output, -1);
}

void Predictor::row_outputs(const double* row, std::size_t begin, std::span<float> part) const {
  std::copy_n(ensemble_.bias.begin() + static_cast<std::ptrdiff_t>(begin), part.size(),
              part.begin());
  const std::size_t end = begin + part.size();
  std::array<const PackedTree*, kLanes> some{};
  std::array<std::uint32_t, kLanes> leaves{};
  std::size_t count = 0;
  bool mixed = false;
  const auto add_some = [&] {
    const std::span<const PackedTree* const> trees(some.data(), count);
    mixed ? walk_row<true>(trees, row, leaves.data()) : walk_row<false>(trees, row, leaves.data());
    for (std::size_t k = 0; k < count; ++k) add_row_leaf(*some[k], leaves[k], row, begin, part);
    count = 0;
    mixed = false;
  };
  for (const PackedTree& tree : packed_.trees) {
    if (!tree.reaches(tree.output, begin, end) && !tree.reaches(tree.minus_output, begin, end))
      continue;
    some[count++] = &tree;
    mixed |= tree.mixed;
    if (count == kLanes) add_some();
  }
  if (count > 0) add_some();
}

void Predictor::score_row(std::span<const double> features, std::span<float> scores) const {
  own_row(features, scores);
  if (ensemble_.adjusted()) adjust_scores(ensemble_, scores);
}

void Predictor::own_row(std::span<const double> features, std::span<float> scores) const {
  assert(features.size() == ensemble_.schema.features.size());
  assert(scores.size() == ensemble_.classes());
  // What is used of it, as gather() has it, on the stack where that is not much.
  std::array<double, kFewNumbers> few;
  thread_local std::vector<double> many;
  if (stride_ > few.size()) many.resize(stride_);
  double* const row = stride_ > few.size() ? many.data() : few.data();
  for (std::size_t f = 0; f < packed_.features.size(); ++f) row[f] = features[packed_.features[f]];
  if (!filters_.empty())
    integrate_image(features.data(), ensemble_.forest.image, row + packed_.features.size());
  const std::size_t outputs = ensemble_.forest.outputs;
  if (pooled()) {
    thread_local std::vector<float> all;
    all.resize(outputs);
    row_outputs(row, 0, all);
    return pool_scores(ensemble_, all, scores);
  }
  if (!has_codewords()) return row_outputs(row, 0, scores);
  double carry = 0;
  std::array<float, kRowChunk> chunk;
  for (std::size_t begin = 0; begin < outputs; begin += kRowChunk) {
    const auto part = std::span(chunk).first(std::min(kRowChunk, outputs - begin));
    row_outputs(row, begin, part);
    add_codewords(begin, part, scores, carry);
  }
}

}  // namespace simplexboost
