// Reads CSV: a header line of names, then records. Numbers go straight into their columns, on many
// threads; text is coded by dictionaries.
#pragma once

#include <cstdint>
#include <vector>

#include "data/readers/table/raw_table.h"
#include "data/readers/text_input.h"

namespace simplexboost {

// What the first line holds.
enum class CsvHeader : std::uint8_t {
  kNone,      // a record: columns are named by position
  kNames,     // names; a number among them means that the header is missing
  kAnyNames,  // names that may be numbers
  kStandIn,   // positions, written there in the place of the first record of a longer text
};

// Comma, or else the tab or semicolon of the first line.
char find_delimiter(const TextInput& input);

class CsvReader {
 public:
  // Takes in the header. `delimiter` 0: as find_delimiter() has it.
  // `matched`: a model says which columns there are, however many.
  CsvReader(const TextInput& input, CsvHeader header, char delimiter, int threads,
            bool matched = false);
  ~CsvReader();

  const std::vector<std::string>& names() const;
  // The records; `uses` has an entry a column. `this` must outlive the table's use of `place`.
  RawTable read(std::vector<CellUse> uses) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace simplexboost
