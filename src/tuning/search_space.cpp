#include "tuning/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <variant>

#include "base/random.h"
#include "boosting/setup/search_table.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::uint64_t kSearchStream = 0x5345'4152'4348;  // "SEARCH"

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

double number_of(std::string_view range, const std::string& text) {
  double value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
    throw ParameterError(fmt::format("'{}': '{}' is no number", range, text));
  return value;
}

// Throws unless the parameter may have the value.
void check_value(const std::string& name, const std::string& value) {
  Parameters parameters;
  set_parameter(parameters, name, value);
}

bool is_whole(const std::string& name) {
  for (const ParameterSpec& spec : parameter_specs())
    if (spec.name == name) return !std::holds_alternative<double Parameters::*>(spec.member);
  return false;
}

// Six digits say enough, and the text is what is trained with.
std::string number_text(double value, bool whole) {
  return whole ? fmt::format("{}", std::llround(value)) : fmt::format("{:.6g}", value);
}

void read_ends(std::string_view text, const std::vector<std::string>& ends, SearchRange& range) {
  const bool log = ends.size() == 3 && ends[2] == "log";
  if (ends.size() > 3 || (ends.size() == 3 && !log))
    throw ParameterError(
        fmt::format("'{}': a range is LOW:HIGH or LOW:HIGH:log, a list of values A,B,C", text));
  range.low = number_of(text, ends[0]);
  range.high = number_of(text, ends[1]);
  range.log = log;
  range.whole = is_whole(range.name);
  if (!(range.low <= range.high))
    throw ParameterError(fmt::format("'{}': the first end is above the second", text));
  if (log && !(range.low > 0))
    throw ParameterError(fmt::format("'{}': a logarithmic range begins above 0", text));
  check_value(range.name, number_text(range.low, range.whole));
  check_value(range.name, number_text(range.high, range.whole));
}

}  // namespace

SearchRange parse_range(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    throw ParameterError(
        fmt::format("'{}': say NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=A,B,C", text));
  SearchRange range;
  range.name = text.substr(0, equals);
  std::replace(range.name.begin(), range.name.end(), '_', '-');
  static_cast<void>(get_parameter(Parameters{}, range.name));  // throws on an unknown name
  for (const char* taken : {"algorithm", "rounds", "threads", "device", "seed"})
    if (range.name == taken)
      throw ParameterError(
          fmt::format("'{}': {} is not searched in this way; give --{}", text, taken, taken));
  const std::string_view values = text.substr(equals + 1);
  const std::vector<std::string> ends = split_at(values, ':');
  if (ends.size() > 1) {
    read_ends(text, ends, range);
    return range;
  }
  range.choices = split_at(values, ',');
  for (const std::string& choice : range.choices) check_value(range.name, choice);
  return range;
}

std::string SearchRange::draw(Random& random) const {
  if (!choices.empty()) return choices[random.below(choices.size())];
  const double share = random.uniform();
  // Of whole numbers each has the width of its rounding.
  const double reach = whole ? 0.5 : 0;
  const double from = log ? std::log(low - reach * (low > 1 ? 1 : 0)) : low - reach;
  const double to = log ? std::log(high + reach) : high + reach;
  const double drawn = from + share * (to - from);
  return number_text(std::clamp(log ? std::exp(drawn) : drawn, low, high), whole);
}

std::vector<Setting> SearchSpace::draw(std::uint64_t seed, std::size_t index) const {
  std::vector<Setting> settings;
  if (index == 0) return settings;
  if (index <= starts.size()) return starts[index - 1];
  std::uint64_t name = kSearchStream;
  for (const char c : algorithm) name = name * 31 + static_cast<unsigned char>(c);
  Random random(seed, name + index);
  for (const SearchRange& range : ranges) settings.push_back({range.name, range.draw(random)});
  return settings;
}

std::size_t SearchSpace::grid_size() const {
  std::size_t size = 1;
  for (const SearchRange& range : ranges) size *= range.choices.size();
  return size;
}

std::vector<Setting> SearchSpace::grid_point(std::size_t index) const {
  std::vector<Setting> settings;
  for (const SearchRange& range : ranges) {
    assert(!range.choices.empty());
    settings.push_back({range.name, range.choices[index % range.choices.size()]});
    index /= range.choices.size();
  }
  return settings;
}

SearchSpace make_space(const std::string& algorithm, const std::vector<SearchRange>& own,
                       const std::vector<std::string>& fixed) {
  SearchSpace space{algorithm, own};
  const auto known = [&](std::string_view name) {
    return std::find(fixed.begin(), fixed.end(), name) != fixed.end() ||
           std::any_of(own.begin(), own.end(),
                       [&](const SearchRange& range) { return range.name == name; });
  };
  // Depth and leaves are two ways to say the size of a tree: whoever gives one leaves out the
  // other.
  const bool sized = known("depth") || known("leaves");
  for (const std::string_view text : find_search_row(algorithm).ranges) {
    SearchRange range = parse_range(text);
    if (known(range.name) || (sized && (range.name == "depth" || range.name == "leaves"))) continue;
    space.ranges.push_back(std::move(range));
  }
  return space;
}

std::vector<std::vector<Setting>> starts_of(const Portfolio& portfolio, const Parameters& common,
                                            std::string_view algorithm,
                                            const std::vector<std::string>& fixed) {
  std::vector<std::string> own{"algorithm", "rounds", "seed", "threads", "device"};
  own.insert(own.end(), fixed.begin(), fixed.end());
  std::vector<std::vector<Setting>> starts;
  for (const MemberSetting& member : portfolio.members) {
    if (member.parameters.algorithm != algorithm) continue;
    std::vector<Setting> settings;
    for (const ParameterSpec& spec : parameter_specs()) {
      std::string value = get_parameter(member.parameters, spec.name);
      if (std::find(own.begin(), own.end(), spec.name) == own.end() &&
          value != get_parameter(common, spec.name))
        settings.push_back({std::string(spec.name), std::move(value)});
    }
    if (!settings.empty()) starts.push_back(std::move(settings));
  }
  return starts;
}

std::string settings_text(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", setting.name, setting.value);
  return text.empty() ? "defaults" : text;
}

}  // namespace simplexboost
