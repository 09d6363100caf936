#include "data/readers/share_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/byte_stream.h"
#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/common_codes.h"
#include "data/labels/label_weights.h"
#include "data/readers/arff_reader.h"
#include "data/readers/byte_source.h"
#include "data/readers/csv_text.h"
#include "data/readers/read_notes.h"
#include "data/readers/read_text.h"
#include "data/readers/text_head.h"
#include "data/readers/text_input.h"
#include "data/rows/sparse_rows.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::string_view kOwnMark = "{rank}";
constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

#ifdef SIMPLEXBOOST_FUZZ
constexpr std::size_t kFirstBytes = 64;
#else
constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
#endif

// Bytes [begin, end) of a file.
std::string read_bytes(const OpenFile& file, const std::string& name, std::uint64_t begin,
                       std::uint64_t end) {
  std::string bytes(end - begin, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(file.get(), bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_read_error(name, errno);
    if (got == 0) throw IoError(name + ": became shorter while it was read; try again");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

struct DataFile {
  std::string path;
  std::uint64_t size = 0;
  bool whole = false;  // gzipped: it cannot be read from the middle on

  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(path)(size)(whole);
  }
};

DataFile look_at_file(const std::string& path) {
  const OpenFile file(path, path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw_read_error(path, errno);
  if (!S_ISREG(info.st_mode))
    throw IoError(path + ": not a plain file, which several processes could share");
  DataFile found{path, static_cast<std::uint64_t>(info.st_size), false};
  if (found.size == 0) throw DataError({path}, "is empty; expected rows");
  const std::string first = read_bytes(file, path, 0, std::min<std::uint64_t>(found.size, 2));
  found.whole = first == "\x1F\x8B";
  return found;
}

// What every part of a file needs of its beginning.
struct FileHead {
  std::string text;
  std::uint64_t body = 0;  // where its rows begin
};

FileHead head_of(const DataFile& file, const TextFormat& format) {
  const OpenFile open(file.path, file.path);
  for (std::uint64_t size = kFirstBytes;; size *= 4) {
    const bool all = size >= file.size;
    const std::string bytes = read_bytes(open, file.path, 0, std::min(size, file.size));
    const TextInput input = TextInput::beginning(file.path, bytes, 1);
    const bool complete = format.format == FileFormat::kArff ? arff_header_size(input.text()) > 0
                                                             : record_ends(input.text()).first > 0;
    if (!complete && !all && format.format != FileFormat::kLibsvm) continue;
    FileHead head{text_head(input, format),
                  static_cast<std::uint64_t>(input.begin() - bytes.data())};
    const bool stands_in = format.format == FileFormat::kCsv && format.header == CsvHeader::kNone;
    if (!stands_in) head.body += head.text.size();
    return head;
  }
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Of a file, what a rank has of its bytes, and where the first row in there begins.
struct CutPiece {
  std::uint64_t file = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t quotes = 0;
  std::uint64_t lines = 0;
  std::uint64_t start = kNowhere;  // no row begins there
};

class ShareReader {
 public:
  ShareReader(const std::string& pattern, const ReadOptions& options, Communicator& ranks,
              ReadNotes& notes)
      : pattern_(pattern),
        options_(options),
        own_(pattern.find(kOwnMark) != std::string::npos),
        ranks_(ranks),
        dealers_(own_ ? no_others() : ranks),
        notes_(notes) {}

  Dataset run() {
    refuse_options();
    find_files();
    format_ = text_format(files_[0].path, options_);
    head_ = head_text();
    cut_files();
    join_pieces();
    if (ranks_.size() > 1) stand_in_rows();
    options_.part = ranks_.size() > 1;
    Dataset data = parse();
    if (!options_.weight.empty()) require_weights(data);
    if (ranks_.size() > 1 && options_.schema == nullptr) agree(data);
    if (!options_.label_weights.empty())
      read_label_weights(options_.label_weights, threads(), data, ranks_);
    if (ranks_.size() > 1) gather_notes();
    return data;
  }

 private:
  void refuse_options() const {
    if (pattern_ == "-" || options_.label_weights == "-")
      throw ParameterError("standard input is read by one process; give files");
  }

  // Rank 0 looks, so that all see the same.
  void find_files() {
    std::vector<std::byte> bytes;
    if (dealers_.rank() == 0) {
      std::string pattern = pattern_;
      if (own_)
        pattern.replace(pattern.find(kOwnMark), kOwnMark.size(), std::to_string(ranks_.rank()));
      ByteWriter writer;
      std::vector<std::string> paths = matching_files(pattern);
      writer(static_cast<std::uint64_t>(paths.size()));
      for (const std::string& path : paths) {
        DataFile file = look_at_file(path);
        file.carry(writer);
      }
      bytes = writer.bytes();
    }
    broadcast_all(dealers_, bytes, 0);
    ByteReader reader(bytes);
    std::uint64_t count = 0;
    reader(count);
    for (std::uint64_t i = 0; i < count; ++i) files_.emplace_back().carry(reader);
  }

  // All parts begin with that of the first file.
  std::string head_text() {
    if (!files_[0].whole) return head_of(files_[0], format_).text;
    return text_head(TextInput::open(files_[0].path, threads()), format_);
  }

  int threads() const { return resolve_threads(options_.threads); }

  void check_head(const DataFile& file, const std::string& head) const {
    if (head != head_)
      throw DataError({file.path}, fmt::format("the header is not that of {}; expected the same "
                                               "columns in all files",
                                               files_[0].path));
  }

  // Each rank has a range of the bytes of all files.
  void cut_files() {
    std::uint64_t all = 0;
    for (const DataFile& file : files_) all += file.size;
    const std::uint64_t share = all / static_cast<std::uint64_t>(dealers_.size());
    if (share > physical_memory())
      throw DataError({pattern_},
                      fmt::format("a share of {} is larger than the memory of this machine, {}; "
                                  "start more processes, on more machines",
                                  size_text(static_cast<double>(share)),
                                  size_text(static_cast<double>(physical_memory()))));
    const auto border = [&](int rank) {
      const auto ranks = static_cast<std::uint64_t>(dealers_.size());
      const auto r = static_cast<std::uint64_t>(rank);
      return all / ranks * r + all % ranks * r / ranks;
    };
    const std::uint64_t low = border(dealers_.rank());
    const std::uint64_t high = border(dealers_.rank() + 1);
    std::uint64_t at = 0;
    for (std::size_t f = 0; f < files_.size(); at += files_[f++].size) {
      const DataFile& file = files_[f];
      if (file.whole) {
        if (at >= low && at < high) take_whole(f);
        continue;
      }
      const std::uint64_t begin = std::max(at, low) - at;
      const std::uint64_t end = std::min(at + file.size, high);
      if (at + begin < end) take_range(f, begin, end - at);
    }
    find_starts();
  }

  // They are not cut, and take no part in find_starts().
  void take_whole(std::size_t f) {
    const DataFile& file = files_[f];
    const TextInput input = TextInput::open(file.path, threads());
    const std::string head = text_head(input, format_);
    check_head(file, head);
    const bool stands_in = format_.format == FileFormat::kCsv && format_.header == CsvHeader::kNone;
    const std::size_t body = stands_in ? 0 : head.size();
    const std::string_view lines = input.text().substr(0, body);
    texts_.emplace_back(input.text().substr(body));
    cuts_.push_back(
        {f, kNowhere, kNowhere, 0, count_byte(lines.data(), lines.data() + lines.size(), '\n'), 0});
  }

  void take_range(std::size_t f, std::uint64_t begin, std::uint64_t end) {
    const DataFile& file = files_[f];
    const OpenFile open(file.path, file.path);
    texts_.push_back(read_bytes(open, file.path, begin, end));
    const std::string& text = texts_.back();
    const char* const first = text.data();
    CutPiece cut{f, begin, end};
    if (format_.format == FileFormat::kCsv)
      cut.quotes = count_byte(first, first + text.size(), '"');
    cut.lines = count_byte(first, first + text.size(), '\n');
    cuts_.push_back(cut);
  }

  static bool is_whole(const CutPiece& cut) { return cut.begin == kNowhere; }

  // A rank's first row begins behind the first line end in its range that is not inside quotes,
  // which the number of quotes before it tells.
  void find_starts() {
    const std::vector<CutPiece> all = gather_values<CutPiece>(dealers_, cuts_);
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      CutPiece& cut = cuts_[i];
      if (is_whole(cut)) continue;
      std::uint64_t quotes = 0;
      std::uint64_t lines = 0;
      for (const CutPiece& other : all) {
        if (other.file != cut.file || other.begin >= cut.begin) continue;
        quotes += other.quotes;
        lines += other.lines;
      }
      const DataFile& file = files_[cut.file];
      const FileHead head = head_of(file, format_);
      check_head(file, head.text);
      cut.start = cut.begin == 0 ? head.body : first_row(texts_[i], cut.begin, quotes % 2 == 1);
      if (cut.start != kNowhere) cut.start = std::max(cut.start, head.body);
      cut.lines = lines;
    }
    starts_ = gather_values<CutPiece>(dealers_, cuts_);
  }

  std::uint64_t first_row(std::string_view text, std::uint64_t begin, bool quoted) const {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"' && format_.format == FileFormat::kCsv) quoted = !quoted;
      if (text[i] == '\n' && !quoted) return begin + i + 1;
    }
    return kNowhere;
  }

  // Behind the last row that begins in a piece.
  std::uint64_t end_of(const CutPiece& cut) const {
    std::uint64_t end = files_[cut.file].size;
    for (const CutPiece& other : starts_)
      if (!is_whole(other) && other.file == cut.file && other.begin > cut.begin)
        end = std::min(end, other.start);
    return end;
  }

  // The rows of a range, with the rest of its last one; counts the lines before them.
  void complete(std::string& text, CutPiece& cut) const {
    if (cut.start == kNowhere) return text.clear();
    const std::uint64_t end = std::max(end_of(cut), cut.start);
    const DataFile& file = files_[cut.file];
    const OpenFile open(file.path, file.path);
    const std::size_t skipped = std::min<std::uint64_t>(cut.start - cut.begin, text.size());
    cut.lines += count_byte(text.data(), text.data() + skipped, '\n');
    text.erase(0, skipped);
    if (cut.start > cut.end) {  // the header is longer than the range
      const std::string between = read_bytes(open, file.path, cut.end, cut.start);
      cut.lines += count_byte(between.data(), between.data() + between.size(), '\n');
    }
    const std::uint64_t read = std::max(cut.end, cut.start);
    if (end > read)
      text += read_bytes(open, file.path, read, end);
    else
      text.resize(end - cut.start);
  }

  void join_pieces() {
    text_ = head_;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      std::string& text = texts_[i];
      if (!is_whole(cuts_[i])) complete(text, cuts_[i]);
      // Empty lines at the end of a file are no rows.
      while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
      if (text.empty()) continue;
      text += '\n';
      pieces_.push_back({text_.size(), files_[cuts_[i].file].path, cuts_[i].lines});
      text_ += text;
      text = {};
    }
    no_rows_ = blank(std::string_view(text_).substr(head_.size()));
  }

  // A rank without rows learns from the first ones of another what columns there are.
  void stand_in_rows() {
    const std::uint8_t mine = no_rows_ ? 1 : 0;
    const auto empty = gather_values<std::uint8_t>(ranks_, {&mine, 1});
    const auto some = std::find(empty.begin(), empty.end(), 0);
    if (some == empty.end() || std::find(empty.begin(), empty.end(), 1) == empty.end()) return;
    const auto giver = static_cast<int>(some - empty.begin());
    ByteWriter writer;
    if (ranks_.rank() == giver)
      writer(head_)(first_rows())(pieces_[0].name)(pieces_[0].lines_before);
    std::vector<std::byte> bytes = writer.bytes();
    broadcast_all(ranks_, bytes, giver);
    if (!no_rows_) return;
    ByteReader reader(bytes);
    std::string rows;
    TextInput::Piece piece;
    reader(head_)(rows)(piece.name)(piece.lines_before);
    piece.begin = head_.size();
    text_ = head_ + rows;
    pieces_ = {piece};
  }

  // As few as can be, of those that are here.
  std::string first_rows() const {
    const std::string_view rows = std::string_view(text_).substr(head_.size());
    for (std::size_t size = kFirstBytes; size < rows.size(); size *= 4) {
      const std::string_view some = rows.substr(0, size);
      const std::size_t whole =
          format_.format == FileFormat::kCsv ? record_ends(some).last : some.rfind('\n') + 1;
      if (!blank(some.substr(0, whole))) return std::string(some.substr(0, whole));
    }
    return std::string(rows);
  }

  Dataset parse() {
    try {
      TextFormat format = format_;
      if (format.header == CsvHeader::kNone) format.header = CsvHeader::kStandIn;
      const TextInput input = TextInput::joined(pattern_, text_, pieces_, threads());
      ReadNotes notes;
      Dataset data = read_text(input, format, options_, notes, {ranks_, no_rows_});
      if (no_rows_) return select_rows(data, {});
      notes_ = std::move(notes);
      return data;
    } catch (const std::bad_alloc&) {
      throw too_large(pattern_);
    }
  }

  // Those of a share may all be zero.
  void require_weights(const Dataset& data) {
    std::int64_t some = std::any_of(data.weights.begin(), data.weights.end(),
                                    [](double weight) { return weight > 0; })
                            ? 1
                            : 0;
    ranks_.maximum({&some, 1});
    if (some == 0)
      throw DataError({pattern_}, "all weights are zero; expected one above zero at least");
  }

  // What one process would know from all the rows.
  void agree(Dataset& data) {
    if (format_.format == FileFormat::kLibsvm) {
      std::int64_t lists = data.labels.multi_label() && data.rows > 0 ? 1 : 0;
      ranks_.maximum({&lists, 1});
      if (lists != 0 && !data.labels.multi_label()) {
        options_.multi_label = true;
        data = parse();
      }
      agree_on_indices(data);
    }
    agree_on_codes(data, ranks_);
  }

  static std::uint32_t index_of(const Column& column) {
    std::uint32_t index = 0;
    const std::string& name = column.schema.name;
    std::from_chars(name.data(), name.data() + name.size(), index);
    return index;
  }

  // All indices up to the largest that occurs anywhere; where that is large, those alone that are
  // not zero in all rows, as one process has it.
  std::vector<std::uint32_t> all_indices(const Dataset& data) {
    std::array<std::int64_t, 2> ends{0, 0};  // whether one is 0, and the largest
    for (const Column& column : data.columns) {
      ends[0] = std::max<std::int64_t>(ends[0], index_of(column) == 0 ? 1 : 0);
      ends[1] = std::max<std::int64_t>(ends[1], index_of(column));
    }
    ranks_.maximum(ends);
    std::vector<std::uint32_t> indices;
    if (ends[1] + 1 <= static_cast<std::int64_t>(kMostEmptyFeatures)) {
      for (std::int64_t index = ends[0] != 0 ? 0 : 1; index <= ends[1]; ++index)
        indices.push_back(static_cast<std::uint32_t>(index));
      return indices;
    }
    for (const Column& column : data.columns)
      if (!column.sparse_rows->empty()) indices.push_back(index_of(column));
    indices = gather_values<std::uint32_t>(ranks_, indices);
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    return indices;
  }

  void agree_on_indices(Dataset& data) {
    std::vector<Column> columns;
    auto next = data.columns.begin();
    for (const std::uint32_t index : all_indices(data)) {
      std::string name = std::to_string(index);
      if (std::find(options_.ignore.begin(), options_.ignore.end(), name) != options_.ignore.end())
        continue;
      while (next != data.columns.end() && index_of(*next) < index) ++next;
      if (next != data.columns.end() && next->schema.name == name)
        columns.push_back(std::move(*next++));
      else
        columns.push_back(Column::sparse_numeric(std::move(name), {}, {}));
    }
    data.columns = std::move(columns);
    if (data.columns.empty())
      throw DataError({pattern_}, "no features; expected index:value in some row");
  }

  void gather_notes() {
    ByteWriter writer;
    writer(notes_.lines)(static_cast<std::uint64_t>(notes_.unknown.size()));
    for (const ReadNotes::Unknown& one : notes_.unknown)
      writer(one.before)(static_cast<std::uint64_t>(one.rows))(one.names)(one.after);
    const std::vector<std::byte> bytes = ranks_.gather(writer.bytes());
    ByteReader reader(bytes);
    notes_ = {};
    for (int r = 0; r < ranks_.size(); ++r) {
      ReadNotes theirs;
      std::uint64_t count = 0;
      reader(theirs.lines)(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        ReadNotes::Unknown& one = theirs.unknown.emplace_back();
        std::uint64_t rows = 0;
        reader(one.before)(rows)(one.names)(one.after);
        one.rows = rows;
      }
      merge_notes(std::move(theirs), notes_);
    }
  }

  std::string pattern_;
  ReadOptions options_;
  bool own_;  // each rank has files of its own
  Communicator& ranks_;
  Communicator& dealers_;  // that share the files
  ReadNotes& notes_;
  std::vector<DataFile> files_;
  TextFormat format_;
  std::string head_;
  std::vector<CutPiece> cuts_;      // of this rank
  std::vector<std::string> texts_;  // their bytes
  std::vector<CutPiece> starts_;    // of all ranks
  std::string text_;                // the head and the rows that are here
  std::vector<TextInput::Piece> pieces_;
  bool no_rows_ = false;
};

}  // namespace

bool is_pattern(const std::string& path) {
  if (path.find(kOwnMark) != std::string::npos) return true;
  return path.find_first_of("*?[") != std::string::npos && ::access(path.c_str(), F_OK) != 0;
}

std::vector<std::string> matching_files(const std::string& pattern) {
  if (!is_pattern(pattern)) return {pattern};
  glob_t found{};
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + (code == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (code == GLOB_NOSPACE) throw std::bad_alloc();
  if (paths.empty()) throw IoError(fmt::format("no file is named like '{}'", pattern));
  std::sort(paths.begin(), paths.end());
  return paths;
}

Dataset read_share(const std::string& pattern, const ReadOptions& options, Communicator& ranks,
                   ReadNotes* notes) {
  ReadNotes unused;
  ReadNotes& told = notes != nullptr ? *notes : unused;
  Dataset data = ShareReader(pattern, options, ranks, told).run();
  tell_unknown(told);
  return data;
}

}  // namespace simplexboost
