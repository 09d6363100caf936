// Reads ARFF files (Weka): attributes declared by type, then dense or sparse rows. Nominal and
// string attributes become categories.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/table/raw_table.h"
#include "data/readers/text_input.h"

namespace simplexboost {

// How many bytes the declarations take, with the line @data; 0 where it has not come yet.
std::size_t arff_header_size(std::string_view text);

class ArffReader {
 public:
  // Takes in the declarations. `input` must outlive the reader.
  // `matched`: as CsvReader has it.
  explicit ArffReader(const TextInput& input, bool matched = false);
  ~ArffReader();

  const std::vector<std::string>& names() const;
  // The rows; `uses` has an entry an attribute. `this` must outlive the table's use of `place`.
  RawTable read(const std::vector<CellUse>& uses) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace simplexboost
