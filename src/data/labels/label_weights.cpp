#include "data/labels/label_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "base/text/nearest_name.h"
#include "data/readers/csv_reader.h"
#include "data/readers/table/assemble.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/text_input.h"
#include "data/rows/row_shares.h"
#include "data/weight_scale.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// The class of each column.
std::vector<std::size_t> match_classes(const TextInput& input,
                                       const std::vector<std::string>& names,
                                       const std::vector<std::string>& classes) {
  std::vector<std::size_t> result;
  std::vector<bool> seen(classes.size());
  for (const std::string& name : names) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      const std::vector<std::string_view> known(classes.begin(), classes.end());
      throw input.error(input.begin(), "the first line must name the classes: " +
                                           unknown_name_message("class", name, known));
    }
    result.push_back(static_cast<std::size_t>(found - classes.begin()));
    seen[result.back()] = true;
  }
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (!seen[k]) missing.push_back(classes[k]);
  if (!missing.empty())
    throw input.error(input.begin(), fmt::format("no column of weights for {}; give one for every "
                                                 "class",
                                                 list_some(missing)));
  return result;
}

// Whether a float can hold it, and does not take it for 0.
bool fits_single(double weight) {
  using Limits = std::numeric_limits<float>;
  return weight == 0 || (weight >= static_cast<double>(Limits::min()) &&
                         weight <= static_cast<double>(Limits::max()));
}

}  // namespace

void read_label_weights(const std::string& path, int threads, Dataset& data, Communicator& ranks) {
  Labels& labels = data.labels;
  const auto [first, all] = place_of_share(data.rows, ranks);
  if (labels.empty()) throw DataError({path}, "weights of labels, but the data has no labels");
  const TextInput input = TextInput::open(path, threads);
  const CsvReader reader(input, CsvHeader::kAnyNames, '\0', threads);
  const std::size_t classes = labels.classes.size();
  const std::vector<std::size_t> columns = match_classes(input, reader.names(), labels.classes);
  RawTable table = reader.read(std::vector<CellUse>(columns.size(), CellUse::kNumber));
  if (table.rows != all)
    throw DataError({path}, fmt::format("{} rows of weights, but {} has {} rows; give a line for "
                                        "each, in the same order",
                                        table.rows, data.source, all));
  if (labels.weights.empty()) labels.weights.assign(data.rows * classes, 1);
  std::vector<double> weights(all * classes);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const auto place = [&](std::size_t row) { return table.place(row, j); };
    const std::vector<double> column = read_weights(table.columns[j], place, "a column of weights");
    for (std::size_t i = 0; i < column.size(); ++i) weights[i * columns.size() + j] = column[i];
  }
  const RowSpace cells(weights.size(), 1);
  if (const auto tiny = find_tiny_weight(weights, cells))
    throw DataError(table.place(*tiny / columns.size(), *tiny % columns.size()),
                    describe_tiny_weight(weights[*tiny]));
  // Their unit is of no account where single precision cannot hold it.
  if (!std::all_of(weights.begin(), weights.end(), fits_single))
    shift_weights(weights, weight_shift(weights, cells));
  for (std::size_t at = 0; at < labels.weights.size(); ++at)
    labels.weights[at / columns.size() * classes + columns[at % columns.size()]] *=
        static_cast<float>(weights[first * classes + at]);
  const bool some = std::any_of(labels.weights.begin(), labels.weights.end(),
                                [](float weight) { return weight != 0; });
  if (!RowSpace(data.rows, 1, ranks).any(some))
    throw DataError({path}, "all weights are zero; expected one above zero at least");
}

}  // namespace simplexboost
