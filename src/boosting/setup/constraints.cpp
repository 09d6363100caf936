#include "boosting/setup/constraints.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>

#include "base/text/nearest_name.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::string_view kNone = "none";

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// "#3" is the third; anything else is a name.
std::size_t find_named(const char* parameter, const char* what, std::string_view text,
                       std::size_t count,
                       const std::function<std::string_view(std::size_t)>& name_of) {
  if (text.starts_with('#')) {
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + 1, end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 1 || number > count)
      throw ParameterError(
          fmt::format("{}: there is no {} {}; the data has {}", parameter, what, text, count));
    return number - 1;
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) {
    if (name_of(i) == text) return i;
    names.push_back(name_of(i));
  }
  throw ParameterError(std::string(parameter) + ": " +
                       unknown_name_message(what, std::string(text), names));
}

std::uint32_t find_feature(const char* parameter, const Dataset& data, std::string_view text) {
  return static_cast<std::uint32_t>(
      find_named(parameter, "feature", text, data.columns.size(),
                 [&](std::size_t f) { return std::string_view(data.columns[f].schema.name); }));
}

// FEATURE:+CLASS or FEATURE:-CLASS; of two classes the second need not be named.
void add_monotone(std::string_view entry, const Dataset& data, Monotone& monotone) {
  constexpr const char* kName = "monotone";
  const std::vector<std::string>& classes = data.labels.classes;
  const std::size_t at = entry.rfind(':');
  if (at == std::string_view::npos || at + 1 == entry.size() ||
      (entry[at + 1] != '+' && entry[at + 1] != '-'))
    throw ParameterError(
        fmt::format("{}: '{}' is not FEATURE:+CLASS or FEATURE:-CLASS", kName, entry));
  const std::uint32_t feature = find_feature(kName, data, entry.substr(0, at));
  const std::string_view label = entry.substr(at + 2);
  if (data.columns[feature].schema.type == FeatureType::kCategorical)
    throw ParameterError(fmt::format("{}: '{}' has categories, which have no order", kName,
                                     data.columns[feature].schema.name));
  if (label.empty() && classes.size() != 2)
    throw ParameterError(fmt::format("{}: '{}' names no class, and there are {}; write {}CLASS",
                                     kName, entry, classes.size(), entry));
  if (monotone.sign[feature] != 0)
    throw ParameterError(
        fmt::format("{}: '{}' is there twice; it can raise or lower the score of one class", kName,
                    data.columns[feature].schema.name));
  monotone.sign[feature] = entry[at + 1] == '+' ? 1 : -1;
  monotone.output[feature] = static_cast<std::uint32_t>(
      label.empty() ? 1 : find_named(kName, "class", label, classes.size(), [&](std::size_t k) {
        return std::string_view(classes[k]);
      }));
}

}  // namespace

std::shared_ptr<const TreeConstraints> read_constraints(const Parameters& parameters,
                                                        const Dataset& data) {
  if (parameters.monotone == kNone && parameters.interactions == kNone) return nullptr;
  auto result = std::make_shared<TreeConstraints>();
  if (parameters.monotone != kNone) {
    result->monotone.sign.resize(data.columns.size());
    result->monotone.output.resize(data.columns.size());
    result->monotone.outputs = data.labels.classes.size();
    for (const std::string_view entry : parts_of(parameters.monotone, ','))
      add_monotone(entry, data, result->monotone);
  }
  if (parameters.interactions != kNone) {
    std::vector<std::vector<std::uint32_t>> groups;
    for (const std::string_view group : parts_of(parameters.interactions, ';')) {
      groups.emplace_back();
      for (const std::string_view name : parts_of(group, ','))
        groups.back().push_back(find_feature("interactions", data, name));
    }
    result->interactions.emplace(groups, data.columns.size());
  }
  return result;
}

}  // namespace simplexboost
