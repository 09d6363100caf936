#include "data/readers/table/column_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/byte_stream.h"
#include "data/readers/table/text_cell.h"

namespace simplexboost {
namespace {

constexpr double kFewText = 0.1;   // below this share, text among numbers is taken for a mistake
constexpr double kMostText = 0.5;  // above it, for categories, though all may differ

// How many cells of a column are what, and where the first that is no number stands.
struct TextCensus {
  std::int64_t cells = 0;
  std::int64_t texts = 0;
  std::int64_t repeats = 0;  // of one text at least, so many times as ranks have seen it
  std::int64_t commas = 0;   // texts that would be numbers if a point stood for the comma
  std::optional<TextDictionary::Entry> first;
  CellKind first_kind = CellKind::kText;
};

bool has_decimal_comma(std::string_view cell) {
  std::string text(cell);
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return false;
  text[comma] = '.';
  return is_number(text);
}

TextCensus take_census(const TextDictionary& dictionary) {
  TextCensus census;
  for (std::size_t i = 0; i < dictionary.size(); ++i) {
    const TextDictionary::Entry entry = dictionary[i];
    const CellKind kind = read_cell(entry.text).kind;
    const auto count = static_cast<std::int64_t>(entry.count);
    census.cells += count;
    if (kind == CellKind::kNumber) continue;
    if (!census.first) {  // codes are in the order of appearance
      census.first = entry;
      census.first_kind = kind;
    }
    if (kind != CellKind::kText) continue;
    census.texts += count;
    if (count > 1) census.repeats = 1;
    if (has_decimal_comma(entry.text)) census.commas += count;
  }
  return census;
}

double share_of_text(const TextCensus& census) {
  return static_cast<double>(census.texts) / static_cast<double>(census.cells);
}

bool looks_categorical(const TextCensus& census) {
  const double share = share_of_text(census);
  return share > kMostText || (share >= kFewText && census.repeats > 0);
}

std::string describe_cell(std::string_view text, CellKind kind) {
  switch (kind) {
    case CellKind::kInfinite: return quote(text) + " is infinite; expected a finite number";
    case CellKind::kOutOfRange:
      return quote(text) + " is out of range; expected a number below 1.8e308 in size";
    default: return quote(text) + " is text; expected a number";
  }
}

class TypeJudge {
 public:
  TypeJudge(const RawTable& table, const ColumnPlan& plan, const TableShare& share)
      : table_(table), plan_(plan), ranks_(share.ranks), stand_in_(share.stand_in) {}

  std::vector<std::size_t> run() {
    // Other columns are refused where codes are agreed on, and there is nothing to judge together.
    if (!same_columns()) return {};
    count();
    find_first();
    find_repeats();
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < plan_.features.size(); ++i) {
      if (first_[i] == 0) continue;
      require_categorical(i);
      if (!column(i).is_text) again.push_back(plan_.features[i]);
    }
    return again;
  }

 private:
  const RawColumn& column(std::size_t i) const { return table_.columns[plan_.features[i]]; }
  const std::string& name(std::size_t i) const { return table_.names[plan_.features[i]]; }

  bool stated(std::size_t i) const {
    const auto& those = plan_.categorical;
    return column(i).declared_categorical ||
           std::find(those.begin(), those.end(), plan_.features[i]) != those.end();
  }

  bool same_columns() {
    if (ranks_.size() == 1) return true;
    std::uint64_t hash = plan_.features.size();
    for (std::size_t i = 0; i < plan_.features.size(); ++i)
      for (const char c : name(i) + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    const auto mine = static_cast<std::int64_t>(hash >> 1U);
    std::array<std::int64_t, 2> ends{mine, -mine};
    ranks_.maximum(ends);
    return ends[0] == -ends[1];
  }

  void count() {
    for (std::size_t i = 0; i < plan_.features.size(); ++i) {
      TextCensus& census = all_.emplace_back();
      if (stand_in_ || stated(i)) continue;
      if (column(i).is_text)
        census = take_census(column(i).text.dictionary);
      else if (ranks_.size() > 1)  // else there is nothing to judge
        census.cells = static_cast<std::int64_t>(column(i).numbers.known());
    }
    std::vector<std::int64_t> sums;
    for (const TextCensus& one : all_)
      sums.insert(sums.end(), {one.cells, one.texts, one.repeats, one.commas});
    ranks_.sum(sums);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].cells = sums[4 * i];
      all_[i].texts = sums[4 * i + 1];
      all_[i].repeats = sums[4 * i + 2];
      all_[i].commas = sums[4 * i + 3];
    }
  }

  // Ranks have the rows in their order. 0: no rank has a cell that is no number.
  void find_first() {
    for (const TextCensus& one : all_)
      first_.push_back(!one.first ? 0
                                  : 2 * (ranks_.size() - ranks_.rank()) +
                                        (one.first_kind == CellKind::kText ? 1 : 0));
    ranks_.maximum(first_);
  }
  bool first_is_text(std::size_t i) const { return first_[i] % 2 == 1; }
  bool first_is_here(std::size_t i) const { return first_[i] / 2 == ranks_.size() - ranks_.rank(); }

  // A text may stand on several ranks, once on each. It matters, and costs that they are sent,
  // where all else leaves the type open.
  void find_repeats() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].texts > 0 && all_[i].repeats == 0 && share_of_text(all_[i]) >= kFewText &&
          share_of_text(all_[i]) <= kMostText)
        open.push_back(i);
    if (ranks_.size() == 1 || open.empty()) return;
    ByteWriter writer;
    for (const std::size_t i : open) writer(texts_here(i));
    const std::vector<std::byte> bytes = ranks_.gather(writer.bytes());
    ByteReader reader(bytes);
    std::vector<std::unordered_set<std::string>> seen(open.size());
    for (int rank = 0; rank < ranks_.size(); ++rank)
      for (std::size_t k = 0; k < open.size(); ++k) {
        std::vector<std::string> texts;
        reader(texts);
        for (std::string& text : texts)
          if (!seen[k].insert(std::move(text)).second) all_[open[k]].repeats = 1;
      }
  }

  std::vector<std::string> texts_here(std::size_t i) const {
    std::vector<std::string> texts;
    if (stand_in_ || !column(i).is_text) return texts;
    for (const std::string_view text : column(i).text.dictionary.texts())
      if (read_cell(text).kind == CellKind::kText) texts.emplace_back(text);
    return texts;
  }

  // Its first cell that is no number is told by the rank that has it.
  void require_categorical(std::size_t i) const {
    const TextCensus& census = all_[i];
    const bool commas = first_is_text(i) && census.texts > 0 && census.commas == census.texts;
    if (!commas && looks_categorical(census)) return;
    if (!first_is_here(i)) {
      ranks_.barrier();
      throw CommunicationError("another process has not said what is wrong with its rows");
    }
    const RowPlace place = [&](std::size_t row) { return table_.place(row, plan_.features[i]); };
    if (commas)
      throw DataError(place(census.first->first_row),
                      fmt::format("{} has a comma; write numbers with a decimal point and without "
                                  "thousands separators, or say --categorical {}",
                                  quote(census.first->text), name(i)));
    require_numbers(column(i).text, place,
                    fmt::format(" as elsewhere in column {}: mend it, leave it empty if it is "
                                "missing, or say --categorical {}",
                                quote(name(i)), name(i)));
  }

  static constexpr std::uint64_t kPrime = 0x100000001B3;  // of the hash FNV-1a

  const RawTable& table_;
  const ColumnPlan& plan_;
  Communicator& ranks_;
  bool stand_in_;
  std::vector<TextCensus> all_;  // of each feature, in all rows; `first` is that of the rows here
  std::vector<std::int64_t>
      first_;  // of each feature, the rank of the first cell that is no number
};

}  // namespace

std::vector<std::size_t> numbers_of_text_columns(const RawTable& table, const ColumnPlan& plan,
                                                 const TableShare& share) {
  return TypeJudge(table, plan, share).run();
}

void require_numbers(const TextColumn& text, const RowPlace& place, const std::string& why) {
  const TextCensus census = take_census(text.dictionary);
  if (!census.first) return;
  throw DataError(place(census.first->first_row),
                  describe_cell(census.first->text, census.first_kind) + why);
}

}  // namespace simplexboost
