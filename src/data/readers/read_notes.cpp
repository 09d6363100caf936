#include "data/readers/read_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "data/readers/column_plan.h"
#include "data/readers/raw_table.h"

namespace simplexboost {

namespace {

// Indices by number.
std::vector<std::string> in_rank(const std::vector<std::string>& names) {
  const std::vector<std::int32_t> rank = rank_names(names);
  std::vector<std::string> result(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    result[static_cast<std::size_t>(rank[i])] = names[i];
  return result;
}

}  // namespace

void tell_unknown(ReadNotes& notes) {
  for (ReadNotes::Unknown& one : notes.unknown) {
    if (one.rows > 0)
      std::sort(one.names.begin(), one.names.end());
    else
      one.names = in_rank(one.names);
    const std::string rows =
        one.rows == 0 ? ""
                      : fmt::format("{} row{} ", one.rows, one.rows == 1 ? " holds" : "s hold");
    notes.lines.push_back(one.before + rows + list_some(one.names) + one.after);
  }
  notes.unknown.clear();
}

void merge_notes(ReadNotes piece, ReadNotes& whole) {
  for (std::string& line : piece.lines)
    if (std::find(whole.lines.begin(), whole.lines.end(), line) == whole.lines.end())
      whole.lines.push_back(std::move(line));
  constexpr std::size_t kMostNames = 1000;  // of which a line tells a few
  for (ReadNotes::Unknown& one : piece.unknown) {
    const auto known = std::find_if(whole.unknown.begin(), whole.unknown.end(),
                                    [&](const ReadNotes::Unknown& other) {
                                      return other.before == one.before && other.after == one.after;
                                    });
    if (known == whole.unknown.end()) {
      whole.unknown.push_back(std::move(one));
      continue;
    }
    known->rows += one.rows;
    for (std::string& name : one.names)
      if (known->names.size() < kMostNames &&
          std::find(known->names.begin(), known->names.end(), name) == known->names.end())
        known->names.push_back(std::move(name));
  }
}

}  // namespace simplexboost
