#include "reading.h"

#include <cmath>
#include <cstring>

#include "simplexboost/error.h"
#include "target.h"

namespace simplexboost::fuzz {
namespace {

std::vector<double> values_of(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  if (rows > 0) column.copy(0, rows, values.data());
  return values;
}

// NaN equals NaN, and 0 differs from -0.
template <class T>
bool same_bits(const std::vector<T>& first, const std::vector<T>& second) {
  return first.size() == second.size() &&
         (first.empty() || std::memcmp(first.data(), second.data(), first.size() * sizeof(T)) == 0);
}

void require_codes(const std::vector<double>& codes, std::size_t names) {
  for (const double code : codes)
    require(std::isnan(code) || (code >= 0 && code < static_cast<double>(names)),
            "a category has no name");
}

void require_sound_labels(const Labels& labels, std::size_t rows) {
  for (const std::int32_t code : labels.codes)
    require(code >= -1 && code < static_cast<std::int32_t>(labels.classes.size()),
            "a class has no name");
  if (labels.multi_label()) {
    require(labels.offsets.size() == rows + 1 && labels.offsets.front() == 0 &&
                labels.offsets.back() == labels.codes.size(),
            "the sets of labels do not fit the rows");
    for (std::size_t i = 0; i < rows; ++i)
      require(labels.offsets[i] <= labels.offsets[i + 1], "the sets of labels are out of order");
  } else if (!labels.empty()) {
    require(labels.codes.size() == rows, "the labels do not fit the rows");
  }
  require(labels.weights.empty() || labels.weights.size() == rows * labels.classes.size(),
          "the weights of labels do not fit");
}

}  // namespace

Reading read(const std::string& path, const ReadOptions& options) {
  Reading reading;
  ReadNotes notes;
  try {
    reading.data = read_dataset(path, options, &notes);
    reading.data->source.clear();
  } catch (const Error& error) {
    reading.error = error.what();
    require(!reading.error.empty(), "an error without a word");
  }
  reading.notes = notes.lines;
  return reading;
}

void require_same_features(const Dataset& first, const Dataset& second) {
  require(first.rows == second.rows, "not the same number of rows");
  require(first.columns.size() == second.columns.size(), "not the same number of columns");
  for (std::size_t c = 0; c < first.columns.size(); ++c) {
    require(first.columns[c].schema == second.columns[c].schema, "not the same columns");
    require(same_bits(values_of(first.columns[c], first.rows),
                      values_of(second.columns[c], second.rows)),
            "not the same values");
  }
}

void require_same_rows(const Dataset& block, const Dataset& all, std::size_t begin) {
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    std::vector<double> expected(block.rows);
    all.columns[c].copy(begin, begin + block.rows, expected.data());
    require(same_bits(values_of(block.columns[c], block.rows), expected),
            "a block has other values");
  }
}

void require_same_labels(const Labels& first, const Labels& second) {
  require(first.classes == second.classes && first.codes == second.codes &&
              first.offsets == second.offsets && first.columns == second.columns,
          "not the same labels");
  require(same_bits(first.weights, second.weights), "not the same weights of labels");
}

void require_same(const Reading& first, const Reading& second) {
  require(first.error == second.error, "not the same error");
  require(first.notes == second.notes, "not the same notes");
  if (!first.data) return;
  require_same_features(*first.data, *second.data);
  require_same_labels(first.data->labels, second.data->labels);
  require(same_bits(first.data->weights, second.data->weights), "not the same weights");
  require(first.data->named == second.data->named, "not named alike");
}

void require_sound(const Dataset& data) {
  require(data.rows > 0 && !data.columns.empty(), "an empty data set");
  for (const Column& column : data.columns) {
    if (column.sparse)
      for (std::size_t i = 0; i < column.sparse_rows->size(); ++i)
        require((*column.sparse_rows)[i] < data.rows &&
                    (i == 0 || (*column.sparse_rows)[i - 1] < (*column.sparse_rows)[i]),
                "rows of a sparse column out of order");
    const std::vector<double> values = values_of(column, data.rows);
    if (column.schema.type == FeatureType::kCategorical)
      require_codes(values, column.schema.categories.size());
    for (const double value : values) require(!std::isinf(value), "an infinite value");
  }
  require_sound_labels(data.labels, data.rows);
  require(data.weights.empty() || data.weights.size() == data.rows, "weights do not fit the rows");
  for (const double weight : data.weights)
    require(std::isfinite(weight) && weight >= 0, "a weight that is none");
}

}  // namespace simplexboost::fuzz
