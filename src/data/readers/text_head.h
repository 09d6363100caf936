// The lines that a text begins with and that its parts need, too, to be read alone: the names of a
// CSV file's columns, the header of an ARFF file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/readers/read_text.h"
#include "data/readers/text_input.h"

namespace simplexboost {

// Behind the first and the last line end of a CSV text that is not inside quotes; 0: there is none.
struct RecordEnds {
  std::size_t first = 0;
  std::size_t last = 0;
};
RecordEnds record_ends(std::string_view text);

// `input` is a text's beginning with all of its head. A CSV file without names has none: its
// parts have positions there (CsvHeader::kStandIn).
std::string text_head(const TextInput& input, const TextFormat& format);

}  // namespace simplexboost
