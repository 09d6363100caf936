// The readers of data. The first byte of an input chooses options, the rest is the file. Whatever
// it holds: one thread and two give the same data, or the same error; the data are sound; read
// again as a model of them would, they are the same; and written as CSV and read again, too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "data/readers/csv_field.h"
#include "data/readers/dataset_stream.h"
#include "reading.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"
#include "target.h"

namespace simplexboost {

extern std::size_t csv_chunk_bytes;  // of src/data/readers/csv_reader.cpp, in this build

namespace fuzz {
namespace {

// The names are in the dictionary.
ReadOptions options_of(std::uint8_t bits, FileFormat format) {
  ReadOptions options;
  options.format = format;
  options.header = (bits & 1) == 0;
  options.require_labels = (bits & 2) == 0;
  options.multi_label = (bits & 4) != 0 && format == FileFormat::kLibsvm;
  if (format == FileFormat::kLibsvm) return options;
  if ((bits & 8) != 0) options.label = {options.header ? "y" : "1"};
  if ((bits & 16) != 0) options.weight = options.header ? "w" : "2";
  if ((bits & 32) != 0) options.categorical = {options.header ? "c" : "3"};
  if ((bits & 64) != 0) options.ignore = {options.header ? "i" : "4"};
  if ((bits & 128) != 0) options.label.emplace_back(options.header ? "z" : "5");
  return options;
}

std::string cell_text(const Column& column, double value) {
  if (std::isnan(value)) return "";
  if (column.schema.type == FeatureType::kCategorical)
    return csv_field(column.schema.categories[static_cast<std::size_t>(value)]);
  return fmt::format("{}", value);
}

// As one would write it out: a column for each feature, then the class.
std::string as_csv(const Dataset& data) {
  std::string text;
  for (const Column& column : data.columns) text += csv_field(column.schema.name) + ",";
  text += csv_field(data.labels.columns[0]) + "\n";
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (const Column& column : data.columns) {
      double value = 0;
      column.copy(i, i + 1, &value);
      text += cell_text(column, value) + ",";
    }
    text += csv_field(data.labels.classes[static_cast<std::size_t>(data.labels.codes[i])]) + "\n";
  }
  return text;
}

// CSV alone keeps all: names, and categories that are declared elsewhere.
void check_written(const Dataset& data, bool require_labels) {
  const Labels& labels = data.labels;
  if (!data.named || labels.multi_label() || labels.columns.size() != 1) return;
  for (const std::int32_t code : labels.codes)
    if (code < 0) return;  // a label that is missing, where none is needed
  static const ScratchFile file("written.csv");
  file.write(as_csv(data));
  ReadOptions options;
  options.format = FileFormat::kCsv;
  options.label = {labels.columns[0]};
  options.require_labels = require_labels;
  for (const Column& column : data.columns)
    if (column.schema.type == FeatureType::kCategorical)
      options.categorical.push_back(column.schema.name);
  const Reading again = read(file.path(), options);
  require(again.data.has_value(), "what was written cannot be read: " + again.error);
  require_same_features(data, *again.data);
  require_same_labels(labels, again.data->labels);
}

// Block by block, as `predict` reads, the rows are the same.
void check_streamed(const std::string& path, ReadOptions options, const Dataset& data,
                    std::size_t block_bytes) {
  if (!options.weight.empty()) return;  // no prediction has any: all of a block's may be 0
  options.require_labels = false;       // no prediction does: a block may know of none
  try {
    DatasetStream stream(path, options, block_bytes);
    std::size_t begin = 0;
    while (const std::optional<Dataset> block = stream.next()) {
      require(begin + block->rows <= data.rows && block->columns.size() == data.columns.size(),
              "a stream has other rows");
      require_same_rows(*block, data, begin);
      begin += block->rows;
    }
    require(begin == data.rows, "a stream loses rows");
  } catch (const Error& error) {
    require(false, "a stream cannot be read: " + std::string(error.what()));
  }
}

void check_matched(const std::string& path, ReadOptions options, const Dataset& data) {
  const Schema schema = data.schema();
  options.schema = &schema;
  const Reading matched = read(path, options);
  require(matched.data.has_value(), "data do not fit themselves: " + matched.error);
  require_same_features(data, *matched.data);
  if (!data.labels.empty()) require_same_labels(data.labels, matched.data->labels);
  check_streamed(path, options, data, 1 + data.rows % 19);
}

// The digits of the largest feature of a LIBSVM file.
std::size_t most_digits(std::string_view text) {
  std::size_t most = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ':') most = std::max(most, digits);
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
  }
  return most;
}

// Ten times the columns take ten times as long, and few inputs would be tried if all were so wide:
// of four digits one of 8 is tried, of five one of 64, of more one of 512.
bool is_skipped(Bytes bytes) {
  const std::size_t digits = std::min<std::size_t>(most_digits(text_of(bytes)), 6);
  if (digits < 4) return false;
  std::uint32_t hash = 2166136261U;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 16777619U;
  return (hash >> 8) % (std::size_t{1} << (3 * (digits - 3))) != 0;
}

void run(Bytes bytes, FileFormat format, const ScratchFile& file) {
  if (bytes.empty()) return;
  ReadOptions options = options_of(bytes[0], format);
  file.write(bytes.subspan(1));
  options.threads = 1;
  csv_chunk_bytes = std::size_t{1} << 18;
  const Reading one = read(file.path(), options);
  options.threads = 2;
  csv_chunk_bytes = 1 + bytes.size() % 61;
  require_same(one, read(file.path(), options));
  if (!one.data) return;
  require_sound(*one.data);
  check_matched(file.path(), options, *one.data);
  if (format == FileFormat::kCsv) check_written(*one.data, options.require_labels);
}

}  // namespace

const Target kCsvTarget = {"csv",
                           [](Bytes bytes) {
                             static const ScratchFile file("input.csv");
                             run(bytes, FileFormat::kCsv, file);
                           },
                           nullptr};

const Target kLibsvmTarget = {"libsvm",
                              [](Bytes bytes) {
                                static const ScratchFile file("input.libsvm");
                                if (is_skipped(bytes)) return;
                                run(bytes, FileFormat::kLibsvm, file);
                              },
                              nullptr};

const Target kArffTarget = {"arff",
                            [](Bytes bytes) {
                              static const ScratchFile file("input.arff");
                              run(bytes, FileFormat::kArff, file);
                            },
                            nullptr};

}  // namespace fuzz
}  // namespace simplexboost
