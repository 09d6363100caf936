// From the labels' texts to class codes: names sorted so that codes do not depend on the order of
// the rows, or the codes of a model where one is given.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "data/readers/table/raw_table.h"
#include "simplexboost/read.h"

namespace simplexboost {

struct LabelText {
  TextColumn text;                   // one a row, or as `offsets` says
  std::vector<std::size_t> offsets;  // multi-label only: rows + 1 entries
  std::vector<char> open;            // one a code: the label is unknown; may be empty
  std::string source;
  std::function<Place(std::size_t row)> place;  // of a row's label
};

// Sets codes and classes (not `columns`). Without a schema at least two classes must occur. A class
// that the schema does not know gets code -1 (multi-label: is left out) and a note.
Labels encode_labels(LabelText labels, const ReadOptions& options, ReadNotes& notes);

// Says that it is unknown whether a label holds for a row (Labels::weights).
void leave_open(Labels& labels, std::size_t rows, std::size_t row, std::int32_t code);

// Notes how many labels are unknown; DataError where all are and labels are needed.
void note_open_labels(const Labels& labels, const ReadOptions& options, const std::string& source,
                      ReadNotes& notes);

// A class code for each code of a dictionary: the schema's, -1 where it has none.
std::vector<std::int32_t> known_codes(const TextDictionary& dictionary,
                                      const std::vector<std::string>& known);

// "BEFORE3 rows hold 'x', 'y' and 4 moreAFTER": notes the entries of a dictionary whose code is -1.
void note_unknown(const TextDictionary& dictionary, const std::vector<std::int32_t>& codes,
                  std::string before, std::string after, ReadNotes& notes);

// Throws if a text of the dictionary is not UTF-8: names end up in model files and on screens.
void check_utf8(const TextDictionary& dictionary,
                const std::function<Place(std::size_t row)>& place);

}  // namespace simplexboost
