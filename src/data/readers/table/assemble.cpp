#include "data/readers/table/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "data/labels/label_encoding.h"
#include "data/readers/table/text_cell.h"
#include "data/weight_scale.h"

namespace simplexboost {
namespace {

// Numbers that a source declared as categories.
void to_numbers(RawColumn& raw, const RowPlace& place, const std::string& why) {
  if (!raw.is_text) return;
  require_numbers(raw.text, place, why);
  const std::vector<std::int32_t>& codes = raw.text.codes;
  std::vector<double> numbers;
  numbers.reserve(codes.size());
  for (const std::int32_t code : codes)
    numbers.push_back(
        code < 0 ? std::numeric_limits<double>::quiet_NaN()
                 : read_cell(raw.text.dictionary[static_cast<std::size_t>(code)].text).number);
  raw.numbers = NumberColumn(numbers);
  raw.is_text = false;
}

Column recode(std::string name, TextColumn text, const std::vector<std::int32_t>& codes,
              std::vector<std::string> categories) {
  for (std::int32_t& code : text.codes)
    if (code >= 0) code = codes[static_cast<std::size_t>(code)];
  return Column::categorical(std::move(name), std::move(text.codes), std::move(categories));
}

// A column as it was read: text stands for categories.
Column make_column(const std::string& name, RawColumn raw, const RowPlace& place) {
  if (!raw.is_text) return raw.numbers.take({name, FeatureType::kNumeric, {}});
  const TextDictionary& dictionary = raw.text.dictionary;
  check_utf8(dictionary, place);
  if (dictionary.size() > kMostCategories)
    throw DataError(place(dictionary[kMostCategories].first_row),
                    fmt::format("column {} has {} categories, at most {} are possible; leave it "
                                "out by --ignore {}",
                                quote(name), dictionary.size(), kMostCategories, name));
  const std::vector<std::string_view> texts = dictionary.texts();
  const std::vector<std::int32_t> rank = rank_names(texts);
  std::vector<std::string> categories = in_rank(texts, rank);
  return recode(name, std::move(raw.text), rank, std::move(categories));
}

// A column as a model knows it.
Column match_column(const FeatureSchema& feature, RawColumn raw, const RowPlace& place,
                    const std::string& source, ReadNotes& notes) {
  if (feature.type == FeatureType::kNumeric) {
    to_numbers(raw, place,
               fmt::format(" in column {}, as in training: mend it, or leave it empty if it is "
                           "missing",
                           quote(feature.name)));
    return raw.numbers.take(feature);
  }
  const std::vector<std::int32_t> codes = known_codes(raw.text.dictionary, feature.categories);
  note_unknown(raw.text.dictionary, codes,
               fmt::format("{}: column {}: ", source, quote(feature.name)),
               ", not seen in training: taken as missing", notes);
  return recode(feature.name, std::move(raw.text), codes, feature.categories);
}

class Assembler {
 public:
  Assembler(RawTable table, const ColumnPlan& plan, const ReadOptions& options, ReadNotes& notes)
      : table_(std::move(table)), plan_(plan), options_(options), notes_(notes) {}

  Dataset run() {
    data_.source = table_.source;
    data_.rows = table_.rows;
    data_.named = table_.named;
    const bool training = options_.schema == nullptr && options_.require_labels && !options_.part;
    if (training && table_.rows < 2)
      throw DataError(table_.place(0, 0), "only one row; expected at least two, of two classes");
    data_.columns.reserve(plan_.features.size());
    for (std::size_t i = 0; i < plan_.features.size(); ++i) add_feature(i);
    if (plan_.labels.size() == 1) {
      add_label(plan_.labels[0]);
    } else if (!plan_.labels.empty()) {
      add_multi_label();
    }
    if (plan_.weight) add_weights(*plan_.weight);
    return std::move(data_);
  }

 private:
  RowPlace column_place(std::size_t column) const {
    return [this, column](std::size_t row) { return table_.place(row, column); };
  }

  void add_feature(std::size_t i) {
    const std::size_t c = plan_.features[i];
    RawColumn& raw = table_.columns[c];
    if (options_.schema != nullptr) {
      data_.columns.push_back(match_column(options_.schema->features[i], std::move(raw),
                                           column_place(c), table_.source, notes_));
      return;
    }
    data_.columns.push_back(make_column(table_.names[c], std::move(raw), column_place(c)));
  }

  void add_label(std::size_t column) {
    if (options_.schema != nullptr && options_.schema->multi_label)
      throw DataError({table_.source},
                      "one label column, but the model is multi-label: expected one a class");
    TextColumn& text = table_.columns[column].text;
    if (!options_.require_labels &&
        std::all_of(text.codes.begin(), text.codes.end(), [](int code) { return code < 0; }))
      return;  // prediction data with an empty label column
    data_.labels = encode_labels({std::move(text), {}, {}, table_.source, column_place(column)},
                                 options_, notes_);
    data_.labels.columns = {table_.names[column]};
  }

  void add_weights(std::size_t column) {
    std::vector<double> weights =
        read_weights(table_.columns[column], column_place(column), "the weight column");
    if (!options_.part &&
        std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; }))
      throw DataError(table_.place(0, column),
                      "all weights are zero; expected one above zero at least");
    if (const auto tiny = find_tiny_weight(weights, RowSpace(weights.size(), 1)))
      throw DataError(table_.place(*tiny, column), describe_tiny_weight(weights[*tiny]));
    data_.weights = std::move(weights);
  }

  void add_multi_label() {
    Labels& labels = data_.labels;
    const std::vector<std::int32_t> codes = multi_label_codes(labels);
    std::vector<std::vector<std::int32_t>> of_text;  // class code of each text of a column, or -1
    for (std::size_t k = 0; k < plan_.labels.size(); ++k) {
      const std::size_t c = plan_.labels[k];
      labels.columns.push_back(table_.names[c]);
      of_text.push_back(read_flags(c, codes[k]));
    }
    labels.offsets = {0};
    for (std::size_t row = 0; row < table_.rows; ++row) {
      const auto first = static_cast<std::ptrdiff_t>(labels.codes.size());
      for (std::size_t k = 0; k < plan_.labels.size(); ++k) {
        const std::int32_t text = table_.columns[plan_.labels[k]].text.codes[row];
        if (text < 0) {
          leave_open(labels, table_.rows, row, codes[k]);
          continue;
        }
        const std::int32_t code = of_text[k][static_cast<std::size_t>(text)];
        if (code >= 0) labels.codes.push_back(code);
      }
      std::sort(labels.codes.begin() + first, labels.codes.end());
      labels.offsets.push_back(labels.codes.size());
    }
    note_open_labels(labels, options_, table_.source, notes_);
  }

  // The class of each label column: its own name, or as the model says.
  std::vector<std::int32_t> multi_label_codes(Labels& labels) const {
    std::vector<std::int32_t> codes;
    const Schema* const schema = options_.schema;
    for (std::size_t k = 0; k < plan_.labels.size(); ++k) {
      codes.push_back(static_cast<std::int32_t>(k));
      if (schema == nullptr) labels.classes.push_back(table_.names[plan_.labels[k]]);
    }
    if (schema == nullptr) return codes;
    labels.classes = schema->classes;
    if (!schema->multi_label || codes.size() != schema->classes.size())
      throw DataError(
          {table_.source},
          fmt::format("{} label columns, but the model has {}", codes.size(),
                      schema->multi_label ? fmt::format("{} labels", schema->classes.size())
                                          : "one label with several classes"));
    if (!table_.named || !schema->named) return codes;
    for (std::size_t k = 0; k < codes.size(); ++k) {
      const std::string& name = table_.names[plan_.labels[k]];
      const auto found = std::find(schema->classes.begin(), schema->classes.end(), name);
      if (found == schema->classes.end())
        throw DataError({table_.source}, fmt::format("label column {} is no class of the model: {}",
                                                     quote(name), list_some(schema->classes)));
      codes[k] = static_cast<std::int32_t>(found - schema->classes.begin());
    }
    return codes;
  }

  // For each text of a label column: `code` if it says 1, -1 if it says 0 or -1.
  std::vector<std::int32_t> read_flags(std::size_t column, std::int32_t code) const {
    const TextColumn& text = table_.columns[column].text;
    std::vector<std::int32_t> result;
    for (std::size_t i = 0; i < text.dictionary.size(); ++i) {
      const TextDictionary::Entry entry = text.dictionary[i];
      const CellValue value = read_cell(entry.text);
      if (value.kind != CellKind::kNumber || (value.number != 0 && std::fabs(value.number) != 1))
        throw DataError(
            table_.place(entry.first_row, column),
            fmt::format("{} as a label; expected 0 or 1 (or -1 and 1; nothing or ? if it "
                        "is unknown), as there are several label columns",
                        quote(entry.text)));
      result.push_back(value.number == 1 ? code : -1);
    }
    return result;
  }

  RawTable table_;
  const ColumnPlan& plan_;
  const ReadOptions& options_;
  ReadNotes& notes_;
  Dataset data_;
};

}  // namespace

std::vector<double> read_weights(RawColumn& raw, const RowPlace& place, const std::string& where) {
  to_numbers(raw, place, " in " + where + ", zero or more");
  std::vector<double> weights = raw.numbers.numbers();
  for (std::size_t row = 0; row < weights.size(); ++row)
    if (!(weights[row] >= 0))
      throw DataError(place(row), std::isnan(weights[row])
                                      ? "the weight is missing; expected a number, zero or more"
                                      : "a negative weight; expected zero or more");
  return weights;
}

std::vector<CellUse> cell_uses(const ColumnPlan& plan, std::size_t columns, const Schema* schema) {
  std::vector<CellUse> uses(columns, CellUse::kSkip);
  for (std::size_t i = 0; i < plan.features.size(); ++i) {
    const bool text = schema != nullptr && schema->features[i].type == FeatureType::kCategorical;
    uses[plan.features[i]] = text ? CellUse::kText : CellUse::kNumber;
  }
  for (const std::size_t column : plan.categorical)
    if (uses[column] == CellUse::kNumber) uses[column] = CellUse::kText;
  for (const std::size_t column : plan.labels) uses[column] = CellUse::kText;
  if (plan.weight) uses[*plan.weight] = CellUse::kNumber;
  return uses;
}

Dataset assemble(RawTable table, const ColumnPlan& plan, const ReadOptions& options,
                 ReadNotes& notes) {
  return Assembler(std::move(table), plan, options, notes).run();
}

}  // namespace simplexboost
