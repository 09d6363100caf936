// A model as JSON that people read and programs predict from: a line a node, a line a leaf.
#include <fmt/format.h>

#include <iterator>

#include "base/memory.h"
#include "base/text/json.h"
#include "exchange/model_parts.h"
#include "model/explain.h"
#include "model/model_access.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

// Floats in the fewest digits that read back as the same float.
template <class Numbers>
std::string float_list(const Numbers& values) {
  std::string out = "[";
  const char* separator = "";
  for (const float value : values) {
    fmt::format_to(std::back_inserter(out), "{}{}", separator, value);
    separator = ", ";
  }
  return out + "]";
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

Json link_json(Link link, double scale, double shift) {
  return Json{{"kind", link_name(link)}, {"scale", scale}, {"shift", shift}};
}

// As the model file has it (docs/model-format.md).
Json map_json(const ProbabilityMap& map) {
  Json json = {{"method", map.method}};
  if (map.knot_end.empty()) {
    json["scale"] = map.scale;
    json["shift"] = map.shift;
    return json;
  }
  json["knot_end"] = map.knot_end;
  json["knot_p"] = map.knot_p;
  json["knot_q"] = map.knot_q;
  return json;
}

class JsonModel {
 public:
  explicit JsonModel(const Ensemble& ensemble) : ensemble_(ensemble), forest_(ensemble.forest) {}

  std::string write() {
    out_ = "{\n";
    write_head();
    write_codewords();
    line("\"bias\": " + float_list(ensemble_.bias) + ",");
    out_ += "\"trees\": [";
    const char* separator = "\n";
    for (std::size_t t = 0; t < forest_.trees.size(); ++t) {
      out_ += std::exchange(separator, ",\n");
      write_tree(t);
    }
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { (out_ += text) += '\n'; }
  void entry(const char* key, const Json& value) { line(quoted(key) + ": " + value.dump() + ","); }

  void write_head() {
    const Schema& schema = ensemble_.schema;
    entry("format", "simplexboost");
    entry("algorithm", ensemble_.algorithm);
    entry("parameters", ensemble_.parameters);
    entry("classes", schema.classes);
    entry("multi_label", schema.multi_label);
    Json features = Json::array();
    for (const FeatureSchema& feature : schema.features) {
      Json one = {{"name", feature.name}};
      if (feature.type == FeatureType::kCategorical) one["categories"] = feature.categories;
      features.push_back(std::move(one));
    }
    entry("features", features);
    Json link = link_json(ensemble_.link, ensemble_.link_scale, ensemble_.link_shift);
    if (ensemble_.link_loss) link["loss"] = ensemble_.link_loss->name;
    entry("link", link);
    if (!ensemble_.map.empty()) entry("calibration", map_json(ensemble_.map));
    if (!ensemble_.priors.empty()) {
      entry("class_shares", ensemble_.class_shares);
      entry("priors", ensemble_.priors);
    }
    if (const ImageShape& image = forest_.image; !image.empty())
      entry("image", Json{{"width", image.width},
                          {"height", image.height},
                          {"channels", image.channels},
                          {"scale", image.scale}});
    if (ensemble_.members.empty()) return;
    entry("pool", ensemble_.pool == Pool::kMean ? "mean" : "product");
    Json members = Json::array();
    for (const Member& member : ensemble_.members) {
      Json one = link_json(member.link, member.scale, member.shift);
      one["name"] = member.name;
      one["weight"] = member.weight;
      members.push_back(std::move(one));
    }
    entry("members", members);
  }

  // Class scores are half the products of outputs and codewords.
  void write_codewords() {
    constexpr std::uint64_t kText = 12;  // of a number
    if (ensemble_.simplex)
      require_memory("the codewords as text", ensemble_.classes(), forest_.outputs, kText);
    const std::vector<float> words = codeword_matrix(ensemble_);
    entry("outputs", forest_.outputs);
    if (words.empty()) return;
    out_ += "\"codewords\": [";
    const char* separator = "\n";
    for (std::size_t k = 0; k < ensemble_.classes(); ++k) {
      out_ += std::exchange(separator, ",\n");
      out_ += float_list(std::span(words).subspan(k * forest_.outputs, forest_.outputs));
    }
    out_ += "],\n";
  }

  void write_tree(std::size_t number) {
    const TreeSpan& tree = forest_.trees[number];
    fmt::format_to(std::back_inserter(out_), R"({{"tree": {}, "output": {}, "width": {},)", number,
                   tree.output, tree.width);
    if (tree.minus_output != kNoOutput)
      fmt::format_to(std::back_inserter(out_), " \"minus_output\": {},", tree.minus_output);
    out_ += "\n \"nodes\": [";
    const char* separator = "\n  ";
    for (std::uint32_t i = tree.node_begin; i < tree.node_end; ++i) {
      out_ += std::exchange(separator, ",\n  ");
      write_node(i - tree.node_begin, forest_.nodes[i]);
    }
    out_ += "],\n \"leaves\": [";
    separator = "\n  ";
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      out_ += std::exchange(separator, ",\n  ");
      write_leaf(tree, leaf);
    }
    out_ += "]";
    if (tree.linear()) write_linear(tree);
    out_ += "}";
  }

  // "left" and "right" are nodes, or leaves where they are below 0: leaf -1 is the first.
  void write_node(std::uint32_t number, const Node& node) {
    fmt::format_to(std::back_inserter(out_), R"({{"node": {}, "test": {}, "feature": {}, )", number,
                   quoted(test_text(ensemble_, node)), node.feature);
    if (node.filter != kNoFilter) {
      const ImageFilter& filter = forest_.filters[node.filter];
      fmt::format_to(std::back_inserter(out_),
                     "\"filter\": {{\"kind\": {}, \"x\": {}, \"y\": {}, \"width\": {}, "
                     "\"height\": {}, \"channel\": {}}}, ",
                     static_cast<int>(filter.kind), filter.x, filter.y, filter.width, filter.height,
                     filter.channel);
    }
    if (node.categorical)
      fmt::format_to(std::back_inserter(out_), "\"in\": {}, ",
                     Json(set_members(forest_, node)).dump());
    else
      fmt::format_to(std::back_inserter(out_), "\"threshold\": {}, ", node.threshold);
    fmt::format_to(std::back_inserter(out_), R"("missing": "{}", "left": {}, "right": {}}})",
                   node.missing_left ? "left" : "right", node.left, node.right);
  }

  // A list of `width` numbers, or of sparse leaves the outputs that they add to.
  void write_leaf(const TreeSpan& tree, std::size_t leaf) {
    if (!tree.sparse) {
      out_ += float_list(leaf_vector(forest_, tree, leaf));
      return;
    }
    const EntryRange range = leaf_entries(forest_, tree, leaf);
    out_ += "{";
    const char* separator = "";
    for (std::size_t e = range.begin; e < range.end; ++e)
      fmt::format_to(std::back_inserter(out_), "{}\"{}\": {}", std::exchange(separator, ", "),
                     forest_.entry_outputs[e], forest_.entry_values[e]);
    out_ += "}";
  }

  void write_linear(const TreeSpan& tree) {
    out_ += ",\n \"linear\": [";
    const char* separator = "\n  ";
    for (std::uint32_t i = tree.linear_begin; i < tree.linear_end; ++i) {
      const LinearFeature& term = forest_.linear_features[i];
      const std::size_t at = tree.slope_begin + std::size_t{i - tree.linear_begin} * tree.width;
      fmt::format_to(std::back_inserter(out_),
                     R"({}{{"feature": {}, "low": {}, "high": {}, "center": {}, "slopes": {}}})",
                     std::exchange(separator, ",\n  "), term.feature, term.low, term.high,
                     term.center, float_list(std::span(forest_.slopes).subspan(at, tree.width)));
    }
    out_ += "]";
  }

  const Ensemble& ensemble_;
  const Forest& forest_;
  std::string out_;
};

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::string to_json(const Model& model) {
  const Ensemble& ensemble = ensemble_of(model);
  require_utf8_names(ensemble.schema, "JSON");
  return JsonModel(ensemble).write();
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
