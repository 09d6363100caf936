#include <algorithm>
#include <iterator>
#include <numeric>

#include "exchange/onnx_parts.h"

namespace simplexboost {
namespace {

// A range of outputs that no tree leaves.
struct Block {
  std::size_t begin;
  std::size_t end;
  bool scalar = true;  // every tree of it gives one number
  std::vector<std::size_t> trees;

  std::size_t width() const { return end - begin; }
};

std::vector<Block> find_blocks(const Forest& forest) {
  std::vector<int> joins(forest.outputs + 1);  // differences: outputs i - 1 and i belong together
  const auto span_of = [](const TreeSpan& tree) {
    std::size_t first = tree.output;
    std::size_t last = first + tree.width;
    if (tree.minus_output != kNoOutput) {
      first = std::min<std::size_t>(first, tree.minus_output);
      last = std::max<std::size_t>(last, std::size_t{tree.minus_output} + tree.width);
    }
    return std::pair(first, last);
  };
  for (const TreeSpan& tree : forest.trees) {
    const auto [first, last] = span_of(tree);
    ++joins[first + 1];
    --joins[last];
  }
  std::vector<Block> blocks;
  std::vector<std::size_t> block_of(forest.outputs);
  int joined = 0;
  for (std::size_t i = 0; i < forest.outputs; ++i) {
    joined += joins[i];
    if (i == 0 || joined == 0) blocks.push_back({i, i, true, {}});
    ++blocks.back().end;
    block_of[i] = blocks.size() - 1;
  }
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const TreeSpan& tree = forest.trees[t];
    Block& block = blocks[block_of[tree.output]];
    block.trees.push_back(t);
    block.scalar &= tree.width == 1 && !tree.sparse && !tree.linear();
  }
  return blocks;
}

std::int64_t signed_size(std::size_t size) { return static_cast<std::int64_t>(size); }

class Outputs {
 public:
  Outputs(OnnxGraph& graph, const Ensemble& ensemble, std::string features,
          const OnnxOptions& options)
      : graph_(graph),
        ensemble_(ensemble),
        forest_(ensemble.forest),
        features_(std::move(features)),
        options_(options) {}

  std::string write() {
    const std::vector<Block> blocks = find_blocks(forest_);
    std::vector<bool> by_value(forest_.trees.size());
    for (const Block& block : blocks)
      for (const std::size_t t : block.trees) by_value[t] = block.scalar;
    if (!forest_.trees.empty())
      trees_ = onnx_trees(graph_, ensemble_, features_, by_value, options_);

    std::vector<std::string> parts;
    std::vector<std::size_t> order;  // the outputs of the parts
    std::vector<const Block*> scalars;
    for (const Block& block : blocks) {
      if (block.scalar) {
        scalars.push_back(&block);
        continue;
      }
      parts.push_back(vector_sum(block));
      for (std::size_t c = block.begin; c < block.end; ++c) order.push_back(c);
    }
    if (!scalars.empty()) {
      parts.push_back(scalar_sum(scalars));
      for (const Block* block : scalars)
        for (std::size_t c = block->begin; c < block->end; ++c) order.push_back(c);
    }
    std::string all = parts.size() == 1
                          ? parts[0]
                          : graph_.node("Concat", parts, OnnxAttributes().integer("axis", 1));
    if (std::is_sorted(order.begin(), order.end())) return all;
    Dims place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = signed_size(i);
    return graph_.pick(all, place, 1);
  }

 private:
  std::string start(std::span<const std::size_t> outputs) {
    std::vector<float> bias;
    for (const std::size_t c : outputs) bias.push_back(ensemble_.bias[c]);
    return onnx_rows(graph_, features_, bias);
  }

  // Each output takes the numbers of its trees in their order; those that have fewer take zeros.
  std::string scalar_sum(const std::vector<const Block*>& blocks) {
    std::vector<std::size_t> outputs;
    std::vector<std::size_t> place(forest_.outputs);
    std::vector<std::size_t> trees;
    for (const Block* block : blocks) {
      for (std::size_t c = block->begin; c < block->end; ++c) {
        place[c] = outputs.size();
        outputs.push_back(c);
      }
      trees.insert(trees.end(), block->trees.begin(), block->trees.end());
    }
    std::sort(trees.begin(), trees.end());
    struct Term {
      std::size_t tree;
      float sign;
    };
    std::vector<std::vector<Term>> terms(outputs.size());
    bool minus = false;
    for (const std::size_t t : trees) {
      terms[place[forest_.trees[t].output]].push_back({t, 1});
      if (forest_.trees[t].minus_output == kNoOutput) continue;
      terms[place[forest_.trees[t].minus_output]].push_back({t, -1});
      minus = true;
    }
    std::size_t layers = 0;
    for (const auto& list : terms) layers = std::max(layers, list.size());
    const std::size_t width = outputs.size();
    OnnxSum sum(graph_, start(outputs));
    if (layers > 0 && values_.empty()) {
      const std::string singles = graph_.cast(trees_, OnnxType::kFloat);
      const Dims pads{0, 0, 0, 1};  // a column of zeros behind them
      values_ = graph_.node("Pad", {singles, graph_.integers(pads)});
    }
    const std::size_t group = onnx_group(width);
    for (std::size_t first = 0; first < layers; first += group) {
      const std::size_t count = std::min(group, layers - first);
      Dims columns;
      std::vector<float> signs;
      for (std::size_t layer = first; layer < first + count; ++layer)
        for (const auto& list : terms) {
          const bool has = layer < list.size();
          columns.push_back(signed_size(has ? list[layer].tree : forest_.trees.size()));
          signs.push_back(has ? list[layer].sign : 1);
        }
      std::string picked = graph_.pick(values_, columns, 1);
      picked = graph_.reshape(picked, {-1, signed_size(count), signed_size(width)});
      if (minus)
        picked = graph_.node(
            "Mul", {picked, graph_.floats(signs, {1, signed_size(count), signed_size(width)})});
      sum.add(picked, signed_size(count));
    }
    return sum.result(signed_size(width));
  }

  // Adds the rows of a table that the leaves name.
  std::string vector_sum(const Block& block) {
    std::vector<std::size_t> outputs(block.width());
    std::iota(outputs.begin(), outputs.end(), block.begin);
    OnnxSum sum(graph_, start(outputs));
    const std::size_t group = onnx_group(block.width());
    std::size_t first = 0;
    while (first < block.trees.size()) {
      std::size_t last = first;
      bool linear = false;
      while (last < block.trees.size() && last - first < group && !linear)
        linear = forest_.trees[block.trees[last++]].linear();
      const auto trees = std::span(block.trees).subspan(first, last - first);
      sum.add(leaf_rows(block, trees), signed_size(trees.size()));
      if (linear) add_linear(block, forest_.trees[trees.back()], sum);
      first = last;
    }
    return sum.result(signed_size(block.width()));
  }

  std::string leaf_rows(const Block& block, std::span<const std::size_t> trees) {
    Dims columns;
    Dims offsets;
    std::vector<float> table;
    for (const std::size_t t : trees) {
      const TreeSpan& tree = forest_.trees[t];
      columns.push_back(signed_size(t));
      offsets.push_back(signed_size(table.size() / block.width()));
      for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf)
        append_row(block, tree, leaf_vector(forest_, tree, leaf), table);
    }
    if (leaves_.empty()) leaves_ = graph_.cast(trees_, OnnxType::kInt64);
    const std::string rows =
        graph_.node("Add", {graph_.pick(leaves_, columns, 1), graph_.integers(offsets)});
    const Dims dims{signed_size(table.size() / block.width()), signed_size(block.width())};
    return graph_.node("Gather", {graph_.floats(table, dims), rows});
  }

  // What a tree adds to the outputs of its block: its numbers, and their opposites.
  template <class Number>
  static void append_row(const Block& block, const TreeSpan& tree, std::span<const float> values,
                         std::vector<Number>& table) {
    const std::size_t row = table.size();
    table.resize(row + block.width());
    for (std::size_t j = 0; j < values.size(); ++j) {
      table[row + tree.output - block.begin + j] = static_cast<Number>(values[j]);
      if (tree.minus_output != kNoOutput)
        table[row + tree.minus_output - block.begin + j] = -static_cast<Number>(values[j]);
    }
  }

  // Slopes times positions in double, each product rounded, as the predictor does.
  void add_linear(const Block& block, const TreeSpan& tree, OnnxSum& sum) {
    Dims columns;
    std::vector<double> low, high, center, range, slopes;
    for (std::uint32_t i = tree.linear_begin; i < tree.linear_end; ++i) {
      const LinearFeature& linear = forest_.linear_features[i];
      columns.push_back(linear.feature);
      low.push_back(linear.low);
      high.push_back(linear.high);
      center.push_back(linear.center);
      range.push_back(linear.high - linear.low);
      const std::size_t at = tree.slope_begin + std::size_t{i - tree.linear_begin} * tree.width;
      append_row(block, tree, std::span(forest_.slopes).subspan(at, tree.width), slopes);
    }
    const std::int64_t count = signed_size(columns.size());
    const Dims line{1, count};
    std::string x = graph_.pick(features_, columns, 1);
    if (options_.single) x = graph_.cast(x, OnnxType::kDouble);
    const std::string missing = graph_.node("IsNaN", {x});
    x = graph_.node("Where", {missing, graph_.doubles(center, line), x});
    x = graph_.node("Max", {x, graph_.doubles(low, line)});
    x = graph_.node("Min", {x, graph_.doubles(high, line)});
    x = graph_.node("Sub", {x, graph_.doubles(center, line)});
    x = graph_.node("Div", {x, graph_.doubles(range, line)});
    x = graph_.reshape(x, {-1, count, 1});
    x = graph_.node("Mul", {x, graph_.doubles(slopes, {1, count, signed_size(block.width())})});
    sum.add(graph_.cast(x, OnnxType::kFloat), count);
  }

  OnnxGraph& graph_;
  const Ensemble& ensemble_;
  const Forest& forest_;
  std::string features_;
  const OnnxOptions& options_;
  std::string trees_;   // rows x trees
  std::string values_;  // the same as floats, and a column of zeros
  std::string leaves_;  // the same as whole numbers
};

}  // namespace

std::size_t onnx_group(std::size_t width) {
  constexpr std::size_t kNumbersOfRow = 4096;
  return std::max<std::size_t>(1, kNumbersOfRow / width);
}

std::string onnx_rows(OnnxGraph& graph, const std::string& like, std::span<const float> values) {
  const Dims first{0};
  const Dims rest{1, signed_size(values.size())};
  const std::string rows = graph.pick(graph.node("Shape", {like}), first, 0);
  const std::string shape =
      graph.node("Concat", {rows, graph.integers(rest)}, OnnxAttributes().integer("axis", 0));
  return graph.node("Expand", {graph.floats(values, {1, 1, signed_size(values.size())}), shape});
}

void OnnxSum::add(const std::string& terms, std::int64_t count) {
  const Dims axis{1};
  const Dims last{count};
  const std::string all =
      graph_.node("Concat", {state_, terms}, OnnxAttributes().integer("axis", 1));
  const std::string sums = graph_.node("CumSum", {all, graph_.integers(axis, {})});
  state_ = graph_.pick(sums, last, 1);
}

std::string OnnxSum::result(std::int64_t width) { return graph_.reshape(state_, {-1, width}); }

std::string onnx_outputs(OnnxGraph& graph, const Ensemble& ensemble, const std::string& features,
                         const OnnxOptions& options) {
  return Outputs(graph, ensemble, features, options).write();
}

}  // namespace simplexboost
