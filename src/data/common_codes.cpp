#include "data/common_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/readers/raw_table.h"
#include "data/readers/text_cell.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using Names = std::vector<std::string>;

// Of one list after the other, each behind its length.
std::vector<char> to_bytes(const std::vector<Names>& lists) {
  std::vector<char> bytes;
  const auto put_length = [&](std::uint64_t length) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof length);
    std::memcpy(bytes.data() + at, &length, sizeof length);
  };
  put_length(lists.size());
  for (const Names& names : lists) {
    put_length(names.size());
    for (const std::string& name : names) {
      put_length(name.size());
      bytes.insert(bytes.end(), name.begin(), name.end());
    }
  }
  return bytes;
}

// Reads what to_bytes() wrote, from `at` on.
std::vector<Names> from_bytes(const std::vector<char>& bytes, std::size_t& at) {
  const auto take_length = [&] {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    at += sizeof length;
    return static_cast<std::size_t>(length);
  };
  std::vector<Names> lists(take_length());
  for (Names& names : lists) {
    names.resize(take_length());
    for (std::string& name : names) {
      const std::size_t length = take_length();
      name.assign(bytes.data() + at, length);
      at += length;
    }
  }
  return lists;
}

// The lists of each rank.
std::vector<std::vector<Names>> names_of_all(Communicator& ranks, const std::vector<Names>& mine) {
  const std::vector<char> bytes = gather_values<char>(ranks, to_bytes(mine));
  std::vector<std::vector<Names>> all;
  for (std::size_t at = 0; at < bytes.size();) all.push_back(from_bytes(bytes, at));
  return all;
}

bool all_missing(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

// The names of all lists, in the order that one reader would give them; none where all lists are
// the same, whatever their order.
std::optional<Names> joined(const std::vector<const Names*>& lists) {
  const auto same = [&](const Names* list) { return *list == *lists[0]; };
  if (std::all_of(lists.begin(), lists.end(), same)) return std::nullopt;
  Names names;
  for (const Names* list : lists) names.insert(names.end(), list->begin(), list->end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::int32_t> rank = rank_names(names);
  Names ordered(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    ordered[static_cast<std::size_t>(rank[i])] = std::move(names[i]);
  return ordered;
}

// The new code of each old one.
std::vector<std::int32_t> moves(const Names& from, const Names& to) {
  std::unordered_map<std::string_view, std::int32_t> places;
  for (const std::string& name : to) places.emplace(name, static_cast<std::int32_t>(places.size()));
  std::vector<std::int32_t> codes;
  codes.reserve(from.size());
  for (const std::string& name : from) codes.push_back(places.at(name));
  return codes;
}

void recode(Column& column, std::size_t rows, const Names& categories) {
  const std::vector<std::int32_t> move = moves(column.schema.categories, categories);
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  std::vector<std::int32_t> codes(rows, -1);
  for (std::size_t i = 0; i < rows; ++i)
    if (values[i] < static_cast<double>(move.size()))
      codes[i] = move[static_cast<std::size_t>(values[i])];
  column = Column::categorical(column.schema.name, std::move(codes), categories);
}

void recode(Labels& labels, std::size_t rows, const Names& classes) {
  const std::vector<std::int32_t> move = moves(labels.classes, classes);
  for (std::int32_t& code : labels.codes)
    if (code >= 0) code = move[static_cast<std::size_t>(code)];
  for (std::size_t row = 0; row + 1 < labels.offsets.size(); ++row)
    std::sort(labels.codes.begin() + static_cast<std::ptrdiff_t>(labels.offsets[row]),
              labels.codes.begin() + static_cast<std::ptrdiff_t>(labels.offsets[row + 1]));
  if (!labels.weights.empty()) {
    // A class that is not known here holds for no row, and counts like the others.
    std::vector<float> weights(rows * classes.size(), 1);
    for (std::size_t at = 0; at < labels.weights.size(); ++at)
      weights[at / move.size() * classes.size() +
              static_cast<std::size_t>(move[at % move.size()])] = labels.weights[at];
    labels.weights = std::move(weights);
  }
  labels.classes = classes;
}

class Agreement {
 public:
  Agreement(Dataset& data, Communicator& ranks) : data_(data), ranks_(ranks) {}

  void run() {
    check_columns();
    check_labels();
    agree_on_types();
    std::vector<Names> mine;
    for (const Column& column : data_.columns) mine.push_back(column.schema.categories);
    mine.push_back(data_.labels.classes);
    const std::vector<std::vector<Names>> all = names_of_all(ranks_, mine);
    const auto agreed = [&](std::size_t list) {
      std::vector<const Names*> names;
      for (const std::vector<Names>& theirs : all) names.push_back(&theirs[list]);
      return joined(names);
    };
    for (std::size_t i = 0; i < data_.columns.size(); ++i)
      if (const auto names = agreed(i)) recode(data_.columns[i], data_.rows, *names);
    if (const auto names = agreed(data_.columns.size())) recode(data_.labels, data_.rows, *names);
    agree_on_weights();
  }

 private:
  [[noreturn]] void disagree(const std::string& what) const {
    throw DataError(Place{data_.source}, what);
  }

  void check_columns() const {
    Names names;
    for (const Column& column : data_.columns) names.push_back(column.schema.name);
    const std::vector<std::vector<Names>> all = names_of_all(ranks_, {names});
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      const Names& first = all[0][0];
      const Names& theirs = all[rank][0];
      if (theirs.size() != first.size())
        disagree(fmt::format("{} features, but {} in the rows of process {}; expected the same",
                             first.size(), theirs.size(), rank));
      for (std::size_t i = 0; i < first.size(); ++i)
        if (theirs[i] != first[i])
          disagree(
              fmt::format("feature {} is {}, but {} in the rows of process {}; expected the "
                          "same",
                          i + 1, quote(first[i]), quote(theirs[i]), rank));
    }
  }

  // One label a row, or several: a rank without rows may not know.
  void check_labels() const {
    std::int64_t kinds[] = {0, 0};
    if (data_.rows > 0) kinds[data_.labels.multi_label() ? 1 : 0] = 1;
    ranks_.maximum(kinds);
    if (kinds[0] != 0 && kinds[1] != 0)
      disagree("one label a row in some processes and several in others; expected the same");
  }

  void agree_on_types() {
    const std::size_t count = data_.columns.size();
    std::vector<std::int64_t> seen(2 * count);  // as numbers, as categories
    for (std::size_t i = 0; i < count; ++i) {
      const Column& column = data_.columns[i];
      const bool categorical = column.schema.type == FeatureType::kCategorical;
      if (categorical || !all_missing(column, data_.rows)) seen[2 * i + (categorical ? 1 : 0)] = 1;
    }
    ranks_.maximum(seen);
    for (std::size_t i = 0; i < count; ++i) {
      Column& column = data_.columns[i];
      if (seen[2 * i] != 0 && seen[2 * i + 1] != 0)
        disagree(
            fmt::format("column {} holds numbers in some processes and categories in others; "
                        "say --categorical {}",
                        quote(column.schema.name), column.schema.name));
      if (seen[2 * i + 1] != 0 && column.schema.type == FeatureType::kNumeric)
        column =
            Column::categorical(column.schema.name, std::vector<std::int32_t>(data_.rows, -1), {});
    }
  }

  // Weights of rows and labels that some ranks have are 1 elsewhere.
  void agree_on_weights() {
    std::int64_t present[] = {data_.weights.empty() ? 0 : 1, data_.labels.weights.empty() ? 0 : 1};
    ranks_.maximum(present);
    if (present[0] != 0 && data_.weights.empty()) data_.weights.assign(data_.rows, 1);
    if (present[1] != 0 && data_.labels.weights.empty())
      data_.labels.weights.assign(data_.rows * data_.labels.classes.size(), 1);
  }

  Dataset& data_;
  Communicator& ranks_;
};

}  // namespace

void agree_on_codes(Dataset& data, Communicator& ranks) {
  if (ranks.size() > 1) Agreement(data, ranks).run();
}

}  // namespace simplexboost
