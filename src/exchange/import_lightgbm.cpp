// LightGBM's models, in its text format: blocks of lines KEY=VALUES, a block for each tree.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/text/json.h"
#include "exchange/foreign_model.h"
#include "exchange/importers.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Values so near to 0 are zeros to LightGBM.
constexpr double kZeroBand = 1e-35;

struct TextLine {
  std::string_view text;
  std::size_t number = 0;  // from 1
};

[[noreturn]] void fail_line(std::size_t line, const std::string& what) {
  refuse_model(fmt::format("line {}: {}", line, what));
}

class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  std::optional<TextLine> next() {
    if (text_.empty()) return std::nullopt;
    const std::size_t end = text_.find('\n');
    TextLine line{text_.substr(0, end), ++number_};
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    return line;
  }

 private:
  std::string_view text_;
  std::size_t number_ = 0;
};

// KEY=VALUE lines up to an empty one.
class TextBlock {
 public:
  void add(const TextLine& line) {
    const std::size_t at = line.text.find('=');
    const std::string_view key = line.text.substr(0, at);
    const std::string_view value = at == std::string_view::npos ? "" : line.text.substr(at + 1);
    values_.insert_or_assign(std::string(key), TextLine{value, line.number});
    if (first_ == 0) first_ = line.number;
  }
  bool empty() const { return values_.empty(); }
  bool has(const std::string& key) const { return values_.contains(key); }

  TextLine at(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end())
      fail_line(first_, fmt::format("the block that begins here has no '{}'", key));
    return found->second;
  }

  std::vector<std::string_view> words(const std::string& key) const {
    std::vector<std::string_view> result;
    std::string_view rest = at(key).text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) result.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return result;
  }

  template <class Number>
  std::vector<Number> numbers(const std::string& key) const {
    std::vector<Number> result;
    for (const std::string_view word : words(key)) {
      Number value{};
      const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
      if (read.ec != std::errc() || read.ptr != word.data() + word.size())
        fail_line(at(key).number,
                  fmt::format("'{}' in {} is no number in its range", word.substr(0, 40), key));
      result.push_back(value);
    }
    return result;
  }

  template <class Number>
  std::vector<Number> numbers(const std::string& key, std::size_t count) const {
    std::vector<Number> result = numbers<Number>(key);
    if (result.size() != count)
      fail_line(at(key).number,
                fmt::format("{} has {} numbers, not {}", key, result.size(), count));
    return result;
  }

  template <class Number>
  Number number(const std::string& key) const {
    return numbers<Number>(key, 1)[0];
  }

 private:
  std::map<std::string, TextLine> values_;
  std::size_t first_ = 0;
};

class LightgbmTree {
 public:
  explicit LightgbmTree(const TextBlock& block)
      : leaves_(block.number<std::uint32_t>("num_leaves")) {
    const std::size_t line = block.at("num_leaves").number;
    if (leaves_ < 1) fail_line(line, "a tree has no leaves");
    if (block.has("is_linear") && block.number<int>("is_linear") != 0)
      fail_line(line, "a LightGBM model with linear leaves (linear_tree), which ours are not");
    const std::size_t nodes = leaves_ - 1;
    values_ = block.numbers<double>("leaf_value", leaves_);
    if (nodes == 0) return;
    feature_ = block.numbers<std::uint32_t>("split_feature", nodes);
    threshold_ = block.numbers<double>("threshold", nodes);
    type_ = block.numbers<unsigned>("decision_type", nodes);
    left_ = block.numbers<std::int64_t>("left_child", nodes);
    right_ = block.numbers<std::int64_t>("right_child", nodes);
    if (block.has("split_gain")) gain_ = block.numbers<double>("split_gain");
    if (!block.has("cat_boundaries")) return;
    bounds_ = block.numbers<std::size_t>("cat_boundaries");
    words_ = block.numbers<std::uint32_t>("cat_threshold");
  }

  // Inner nodes first, then leaves.
  std::size_t size() const { return 2 * std::size_t{leaves_} - 1; }

  ForeignNode node(std::size_t i) const {
    const std::size_t inner = leaves_ - 1;
    ForeignNode result;
    if (i >= inner) {
      result.leaf = true;
      result.values = {static_cast<float>(values_[i - inner])};
      return result;
    }
    const auto child = [&](std::int64_t to) {
      return to < 0 ? static_cast<std::int64_t>(inner) + ~to : to;
    };
    result.left = child(left_[i]);
    result.right = child(right_[i]);
    result.test.feature = feature_[i];
    if (i < gain_.size() && std::isfinite(gain_[i])) result.gain = static_cast<float>(gain_[i]);
    if ((type_[i] & 1U) != 0)
      set_categories(i, result);
    else
      set_cut(i, result.test);
    return result;
  }

 private:
  // Missing values go right, as what is no code does.
  void set_categories(std::size_t i, ForeignNode& result) const {
    result.test.categorical = true;
    const double place = threshold_[i];
    const std::size_t sets = bounds_.empty() ? 0 : bounds_.size() - 1;
    if (!(place >= 0) || place >= static_cast<double>(sets))
      refuse_model(fmt::format("node {} of a tree has the set {} of {}", i, place, sets));
    const auto set = static_cast<std::size_t>(place);
    if (bounds_[set] > bounds_[set + 1] || bounds_[set + 1] > words_.size())
      refuse_model(fmt::format("set {} of a tree lies outside cat_threshold", set));
    result.set.assign(words_.begin() + static_cast<std::ptrdiff_t>(bounds_[set]),
                      words_.begin() + static_cast<std::ptrdiff_t>(bounds_[set + 1]));
  }

  // Bit 1: missing values go left; bits 2 and 3: what is missing (nothing, zeros, NaN). Where
  // nothing is, NaN counts as 0.
  void set_cut(std::size_t i, Node& test) const {
    const bool default_left = (type_[i] & 2U) != 0;
    const unsigned missing = type_[i] >> 2U & 3U;
    test.threshold = threshold_[i];
    if (!std::isfinite(test.threshold))
      test.threshold = std::copysign(std::numeric_limits<double>::max(), test.threshold);
    const bool zero_left = test.threshold >= 0;
    test.missing_left = missing == 0 ? zero_left : default_left;
    if (missing == 1 && (default_left != zero_left || std::fabs(test.threshold) <= kZeroBand))
      refuse_model(
          "a LightGBM model trained with zero_as_missing, whose zeros go another way than the "
          "numbers around them; ours go by order");
    if (missing == 3) refuse_model(fmt::format("node {} has an unknown kind of missing value", i));
  }

  std::uint32_t leaves_;
  std::vector<std::uint32_t> feature_, words_;
  std::vector<double> threshold_, values_, gain_;
  std::vector<unsigned> type_;
  std::vector<std::int64_t> left_, right_;
  std::vector<std::size_t> bounds_;
};

class LightgbmModel {
 public:
  explicit LightgbmModel(std::string_view text) : lines_(text) {}

  Ensemble read() {
    read_head();
    read_trees();
    read_tail();
    // The lists of names are in the order of the categorical features.
    const auto all = std::count(categorical_.begin(), categorical_.end(), true);
    const bool named = pandas_.is_array() && std::distance(pandas_.begin(), pandas_.end()) == all;
    name_categories(ensemble_, categorical_, [&](std::size_t, std::size_t place) {
      return named ? names_of(*(pandas_.begin() + static_cast<std::ptrdiff_t>(place)))
                   : std::vector<std::string>();
    });
    return std::move(ensemble_);
  }

 private:
  TextBlock next_block() {
    TextBlock block;
    while (const auto line = lines_.next()) {
      if (line->text.empty() && !block.empty()) break;
      if (line->text == "end of trees") {
        ended_ = true;
        break;
      }
      if (!line->text.empty()) block.add(*line);
    }
    return block;
  }

  void read_objective(const TextBlock& head) {
    if (!head.has("objective"))
      refuse_model("a LightGBM model without an objective; multiclass and binary can be imported");
    const std::vector<std::string_view> words = head.words("objective");
    const std::string name(words.empty() ? "" : words[0]);
    if (name == "multiclassova")
      refuse_model(
          "a LightGBM model of the objective 'multiclassova', whose probabilities do not sum to 1; "
          "multiclass and binary can be imported");
    if (name != "multiclass" && name != "binary")
      refuse_model(
          fmt::format("a LightGBM model of the objective '{}'; multiclass and binary can "
                      "be imported",
                      name.substr(0, 40)));
    binary_ = name == "binary";
    for (const std::string_view word : words) {
      if (!word.starts_with("sigmoid:")) continue;
      const std::string_view number = word.substr(8);
      const auto read = std::from_chars(number.data(), number.data() + number.size(), scale_);
      if (read.ec != std::errc() || !(scale_ > 0))
        fail_line(head.at("objective").number, "sigmoid is no positive number");
    }
  }

  void read_head() {
    const TextBlock head = next_block();
    if (!head.has("tree") || !head.has("num_class"))
      refuse_model("line 1: no LightGBM model: it does not begin with 'tree'");
    read_objective(head);
    const auto classes = binary_ ? std::size_t{2} : head.number<std::size_t>("num_class");
    per_round_ = head.number<std::size_t>("num_tree_per_iteration");
    if (per_round_ != (binary_ ? 1 : classes))
      fail_line(head.at("num_tree_per_iteration").number,
                fmt::format("{} trees an iteration for {} classes", per_round_, classes));
    ensemble_ = foreign_ensemble("lightgbm", classes);
    averaged_ = head.has("average_output");
    const std::vector<std::string_view> names = head.words("feature_names");
    const std::vector<std::string_view> infos = head.words("feature_infos");
    if (names.empty() || names.size() != head.number<std::size_t>("max_feature_idx") + 1)
      fail_line(head.at("feature_names").number, "the names do not fit max_feature_idx");
    bool unnamed = true;
    for (std::size_t f = 0; f < names.size(); ++f) {
      ensemble_.schema.features.push_back({std::string(names[f]), FeatureType::kNumeric, {}});
      const bool known = f < infos.size() && !infos[f].starts_with('[') && infos[f] != "none";
      categorical_.push_back(known);
      // What LightGBM calls columns without names.
      unnamed &= names[f] == fmt::format("Column_{}", f);
    }
    ensemble_.schema.named = !unnamed;
  }

  void read_trees() {
    ForeignForest forest(ensemble_);
    while (!ended_) {
      const TextBlock block = next_block();
      if (block.empty()) break;
      if (!block.has("Tree")) refuse_model("there are lines between the trees that are none");
      const LightgbmTree tree(block);
      const std::size_t number = ensemble_.forest.trees.size();
      forest.add_tree(
          tree.size(),
          [&](std::size_t i) {
            ForeignNode node = tree.node(i);
            if (!node.leaf && node.test.categorical && node.test.feature < categorical_.size())
              categorical_[node.test.feature] = true;
            return node;
          },
          binary_ ? 1 : number % per_round_, 1);
      if ((number + 1) % per_round_ == 0) forest.end_round();
    }
    if (!ended_) refuse_model("it ends before 'end of trees'");
    const std::size_t trees = ensemble_.forest.trees.size();
    if (trees % per_round_ != 0)
      refuse_model(fmt::format("{} trees are no whole iterations of {}", trees, per_round_));
    // A forest's trees are averaged: scores are sums, and the link divides.
    const std::size_t rounds = trees / per_round_;
    if (averaged_ && rounds > 0) scale_ /= static_cast<double>(rounds);
    ensemble_.link_scale = scale_;
  }

  // Which features are categorical, also where no tree asks, and the names that pandas had.
  void read_tail() {
    while (const auto line = lines_.next()) {
      constexpr std::string_view kList = "[categorical_feature: ";
      constexpr std::string_view kPandas = "pandas_categorical:";
      if (line->text.starts_with(kList) && line->text.ends_with(']')) {
        TextBlock list;
        std::string numbers(line->text.substr(kList.size()));
        numbers.pop_back();
        std::replace(numbers.begin(), numbers.end(), ',', ' ');
        const std::string text = "columns=" + numbers;
        if (numbers.find_first_not_of(" 0123456789") != std::string::npos) continue;  // by name
        list.add({text, line->number});
        for (const std::size_t f : list.numbers<std::size_t>("columns"))
          if (f < categorical_.size()) categorical_[f] = true;
      } else if (line->text.starts_with(kPandas)) {
        const Json lists = Json::parse(line->text.substr(kPandas.size()));
        if (lists.is_array()) pandas_ = lists;
      }
    }
  }

  static std::vector<std::string> names_of(const Json& list) {
    std::vector<std::string> names;
    for (const Json& value : list)
      names.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    return names;
  }

  LineReader lines_;
  bool ended_ = false;
  Ensemble ensemble_;
  std::vector<bool> categorical_;
  Json pandas_;
  std::size_t per_round_ = 1;
  double scale_ = 1;
  bool binary_ = false;
  bool averaged_ = false;
};

}  // namespace

Ensemble import_lightgbm(std::string_view text) { return LightgbmModel(text).read(); }

}  // namespace simplexboost
