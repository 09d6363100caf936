#include "data/common_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_stream.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/table/raw_table.h"
#include "data/readers/table/text_cell.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using Names = std::vector<std::string>;

// The lists of each rank.
std::vector<std::vector<Names>> names_of_all(Communicator& ranks, const std::vector<Names>& mine) {
  ByteWriter writer;
  writer(mine);
  const std::vector<std::byte> bytes = ranks.gather(writer.bytes());
  ByteReader reader(bytes);
  std::vector<std::vector<Names>> all(static_cast<std::size_t>(ranks.size()));
  for (std::vector<Names>& lists : all) reader(lists);
  return all;
}

bool all_missing(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

// The names of all lists, in the order that one reader would give them; where all ranks that have
// names have the same, these, whatever their order.
Names joined(const std::vector<const Names*>& lists) {
  const Names* const some =
      *std::max_element(lists.begin(), lists.end(),
                        [](const Names* a, const Names* b) { return a->size() < b->size(); });
  const auto same = [&](const Names* list) { return list->empty() || *list == *some; };
  if (std::all_of(lists.begin(), lists.end(), same)) return *some;
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

// The new code of each old one; -1: none.
std::vector<std::int32_t> moves(const Names& from, const Names& to) {
  std::unordered_map<std::string_view, std::int32_t> places;
  for (const std::string& name : to) places.emplace(name, static_cast<std::int32_t>(places.size()));
  std::vector<std::int32_t> codes;
  codes.reserve(from.size());
  for (const std::string& name : from) {
    const auto found = places.find(name);
    codes.push_back(found == places.end() ? -1 : found->second);
  }
  return codes;
}

void recode(Column& column, std::size_t rows, const Names& categories) {
  if (column.schema.categories == categories) return;
  const std::vector<std::int32_t> move = moves(column.schema.categories, categories);
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  std::vector<std::int32_t> codes(rows, -1);
  for (std::size_t i = 0; i < rows; ++i)
    if (values[i] < static_cast<double>(move.size()))
      codes[i] = move[static_cast<std::size_t>(values[i])];
  column = Column::categorical(column.schema.name, std::move(codes), categories);
}

// Of each row's labels those that have a code, ascending.
void tidy_sets(Labels& labels) {
  std::vector<std::int32_t> kept;
  std::vector<std::size_t> offsets{0};
  for (std::size_t row = 0; row + 1 < labels.offsets.size(); ++row) {
    for (std::size_t k = labels.offsets[row]; k < labels.offsets[row + 1]; ++k)
      if (labels.codes[k] >= 0) kept.push_back(labels.codes[k]);
    std::sort(kept.begin() + static_cast<std::ptrdiff_t>(offsets.back()), kept.end());
    offsets.push_back(kept.size());
  }
  labels.codes = std::move(kept);
  labels.offsets = std::move(offsets);
}

void recode(Labels& labels, std::size_t rows, const Names& classes) {
  if (labels.classes == classes) return;
  const std::vector<std::int32_t> move = moves(labels.classes, classes);
  for (std::int32_t& code : labels.codes)
    if (code >= 0) code = move[static_cast<std::size_t>(code)];
  if (labels.multi_label()) tidy_sets(labels);
  if (!labels.weights.empty()) {
    // A class that is not known here holds for no row, and counts like the others.
    std::vector<float> weights(rows * classes.size(), 1);
    for (std::size_t at = 0; at < labels.weights.size(); ++at)
      if (const std::int32_t to = move[at % move.size()]; to >= 0)
        weights[at / move.size() * classes.size() + static_cast<std::size_t>(to)] =
            labels.weights[at];
    labels.weights = std::move(weights);
  }
  labels.classes = classes;
}

class Agreement {
 public:
  Agreement(Dataset& data, Communicator& ranks, const Schema* known)
      : data_(data), ranks_(ranks), known_(known) {}

  void run() {
    check_columns();
    check_labels();
    check_weights();
    agree_on_types();
    std::vector<Names> mine;
    for (const Column& column : data_.columns) mine.push_back(column.schema.categories);
    mine.push_back(data_.labels.classes);
    const std::vector<std::vector<Names>> all = names_of_all(ranks_, mine);
    const auto agreed = [&](std::size_t list) {
      std::vector<const Names*> names;
      names.reserve(all.size());
      for (const std::vector<Names>& theirs : all) names.push_back(&theirs[list]);
      return joined(names);
    };
    if (known_) check_known();
    for (std::size_t i = 0; i < data_.columns.size(); ++i)
      if (data_.columns[i].schema.type == FeatureType::kCategorical)
        recode(data_.columns[i], data_.rows,
               known_ ? known_->features[i].categories : few_enough(i, agreed(i)));
    recode(data_.labels, data_.rows, known_ ? known_->classes : agreed(data_.columns.size()));
    // Rows without a label of their own.
    if (label_weights_ && data_.labels.weights.empty())
      data_.labels.weights.assign(data_.rows * data_.labels.classes.size(), 1);
  }

 private:
  [[noreturn]] void disagree(const std::string& what) const {
    throw DataError(Place{data_.source}, what);
  }

  // As where one reader finds them.
  Names few_enough(std::size_t i, Names categories) const {
    if (categories.size() > kMostCategories)
      disagree(fmt::format("column {} has {} categories, at most {} are possible; leave it out",
                           quote(data_.columns[i].schema.name), categories.size(),
                           kMostCategories));
    return categories;
  }

  void check_columns() const {
    Names names;
    for (const Column& column : data_.columns) names.push_back(column.schema.name);
    const Names named{data_.named ? "named" : "numbered"};
    const std::vector<std::vector<Names>> all =
        names_of_all(ranks_, {names, data_.labels.columns, named});
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
      if (all[rank][1] != all[0][1] || all[rank][2] != all[0][2])
        disagree(fmt::format(
            "{} columns, labels in {}, but {} columns, labels in {} in the rows of "
            "process {}; expected the same",
            all[0][2][0], list_some(all[0][1]), all[rank][2][0], list_some(all[rank][1]), rank));
    }
  }

  void check_known() const {
    const auto same = [](const Column& column, const FeatureSchema& feature) {
      return column.schema.type == feature.type;
    };
    if (!std::equal(data_.columns.begin(), data_.columns.end(), known_->features.begin(),
                    known_->features.end(), same))
      disagree("the columns are not those of the training data; expected the same");
  }

  // How many of the ranks that know have something. A rank without rows may not know.
  enum class Ranks : std::uint8_t { kNone, kSome, kAll };
  Ranks ranks_with(bool has, bool knows) const {
    std::int64_t seen[] = {knows && !has ? 1 : 0, knows && has ? 1 : 0};
    ranks_.maximum(seen);
    if (seen[1] == 0) return Ranks::kNone;
    return seen[0] == 0 ? Ranks::kAll : Ranks::kSome;
  }

  void check_labels() {
    const Ranks several = ranks_with(data_.labels.multi_label(), data_.rows > 0);
    if (several == Ranks::kSome)
      disagree("one label a row in some processes and several in others; expected the same");
    if (data_.rows == 0) data_.labels.offsets.assign(several == Ranks::kAll ? 1 : 0, 0);
  }

  // Weights of 1 in the place of those that are not there may not be what was meant.
  void check_weights() {
    if (ranks_with(!data_.weights.empty(), data_.rows > 0) == Ranks::kSome)
      disagree("weights of rows in some processes and none in others; expected the same");
    const bool labels = data_.rows > 0 && !data_.labels.classes.empty();
    const Ranks weighted = ranks_with(!data_.labels.weights.empty(), labels);
    if (weighted == Ranks::kSome)
      disagree("weights of labels in some processes and none in others; expected the same");
    label_weights_ = weighted == Ranks::kAll;
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
                        "say --categorical {} (in Python categorical_features=[{}])",
                        quote(column.schema.name), column.schema.name, quote(column.schema.name)));
      if (seen[2 * i + 1] != 0 && column.schema.type == FeatureType::kNumeric)
        column =
            Column::categorical(column.schema.name, std::vector<std::int32_t>(data_.rows, -1), {});
    }
  }

  Dataset& data_;
  Communicator& ranks_;
  const Schema* known_;
  bool label_weights_ = false;  // there are some
};

}  // namespace

void agree_on_codes(Dataset& data, Communicator& ranks, const Schema* known) {
  if (ranks.size() > 1) Agreement(data, ranks, known).run();
}

}  // namespace simplexboost
