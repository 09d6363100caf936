#include "simplexboost/dataset_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/text/visible_text.h"
#include "data/device_memory.h"
#include "data/labels/label_encoding.h"
#include "data/readers/table/raw_table.h"
#include "data/readers/table/text_cell.h"
#include "data/visit_scalar.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using Names = std::vector<std::string>;

// New codes for the categories: those that occur, in the readers' order.
std::vector<std::int32_t> new_codes(const std::vector<std::int32_t>& codes, const Names& names,
                                    Names& kept) {
  std::vector<bool> used(names.size());
  for (const std::int32_t code : codes)
    if (code >= 0) used[static_cast<std::size_t>(code)] = true;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (used[i]) kept.push_back(names[i]);
  const std::vector<std::int32_t> rank = rank_names(kept);
  std::vector<std::int32_t> result(names.size(), -1);
  for (std::size_t i = 0, k = 0; i < names.size(); ++i)
    if (used[i]) result[i] = rank[k++];
  Names sorted(kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) sorted[static_cast<std::size_t>(rank[k])] = kept[k];
  kept = std::move(sorted);
  return result;
}

// The codes that a model knows the categories by; -1, missing, for those it does not know.
std::vector<std::int32_t> known_codes(const Names& names, const Names& known) {
  std::unordered_map<std::string_view, std::int32_t> index;
  for (const std::string& name : known)
    index.emplace(name, static_cast<std::int32_t>(index.size()));
  std::vector<std::int32_t> result;
  for (const std::string& name : names) {
    const auto found = index.find(name);
    result.push_back(found == index.end() ? -1 : found->second);
  }
  return result;
}

// A number as a file would have it: a whole one without a point.
template <class T>
std::string name_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const double number = static_cast<double>(value) + 0.0;  // no -0
    return std::isfinite(number) && number == std::floor(number) ? fmt::format("{:.0f}", number)
                                                                 : fmt::format("{}", number);
  } else {
    return std::to_string(value);
  }
}

struct NumberCodes {
  std::vector<std::int32_t> codes;
  Names names;
};

// Each distinct number of a dense column gets a code; NaN is missing.
template <class T>
NumberCodes number_codes(const Column& column, std::size_t rows) {
  std::vector<T> values(rows);
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(&values[i], column.place(i), sizeof(T));
  const auto missing = [](T value) { return std::isnan(static_cast<double>(value)); };
  std::vector<T> distinct = values;
  std::erase_if(distinct, missing);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  NumberCodes result;
  for (const T value : distinct) result.names.push_back(name_of(value));
  for (const T value : values) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), value);
    result.codes.push_back(missing(value) ? -1
                                          : static_cast<std::int32_t>(place - distinct.begin()));
  }
  return result;
}

TextColumn to_text(std::span<const std::string> values) {
  TextColumn text;
  text.codes.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text.codes.push_back(values[i].empty() ? -1 : text.dictionary.add(values[i], i));
  return text;
}

void check_name(const std::string& name, const std::string& source) {
  if (!is_utf8(name))
    throw DataError({source}, fmt::format("the name {} is not UTF-8", quote(name)));
}

template <class T>
Names texts_of(std::span<const T> labels) {
  Names texts;
  texts.reserve(labels.size());
  for (const T label : labels) texts.push_back(std::to_string(label));
  return texts;
}

}  // namespace

DatasetBuilder::DatasetBuilder(std::size_t rows, std::string source) {
  data_.source = std::move(source);
  data_.rows = rows;
}

DatasetBuilder::DatasetBuilder(std::size_t rows, Schema like, std::string source)
    : DatasetBuilder(rows, std::move(source)) {
  like_ = std::move(like);
}

void DatasetBuilder::check_rows(std::size_t rows, const std::string& what) const {
  if (rows != data_.rows)
    throw DataError({data_.source},
                    fmt::format("{} has {} rows where there are {}", what, rows, data_.rows));
}

std::string DatasetBuilder::name_or_position(std::string name) {
  check_name(name, data_.source);
  if (!name.empty() || named_ == true) return name;
  if (!named_) data_.named = false;
  return std::to_string(data_.columns.size() + 1);
}

const FeatureSchema* DatasetBuilder::known() const {
  const std::size_t place = data_.columns.size();
  return like_ && place < like_->features.size() ? &like_->features[place] : nullptr;
}

DatasetBuilder& DatasetBuilder::add_matrix(const MatrixView& matrix, MatrixOptions options) {
  check_rows(matrix.rows, "a matrix");
  if (!options.names.empty() && options.names.size() != matrix.columns)
    throw DataError({data_.source}, fmt::format("{} names for a matrix of {} columns",
                                                options.names.size(), matrix.columns));
  std::vector<bool> categorical(matrix.columns);
  for (const std::size_t j : options.categorical) {
    if (j >= matrix.columns)
      throw DataError({data_.source},
                      fmt::format("there is no column {} in a matrix of {}", j, matrix.columns));
    categorical[j] = true;
  }
  options.names.resize(matrix.columns);
  data_.columns.reserve(data_.columns.size() + matrix.columns);
  Column column;
  column.scalar = matrix.scalar;
  column.data = static_cast<const std::byte*>(matrix.data);
  column.stride = matrix.row_stride;
  column.owner = std::move(options.owner);
  for (std::size_t j = 0; j < matrix.columns; ++j) {
    if (categorical[j]) {
      add_number_categories(std::move(options.names[j]), column);
    } else {
      column.schema.name = name_or_position(std::move(options.names[j]));
      data_.columns.push_back(column);
    }
    column.data += matrix.column_stride;
  }
  return *this;
}

void DatasetBuilder::add_number_categories(std::string name, const Column& numbers) {
  const Column here = memory_of(numbers) ? brought_here(numbers, 0, data_.rows) : numbers;
  NumberCodes coded =
      visit_scalar(here.scalar, [&]<class T>(T) { return number_codes<T>(here, data_.rows); });
  add_categories(std::move(name), std::move(coded.codes), coded.names);
}

DatasetBuilder& DatasetBuilder::add_numbers(std::string name, std::vector<double> values) {
  name = name_or_position(std::move(name));
  check_rows(values.size(), fmt::format("column {}", quote(name)));
  data_.columns.push_back(Column::numeric(std::move(name), std::move(values)));
  return *this;
}

DatasetBuilder& DatasetBuilder::add_categories(std::string name,
                                               std::span<const std::string> values) {
  TextColumn text = to_text(values);
  const std::vector<std::string_view> texts = text.dictionary.texts();
  return add_categories(std::move(name), std::move(text.codes), Names(texts.begin(), texts.end()));
}

DatasetBuilder& DatasetBuilder::add_categories(std::string name, std::vector<std::int32_t> codes,
                                               const Names& categories) {
  name = name_or_position(std::move(name));
  check_rows(codes.size(), fmt::format("column {}", quote(name)));
  for (const std::string& category : categories) check_name(category, data_.source);
  for (std::int32_t& code : codes) {
    if (code >= static_cast<std::int64_t>(categories.size()))
      throw DataError({data_.source},
                      fmt::format("column {} has a code without a category", quote(name)));
    code = std::max(code, -1);
  }
  const FeatureSchema* const like = known();
  const bool matched = like && like->type == FeatureType::kCategorical;
  Names kept = matched ? like->categories : Names();
  const std::vector<std::int32_t> map =
      matched ? known_codes(categories, kept) : new_codes(codes, categories, kept);
  if (kept.size() > kMostCategories)
    throw DataError({data_.source},
                    fmt::format("column {} has {} categories; at most {} can be told apart",
                                quote(name), kept.size(), kMostCategories));
  for (std::int32_t& code : codes)
    if (code >= 0) code = map[static_cast<std::size_t>(code)];
  data_.columns.push_back(Column::categorical(std::move(name), std::move(codes), std::move(kept)));
  return *this;
}

DatasetBuilder& DatasetBuilder::add_column(Column column) {
  column.schema.name = name_or_position(std::move(column.schema.name));
  data_.columns.push_back(std::move(column));
  return *this;
}

DatasetBuilder& DatasetBuilder::set_labels(std::span<const std::string> labels,
                                           std::string column) {
  check_rows(labels.size(), "the list of labels");
  check_name(column, data_.source);
  ReadOptions options;
  options.schema = like_ ? &*like_ : nullptr;
  ReadNotes notes;  // unknown classes are told by what judges them
  const auto place = [this](std::size_t row) { return Place{data_.source, row + 1, 0}; };
  data_.labels = encode_labels({to_text(labels), {}, {}, data_.source, place}, options, notes);
  data_.labels.columns = {std::move(column)};
  return *this;
}

DatasetBuilder& DatasetBuilder::set_labels(std::span<const std::int64_t> labels,
                                           std::string column) {
  return set_labels(texts_of(labels), std::move(column));
}

DatasetBuilder& DatasetBuilder::set_labels(std::span<const std::int32_t> labels,
                                           std::string column) {
  return set_labels(texts_of(labels), std::move(column));
}

DatasetBuilder& DatasetBuilder::set_labels(Labels labels) {
  check_rows(labels.multi_label() ? labels.offsets.size() - 1 : labels.codes.size(),
             "the list of labels");
  for (const std::string& name : labels.classes) check_name(name, data_.source);
  data_.labels = std::move(labels);
  return *this;
}

DatasetBuilder& DatasetBuilder::weigh_labels(std::span<const float> weights) {
  Labels& labels = data_.labels;
  if (weights.size() != data_.rows * labels.classes.size())
    throw DataError({data_.source},
                    fmt::format("{} weights of labels where there are {} rows and {} classes",
                                weights.size(), data_.rows, labels.classes.size()));
  if (labels.weights.empty()) labels.weights.assign(weights.size(), 1);
  for (std::size_t at = 0; at < weights.size(); ++at) labels.weights[at] *= weights[at];
  return *this;
}

DatasetBuilder& DatasetBuilder::set_weights(std::vector<double> weights) {
  check_rows(weights.size(), "the list of weights");
  data_.weights = std::move(weights);
  return *this;
}

DatasetBuilder& DatasetBuilder::set_named(bool named) {
  named_ = named;
  data_.named = named;
  return *this;
}

Dataset DatasetBuilder::build() {
  if (data_.columns.empty())
    throw DataError({data_.source}, "no columns; add a matrix or a column at least");
  if (like_ && like_->features.size() != data_.columns.size())
    throw DataError({data_.source}, fmt::format("{} columns where the model has {}",
                                                data_.columns.size(), like_->features.size()));
  return std::exchange(data_, Dataset());
}

}  // namespace simplexboost
