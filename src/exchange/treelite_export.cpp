// Treelite's serialisation, version 4 (https://treelite.readthedocs.io/en/latest/serialization):
// flat arrays, each behind its length. Treelite adds up vectors and applies one function to the
// sum, so codewords and scales are multiplied into the leaves, and what is no such sum is refused,
// or told in the attributes to whoever runs the model.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text/json.h"
#include "base/text/visible_text.h"
#include "exchange/limits.h"
#include "exchange/model_parts.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

class TreeliteBytes {
 public:
  template <class Number>
  void number(Number value) {
    append(&value, sizeof value);
  }
  template <class Number>
  void array(const std::vector<Number>& values) {
    number<std::uint64_t>(values.size());
    append(values.data(), values.size() * sizeof(Number));
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    append(value.data(), value.size());
  }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

// A target for each member of an ensemble, else one.
class TreeliteWriter {
 public:
  TreeliteWriter(const Ensemble& ensemble, const TreeliteOptions& options,
                 const ExportLimits& limits)
      : ensemble_(ensemble), forest_(ensemble.forest), codewords_(codeword_matrix(ensemble)) {
    require_targets();
    if (!options.linear_aside) require_no_linear_terms();
    choose_function(options.raw || options.linear_aside);
    scalar_ = codewords_.empty() &&
              std::all_of(forest_.trees.begin(), forest_.trees.end(), [](const TreeSpan& tree) {
                return tree.width == 1 && !tree.sparse && tree.minus_output == kNoOutput;
              });
    std::size_t leaves = 0;
    for (const TreeSpan& tree : forest_.trees) leaves += tree.leaves;
    const std::size_t numbers = leaves * (scalar_ ? 1 : ensemble.classes());
    if (numbers > limits.treelite_bytes / sizeof(double))
      throw ModelError(fmt::format(
          "the leaves take {:.1f} GiB in Treelite's format; {:.0f} is the most; train with fewer "
          "rounds or leaves",
          static_cast<double>(numbers) * sizeof(double) / 0x1p30,
          static_cast<double>(limits.treelite_bytes) / 0x1p30));
  }

  std::string write() {
    write_head();
    for (const TreeSpan& tree : forest_.trees) write_tree(tree);
    return out_.take();
  }

 private:
  std::size_t targets() const { return std::max<std::size_t>(1, ensemble_.members.size()); }

  // A file may have trees that reach from one member into another; no training makes them.
  void require_targets() const {
    for (const TreeSpan& tree : forest_.trees) {
      const bool minus = tree.minus_output != kNoOutput;
      const std::size_t low = minus ? std::min(tree.output, tree.minus_output) : tree.output;
      const std::size_t high = minus ? std::max(tree.output, tree.minus_output) : tree.output;
      if (low / target_outputs() != (high + tree.width - 1) / target_outputs())
        throw ModelError(
            "a tree adds to outputs of several members, which are targets of their own in "
            "Treelite");
    }
  }

  void require_no_linear_terms() const {
    const auto found = std::find_if(forest_.trees.begin(), forest_.trees.end(),
                                    [](const TreeSpan& tree) { return tree.linear(); });
    if (found == forest_.trees.end()) return;
    const std::string whose =
        ensemble_.members.empty()
            ? "the model"
            : fmt::format("the member '{}'",
                          visible_text(ensemble_.members[target_of(*found)].name));
    throw ModelError(fmt::format(
        "{} has linear terms, and Treelite has trees alone; export scores with these terms in the "
        "attributes, to be added by whoever runs the model (--linear-aside, linear_aside=True), or "
        "train without them (--algorithm newton, or --distil)",
        whose));
  }

  void choose_function(bool raw) {
    const auto is_softmax = [](const Member& member) { return member.link == Link::kSoftmax; };
    const bool softmax =
        ensemble_.members.empty()
            ? ensemble_.link == Link::kSoftmax
            : std::all_of(ensemble_.members.begin(), ensemble_.members.end(), is_softmax);
    if (!raw && !softmax)
      throw ModelError(
          "Treelite has no function for the probabilities of this model, which are no softmax; "
          "export the scores alone (--raw, raw=True)");
    softmax_ = softmax && !raw;
    if (ensemble_.adjusted()) require_adjustable();
  }

  // Of a softmax a temperature is a scale, and other shares of the classes are a sum.
  void require_adjustable() const {
    const ProbabilityMap& map = ensemble_.map;
    if (softmax_ && ensemble_.members.empty() && map.scale.size() <= 1 && map.knot_end.empty())
      return;
    throw ModelError(
        "the model's probabilities were calibrated or moved to other shares of the classes; "
        "Treelite holds that for a temperature and other shares of one softmax alone, and as no "
        "scores; export the model as it was before (calibrate --undo)");
  }

  double temperature() const { return ensemble_.map.scale.empty() ? 1 : ensemble_.map.scale[0]; }

  double scale_of(std::size_t target) const {
    if (!softmax_) return 1;
    return ensemble_.members.empty() ? temperature() * ensemble_.link_scale
                                     : ensemble_.members[target].scale;
  }

  // Outputs of one target as scores of classes, times its scale.
  std::vector<double> class_values(std::span<const float> outputs, std::size_t target) const {
    const std::size_t classes = ensemble_.classes();
    const double scale = scale_of(target);
    std::vector<double> result(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      if (codewords_.empty()) {
        result[k] = scale * static_cast<double>(outputs[k]);
        continue;
      }
      double sum = 0;
      for (std::size_t c = 0; c < outputs.size(); ++c)
        sum += static_cast<double>(outputs[c]) *
               static_cast<double>(codewords_[k * outputs.size() + c]);
      result[k] = scale * sum / 2;
    }
    return result;
  }

  std::size_t target_of(const TreeSpan& tree) const { return tree.output / target_outputs(); }
  std::size_t target_outputs() const { return forest_.outputs / targets(); }

  // The linear parts of all trees: to the scores of a target each term adds, for class k,
  // slopes[k] * (x within [low, high] - center) / (high - low), and nothing where x is missing.
  Json linear_terms() const {
    Json terms = Json::array();
    for (const TreeSpan& tree : forest_.trees)
      for (std::uint32_t i = tree.linear_begin; i < tree.linear_end; ++i) {
        const LinearFeature& one = forest_.linear_features[i];
        const std::size_t at = tree.slope_begin + std::size_t{i - tree.linear_begin} * tree.width;
        const auto slopes = std::span(forest_.slopes).subspan(at, tree.width);
        terms.push_back({{"target", target_of(tree)},
                         {"feature", one.feature},
                         {"low", one.low},
                         {"high", one.high},
                         {"center", one.center},
                         {"slopes", Json(added_values(tree, slopes))}});
      }
    return terms;
  }

  // For those who must pool members, apply another link or add linear terms.
  std::string attributes() const {
    Json features = Json::array();
    for (const FeatureSchema& feature : ensemble_.schema.features) {
      Json one = {{"name", feature.name}};
      if (feature.type == FeatureType::kCategorical) one["categories"] = feature.categories;
      features.push_back(std::move(one));
    }
    Json result = {{"producer", "simplexboost"},
                   {"classes", ensemble_.schema.classes},
                   {"features", std::move(features)}};
    if (!forest_.linear_features.empty()) result["linear"] = linear_terms();
    if (ensemble_.members.empty()) return result.dump();
    Json members = Json::array();
    for (const Member& member : ensemble_.members)
      members.push_back({{"link", link_name(member.link)},
                         {"scale", member.scale},
                         {"shift", member.shift},
                         {"weight", member.weight}});
    result["pool"] = ensemble_.pool == Pool::kMean ? "mean" : "product";
    result["members"] = std::move(members);
    result["scale"] = ensemble_.link_scale;
    return result.dump();
  }

  void write_head() {
    const auto classes = static_cast<std::int32_t>(ensemble_.classes());
    const auto count = static_cast<std::int32_t>(targets());
    for (const int version : {4, 0, 0}) out_.number<std::int32_t>(version);
    out_.number<std::uint8_t>(3);  // thresholds and leaves are doubles
    out_.number<std::uint8_t>(3);
    out_.number<std::uint64_t>(forest_.trees.size());
    out_.number<std::int32_t>(static_cast<std::int32_t>(ensemble_.schema.features.size()));
    out_.number<std::uint8_t>(2);  // a classifier
    out_.number<std::uint8_t>(0);  // sums, not means
    out_.number<std::int32_t>(count);
    out_.array(std::vector<std::int32_t>(targets(), classes));
    out_.array(std::vector<std::int32_t>{1, scalar_ ? 1 : classes});
    std::vector<std::int32_t> target;
    std::vector<std::int32_t> label;
    for (const TreeSpan& tree : forest_.trees) {
      target.push_back(static_cast<std::int32_t>(target_of(tree)));
      label.push_back(scalar_ ? static_cast<std::int32_t>(tree.output % ensemble_.classes()) : -1);
    }
    out_.array(target);
    out_.array(label);
    out_.text(softmax_ ? "softmax" : "identity_multiclass");
    out_.number<float>(1);  // parameters of other functions
    out_.number<float>(1);
    std::vector<double> base;
    for (std::size_t m = 0; m < targets(); ++m) {
      const auto bias = std::span(ensemble_.bias).subspan(m * target_outputs(), target_outputs());
      const std::vector<double> values = class_values(bias, m);
      base.insert(base.end(), values.begin(), values.end());
    }
    for (const std::vector<double>& terms : {ensemble_.map.shift, log_prior_ratios(ensemble_)})
      for (std::size_t k = 0; k < terms.size(); ++k) base[k] += terms[k];
    out_.array(base);
    out_.text(attributes());
    out_.number<std::int32_t>(0);  // no further fields
  }

  // What a leaf adds to the classes of its target, or to the one class of the tree.
  std::vector<double> leaf_values(const TreeSpan& tree, std::size_t leaf) const {
    const std::vector<float> own = leaf_vector(forest_, tree, leaf);
    if (scalar_) return {scale_of(target_of(tree)) * static_cast<double>(own[0])};
    return added_values(tree, own);
  }

  // What numbers for the outputs of a tree add to all classes of its target.
  std::vector<double> added_values(const TreeSpan& tree, std::span<const float> own) const {
    const std::size_t target = target_of(tree);
    const std::size_t first = target * target_outputs();
    std::vector<float> outputs(target_outputs());
    for (std::size_t j = 0; j < own.size(); ++j) {
      outputs[tree.output - first + j] = own[j];
      if (tree.minus_output != kNoOutput) outputs[tree.minus_output - first + j] = -own[j];
    }
    return class_values(outputs, target);
  }

  // Inner nodes first, then leaves.
  void write_tree(const TreeSpan& tree) {
    const std::size_t inner = tree.node_end - tree.node_begin;
    const std::size_t all = inner + tree.leaves;
    std::vector<std::int8_t> type(all), compare(all);
    std::vector<std::int32_t> left(all, -1), right(all, -1), feature(all, -1);
    std::vector<std::uint8_t> missing_left(all), set_right(all);
    std::vector<double> value(all), threshold(all), vectors;
    std::vector<std::uint64_t> vector_begin(all), vector_end(all), set_begin(all), set_end(all);
    std::vector<std::uint32_t> sets;
    const auto child = [&](std::int32_t to) {
      return to < 0 ? static_cast<std::int32_t>(inner) + ~to : to;
    };
    bool categorical = false;
    for (std::size_t i = 0; i < all; ++i) {
      vector_begin[i] = vectors.size();
      set_begin[i] = sets.size();
      if (i >= inner) {
        const std::vector<double> values = leaf_values(tree, i - inner);
        if (scalar_)
          value[i] = values[0];
        else
          vectors.insert(vectors.end(), values.begin(), values.end());
      } else {
        const Node& node = forest_.nodes[tree.node_begin + i];
        const std::vector<std::uint32_t> codes = set_members(forest_, node);
        categorical |= node.categorical;
        type[i] = node.categorical ? 2 : 1;
        compare[i] = node.categorical ? 0 : 3;  // <=
        left[i] = child(node.left);
        right[i] = child(node.right);
        feature[i] = static_cast<std::int32_t>(node.feature);
        missing_left[i] = node.missing_left ? 1 : 0;
        threshold[i] = node.categorical ? 0 : node.threshold;
        sets.insert(sets.end(), codes.begin(), codes.end());
      }
      vector_end[i] = vectors.size();
      set_end[i] = sets.size();
    }
    out_.number<std::int32_t>(static_cast<std::int32_t>(all));
    out_.number<std::uint8_t>(categorical ? 1 : 0);
    out_.array(type);
    out_.array(left);
    out_.array(right);
    out_.array(feature);
    out_.array(missing_left);
    out_.array(value);
    out_.array(threshold);
    out_.array(compare);
    out_.array(set_right);
    out_.array(vectors);
    out_.array(vector_begin);
    out_.array(vector_end);
    out_.array(sets);
    out_.array(set_begin);
    out_.array(set_end);
    for (int field = 0; field < 6; ++field) out_.number<std::uint64_t>(0);  // no statistics
    out_.number<std::int32_t>(0);  // no further fields, of the tree and of nodes
    out_.number<std::int32_t>(0);
  }

  const Ensemble& ensemble_;
  const Forest& forest_;
  std::vector<float> codewords_;
  bool softmax_ = true;
  bool scalar_ = false;
  TreeliteBytes out_;
};

}  // namespace

std::string treelite_bytes(const Model& model, const TreeliteOptions& options,
                           const ExportLimits& limits) {
  const Ensemble& ensemble = ensemble_of(model);
  require_no_filters(ensemble, "Treelite");
  require_utf8_names(ensemble.schema, "Treelite");
  if (ensemble.schema.multi_label)
    throw ModelError("the model is for several labels a row, which Treelite's classifiers are not");
  if (ensemble.forest.trees.empty()) throw ModelError("the model has no trees; Treelite wants one");
  return TreeliteWriter(ensemble, options, limits).write();
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::string to_treelite(const Model& model, const TreeliteOptions& options) {
  return treelite_bytes(model, options, {});
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
