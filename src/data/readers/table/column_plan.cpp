#include "data/readers/table/column_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "data/readers/table/text_cell.h"
#include "data/rows/sparse_rows.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

enum class Role : std::uint8_t { kFree, kIgnored, kLabel, kWeight };

// A 1-based position as text, to a 0-based one.
std::optional<std::size_t> as_position(std::string_view text) {
  std::size_t position = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (status != std::errc() || end != text.data() + text.size() || position == 0) return {};
  return position - 1;
}

class Planner {
 public:
  Planner(const std::string& source, const std::vector<std::string>& names, bool named,
          const ReadOptions& options, ReadNotes& notes)
      : source_(source),
        names_(names),
        named_(named),
        options_(options),
        notes_(notes),
        roles_(names.size(), Role::kFree) {
    for (std::size_t i = 0; i < names.size(); ++i) index_.emplace(names[i], i);
  }

  ColumnPlan plan() {
    take_stated();
    if (options_.schema == nullptr) {
      infer();
    } else if (named_ && options_.schema->named) {
      match_names(*options_.schema);
    } else {
      match_positions(*options_.schema);
    }
    if (plan_.labels.empty() && options_.require_labels) throw no_label();
    return plan_;
  }

 private:
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = index_.find(name);
    if (found != index_.end()) return found->second;
    const auto position = as_position(name);
    if (position && *position < names_.size()) return position;
    return {};
  }

  DataError fail(const std::string& what) const { return {Place{source_}, what}; }

  std::size_t require(const std::string& name, std::string_view role) const {
    const auto found = find(name);
    if (!found)
      throw fail(fmt::format("no column {} to take as {}; the columns are {}", quote(name), role,
                             list_some(names_)));
    return *found;
  }

  void assign(std::size_t column, Role role) {
    if (roles_[column] != Role::kFree)
      throw fail(
          fmt::format("column {} is given two roles (label, weight, ignored); one column "
                      "can have only one",
                      quote(names_[column])));
    roles_[column] = role;
  }

  // What the options name outright. With a model at hand, columns to ignore may be absent.
  void take_stated() {
    for (const std::string& name : options_.ignore) {
      if (options_.schema != nullptr && !find(name)) continue;
      const std::size_t column = require(name, "one to ignore");
      if (roles_[column] != Role::kIgnored) assign(column, Role::kIgnored);
    }
    if (!options_.weight.empty()) {
      plan_.weight = require(options_.weight, "the weight");
      assign(*plan_.weight, Role::kWeight);
    }
    for (const std::string& name : options_.label) take_label(require(name, "the label"));
    if (options_.schema != nullptr) return;  // the model knows which are categorical
    for (const std::string& name : options_.categorical)
      plan_.categorical.push_back(require(name, "categorical"));
  }

  void take_label(std::size_t column) {
    assign(column, Role::kLabel);
    plan_.labels.push_back(column);
  }

  std::vector<std::size_t> free_columns() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (roles_[i] == Role::kFree) result.push_back(i);
    return result;
  }

  void infer() {
    if (plan_.labels.empty()) {
      const auto found = index_.find("class");
      const std::vector<std::size_t> free = free_columns();
      if (found != index_.end() && roles_[found->second] == Role::kFree) {
        take_label(found->second);
      } else if (!free.empty() && options_.require_labels) {
        take_label(free.back());
      }
    }
    plan_.features = free_columns();
    if (plan_.features.empty())
      throw fail("no column is left as a feature; expected one besides the label at least");
  }

  void match_names(const Schema& schema) {
    if (plan_.labels.empty()) {
      std::vector<std::string> absent;
      for (const std::string& name : schema.label_columns)
        if (!index_.contains(name)) absent.push_back(name);
      if (absent.empty()) {
        for (const std::string& name : schema.label_columns) take_label(index_.at(name));
      } else if (absent.size() < schema.label_columns.size()) {
        throw fail(fmt::format("label columns of the model are missing: {}", list_all(absent)));
      }
    }
    std::vector<char> used(names_.size());
    std::vector<std::string> missing;
    for (const FeatureSchema& feature : schema.features) {
      const auto found = index_.find(feature.name);
      if (found == index_.end() || roles_[found->second] != Role::kFree) {
        missing.push_back(feature.name);
      } else {
        plan_.features.push_back(found->second);
        used[found->second] = 1;
      }
    }
    if (!missing.empty())
      throw fail(fmt::format("{} that the model needs {} missing: {}",
                             missing.size() == 1 ? "a column" : "columns",
                             missing.size() == 1 ? "is" : "are", list_all(missing)));
    note_extra(used);
  }

  void note_extra(const std::vector<char>& used) {
    std::vector<std::string> extra;
    for (const std::size_t i : free_columns())
      if (used[i] == 0) extra.push_back(names_[i]);
    if (!extra.empty())
      notes_.lines.push_back(fmt::format("{}: ignored {} that the model does not use: {}", source_,
                                         extra.size() == 1 ? "a column" : "columns",
                                         list_all(extra)));
  }

  // Without names on both sides: either just the features, or the features and the label.
  void match_positions(const Schema& schema) {
    const std::vector<std::size_t> places = sparse_places(schema);
    const std::size_t features = places.empty() ? schema.features.size() : places.back() + 1;
    const std::size_t labels = std::max<std::size_t>(schema.label_columns.size(), 1);
    if (plan_.labels.empty() && free_columns().size() == features + labels)
      take_labels_by_position(schema, features);
    plan_.features = free_columns();
    if (plan_.features.size() != features)
      throw fail(
          fmt::format("{} columns, expected the {} features of the model{}; without names "
                      "on both sides columns go by position",
                      plan_.features.size(), features,
                      plan_.labels.empty() ? ", with or without the label" : ""));
    if (places.empty()) return;
    std::vector<std::size_t> chosen;
    chosen.reserve(places.size());
    for (const std::size_t place : places) chosen.push_back(plan_.features[place]);
    plan_.features = std::move(chosen);
  }

  // Where the features of a model of LIBSVM data stand among all columns, where it has not all of
  // them (kMostEmptyFeatures); else nothing.
  static std::vector<std::size_t> sparse_places(const Schema& schema) {
    if (schema.named || !schema.label_columns.empty() || schema.features.empty()) return {};
    const std::size_t first = schema.features[0].name == "0" ? 0 : 1;
    std::vector<std::size_t> places;
    for (const FeatureSchema& feature : schema.features) {
      std::size_t index = 0;
      const char* const end = feature.name.data() + feature.name.size();
      if (std::from_chars(feature.name.data(), end, index).ptr != end || index < first) return {};
      places.push_back(index - first);
      if (places.size() > 1 && places.back() <= places[places.size() - 2]) return {};
    }
    const bool large = places.back() + first + 1 > kMostEmptyFeatures;
    return large ? places : std::vector<std::size_t>();
  }

  // The label stands where it stood in training if that is known, else behind the features.
  void take_labels_by_position(const Schema& schema, std::size_t features) {
    if (schema.named || schema.label_columns.empty()) {
      const std::vector<std::size_t> free = free_columns();
      for (std::size_t i = features; i < free.size(); ++i) take_label(free[i]);
      return;
    }
    for (const std::string& name : schema.label_columns) {
      const auto position = as_position(name);
      if (position && *position < roles_.size() && roles_[*position] == Role::kFree)
        take_label(*position);
    }
    const std::vector<std::size_t> rest = free_columns();
    const bool same = std::equal(
        rest.begin(), rest.end(), schema.features.begin(), schema.features.end(),
        [](std::size_t i, const auto& feature) { return feature.name == std::to_string(i + 1); });
    if (!same)
      throw fail(
          "the columns stand in other places than in training, so the label's place is "
          "open; name its position by --label");
  }

  DataError no_label() const {
    if (options_.schema != nullptr && !options_.schema->label_columns.empty())
      return fail(fmt::format("the label column {} is missing; name another by --label",
                              list_all(options_.schema->label_columns)));
    return fail("no label column; name it by --label");
  }

  static std::string list_all(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const std::string& source_;
  const std::vector<std::string>& names_;
  bool named_;
  const ReadOptions& options_;
  ReadNotes& notes_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<Role> roles_;
  ColumnPlan plan_;
};

}  // namespace

std::string list_some(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string result = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) result += fmt::format(" and {} more", names.size() - shown);
  return result;
}

ColumnPlan plan_columns(const std::string& source, const std::vector<std::string>& names,
                        bool named, const ReadOptions& options, ReadNotes& notes) {
  return Planner(source, names, named, options, notes).plan();
}

}  // namespace simplexboost
