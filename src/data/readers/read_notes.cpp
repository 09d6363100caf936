#include "data/readers/read_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "data/readers/table/column_plan.h"
#include "data/readers/table/raw_table.h"

namespace simplexboost {

void tell_unknown(ReadNotes& notes) {
  constexpr std::size_t kShown = 5;
  for (ReadNotes::Unknown& one : notes.unknown) {
    if (one.rows > 0) {
      std::sort(one.names.begin(), one.names.end());
    } else {  // indices, by number
      const std::vector<std::string_view> names(one.names.begin(), one.names.end());
      one.names = in_rank(names, rank_names(names));
    }
    const std::string rows =
        one.rows == 0 ? ""
                      : fmt::format("{} row{} ", one.rows, one.rows == 1 ? " holds" : "s hold");
    const bool all = one.names.size() < kMostUnknown;
    if (!all) one.names.resize(kShown);
    notes.lines.push_back(one.before + rows + list_some(one.names) + (all ? "" : " and many more") +
                          one.after);
  }
  notes.unknown.clear();
}

void merge_notes(ReadNotes piece, ReadNotes& whole) {
  for (std::string& line : piece.lines)
    if (std::find(whole.lines.begin(), whole.lines.end(), line) == whole.lines.end())
      whole.lines.push_back(std::move(line));
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
      if (known->names.size() < kMostUnknown &&
          std::find(known->names.begin(), known->names.end(), name) == known->names.end())
        known->names.push_back(std::move(name));
  }
}

}  // namespace simplexboost
