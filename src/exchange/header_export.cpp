#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>

#include "codeword/simplex.h"
#include "exchange/header_code.h"
#include "exchange/limits.h"
#include "exchange/model_parts.h"
#include "loss/exported_posterior.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/exchange.h"
#include "simplexboost/version.h"

namespace simplexboost {
namespace {

using namespace header_code;

void require_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  if (name.empty() || name.size() > 60 || !std::all_of(name.begin(), name.end(), letter) ||
      std::isdigit(static_cast<unsigned char>(name[0])))
    throw ParameterError(fmt::format(
        "'{}' cannot begin names in C; give letters, digits and '_', up to 60, no digit first",
        name.substr(0, 60)));
}

// For comments: what a hostile name could end them with is left out.
std::string comment_text(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 60))
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' ? c : '_';
  return out;
}

// As a string of C, any bytes.
std::string c_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '?')
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "\\{:03o}", byte);
  }
  return out + "\"";
}

template <class Real>
std::string real_text(Real value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return std::is_same_v<Real, float> ? text + "f" : text;
}

class HeaderWriter {
 public:
  HeaderWriter(const Ensemble& ensemble, std::string name)
      : ensemble_(ensemble), forest_(ensemble.forest), name_(std::move(name)) {}

  std::string write() {
    begin();
    write_trees();
    write_nodes();
    write_values();
    if (linear()) write_linear();
    code(any_categorical() ? kNumbersAndCategories : kNumbers);
    code(kLeaf);
    code(compact() ? kShortValue : kFloatValue);
    write_sums();
    write_scores();
    if (!ensemble_.adjusted()) code(kClass);
    write_probabilities();
    if (ensemble_.adjusted()) write_adjusted();
    strings("class_names", ensemble_.schema.classes);
    std::vector<std::string> features;
    for (const FeatureSchema& feature : ensemble_.schema.features) features.push_back(feature.name);
    strings("feature_names", features);
    code(kNames);
    code("\n#undef @_CONSTANT\n#undef @_EXACT\n\n#endif\n");
    return std::move(out_);
  }

 private:
  bool compact() const { return forest_.leaf_values.precision() == LeafPrecision::kBfloat16; }
  bool linear() const { return !forest_.linear_features.empty(); }
  bool any_categorical() const {
    return std::any_of(forest_.nodes.begin(), forest_.nodes.end(),
                       [](const Node& node) { return node.categorical; });
  }

  void code(std::string_view text) {
    for (const char c : text)
      if (c == '@')
        out_ += name_;
      else
        out_ += c;
  }
  // What the model said before its probabilities were adjusted has names of its own.
  void own_code(std::string_view text) {
    std::string renamed(text);
    for (const std::string_view name : {"@_scores", "@_proba"})
      for (std::size_t at = 0;
           ensemble_.adjusted() && (at = renamed.find(name, at)) != renamed.npos; at += name.size())
        renamed.insert(at + 2, "own_");
    code(renamed);
  }

  template <class Values, class Text>
  void list(const char* type, const char* what, const Values& values, const Text& text) {
    const std::size_t size = std::size(values);
    code(fmt::format("@_CONSTANT {} @_{}[{}] = {{", type, what, std::max<std::size_t>(size, 1)));
    std::size_t column = 100;
    for (const auto& value : values) {
      const std::string one = text(value) + ",";
      column += one.size();
      if (column > 96) {
        out_ += "\n  ";
        column = 2 + one.size();
      }
      out_ += one;
    }
    out_ += size == 0 ? "0};\n" : "\n};\n";
  }

  // Whole numbers in the narrowest type that holds them all.
  void whole(const char* what, const std::vector<std::int64_t>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::int64_t least = values.empty() ? 0 : *low;
    const std::int64_t most = values.empty() ? 0 : *high;
    const char* type = "int32_t";
    if (least >= 0)
      type = most <= 0xff ? "uint8_t" : most <= 0xffff ? "uint16_t" : "uint32_t";
    else if (least >= -0x80 && most <= 0x7f)
      type = "int8_t";
    else if (least >= -0x8000 && most <= 0x7fff)
      type = "int16_t";
    list(type, what, values, [](std::int64_t value) {
      return fmt::format("{}{}", value, value > 0x7fffffff ? "u" : "");
    });
  }

  template <class Real>
  void reals(const char* what, const std::vector<Real>& values) {
    list(std::is_same_v<Real, float> ? "float" : "double", what, values, real_text<Real>);
  }

  void strings(const char* what, const std::vector<std::string>& values) {
    code("\nstatic ");
    code(fmt::format("const char* const @_{}[{}] = {{\n", what,
                     std::max<std::size_t>(values.size(), 1)));
    for (const std::string& value : values) (out_ += "  " + c_string(value)) += ",\n";
    out_ += values.empty() ? "  \"\"};\n" : "};\n";
  }

  void begin() {
    code(fmt::format(
        "/* The model '@': {}, {} rounds, {} trees, written by simplexboost {}. C99 and C++11, no\n"
        " * allocation, no other header than the standard library's. A row is a double for each\n"
        " * feature: for a category its code, NaN where the value is missing. @_class(row) is its "
        "class,\n"
        " * {}. */\n"
        "#ifndef SIMPLEXBOOST_MODEL_@_H\n#define SIMPLEXBOOST_MODEL_@_H\n\n",
        comment_text(ensemble_.algorithm), forest_.rounds(), forest_.trees.size(),
        SIMPLEXBOOST_VERSION,
        ensemble_.link == Link::kNone
            ? "@_scores(row, scores) fills a number for each class; probabilities it tells none"
            : "@_scores(row, scores) and @_proba(row, probabilities) fill a number for each "
              "class"));
    for (const char* name : {"math", "stdint", "string"})
      code(fmt::format("#include <{}.h>\n", name));
    code("\n");
    code(kBegin);
    code(
        fmt::format("enum {{\n  @_FEATURES = {},\n  @_CLASSES = {},\n  @_OUTPUTS = {},\n"
                    "  @_TREES = {},\n  @_MEMBERS = {},\n  @_MULTI_LABEL = {},\n"
                    "  @_PRODUCT = {}\n}};\n\n",
                    ensemble_.schema.features.size(), ensemble_.classes(), forest_.outputs,
                    forest_.trees.size(), ensemble_.members.size(),
                    static_cast<int>(ensemble_.schema.multi_label),
                    static_cast<int>(ensemble_.pool == Pool::kProduct)));
  }

  void write_trees() {
    std::vector<std::int64_t> node, value, output, width, minus;
    for (const TreeSpan& tree : forest_.trees) {
      node.push_back(tree.node_begin);
      value.push_back(static_cast<std::int64_t>(tree.value_begin));
      output.push_back(tree.output);
      width.push_back(tree.sparse ? 0 : tree.width);
      minus.push_back(tree.minus_output);
      minus_ |= tree.minus_output != kNoOutput;
      sparse_ |= tree.sparse;
    }
    node.push_back(static_cast<std::int64_t>(forest_.nodes.size()));
    whole("tree_node", node);
    whole("tree_value", value);
    whole("tree_output", output);
    whole("tree_width", width);
    if (minus_)
      list("uint32_t", "tree_minus", minus, [](std::int64_t to) { return fmt::format("{}u", to); });
  }

  void write_nodes() {
    std::vector<std::int64_t> feature, left, right, flags, set, words;
    std::vector<double> threshold;
    bool singles = true;
    for (const Node& node : forest_.nodes) {
      feature.push_back(node.feature);
      left.push_back(node.left);
      right.push_back(node.right);
      flags.push_back((node.categorical ? 1 : 0) + (node.missing_left ? 2 : 0));
      set.push_back(node.set);
      words.push_back(node.set_size);
      threshold.push_back(node.categorical ? 0 : node.threshold);
      singles &= static_cast<double>(static_cast<float>(threshold.back())) == threshold.back();
    }
    whole("feature", feature);
    whole("left", left);
    whole("right", right);
    whole("flags", flags);
    if (singles)
      reals("threshold", std::vector<float>(threshold.begin(), threshold.end()));
    else
      reals("threshold", threshold);
    if (!any_categorical()) return;
    whole("set", set);
    whole("set_words", words);
    whole("sets", {forest_.set_words.begin(), forest_.set_words.end()});
  }

  void write_values() {
    forest_.leaf_values.visit([&](const auto& values) {
      using Value = std::decay_t<decltype(values[0])>;
      if constexpr (std::is_same_v<Value, float>)
        reals("values", values);
      else
        list("uint16_t", "values", values, [](Value value) { return fmt::format("{}", value); });
    });
    reals("bias", ensemble_.bias);
    if (!sparse_) return;
    whole("entry_end", {forest_.entry_ends.begin(), forest_.entry_ends.end()});
    whole("entry_output", {forest_.entry_outputs.begin(), forest_.entry_outputs.end()});
    reals("entry_value", forest_.entry_values);
  }

  void write_sums() {
    code(sparse_ ? kAddSparse : kAddVector);
    if (minus_) code(kTake);
    code("}\n");
    if (!linear()) return code(kOutputs);
    code(kLinearBegin);
    if (minus_) code(kTakeLinear);
    code(kLinearEnd);
  }

  void write_linear() {
    std::vector<std::int64_t> first, slope, feature;
    std::uint32_t end = 0;
    for (const TreeSpan& tree : forest_.trees) {
      first.push_back(tree.linear() ? tree.linear_begin : end);
      if (tree.linear()) end = tree.linear_end;
      slope.push_back(static_cast<std::int64_t>(tree.slope_begin));
    }
    first.push_back(end);
    std::vector<double> low, high, center;
    for (const LinearFeature& term : forest_.linear_features) {
      feature.push_back(term.feature);
      low.push_back(term.low);
      high.push_back(term.high);
      center.push_back(term.center);
    }
    whole("tree_linear", first);
    whole("tree_slope", slope);
    whole("linear_feature", feature);
    reals("linear_low", low);
    reals("linear_high", high);
    reals("linear_center", center);
    reals("slopes", forest_.slopes);
  }

  void write_scores() {
    const std::size_t outputs = forest_.outputs;
    const std::size_t classes = ensemble_.classes();
    if (!ensemble_.members.empty()) {
      std::vector<std::int64_t> link;
      std::vector<double> scale, shift, weight;
      for (const Member& member : ensemble_.members) {
        link.push_back(link_number(member.link));
        scale.push_back(member.scale);
        shift.push_back(member.shift);
        weight.push_back(member.weight);
      }
      out_ += "\n";
      whole("member_link", link);
      reals("member_scale", scale);
      reals("member_shift", shift);
      reals("member_weight", weight);
      code(kLink);
      own_code(kPooledScores);
    } else if (ensemble_.simplex) {
      std::vector<double> diagonal(outputs);
      std::vector<double> below(outputs);
      for (std::size_t j = 0; j < outputs; ++j) {
        diagonal[j] = simplex_diagonal(classes, j) / 2;
        below[j] = simplex_below(classes, j) / 2;
      }
      out_ += "\n";
      reals("half_diagonal", diagonal);
      reals("half_below", below);
      own_code(kSimplexScores);
    } else if (!ensemble_.codewords.empty()) {
      std::vector<float> words;
      for (std::size_t c = 0; c < outputs; ++c)
        for (std::size_t k = 0; k < classes; ++k)
          words.push_back(ensemble_.codewords[k * outputs + c] / 2);
      out_ += "\n";
      reals("half_codewords", words);
      own_code(kCodewordScores);
    } else {
      own_code(kPlainScores);
    }
  }

  static int link_number(Link link) {
    return link == Link::kSoftmax ? 0 : link == Link::kLogistic ? 1 : 2;
  }

  void write_probabilities() {
    if (ensemble_.link == Link::kNone) return;
    const bool by_loss = ensemble_.link == Link::kLoss;
    if (by_loss && exported_posterior(*ensemble_.link_loss) != ExportedPosterior::kSquaredSigmoid)
      throw ModelError(fmt::format("the probabilities of the loss '{}' cannot be written as C",
                                   ensemble_.link_loss->name));
    // Savage's rate is 2, of scores times scale / 2.
    code(fmt::format("\n@_CONSTANT double @_scale = {};\n", real_text(ensemble_.link_scale)));
    if (by_loss) return own_code(kSavageProba);
    code(fmt::format("@_CONSTANT double @_shift = {};\n", real_text(ensemble_.link_shift)));
    code(fmt::format("enum {{ @_LINK = {} }};\n", link_number(ensemble_.link)));
    if (ensemble_.members.empty()) code(kLink);
    own_code(kProba);
  }

  // Calibrated probabilities, and those for other shares of the classes (model/predict/adjusted.h).
  void write_adjusted() {
    const std::size_t classes = ensemble_.classes();
    const ProbabilityMap& map = ensemble_.map;
    out_ += "\n";
    if (!map.knot_end.empty()) {
      whole("knot_end", {map.knot_end.begin(), map.knot_end.end()});
      reals("knot_p", map.knot_p);
      reals("knot_q", map.knot_q);
    } else if (!map.empty()) {
      std::vector<double> scale(classes, map.scale[0]);
      if (map.scale.size() == classes) scale = map.scale;
      reals("map_scale", scale);
      reals("map_shift", map.shift.empty() ? std::vector<double>(classes) : map.shift);
    }
    if (!ensemble_.priors.empty()) reals("prior_shift", log_prior_ratios(ensemble_));
    code(kLogs);
    if (!map.empty()) code(map.knot_end.empty() ? kMapByScale : kMapByCurve);
    if (!ensemble_.priors.empty()) code(kPriors);
    code(kAdjustedBegin);
    if (!map.empty()) code("  @_map(p);\n");
    if (!ensemble_.priors.empty()) code("  @_move_shares(p);\n");
    code(kAdjustedEnd);
    code(kClass);
  }

  const Ensemble& ensemble_;
  const Forest& forest_;
  std::string name_;
  std::string out_;
  bool minus_ = false;
  bool sparse_ = false;
};

void require_readable_size(const Ensemble& ensemble, std::size_t most) {
  const Forest& forest = ensemble.forest;
  const std::size_t numbers = forest.leaf_values.size() + 6 * forest.nodes.size() +
                              2 * forest.entry_values.size() + forest.entry_ends.size() +
                              4 * forest.linear_features.size() + forest.slopes.size() +
                              forest.set_words.size() + ensemble.codewords.size();
  if (numbers > most)
    throw ModelError(fmt::format(
        "a header of this model would have {} numbers; {} is the most; train with fewer rounds or "
        "leaves",
        numbers, most));
}

}  // namespace

std::string header_text(const Model& model, const std::string& name, const ExportLimits& limits) {
  const Ensemble& ensemble = ensemble_of(model);
  require_identifier(name);
  require_no_filters(ensemble, "a header");
  require_readable_size(ensemble, limits.header_numbers);
  return HeaderWriter(ensemble, name).write();
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::string to_header(const Model& model, const std::string& name) {
  return header_text(model, name, {});
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
