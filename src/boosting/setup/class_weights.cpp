#include "boosting/setup/class_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "base/row_weights.h"
#include "base/text/nearest_name.h"
#include "data/readers/table/text_cell.h"
#include "data/readers/text_input.h"
#include "data/weight_scale.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::vector<double> balanced_weights(const Dataset& data, const RowSpace& space) {
  const std::size_t classes = data.labels.classes.size();
  const RowWeights weights = data.weights;
  std::vector<double> sums =
      space.sums(RowSpace::kBlock, classes, [&](std::size_t begin, std::size_t end, double* parts) {
        for (std::size_t i = begin; i < end; ++i) parts[data.labels.codes[i]] += weights[i];
      });
  const double total = weights.sum(space);
  const auto occur = std::count_if(sums.begin(), sums.end(), [](double sum) { return sum > 0; });
  for (double& sum : sums) sum = sum > 0 ? total / (static_cast<double>(occur) * sum) : 1.0;
  return sums;
}

// Reads entries `class=weight`; `fail` throws with what is wrong.
class Entries {
 public:
  using Fail = std::function<void(std::string_view entry, const std::string& what)>;

  Entries(const std::vector<std::string>& classes, Fail fail)
      : classes_(classes),
        fail_(std::move(fail)),
        weights_(classes.size()),
        entries_(classes.size()) {}

  void add(std::string_view entry) {
    const std::size_t at = entry.rfind('=');
    if (at == std::string_view::npos)
      fail_(entry, fmt::format("{} is not class=weight", quote(entry)));
    const std::size_t k = find_class(entry, trim_blanks(entry.substr(0, at)));
    const CellValue value = read_cell(trim_blanks(entry.substr(at + 1)));
    if (value.kind != CellKind::kNumber || !(value.number >= 0))
      fail_(entry, fmt::format("the weight of '{}' must be a number, 0 or more, not {}",
                               classes_[k], quote(entry.substr(at + 1))));
    if (weights_[k]) fail_(entry, fmt::format("the class '{}' is there twice", classes_[k]));
    weights_[k] = value.number;
    entries_[k] = entry;
  }

  const std::vector<std::optional<double>>& numbers() const { return weights_; }

  std::vector<double> weights() const {
    std::vector<double> all;
    for (const std::optional<double>& weight : weights_) all.push_back(weight.value_or(1));
    if (const auto tiny = find_tiny_weight(all, RowSpace(all.size(), 1))) {
      // A class that is not named has 1; the one that is so much heavier is then to blame.
      const auto heaviest = std::max_element(all.begin(), all.end()) - all.begin();
      const std::size_t at = weights_[*tiny] ? *tiny : static_cast<std::size_t>(heaviest);
      fail_(entries_[at],
            fmt::format("class {}: {}", quote(classes_[*tiny]), describe_tiny_weight(all[*tiny])));
    }
    return all;
  }

 private:
  std::size_t find_class(std::string_view entry, std::string_view name) const {
    const auto found = std::find(classes_.begin(), classes_.end(), name);
    if (found == classes_.end()) {
      const std::vector<std::string_view> names(classes_.begin(), classes_.end());
      fail_(entry, unknown_name_message("class", name, names));
    }
    return static_cast<std::size_t>(found - classes_.begin());
  }

  const std::vector<std::string>& classes_;
  Fail fail_;
  std::vector<std::optional<double>> weights_;
  std::vector<std::string_view> entries_;  // the texts they came from
};

// Lines may end as those of Windows do.
std::string_view trim_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return trim_blanks(line);
}

// Calls add(part) for the parts between separators that are not blank.
template <class Add>
void split(std::string_view text, char separator, const Add& add) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (const std::string_view part = trim_line(text.substr(0, end)); !part.empty()) add(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// read(entries): what is made of the entries of a text, or of the file that it names.
template <class Read>
auto read_entries(const std::string& option, const std::string& text,
                  const std::vector<std::string>& classes, const std::string& choices,
                  const Read& read) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored)) {
    const TextInput input = TextInput::open(text, 1);
    Entries entries(classes, [&](std::string_view entry, const std::string& what) {
      throw input.error(entry.data(), what);
    });
    split(input.text(), '\n', [&](std::string_view entry) { entries.add(entry); });
    return read(entries);
  }
  if (text.find('=') == std::string::npos)
    throw ParameterError(
        fmt::format("{}: '{}' is no file; give {}a=2,b=0.5 or a file with a line class=weight for "
                    "each",
                    option, text, choices));
  Entries entries(classes, [&](std::string_view, const std::string& what) {
    throw ParameterError(option + ": " + what);
  });
  split(text, ',', [&](std::string_view entry) { entries.add(entry); });
  return read(entries);
}

}  // namespace

std::vector<double> class_weights(const std::string& text, const Dataset& data,
                                  const RowSpace& space) {
  if (data.labels.multi_label())
    throw ParameterError("class-weight: it needs one label a row; weight the rows instead");
  if (text == "balanced") return balanced_weights(data, space);
  return read_entries("class-weight", text, data.labels.classes, "none, balanced, ",
                      [](const Entries& entries) { return entries.weights(); });
}

std::vector<std::optional<double>> class_numbers(const std::string& option, const std::string& text,
                                                 const std::vector<std::string>& classes) {
  return read_entries(option, text, classes, "",
                      [](const Entries& entries) { return entries.numbers(); });
}

std::string class_weight_text(const std::vector<double>& weights,
                              const std::vector<std::string>& classes) {
  std::string text;
  for (std::size_t k = 0; k < weights.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "" : ",", classes[k], weights[k]);
  return text;
}

Dataset weight_classes(const Dataset& data, const std::vector<double>& weights) {
  Dataset weighted = data;
  weighted.weights.resize(data.rows);
  const RowWeights given = data.weights;
  for (std::size_t i = 0; i < data.rows; ++i)
    weighted.weights[i] = given[i] * weights[static_cast<std::size_t>(data.labels.codes[i])];
  return weighted;
}

}  // namespace simplexboost
