#include "model/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <utility>

#include "base/text/visible_text.h"
#include "codeword/simplex.h"

namespace simplexboost {
namespace {

// Names may be long, and stand in every node.
std::string shown_name(const std::string& name) {
  constexpr std::size_t kLongestName = 60;
  return short_text(name, kLongestName);
}

constexpr std::size_t kMaxShownDepth = 64;  // a hostile chain must not indent without end
constexpr std::size_t kMaxShownCategories = 8;
constexpr std::size_t kMaxShownValues = 8;

// "a, b, c, ... (12 in all)"
std::string join(const std::vector<std::string>& items, std::size_t total) {
  std::string text = fmt::format("{}", fmt::join(items, ", "));
  if (total > items.size()) text += fmt::format(", ... ({} in all)", total);
  return text;
}

// The first of `width` numbers, each divided by `unit`.
std::string values_text(const float* values, std::size_t width, double unit) {
  std::vector<std::string> shown;
  for (std::size_t c = 0; c < std::min(width, kMaxShownValues); ++c)
    shown.push_back(fmt::format("{:.4g}", static_cast<double>(values[c]) / unit));
  return join(shown, width);
}

std::string leaf_text(const Forest& forest, const TreeSpan& tree, std::size_t leaf) {
  const std::vector<float> values = leaf_vector(forest, tree, leaf);
  return fmt::format("leaf {}: {}", leaf, values_text(values.data(), tree.width, 1));
}

std::string linear_text(const Ensemble& ensemble, const TreeSpan& tree) {
  const Forest& forest = ensemble.forest;
  std::string text;
  for (std::uint32_t k = tree.linear_begin; k < tree.linear_end; ++k) {
    const LinearFeature& linear = forest.linear_features[k];
    const std::string name = shown_name(ensemble.schema.features[linear.feature].name);
    const float* slopes =
        forest.slopes.data() + tree.slope_begin + std::size_t{k - tree.linear_begin} * tree.width;
    text += fmt::format(
        "  plus ({} - {:.6g}) times: {}; {} is kept within {:.6g} to {:.6g}\n", name, linear.center,
        values_text(slopes, tree.width, linear.high - linear.low), name, linear.low, linear.high);
  }
  return text;
}

// Tests on the longest way from the root to a leaf.
std::size_t depth_of(const Forest& forest, const TreeSpan& tree) {
  std::vector<std::size_t> depth(tree.node_end - tree.node_begin);
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const Node& node = forest.nodes[tree.node_begin + i];
    deepest = std::max(deepest, depth[i] + 1);
    for (const std::int32_t child : {node.left, node.right})
      if (child >= 0) depth[static_cast<std::size_t>(child)] = depth[i] + 1;
  }
  return deepest;
}

}  // namespace

std::vector<FeatureImportance> feature_importance(const Ensemble& ensemble) {
  const Forest& forest = ensemble.forest;
  std::vector<FeatureImportance> result(ensemble.schema.features.size());
  for (std::size_t f = 0; f < result.size(); ++f) result[f].feature = f;
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    FeatureImportance& importance = result[forest.nodes[i].feature];
    ++importance.splits;
    if (!forest.node_gain.empty()) importance.gain += static_cast<double>(forest.node_gain[i]);
  }
  for (const LinearFeature& linear : forest.linear_features) {
    ++result[linear.feature].splits;
    result[linear.feature].gain += static_cast<double>(linear.gain);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const FeatureImportance& a, const FeatureImportance& b) {
                     return std::pair(a.gain, a.splits) > std::pair(b.gain, b.splits);
                   });
  return result;
}

namespace {

// Adds `amount` to the classes by the squares of the change of their scores that a change of the
// outputs makes.
class ClassShares {
 public:
  explicit ClassShares(const Ensemble& ensemble)
      : ensemble_(ensemble), changes_(ensemble.classes()) {}

  void add(const TreeSpan& tree, std::span<const double> change, double amount, double* result) {
    const std::size_t classes = changes_.size();
    if (ensemble_.simplex)
      change_by_simplex(tree.output, change);
    else
      change_by_words(tree.output, change);
    // Several labels a row: each score stands for itself.
    double mean = 0;
    if (!ensemble_.schema.multi_label)
      for (const double one : changes_) mean += one / static_cast<double>(classes);
    double total = 0;
    for (double& one : changes_) {
      one = (one - mean) * (one - mean);
      total += one;
    }
    // Sides that say the same: no class has more of it than another.
    const double even = 1 / static_cast<double>(classes);
    for (std::size_t k = 0; k < classes; ++k)
      result[k] += amount * (total > 0 ? changes_[k] / total : even);
  }

 private:
  void change_by_words(std::size_t first, std::span<const double> change) {
    const std::vector<float>& words = ensemble_.codewords;
    const std::size_t classes = changes_.size();
    std::fill(changes_.begin(), changes_.end(), 0.0);
    for (std::size_t c = 0; c < change.size(); ++c) {
      const std::size_t output = first + c;
      if (words.empty()) {
        changes_[output % classes] += change[c];  // of members, each has those of all classes
      } else {
        for (std::size_t k = 0; k < classes; ++k)
          changes_[k] +=
              change[c] * static_cast<double>(words[k * ensemble_.forest.outputs + output]);
      }
    }
  }

  // In closed form (codeword/simplex.h): of many classes the codewords would take far more memory
  // than the model.
  void change_by_simplex(std::size_t first, std::span<const double> change) {
    const std::size_t classes = changes_.size();
    double before = 0;  // sum over j < k of b_j f_j
    for (std::size_t k = 0; k < classes; ++k) {
      changes_[k] = -before;
      if (k < first || k - first >= change.size()) continue;
      changes_[k] += simplex_diagonal(classes, k) * change[k - first];
      before += simplex_below(classes, k) * change[k - first];
    }
  }

  const Ensemble& ensemble_;
  std::vector<double> changes_;
};

// For each node of a tree, the mean of the leaves on its left less that on its right.
std::vector<double> side_differences(const Forest& forest, const TreeSpan& tree) {
  const std::size_t nodes = tree.node_end - tree.node_begin;
  const std::size_t width = tree.width;
  std::vector<double> sums(nodes * width);
  std::vector<double> counts(nodes);
  std::vector<double> differences(nodes * width);
  // Children stand after their parents.
  for (std::size_t i = nodes; i-- > 0;) {
    const Node& node = forest.nodes[tree.node_begin + i];
    double sign = 1;
    for (const std::int32_t child : {node.left, node.right}) {
      const bool leaf = child < 0;
      const auto at = static_cast<std::size_t>(leaf ? ~child : child);
      const double count = leaf ? 1 : counts[at];
      counts[i] += count;
      const std::vector<float> own = leaf ? leaf_vector(forest, tree, at) : std::vector<float>();
      for (std::size_t c = 0; c < width; ++c) {
        const double sum = leaf ? static_cast<double>(own[c]) : sums[at * width + c];
        sums[i * width + c] += sum;
        differences[i * width + c] += sign * sum / count;
      }
      sign = -1;
    }
  }
  return differences;
}

}  // namespace

std::vector<double> class_importance(const Ensemble& ensemble, bool gain) {
  const Forest& forest = ensemble.forest;
  const std::size_t classes = ensemble.classes();
  std::vector<double> result(ensemble.schema.features.size() * classes);
  ClassShares shares(ensemble);
  for (const TreeSpan& tree : forest.trees) {
    const std::vector<double> differences = side_differences(forest, tree);
    for (std::uint32_t i = tree.node_begin; i < tree.node_end; ++i) {
      const double amount = !gain                      ? 1
                            : forest.node_gain.empty() ? 0
                                                       : static_cast<double>(forest.node_gain[i]);
      shares.add(
          tree,
          std::span(differences).subspan(std::size_t{i - tree.node_begin} * tree.width, tree.width),
          amount, result.data() + forest.nodes[i].feature * classes);
    }
    for (std::uint32_t k = tree.linear_begin; k < tree.linear_end; ++k) {
      const LinearFeature& linear = forest.linear_features[k];
      const float* slopes =
          forest.slopes.data() + tree.slope_begin + std::size_t{k - tree.linear_begin} * tree.width;
      const std::vector<double> change(slopes, slopes + tree.width);
      shares.add(tree, change, gain ? static_cast<double>(linear.gain) : 1,
                 result.data() + linear.feature * classes);
    }
  }
  return result;
}

std::string filter_text(const ImageFilter& filter) {
  constexpr std::array kNames{"two across", "two down", "three across", "three down", "four"};
  return fmt::format("{} of {}x{} at ({}, {}){}", kNames[static_cast<std::size_t>(filter.kind)],
                     filter.width, filter.height, filter.x, filter.y,
                     filter.channel > 0 ? fmt::format(" of channel {}", filter.channel) : "");
}

std::string test_text(const Ensemble& ensemble, const Node& node) {
  const FeatureSchema& feature = ensemble.schema.features[node.feature];
  const char* missing = node.missing_left ? " or missing" : "";
  if (node.filter != kNoFilter)
    return fmt::format("{} <= {}", filter_text(ensemble.forest.filters[node.filter]),
                       node.threshold);
  const std::string name = shown_name(feature.name);
  if (!node.categorical) return fmt::format("{} <= {}{}", name, node.threshold, missing);
  std::vector<std::string> shown;
  std::size_t total = 0;
  const std::size_t codes = std::min(feature.categories.size(), std::size_t{32} * node.set_size);
  for (std::size_t code = 0; code < codes; ++code) {
    const std::uint32_t word = ensemble.forest.set_words[node.set + code / 32];
    if (((word >> (code % 32)) & 1) == 0) continue;
    if (++total <= kMaxShownCategories) shown.push_back(shown_name(feature.categories[code]));
  }
  return fmt::format("{} in {{{}}}{}", name, join(shown, total), missing);
}

std::string tree_text(const Ensemble& ensemble, std::size_t tree) {
  const Forest& forest = ensemble.forest;
  assert(tree < forest.trees.size());
  const TreeSpan& span = forest.trees[tree];
  std::string text =
      fmt::format("tree {}: {} {}, adds to outputs {} to {}", tree, span.leaves,
                  span.leaves == 1 ? "leaf" : "leaves", span.output, span.output + span.width - 1);
  if (span.minus_output != kNoOutput)
    text += fmt::format(" and takes from outputs {} to {}", span.minus_output,
                        span.minus_output + span.width - 1);
  text += "\n";

  struct Visit {
    std::int32_t child;
    std::size_t depth;
    const char* branch;
  };
  const bool constant = span.node_begin == span.node_end;
  std::vector<Visit> stack = {{constant ? ~0 : 0, 0, ""}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    text.append(2 * (visit.depth + 1), ' ').append(visit.branch);
    if (visit.depth >= kMaxShownDepth) {
      text += "...\n";
    } else if (visit.child < 0) {
      text += leaf_text(forest, span, static_cast<std::size_t>(~visit.child)) + "\n";
    } else {
      const Node& node = forest.nodes[span.node_begin + static_cast<std::size_t>(visit.child)];
      text += "if " + test_text(ensemble, node) + "\n";
      stack.push_back({node.right, visit.depth + 1, "else: "});
      stack.push_back({node.left, visit.depth + 1, "then: "});
    }
  }
  return text + linear_text(ensemble, span);
}

ModelSummary summarize(const Ensemble& ensemble) {
  const Forest& forest = ensemble.forest;
  ModelSummary summary;
  summary.algorithm = ensemble.algorithm;
  summary.rounds = forest.rounds();
  summary.trees = forest.trees.size();
  for (const TreeSpan& tree : forest.trees) {
    summary.leaves += tree.leaves;
    if (tree.linear()) ++summary.linear;
    summary.max_depth = std::max(summary.max_depth, depth_of(forest, tree));
  }
  summary.classes = ensemble.classes();
  summary.outputs = forest.outputs;
  summary.features = ensemble.schema.features.size();
  for (const FeatureSchema& feature : ensemble.schema.features)
    if (feature.type == FeatureType::kCategorical) ++summary.categorical_features;
  for (const FeatureImportance& importance : feature_importance(ensemble))
    if (importance.splits > 0) ++summary.used_features;
  summary.stop_reason = ensemble.log.stop_reason;
  return summary;
}

}  // namespace simplexboost
