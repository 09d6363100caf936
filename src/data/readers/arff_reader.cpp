#include "data/readers/arff_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <unordered_set>
#include <utility>

#include "base/memory.h"
#include "base/text/visible_text.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/table/text_cell.h"
#include "data/readers/table/text_dictionary.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostAttributes = 1'000'000;

enum class ArffType : std::uint8_t { kNumber, kNominal, kString };

// There may be very many of them.
struct Attribute {
  ArffType type = ArffType::kNumber;
  TextDictionary values = {};  // nominal: as declared
};

struct ArffCell {
  const char* begin = nullptr;
  std::string text;
  bool quoted = false;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A line of the file without its end; `at` moves as it is read.
struct Line {
  const char* at;
  const char* end;

  void skip_blanks() {
    while (at < end && is_blank(*at)) ++at;
  }
  bool done() {
    skip_blanks();
    return at == end || *at == '%';
  }
};

char unescape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
  }
}

// A value up to one of `stops`, or quoted; a % outside quotes begins a comment.
ArffCell read_value(const TextInput& input, Line& line, std::string_view stops) {
  line.skip_blanks();
  ArffCell cell;
  cell.begin = line.at;
  if (line.at < line.end && (*line.at == '\'' || *line.at == '"')) {
    cell.quoted = true;
    const char mark = *line.at++;
    for (; line.at < line.end && *line.at != mark; ++line.at) {
      const bool escaped = *line.at == '\\' && line.at + 1 < line.end;
      cell.text += escaped ? unescape(*++line.at) : *line.at;
    }
    if (line.at == line.end)
      throw input.error(cell.begin, "a quote that is never closed on this line; close it");
    ++line.at;
  } else {
    while (line.at < line.end && *line.at != '%' && stops.find(*line.at) == std::string_view::npos)
      cell.text += *line.at++;
    cell.text = trim_blanks(cell.text);
  }
  return cell;
}

// The line at `at`, which moves to the next one.
Line take_line(const TextInput& input, const char*& at) {
  Line line{at, std::find(at, input.end(), '\n')};
  at = line.end < input.end() ? line.end + 1 : line.end;
  if (line.end > line.at && line.end[-1] == '\r') --line.end;
  return line;
}

TextDictionary read_nominal_values(const TextInput& input, Line& line) {
  TextDictionary values;
  do {
    ++line.at;  // past '{' or ','
    const ArffCell value = read_value(input, line, ",}");
    if (value.text.empty() && !value.quoted)
      throw input.error(value.begin, "an empty value; expected {value, value, ...}");
    if (!is_utf8(value.text))
      throw input.error(value.begin, "this value is not UTF-8; save the file as UTF-8");
    if (values.contains(value.text))
      throw input.error(value.begin, fmt::format("value {} is declared twice", quote(value.text)));
    values.add(value.text, 0);
    line.skip_blanks();
  } while (line.at < line.end && *line.at == ',');
  if (line.at == line.end || *line.at != '}')
    throw input.error(line.at, "expected , or } in the list of values");
  ++line.at;
  return values;
}

Attribute read_type(const TextInput& input, Line& line) {
  Attribute attribute;
  line.skip_blanks();
  if (line.at < line.end && *line.at == '{') {
    attribute.type = ArffType::kNominal;
    attribute.values = read_nominal_values(input, line);
    return attribute;
  }
  const ArffCell word = read_value(input, line, " \t");
  const std::string type = to_lower(word.text);
  if (type == "numeric" || type == "real" || type == "integer") return attribute;
  attribute.type = ArffType::kString;
  if (type == "string") return attribute;
  if (type == "date" || type == "relational")
    throw input.error(word.begin, fmt::format("{} attributes are not supported; turn it into "
                                              "numbers, or remove it",
                                              type));
  throw input.error(word.begin, fmt::format("{} as a type; expected numeric, real, integer, string "
                                            "or {{value, ...}}",
                                            quote(word.text)));
}

}  // namespace

struct ArffReader::State {
  const TextInput& input;
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;  // the same
  std::vector<Attribute> attributes;
  std::vector<const char*> rows;  // where each begins
  bool matched = false;

  explicit State(const TextInput& text) : input(text) {}

  void read_header(const char*& at);
  void read_attribute(Line& line);
  void find_rows(const char* at);

  // Calls store(column, cell) for each cell of a row that is given.
  template <class Store>
  void read_row(std::size_t row, const Store& store) const;
  template <class Store>
  void read_dense(Line line, const Store& store) const;
  template <class Store>
  void read_sparse(Line line, const Store& store) const;
  void check_size() const;
};

void ArffReader::State::read_attribute(Line& line) {
  const ArffCell name = read_value(input, line, " \t{");
  if (name.text.empty()) throw input.error(name.begin, "an attribute without a name");
  if (!is_utf8(name.text))
    throw input.error(name.begin, "this name is not UTF-8; save the file as UTF-8");
  if (!taken.insert(name.text).second)
    throw input.error(name.begin, fmt::format("a second attribute named {}; give each its own name",
                                              quote(name.text)));
  if (names.size() == kMostAttributes)
    throw input.error(name.begin,
                      fmt::format("more than {} attributes; leave some out", kMostAttributes));
  attributes.push_back(read_type(input, line));
  names.push_back(name.text);
  if (!line.done()) throw input.error(line.at, "text behind the attribute's type; remove it");
}

void ArffReader::State::read_header(const char*& at) {
  while (at < input.end()) {
    Line line = take_line(input, at);
    if (line.done()) continue;
    const ArffCell word = read_value(input, line, " \t");
    const std::string keyword = to_lower(word.text);
    if (keyword == "@relation") continue;
    if (keyword == "@data") {
      if (names.empty()) throw input.error(word.begin, "@data before any @attribute");
      taken = {};
      return;
    }
    if (keyword != "@attribute")
      throw input.error(
          word.begin, fmt::format("{}; expected @relation, @attribute or @data", quote(word.text)));
    read_attribute(line);
  }
  if (names.empty()) throw DataError({input.name()}, "no @attribute line; is this an ARFF file?");
  throw input.error(input.end(), "no @data line; expected it behind the attributes");
}

void ArffReader::State::find_rows(const char* at) {
  while (at < input.end()) {
    Line line = take_line(input, at);
    if (!line.done()) rows.push_back(line.at);
  }
  if (rows.empty()) throw input.error(input.end(), "no rows behind @data; expected at least one");
  if (rows.size() > std::numeric_limits<std::uint32_t>::max())
    throw DataError({input.name()}, "more than 4,294,967,295 rows; split the file");
}

template <class Store>
void ArffReader::State::read_row(std::size_t row, const Store& store) const {
  const char* at = rows[row];
  const Line line = take_line(input, at);
  if (*line.at == '{') {
    read_sparse(line, store);
  } else {
    read_dense(line, store);
  }
}

template <class Store>
void ArffReader::State::read_dense(Line line, const Store& store) const {
  for (std::size_t column = 0;; ++column) {
    const ArffCell cell = read_value(input, line, ",");
    if (column == names.size())
      throw input.error(cell.begin, fmt::format("a cell too many in this row, expected {}, one an "
                                                "attribute",
                                                names.size()));
    store(column, cell);
    if (line.done()) {
      if (column + 1 == names.size()) return;
      throw input.error(line.at, fmt::format("the row ends after {} cell{}, expected {}, one an "
                                             "attribute",
                                             column + 1, column == 0 ? "" : "s", names.size()));
    }
    if (*line.at != ',') throw input.error(line.at, "text after a closing quote; expected a comma");
    ++line.at;
  }
}

template <class Store>
void ArffReader::State::read_sparse(Line line, const Store& store) const {
  std::size_t next = 0;  // the smallest index that may come
  ++line.at;
  line.skip_blanks();
  while (line.at < line.end && *line.at != '}') {
    const ArffCell index = read_value(input, line, " \t,}");
    std::size_t column = 0;
    const char* const end = index.text.data() + index.text.size();
    const auto [stop, status] = std::from_chars(index.text.data(), end, column);
    if (status != std::errc() || stop != end || column >= names.size())
      throw input.error(index.begin, fmt::format("{} as an index; expected 0 to {}",
                                                 quote(index.text), names.size() - 1));
    if (column < next)
      throw input.error(index.begin,
                        fmt::format("index {} out of order; indices must ascend", column));
    next = column + 1;
    const ArffCell value = read_value(input, line, ",}");
    store(column, value);
    line.skip_blanks();
    if (line.at < line.end && *line.at == ',') {
      ++line.at;
      line.skip_blanks();
    } else if (line.at == line.end || *line.at != '}') {
      throw input.error(line.at, "expected , or } in a sparse row");
    }
  }
  if (line.at == line.end) throw input.error(line.at, "expected } at the end of a sparse row");
  ++line.at;
  if (!line.done()) throw input.error(line.at, "text behind }; expected the end of the row");
}

// Refuses tables far larger than their file before memory is taken for them: dense rows have a byte
// a cell at least, so there is a short row; sparse ones may be meant.
void ArffReader::State::check_size() const {
  constexpr std::size_t kMostCells = std::size_t{1} << 30;
  const std::size_t cells = rows.size() * names.size();
  if (cells <= input.text().size() || cells / names.size() != rows.size()) return;
  for (std::size_t row = 0; row < rows.size(); ++row)
    read_row(row, [](std::size_t, const ArffCell&) {});
  if (cells > kMostCells)
    throw DataError(
        {input.name()},
        fmt::format("{} rows of {} attributes are too many for sparse ARFF; write it as "
                    "LIBSVM",
                    rows.size(), names.size()));
}

namespace {

// Puts the cells of a row where they belong, after checking them against their declaration.
class ArffStore {
 public:
  ArffStore(const TextInput& input, const std::vector<std::string>& names,
            const std::vector<Attribute>& attributes, const std::vector<CellUse>& uses,
            std::size_t rows)
      : input_(input),
        names_(names),
        attributes_(attributes),
        uses_(uses),
        columns_(uses.size()),
        block_rows_(std::clamp<std::size_t>(kBlockCells / uses.size(), 1, kMostBlockRows)),
        numbers_(uses.size() * std::min(rows, block_rows_)) {
    for (std::size_t c = 0; c < uses.size(); ++c) prepare(c, rows);
  }

  void store(std::size_t row, std::size_t c, const ArffCell& cell) {
    const Attribute& attribute = attributes_[c];
    const bool known = attribute.values.contains(cell.text);
    const bool missing = is_missing(cell.text) && !known && !cell.quoted;
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!missing && attribute.type == ArffType::kNumber) number = read_number(c, cell);
    if (!missing && attribute.type == ArffType::kNominal && !known) {
      const auto values = attribute.values.texts();
      throw input_.error(
          cell.begin, fmt::format("{} is no value of attribute {}; expected {}", quote(cell.text),
                                  quote(names_[c]), list_some({values.begin(), values.end()})));
    }
    if (uses_[c] == CellUse::kSkip) return;
    RawColumn& column = columns_[c];
    if (!column.is_text) {
      number_at(row, c) = number;
    } else {
      column.text.codes[row] = missing ? -1 : add_text(column, cell.text, row);
    }
  }

  // What a sparse row leaves out: zero, or the first value of a nominal attribute.
  void store_default(std::size_t row, std::size_t c) {
    RawColumn& column = columns_[c];
    if (uses_[c] == CellUse::kSkip) return;
    if (!column.is_text) {
      number_at(row, c) = 0;
    } else if (attributes_[c].type == ArffType::kString) {
      column.text.codes[row] = -1;
    } else {
      const bool nominal = attributes_[c].type == ArffType::kNominal;
      column.text.codes[row] = add_text(column, nominal ? attributes_[c].values[0].text : "0", row);
    }
  }

  // Row `row` and all before it are stored; `last`: none follow.
  void end_row(std::size_t row, bool last) {
    const std::size_t count = row % block_rows_ + 1;
    if (count < block_rows_ && !last) return;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (uses_[c] != CellUse::kSkip && !columns_[c].is_text)
        columns_[c].numbers.set(row + 1 - count, &number_at(row + 1 - count, c), count);
  }

  std::vector<RawColumn> take() { return std::move(columns_); }

 private:
  std::int32_t add_text(RawColumn& column, std::string_view text, std::size_t row) {
    TextDictionary& dictionary = column.text.dictionary;
    texts_ -= dictionary.size();
    const std::int32_t code = dictionary.add(text, row);
    texts_ += dictionary.size();
    if (texts_ > most_texts(input_.text().size()))
      throw too_many_texts(input_.name(), input_.text().size());
    return code;
  }

  void prepare(std::size_t c, std::size_t rows) {
    if (uses_[c] == CellUse::kSkip) return;
    RawColumn& column = columns_[c];
    column.declared_categorical = attributes_[c].type != ArffType::kNumber;
    column.is_text = column.declared_categorical || uses_[c] == CellUse::kText;
    if (column.is_text) {
      require_memory("a column of texts", rows, 1, sizeof(std::int32_t));
      column.text.codes.resize(rows);
    } else {
      column.numbers = NumberColumn(rows);
    }
  }

  double& number_at(std::size_t row, std::size_t c) {
    return numbers_[c * (numbers_.size() / uses_.size()) + row % block_rows_];
  }

  double read_number(std::size_t c, const ArffCell& cell) const {
    const CellValue value = read_cell(cell.text);
    if (value.kind == CellKind::kNumber || value.kind == CellKind::kMissing) return value.number;
    const char* const what = value.kind == CellKind::kInfinite     ? "is infinite"
                             : value.kind == CellKind::kOutOfRange ? "is out of range"
                                                                   : "is text";
    throw input_.error(cell.begin, fmt::format("{} {}; expected a number, as attribute {} is "
                                               "declared",
                                               quote(cell.text), what, quote(names_[c])));
  }

  const TextInput& input_;
  const std::vector<std::string>& names_;
  const std::vector<Attribute>& attributes_;
  const std::vector<CellUse>& uses_;
  static constexpr std::size_t kMostBlockRows = 256;
  static constexpr std::size_t kBlockCells = std::size_t{1} << 20;
  std::vector<RawColumn> columns_;
  std::size_t texts_ = 0;  // different ones, of all columns
  std::size_t block_rows_;
  std::vector<double> numbers_;  // of the rows of a block, column by column
};

}  // namespace

std::size_t arff_header_size(std::string_view text) {
  constexpr std::string_view kWord = "@data";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return 0;
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trim_blanks(line);
    line = line.substr(0, line.find_first_of(" \t%"));
    if (to_lower(line) == kWord) return end + 1;
    begin = end + 1;
  }
  return 0;
}

ArffReader::ArffReader(const TextInput& input, bool matched) {
  auto state = std::make_unique<State>(input);
  if (input.text().empty())
    throw DataError({input.name()}, "is empty; expected @relation, @attribute and @data lines");
  const char* at = input.begin();
  state->read_header(at);
  state->find_rows(at);
  state->matched = matched;
  state_ = std::move(state);
}

ArffReader::~ArffReader() = default;

const std::vector<std::string>& ArffReader::names() const { return state_->names; }

RawTable ArffReader::read(const std::vector<CellUse>& uses) const {
  const State& state = *state_;
  if (!state.matched) {
    const auto texts =
        std::count_if(state.attributes.begin(), state.attributes.end(),
                      [](const Attribute& a) { return a.type != ArffType::kNumber; });
    require_room(state.input.name(), state.input.text().size(), uses.size(),
                 static_cast<std::size_t>(texts));
  }
  state.check_size();
  ArffStore store(state.input, state.names, state.attributes, uses, state.rows.size());
  std::vector<char> given(uses.size());
  for (std::size_t row = 0; row < state.rows.size(); ++row) {
    std::fill(given.begin(), given.end(), '\0');
    state.read_row(row, [&](std::size_t column, const ArffCell& cell) {
      given[column] = 1;
      store.store(row, column, cell);
    });
    for (std::size_t c = 0; c < uses.size(); ++c)
      if (given[c] == 0) store.store_default(row, c);
    store.end_row(row, row + 1 == state.rows.size());
  }
  RawTable table{state.input.name(), state.names, true, state.rows.size(), store.take(), {}};
  table.place = [&state](std::size_t row, std::size_t column) {
    const char* found = state.rows[row];
    state.read_row(row, [&](std::size_t c, const ArffCell& cell) {
      if (c == column) found = cell.begin;
    });
    return state.input.place(found);
  };
  return table;
}

}  // namespace simplexboost
