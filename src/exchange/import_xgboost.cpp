// XGBoost's models, in JSON or UBJSON:
// https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "exchange/foreign_model.h"
#include "exchange/importers.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Numbers that XGBoost writes as text: "3", "5E-1", "[1E-1,2E-1]".
std::vector<double> text_numbers(const std::string& text, const char* what) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool list = at != end && *at == '[';
  if (list) ++at;
  for (;;) {
    double value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec != std::errc() || !std::isfinite(value))
      refuse_model(fmt::format("{} is '{}', which is no number", what, text.substr(0, 40)));
    numbers.push_back(value);
    at = read.ptr;
    if (at == end || *at != ',') break;
    ++at;
  }
  if (list && at != end && *at == ']') ++at;
  if (at != end) refuse_model(fmt::format("{} is '{}'", what, text.substr(0, 40)));
  return numbers;
}

std::size_t count_of(const Json& object, const char* key, std::size_t otherwise) {
  if (!object.contains(key)) return otherwise;
  const double value = text_numbers(object.at(key).get<std::string>(), key).at(0);
  if (value < 0 || value > 0x7fffffff || value != std::floor(value))
    refuse_model(fmt::format("{} is {}", key, value));
  return static_cast<std::size_t>(value);
}

// XGBoost rounds values to floats and sends those below the cut left. As a cut of doubles: the
// largest double that rounds to a float below it. Halves are rounded to even.
double cut_of_doubles(double condition) {
  const auto cut = static_cast<float>(condition);
  const float below = std::nextafter(cut, -std::numeric_limits<float>::infinity());
  const double low = std::isinf(below) ? -0x1p128 : static_cast<double>(below);
  const double middle = low + (static_cast<double>(cut) - low) / 2;
  const bool even = std::isinf(below) || (std::bit_cast<std::uint32_t>(below) & 1U) == 0;
  return even ? middle : std::nextafter(middle, -std::numeric_limits<double>::infinity());
}

// The arrays of one tree.
class XgboostTree {
 public:
  explicit XgboostTree(const Json& tree)
      : left_(tree.at("left_children").get<std::vector<std::int64_t>>()),
        right_(tree.at("right_children").get<std::vector<std::int64_t>>()),
        feature_(tree.at("split_indices").get<std::vector<std::uint32_t>>()),
        condition_(tree.at("split_conditions").get<std::vector<double>>()),
        gain_(tree.value("loss_changes", std::vector<double>())),
        default_left_(flags(tree.at("default_left"))),
        width_(count_of(tree.at("tree_param"), "size_leaf_vector", 1)) {
    if (width_ == 0) width_ = 1;
    if (tree.contains("split_type")) type_ = tree.at("split_type").get<std::vector<std::int64_t>>();
    if (width_ > 1)
      weights_ = tree.at(tree.contains("leaf_weights") ? "leaf_weights" : "base_weights")
                     .get<std::vector<double>>();
    by_leaf_ = tree.contains("leaf_weights");
    const std::size_t nodes = left_.size();
    if (nodes == 0 || right_.size() != nodes || feature_.size() != nodes ||
        condition_.size() != nodes || default_left_.size() != nodes ||
        (!type_.empty() && type_.size() != nodes))
      refuse_model(fmt::format("tree {}: its arrays are of unlike length", number(tree)));
    sets_.resize(nodes);
    if (tree.contains("categories_nodes")) read_sets(tree);
  }

  std::size_t size() const { return left_.size(); }
  std::size_t width() const { return width_; }

  ForeignNode node(std::size_t i, double factor) const {
    ForeignNode result;
    if (left_[i] == -1) {
      result.leaf = true;
      result.values = leaf_values(i, factor);
      return result;
    }
    result.test.feature = feature_[i];
    result.left = left_[i];
    result.right = right_[i];
    result.test.missing_left = default_left_[i];
    if (i < gain_.size() && std::isfinite(gain_[i])) result.gain = static_cast<float>(gain_[i]);
    if (!type_.empty() && type_[i] == 1) {
      // Theirs has the set on the right.
      std::swap(result.left, result.right);
      result.test.missing_left = !result.test.missing_left;
      result.test.categorical = true;
      result.set = sets_[i];
    } else {
      result.test.threshold = cut_of_doubles(condition_[i]);
    }
    return result;
  }

 private:
  static std::vector<bool> flags(const Json& list) {
    std::vector<bool> result;
    for (const Json& one : list)
      result.push_back(one.is_number() ? one.get<std::int64_t>() != 0 : one.dump() == "true");
    return result;
  }
  static std::int64_t number(const Json& tree) { return tree.value("id", std::int64_t{-1}); }

  std::vector<float> leaf_values(std::size_t i, double factor) const {
    const auto scaled = [&](double value) {
      return static_cast<float>(factor) * static_cast<float>(value);
    };
    if (width_ == 1) return {scaled(condition_[i])};
    const std::size_t first = (by_leaf_ ? static_cast<std::size_t>(right_[i]) : i) * width_;
    if (first > weights_.size() || weights_.size() - first < width_)
      refuse_model(fmt::format("the leaf at node {} has no values", i));
    std::vector<float> result;
    for (std::size_t k = 0; k < width_; ++k) result.push_back(scaled(weights_[first + k]));
    return result;
  }

  void read_sets(const Json& tree) {
    const auto nodes = tree.at("categories_nodes").get<std::vector<std::size_t>>();
    const auto begin = tree.at("categories_segments").get<std::vector<std::size_t>>();
    const auto size = tree.at("categories_sizes").get<std::vector<std::size_t>>();
    const auto codes = tree.at("categories").get<std::vector<std::int64_t>>();
    constexpr std::int64_t kMostCodes = std::int64_t{32} * 65535;
    for (std::size_t s = 0; s < nodes.size(); ++s) {
      if (s >= begin.size() || s >= size.size() || nodes[s] >= sets_.size() ||
          begin[s] > codes.size() || size[s] > codes.size() - begin[s])
        refuse_model(
            fmt::format("tree {}: its sets of categories lie outside their table", number(tree)));
      for (std::size_t c = begin[s]; c < begin[s] + size[s]; ++c) {
        if (codes[c] < 0 || codes[c] >= kMostCodes)
          refuse_model(fmt::format("tree {}: a category has the code {}; ours end at {}",
                                   number(tree), codes[c], kMostCodes - 1));
        const auto code = static_cast<std::size_t>(codes[c]);
        std::vector<std::uint32_t>& words = sets_[nodes[s]];
        if (code / 32 >= words.size()) {
          set_words_ += code / 32 + 1 - words.size();
          if (set_words_ > kMostSetWords)
            refuse_model(fmt::format("tree {}: its sets of categories would take more than {} MB",
                                     number(tree), kMostSetWords * sizeof words[0] >> 20U));
          words.resize(code / 32 + 1);
        }
        words[code / 32] |= 1U << (code % 32);
      }
    }
  }

  std::vector<std::int64_t> left_, right_, type_;
  std::vector<std::uint32_t> feature_;
  std::vector<double> condition_, gain_, weights_;
  std::vector<bool> default_left_;
  std::size_t width_;
  bool by_leaf_ = false;
  // A large code makes a large set of few bytes of the file.
  static constexpr std::size_t kMostSetWords = std::size_t{1} << 24U;
  std::size_t set_words_ = 0;
  std::vector<std::vector<std::uint32_t>> sets_;
};

// Names that newer models keep for the codes of categories, a list for each feature.
std::vector<const Json*> category_lists(const Json& model) {
  std::vector<const Json*> lists;
  if (model.contains("cats") && model.at("cats").contains("enc"))
    for (const Json& one : model.at("cats").at("enc")) lists.push_back(&one);
  return lists;
}

std::vector<std::string> category_names(const Json& list, std::size_t feature) {
  std::vector<std::string> names;
  const auto values = list.at("values").get<std::vector<std::int64_t>>();
  if (!list.contains("offsets")) {
    for (const std::int64_t value : values) names.push_back(std::to_string(value));
    return names;
  }
  const auto offsets = list.at("offsets").get<std::vector<std::size_t>>();
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > values.size())
      refuse_model(fmt::format("the names of the categories of feature {} are damaged", feature));
    std::string name;
    for (std::size_t b = offsets[i]; b < offsets[i + 1]; ++b) name += static_cast<char>(values[b]);
    names.push_back(std::move(name));
  }
  return names;
}

class XgboostModel {
 public:
  explicit XgboostModel(const Json& file)
      : learner_(file.at("learner")), parameters_(learner_.at("learner_model_param")) {}

  Ensemble read() {
    const Json& booster = learner_.at("gradient_booster");
    const auto kind = booster.at("name").get<std::string>();
    if (kind != "gbtree" && kind != "dart")
      refuse_model(
          fmt::format("an XGBoost model of the booster '{}'; trees (gbtree, dart) can be "
                      "imported",
                      kind));
    const bool dart = kind == "dart";
    const Json& model = dart ? booster.at("gbtree").at("model") : booster.at("model");
    std::vector<double> drop;
    if (dart) drop = booster.at("weight_drop").get<std::vector<double>>();
    begin();
    read_features();
    read_trees(model, drop, dart);
    const std::vector<const Json*> lists = category_lists(model);
    name_categories(ensemble_, categorical_, [&](std::size_t f, std::size_t) {
      return f < lists.size() ? category_names(*lists[f], f) : std::vector<std::string>();
    });
    return std::move(ensemble_);
  }

 private:
  void begin() {
    const auto objective = learner_.at("objective").at("name").get<std::string>();
    const bool multi = objective == "multi:softprob" || objective == "multi:softmax";
    if (!multi && objective != "binary:logistic" && objective != "reg:logistic")
      refuse_model(
          fmt::format("an XGBoost model of the objective '{}'; multi:softprob, "
                      "multi:softmax and binary:logistic can be imported",
                      objective));
    binary_ = !multi;
    if (count_of(parameters_, "num_target", 1) > 1)
      refuse_model("an XGBoost model of several targets a row");
    classes_ = binary_ ? 2 : count_of(parameters_, "num_class", 0);
    ensemble_ = foreign_ensemble("xgboost", classes_);
    const std::vector<double> base =
        text_numbers(parameters_.at("base_score").get<std::string>(), "base_score");
    if (binary_) {
      if (base.size() != 1 || !(base[0] > 0 && base[0] < 1))
        refuse_model("base_score is no probability");
      ensemble_.bias[1] = -std::log(1 / static_cast<float>(base[0]) - 1.0F);
      return;
    }
    if (base.size() != 1 && base.size() != classes_)
      refuse_model(fmt::format("base_score has {} numbers for {} classes", base.size(), classes_));
    for (std::size_t k = 0; k < classes_; ++k)
      ensemble_.bias[k] = static_cast<float>(base[base.size() == 1 ? 0 : k]);
  }

  void read_features() {
    const std::size_t count = count_of(parameters_, "num_feature", 0);
    const auto names = learner_.value("feature_names", std::vector<std::string>());
    // A name for each is made below: no more of them than the file has, but for this many.
    constexpr std::size_t kMostUnnamed = std::size_t{1} << 20U;
    if (count == 0 || (count > kMostUnnamed && names.size() != count))
      refuse_model(
          fmt::format("num_feature is {}; without names it is 1 to {}", count, kMostUnnamed));
    const auto types = learner_.value("feature_types", std::vector<std::string>());
    ensemble_.schema.named = names.size() == count;
    categorical_.resize(count);
    for (std::size_t f = 0; f < count; ++f) {
      ensemble_.schema.features.push_back(
          {names.size() == count ? names[f] : std::to_string(f + 1), FeatureType::kNumeric, {}});
      categorical_[f] = types.size() == count && types[f] == "c";
    }
  }

  void read_trees(const Json& model, const std::vector<double>& drop, bool dart) {
    const auto outputs = model.at("tree_info").get<std::vector<std::size_t>>();
    std::vector<std::size_t> rounds;
    if (model.contains("iteration_indptr"))
      rounds = model.at("iteration_indptr").get<std::vector<std::size_t>>();
    const std::size_t step =
        (binary_ ? 1 : classes_) *
        std::max<std::size_t>(1, count_of(model.at("gbtree_model_param"), "num_parallel_tree", 1));
    ForeignForest forest(ensemble_);
    std::size_t t = 0;
    std::size_t next_round = 1;
    for (const Json& json : model.at("trees")) {
      const XgboostTree tree(json);
      if (t >= outputs.size() || (dart && t >= drop.size()))
        refuse_model(fmt::format("there is no class or weight of tree {}", t));
      if (tree.width() != 1 && tree.width() != classes_)
        refuse_model(fmt::format("tree {} has leaves of {} values", t, tree.width()));
      if (tree.width() == 1 && outputs[t] >= (binary_ ? 1 : classes_))
        refuse_model(fmt::format("tree {} is for class {} of {}", t, outputs[t], classes_));
      const std::size_t output = tree.width() > 1 ? 0 : binary_ ? 1 : outputs[t];
      const double factor = dart ? drop[t] : 1;
      forest.add_tree(
          tree.size(),
          [&](std::size_t i) {
            ForeignNode node = tree.node(i, factor);
            if (!node.leaf && node.test.categorical && node.test.feature < categorical_.size())
              categorical_[node.test.feature] = true;
            return node;
          },
          output, tree.width());
      ++t;
      const bool ends =
          rounds.size() > 1 ? next_round < rounds.size() && rounds[next_round] == t : t % step == 0;
      if (ends) {
        forest.end_round();
        ++next_round;
      }
    }
    if (ensemble_.forest.round_end.empty() ||
        ensemble_.forest.round_end.back() != ensemble_.forest.trees.size())
      forest.end_round();
  }

  const Json& learner_;
  const Json& parameters_;
  Ensemble ensemble_;
  std::vector<bool> categorical_;
  std::size_t classes_ = 0;
  bool binary_ = false;
};

}  // namespace

Ensemble import_xgboost(const Json& file) { return XgboostModel(file).read(); }

}  // namespace simplexboost
