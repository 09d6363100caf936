#include "data/readers/libsvm_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "data/labels/label_encoding.h"
#include "data/readers/read_notes.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/table/text_cell.h"
#include "data/rows/sparse_rows.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostFeatures = 1'000'000;

std::string_view next_token(std::string_view& line) {
  line = trim_blanks(line);
  const std::string_view token = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(token.size());
  return token;
}

class LibsvmReader {
 public:
  LibsvmReader(const TextInput& input, const ReadOptions& options, ReadNotes& notes)
      : input_(input), options_(options), notes_(notes) {}

  Dataset run() {
    check_options();
    const char* at = input_.begin();
    while (at < input_.end()) {
      const std::string_view rest(at, static_cast<std::size_t>(input_.end() - at));
      const std::string_view line = rest.substr(0, rest.find('\n'));
      read_line(line);
      at += std::min(line.size() + 1, rest.size());
    }
    if (rows_ == 0)
      throw DataError({input_.name()}, "is empty; expected lines 'label index:value ...'");
    Dataset data;
    data.source = input_.name();
    data.rows = rows_;
    data.named = false;
    if (options_.schema != nullptr) {
      match_features(data);
    } else {
      name_features(data);
    }
    add_labels(data);
    return data;
  }

 private:
  void check_options() const {
    const auto refuse = [&](const char* option, const char* why) {
      throw DataError({input_.name()},
                      fmt::format("{} does not apply to a LIBSVM file: {}", option, why));
    };
    if (!options_.label.empty()) refuse("--label", "each line begins with its label");
    if (!options_.weight.empty()) refuse("--weight", "it has no column of weights");
    if (!options_.categorical.empty()) refuse("--categorical", "it holds only numbers");
  }

  void read_line(std::string_view line) {
    line = libsvm_row(line);
    if (line.empty()) return;
    if (rows_ == std::numeric_limits<std::uint32_t>::max())
      throw DataError({input_.name()}, "more than 4,294,967,295 rows; split the file");
    const auto row = static_cast<std::uint32_t>(rows_++);
    row_start_ = line.data();
    std::string_view rest = line;
    const std::string_view first = next_token(rest);
    if (first.find(':') == std::string_view::npos) {
      read_labels(first, row);
    } else {
      rest = line;
    }
    end_labels();
    last_index_ = -1;
    for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest))
      read_pair(token);
    entries_.end_row();
  }

  // Rows may be as short as two bytes: what most files do not need is not kept for each.
  void end_labels() {
    const std::size_t labels = label_text_.codes.size();
    if (label_ends_.empty() && labels == rows_) return;
    list_ends(rows_ - 1);
    label_ends_.push_back(labels);
  }

  void list_ends(std::size_t rows) {
    while (label_ends_.size() < rows) label_ends_.push_back(label_ends_.size() + 1);
  }

  // Where a row begins, looked for in the text: it is asked for by errors alone.
  Place row_place(std::size_t row) const {
    std::string_view rest = input_.text();
    for (;;) {
      const std::string_view line = libsvm_row(rest.substr(0, rest.find('\n')));
      if (!line.empty() && row-- == 0) return input_.place(line.data());
      rest.remove_prefix(rest.find('\n') + 1);
    }
  }

  void read_labels(std::string_view list, std::uint32_t row) {
    for (;;) {
      const std::size_t comma = list.find(',');
      std::string_view label = list.substr(0, comma);
      const bool open = label.size() > 1 && label.front() == '?';
      if (open || label.starts_with('+')) label.remove_prefix(1);  // +1 is 1
      if (is_missing(label))
        throw input_.error(list.data(), fmt::format("{} as a label; expected a class, or several "
                                                    "with commas between (?a: a is unknown)",
                                                    quote(label)));
      const std::int32_t code = label_text_.dictionary.add(label, row);
      if (label_rows_.size() < label_text_.dictionary.size()) {
        if (label_rows_.size() == kMostLabels)
          throw input_.error(list.data(), fmt::format("more than {} classes; does each line begin "
                                                      "with its label?",
                                                      kMostLabels));
        label_rows_.push_back(row);
      } else if (std::exchange(label_rows_[static_cast<std::size_t>(code)], row) == row) {
        throw input_.error(list.data(), fmt::format("label {} twice in one row", quote(label)));
      }
      label_text_.codes.push_back(code);
      if (open || !open_.empty()) {
        open_.resize(label_text_.codes.size());
        open_.back() = open ? 1 : 0;
      }
      if ((open || comma != std::string_view::npos) && first_list_ == nullptr)
        first_list_ = row_start_;
      if (comma == std::string_view::npos) return;
      list.remove_prefix(comma + 1);
    }
  }

  void read_pair(std::string_view token) {
    const auto fail = [&](const std::string& what) { return input_.error(token.data(), what); };
    const std::size_t colon = token.find(':');
    const std::string_view name = token.substr(0, colon);
    if (name == "qid") throw fail("a query id; ranking data is not supported, remove it");
    std::uint64_t index = 0;
    const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool whole = !name.empty() && end == name.data() + name.size();
    if (colon == std::string_view::npos || !whole || status == std::errc::invalid_argument)
      throw fail(fmt::format("{}; expected index:value", quote(token)));
    if (status == std::errc::result_out_of_range || index > kMostFeatures)
      throw fail(fmt::format("feature index {} is too large; at most {} are possible", name,
                             kMostFeatures));
    const auto signed_index = static_cast<std::int64_t>(index);
    if (signed_index == last_index_)
      throw fail(fmt::format("index {} twice in one row; give each once", index));
    if (signed_index < last_index_)
      throw fail(fmt::format("index {} after {}; indices must ascend", index, last_index_));
    last_index_ = signed_index;
    if (index == 0 && first_zero_ == nullptr) first_zero_ = token.data();
    store(token.substr(colon + 1), static_cast<std::uint32_t>(index));
  }

  void store(std::string_view text, std::uint32_t index) {
    const auto fail = [&](const char* what) {
      return input_.error(text.data(), fmt::format("{} {}", quote(text), what));
    };
    const CellValue value = read_cell(text);
    if (value.kind == CellKind::kInfinite) throw fail("is infinite; expected a finite number");
    if (value.kind == CellKind::kOutOfRange)
      throw fail("is out of range; expected a number below 1.8e308 in size");
    if (value.kind == CellKind::kText || text.empty()) throw fail("as a value; expected a number");
    entries_.add(index, value.number);
  }

  // What columns take must be in proportion to the text, so that a small one cannot ask for all
  // memory: each has a name, a type and pointers.
  void require_room(std::size_t columns) const {
    constexpr std::size_t kColumnBytes = 512;
    constexpr std::size_t kFree = std::size_t{48} << 20;
    if (columns <= (kFree + 4 * input_.text().size()) / kColumnBytes) return;
    throw DataError({input_.name()},
                    fmt::format("{} features in a text of {} bytes would take {} MB; leave out "
                                "those that occur in few rows",
                                columns, input_.text().size(), columns * kColumnBytes >> 20U));
  }

  // Where indices are large, those that no row has are no features.
  void name_features(Dataset& data) {
    SparseColumns columns = entries_.columns();
    const bool all = columns.features() <= kMostEmptyFeatures;
    require_room(all ? columns.features() : columns.filled_features());
    for (std::size_t i = first_zero_ != nullptr ? 0 : 1; i < columns.features(); ++i) {
      if (!all && columns.empty(i)) continue;
      std::string name = std::to_string(i);
      if (std::find(options_.ignore.begin(), options_.ignore.end(), name) == options_.ignore.end())
        data.columns.push_back(columns.take(i, std::move(name)));
    }
    if (data.columns.empty() && !options_.part)
      throw DataError({input_.name()}, "no features; expected index:value in some row");
  }

  // A model of LIBSVM data knows its indices by name; for any other, index i is feature i.
  void match_features(Dataset& data) {
    const Schema& schema = *options_.schema;
    const bool by_name = !schema.named && schema.label_columns.empty();
    const bool from_zero = by_name && !schema.features.empty() && schema.features[0].name == "0";
    if (first_zero_ != nullptr && !from_zero)
      throw input_.error(first_zero_, "index 0, but the model's data counts from 1");
    SparseColumns columns = entries_.columns();
    std::vector<char> used(columns.features());
    data.columns.reserve(schema.features.size());
    for (std::size_t i = 0; i < schema.features.size(); ++i) {
      const FeatureSchema& feature = schema.features[i];
      if (feature.type == FeatureType::kCategorical)
        throw DataError({input_.name()},
                        fmt::format("feature {} of the model has categories, which LIBSVM cannot "
                                    "hold; use CSV or ARFF",
                                    quote(feature.name)));
      std::size_t index = i + 1;
      if (by_name)
        std::from_chars(feature.name.data(), feature.name.data() + feature.name.size(), index);
      if (index < used.size()) used[index] = 1;
      data.columns.push_back(columns.take(index, feature.name));
    }
    std::vector<std::string> extra;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i] == 0 && !columns.empty(i) && extra.size() < kMostUnknown)
        extra.push_back(std::to_string(i));
    if (!extra.empty())
      notes_.unknown.push_back({input_.name() + ": ignored features that the model does not use: ",
                                0, std::move(extra), ""});
  }

  void add_labels(Dataset& data) {
    const Schema* const schema = options_.schema;
    const bool multi_label =
        schema != nullptr ? schema->multi_label : options_.multi_label || first_list_ != nullptr;
    if (!multi_label && first_list_ != nullptr)
      throw input_.error(first_list_, "a list of labels, but the model takes one label a row");
    if (!options_.require_labels && label_text_.codes.empty()) return;
    if (schema == nullptr && options_.require_labels && !options_.part && data.rows < 2)
      throw DataError(row_place(0), "only one row; expected at least two, of two classes");
    if (multi_label) {
      list_ends(rows_);
      label_ends_.insert(label_ends_.begin(), 0);
    } else if (!label_ends_.empty()) {
      spread_labels();
      label_ends_.clear();
    }
    data.labels = encode_labels({std::move(label_text_), std::move(label_ends_), std::move(open_),
                                 input_.name(), [this](std::size_t row) { return row_place(row); }},
                                options_, notes_);
  }

  // One code a row, -1 where a row has none.
  void spread_labels() {
    std::vector<std::int32_t> codes(rows_, -1);
    std::size_t begin = 0;
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (label_ends_[row] > begin) codes[row] = label_text_.codes[begin];
      begin = label_ends_[row];
    }
    label_text_.codes = std::move(codes);
  }

  const TextInput& input_;
  const ReadOptions& options_;
  ReadNotes& notes_;
  SparseRows entries_;
  std::size_t rows_ = 0;
  const char* row_start_ = nullptr;  // of the last one
  TextColumn label_text_;            // the labels of all rows, one behind the other
  std::vector<char> open_;  // of each of these: it is unknown whether it holds; none while all do
  std::vector<std::size_t> label_ends_;    // of each row; none while each has one label
  std::vector<std::uint32_t> label_rows_;  // the last row that had each label
  std::int64_t last_index_ = -1;
  const char* first_zero_ = nullptr;  // the first index 0
  const char* first_list_ = nullptr;  // the first row with several labels
};

}  // namespace

std::string_view libsvm_row(std::string_view line) {
  line = line.substr(0, line.find('#'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return trim_blanks(line);
}

Dataset read_libsvm(const TextInput& input, const ReadOptions& options, ReadNotes& notes) {
  return LibsvmReader(input, options, notes).run();
}

}  // namespace simplexboost
