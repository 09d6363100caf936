#include "data/readers/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include "base/memory.h"
#include "base/text/visible_text.h"
#include "base/threads/parallel.h"
#include "data/readers/csv_text.h"
#include "data/readers/table/text_cell.h"

namespace simplexboost {

#ifdef SIMPLEXBOOST_FUZZ
std::size_t csv_chunk_bytes = std::size_t{1} << 18;  // the fuzzers cut tiny files, too
#else
// NOLINTNEXTLINE(readability-identifier-naming): there it is a variable
static constexpr std::size_t csv_chunk_bytes = std::size_t{1} << 18;
#endif

struct CsvReader::State {
  CsvText csv;
  bool header;
  int threads;
  const char* body = nullptr;  // the first record
  const char* end = nullptr;   // of the last one, without empty lines
  std::vector<std::string> names{};
  std::size_t rows = 0;
  std::vector<CsvChunk> chunks{};
  bool matched = false;

  void require_room(std::size_t columns, std::size_t of_text) const {
    const TextInput& input = csv.input();
    if (!matched) simplexboost::require_room(input.name(), input.text().size(), columns, of_text);
  }
};

namespace {

constexpr std::size_t kProbeRows = 100;
constexpr std::size_t kWaveChunks = 16;  // for each thread
constexpr std::size_t kWaveDictionaries = 65'536;

const char* trim_line_ends(const char* begin, const char* end) {
  while (end > begin && (end[-1] == '\n' || end[-1] == '\r')) --end;
  return end;
}

std::vector<std::string> read_names(const TextInput& input, const std::vector<CsvCell>& cells,
                                    bool numbers) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  names.reserve(cells.size());  // `seen` points into it
  std::string scratch;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view name = cells[i].value(scratch);
    const auto fail = [&](const std::string& what) { return input.error(cells[i].begin, what); };
    if (!numbers && is_number(name))
      throw fail(
          fmt::format("missing header: {} is a number, where the first line should name "
                      "the columns; add a line of names, or say --no-header",
                      quote(name)));
    if (name.empty()) throw fail(fmt::format("column {} has no name; give it one", i + 1));
    if (!is_utf8(name)) throw fail("this name is not UTF-8; save the file as UTF-8");
    names.emplace_back(name);
    if (!seen.insert(names.back()).second)
      throw fail(fmt::format("a second column named {}; give each its own name", quote(name)));
  }
  return names;
}

// One pass over the records, taking from each column what it is asked for.
class Pass {
 public:
  Pass(const CsvText& csv, bool header, std::vector<CellUse> uses)
      : csv_(&csv),
        header_(header),
        uses_(std::move(uses)),
        columns_(uses_.size()),
        slots_(uses_.size()) {
    for (std::size_t c = 0; c < uses_.size(); ++c) {
      if (uses_[c] == CellUse::kSkip) continue;
      columns_[c].is_text = uses_[c] == CellUse::kText;
      std::vector<std::size_t>& alike = columns_[c].is_text ? text_columns_ : number_columns_;
      slots_[c] = alike.size();
      alike.push_back(c);
    }
  }

  // `rows`: of all chunks together.
  void run(const std::vector<CsvChunk>& chunks, std::size_t rows, int threads) {
    const auto rows_of = [&](std::size_t i) {
      return (i + 1 < chunks.size() ? chunks[i + 1].first_row : rows) - chunks[i].first_row;
    };
    for (std::size_t i = 0; i < chunks.size(); ++i) check_length(chunks[i], rows_of(i));
    for (const std::size_t c : text_columns_) {
      require_memory("a column of texts", rows, 1, sizeof(std::int32_t));
      columns_[c].text.codes.resize(rows);
    }
    for (const std::size_t c : number_columns_) columns_[c].numbers = NumberColumn(rows);
    locks_ = std::vector<std::mutex>(number_columns_.size());
    met_text_.assign(number_columns_.size(), 0);
    const std::size_t wave = wave_size(chunks.size(), static_cast<std::size_t>(threads));
    for (std::size_t begin = 0; begin < chunks.size(); begin += wave) {
      const std::size_t count = std::min(wave, chunks.size() - begin);
      notes_ = std::vector<ChunkNotes>(count);
      for (ChunkNotes& notes : notes_) {
        notes.met_text.resize(number_columns_.size());
        notes.dictionaries.resize(text_columns_.size());
      }
      parallel_for(threads, count,
                   [&](std::size_t i) { read_chunk(chunks[begin + i], i, rows_of(begin + i)); });
      const int mergers = count > 1 ? threads : 1;  // not worth waking threads for
      parallel_for(mergers, text_columns_.size(),
                   [&](std::size_t slot) { merge_text(chunks, begin, slot); });
      check_texts(chunks);
      for (const ChunkNotes& notes : notes_)
        for (std::size_t slot = 0; slot < met_text_.size(); ++slot)
          met_text_[slot] |= notes.met_text[slot];
    }
    notes_.clear();
  }

  // The columns of numbers in which text was found.
  std::vector<std::size_t> columns_with_text() const {
    std::vector<std::size_t> result;
    for (std::size_t c = 0; c < uses_.size(); ++c)
      if (uses_[c] == CellUse::kNumber && met_text_[slots_[c]] != 0) result.push_back(c);
    return result;
  }

  std::vector<RawColumn>& columns() { return columns_; }

 private:
  struct ChunkNotes {
    std::vector<char> met_text;                // of each column of numbers
    std::vector<TextDictionary> dictionaries;  // one a text column
  };
  // What a chunk needs while it is read.
  struct Reading {
    ChunkNotes& notes;
    std::size_t first_row;
    std::size_t rows;
    std::vector<double> numbers;  // columns of numbers x rows
    std::string scratch{};
  };

  // A few chunks at a time: each has dictionaries of its own until they are merged.
  std::size_t wave_size(std::size_t chunks, std::size_t workers) const {
    if (text_columns_.empty()) return kWaveChunks * workers;
    const std::size_t most =
        std::min({kWaveDictionaries / text_columns_.size(), kWaveChunks * workers, chunks / 4});
    return std::max(most, workers);
  }

  // A record takes a byte a cell at least. If the text is too short for its rows one of them is
  // ragged: found before memory is taken for all of their cells.
  void check_length(const CsvChunk& chunk, std::size_t rows) const {
    const auto bytes = static_cast<std::size_t>(chunk.end - chunk.begin);
    if (rows <= (bytes + 1) / uses_.size()) return;
    check_records(chunk);
  }

  void check_records(const CsvChunk& chunk) const {
    for (const char* at = chunk.begin; at < chunk.end;) {
      const char* const begin = at;
      if (csv_->scan_record(at, chunk.end).size() != uses_.size()) throw ragged(begin, chunk.end);
    }
  }

  // Whatever the number of threads, what is wrong with a row is said first.
  void check_texts(const std::vector<CsvChunk>& chunks) const {
    std::size_t texts = 0;
    for (const std::size_t c : text_columns_) texts += columns_[c].text.dictionary.size();
    const TextInput& input = csv_->input();
    if (texts <= most_texts(input.text().size())) return;
    for (const CsvChunk& chunk : chunks) check_records(chunk);
    throw too_many_texts(input.name(), input.text().size());
  }

  void read_chunk(const CsvChunk& chunk, std::size_t index, std::size_t rows) {
    Reading reading{notes_[index], chunk.first_row, rows,
                    std::vector<double>(number_columns_.size() * rows)};
    const char* at = chunk.begin;
    for (std::size_t row = 0; at < chunk.end; ++row) at = read_record(at, chunk.end, row, reading);
    for (std::size_t slot = 0; slot < number_columns_.size(); ++slot) {
      const std::lock_guard lock(locks_[slot]);
      columns_[number_columns_[slot]].numbers.set(chunk.first_row,
                                                  reading.numbers.data() + slot * rows, rows);
    }
  }

  // `row`: of the chunk.
  const char* read_record(const char* const begin, const char* end, std::size_t row,
                          Reading& reading) {
    const char* at = begin;
    const std::size_t last = uses_.size() - 1;
    for (std::size_t c = 0; c < last; ++c) {
      at = read_cell_at(at, end, row, c, reading);
      if (at == end || *at == '\n') throw ragged(begin, end);
      ++at;
    }
    at = read_cell_at(at, end, row, last, reading);
    if (at == end) return at;
    if (*at != '\n') throw ragged(begin, end);
    return at + 1;
  }

  const char* read_cell_at(const char* at, const char* end, std::size_t row, std::size_t column,
                           Reading& reading) {
    const std::size_t slot = slots_[column];
    if (uses_[column] == CellUse::kNumber) {
      const char* const after = read_decimal(at, end, reading.numbers[slot * reading.rows + row]);
      if (after != nullptr && (after == end || *after == csv_->delimiter() || *after == '\n'))
        return after;
    }
    CsvCell cell;
    at = csv_->scan(at, end, cell);
    switch (uses_[column]) {
      case CellUse::kSkip: break;
      case CellUse::kNumber: {
        const CellValue value = read_cell(cell.text);
        reading.numbers[slot * reading.rows + row] = value.number;
        if (value.kind != CellKind::kNumber && value.kind != CellKind::kMissing)
          reading.notes.met_text[slot] = 1;
        break;
      }
      case CellUse::kText: {
        const std::string_view text = cell.value(reading.scratch);
        const std::size_t at_row = reading.first_row + row;
        columns_[column].text.codes[at_row] =
            is_missing(text) ? -1 : reading.notes.dictionaries[slot].add(text, at_row);
        break;
      }
    }
    return at;
  }

  // One dictionary for all chunks, filled in the order of the rows; those from `first` on have been
  // read.
  void merge_text(const std::vector<CsvChunk>& chunks, std::size_t first, std::size_t slot) {
    TextColumn& text = columns_[text_columns_[slot]].text;
    for (std::size_t i = first; i < first + notes_.size(); ++i) {
      const TextDictionary& part = notes_[i - first].dictionaries[slot];
      std::vector<std::int32_t> code(part.size());
      for (std::size_t k = 0; k < part.size(); ++k)
        code[k] = text.dictionary.add(part[k].text, part[k].first_row, part[k].count);
      const std::size_t end = i + 1 < chunks.size() ? chunks[i + 1].first_row : text.codes.size();
      for (std::size_t row = chunks[i].first_row; row < end; ++row)
        if (text.codes[row] >= 0) text.codes[row] = code[static_cast<std::size_t>(text.codes[row])];
    }
  }

  DataError ragged(const char* begin, const char* end) const {
    const char* at = begin;
    const std::vector<CsvCell> cells = csv_->scan_record(at, end);
    const std::size_t expected = uses_.size();
    const char* const as_in = header_ ? "the header" : "the first line";
    if (cells.size() > expected)
      return csv_->input().error(
          cells[expected].begin,
          fmt::format("{} cells in this row, expected {} as in {}", cells.size(), expected, as_in));
    if (cells.size() == 1 && cells[0].text.empty())
      return csv_->input().error(
          begin, fmt::format("an empty line, expected {} cells; delete it", expected));
    return csv_->input().error(
        trim_line_ends(begin, at),
        fmt::format("the row ends after {} cell{}, expected {} as in {}", cells.size(),
                    cells.size() == 1 ? "" : "s", expected, as_in));
  }

  const CsvText* csv_;
  bool header_;
  std::vector<CellUse> uses_;
  std::vector<RawColumn> columns_;
  std::vector<std::size_t> text_columns_;
  std::vector<std::size_t> number_columns_;
  std::vector<std::size_t> slots_;  // of a column among those of text, or of numbers
  std::vector<std::mutex> locks_;   // of the columns of numbers
  std::vector<ChunkNotes> notes_;   // of the chunks that are being read
  std::vector<char> met_text_;      // of each column of numbers
};

// What a row takes, in bytes, if all are like the first ones: at the least, since numbers that come
// later may need wider types.
std::size_t bytes_of_row(const std::vector<CellUse>& uses, Pass& first) {
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < uses.size(); ++c) {
    if (uses[c] == CellUse::kText) bytes += sizeof(std::int32_t);
    if (uses[c] == CellUse::kNumber) bytes += size_of(first.columns()[c].numbers.scalar());
  }
  return bytes;
}

}  // namespace

char find_delimiter(const TextInput& input) {
  const std::string_view line = input.text().substr(0, input.text().find('\n'));
  for (const char delimiter : {',', '\t', ';'})
    if (line.find(delimiter) != std::string_view::npos) return delimiter;
  return ',';
}

CsvReader::CsvReader(const TextInput& input, CsvHeader header, char delimiter, int threads,
                     bool matched) {
  const bool named = header != CsvHeader::kNone;
  auto state = std::make_unique<State>(
      State{CsvText(input, delimiter != 0 ? delimiter : find_delimiter(input)),
            named && header != CsvHeader::kStandIn, threads});
  const char* at = input.begin();
  state->end = trim_line_ends(at, input.end());
  if (at == state->end)
    throw DataError({input.name()}, "is empty; expected a line of column names and rows below it");
  const std::vector<CsvCell> first = state->csv.scan_record(at, state->end);
  state->matched = matched;
  state->require_room(first.size(), 0);
  if (named) {
    state->names = read_names(input, first, header != CsvHeader::kNames);
  } else {
    at = input.begin();
    for (std::size_t i = 0; i < first.size(); ++i) state->names.push_back(std::to_string(i + 1));
  }
  state->body = at;
  state->chunks = state->csv.split(at, state->end, csv_chunk_bytes, threads, state->rows);
  if (state->rows == 0)
    throw input.error(input.begin(), "a header without rows; expected at least one row below it");
  if (state->rows > std::numeric_limits<std::uint32_t>::max())
    throw DataError({input.name()}, "more than 4,294,967,295 rows; split the file");
  state_ = std::move(state);
}

CsvReader::~CsvReader() = default;

const std::vector<std::string>& CsvReader::names() const { return state_->names; }

RawTable CsvReader::read(std::vector<CellUse> uses) const {
  const State& state = *state_;
  const auto run = [&](const std::vector<CellUse>& wanted, const std::vector<CsvChunk>& chunks,
                       std::size_t rows) {
    Pass pass(state.csv, state.header, wanted);
    pass.run(chunks, rows, state.threads);
    return pass;
  };
  // Columns of text mostly show it in their first rows; that saves them the second pass.
  CsvChunk probe{state.body, state.body, 0};
  for (std::size_t rows = 0; rows < kProbeRows && probe.end < state.end; ++rows)
    state.csv.scan_record(probe.end, state.end);
  Pass first = run(uses, {probe}, std::min(state.rows, kProbeRows));
  for (const std::size_t c : first.columns_with_text()) uses[c] = CellUse::kText;
  const auto texts = std::count(uses.begin(), uses.end(), CellUse::kText);
  state.require_room(uses.size(), static_cast<std::size_t>(texts));
  require_bytes(fmt::format("{}: a table of {} rows and {} columns", state.csv.input().name(),
                            state.rows, uses.size()),
                static_cast<double>(state.rows) * static_cast<double>(bytes_of_row(uses, first)));

  Pass pass = run(uses, state.chunks, state.rows);
  const std::vector<std::size_t> late = pass.columns_with_text();
  if (!late.empty()) {
    std::vector<CellUse> again(uses.size(), CellUse::kSkip);
    for (const std::size_t c : late) again[c] = CellUse::kText;
    Pass second = run(again, state.chunks, state.rows);
    for (const std::size_t c : late) pass.columns()[c] = std::move(second.columns()[c]);
  }

  RawTable table{state.csv.input().name(),  state.names, state.header, state.rows,
                 std::move(pass.columns()), {}};
  table.place = [&state](std::size_t row, std::size_t column) {
    const auto chunk = std::prev(
        std::upper_bound(state.chunks.begin(), state.chunks.end(), row,
                         [](std::size_t r, const CsvChunk& next) { return r < next.first_row; }));
    const char* at = chunk->begin;
    for (std::size_t r = chunk->first_row; r < row; ++r) state.csv.scan_record(at, state.end);
    return state.csv.input().place(state.csv.scan_record(at, state.end)[column].begin);
  };
  return table;
}

}  // namespace simplexboost
