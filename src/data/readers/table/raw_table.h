// A table as its file tells it, before anyone has said what a column means: each column holds
// numbers, or text coded by a dictionary. All dense readers make one, and assemble.h takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/table/number_column.h"
#include "data/readers/table/text_dictionary.h"
#include "simplexboost/error.h"

namespace simplexboost {

struct TextColumn {
  std::vector<std::int32_t> codes;  // one a row; -1: missing
  TextDictionary dictionary;
};

struct RawColumn {
  bool is_text = false;
  bool declared_categorical = false;  // the source itself says that these are categories
  NumberColumn numbers;               // if not text
  TextColumn text;                    // if text
};

struct RawTable {
  std::string source;
  std::vector<std::string> names;
  bool named = true;
  std::size_t rows = 0;
  std::vector<RawColumn> columns;  // empty ones where nothing was asked for
  std::function<Place(std::size_t row, std::size_t column)> place;  // of a cell, for messages
};

// What to take from a column.
enum class CellUse : std::uint8_t {
  kSkip,
  kNumber,  // numbers, unless there is text in it: then all of it as text
  kText,
};

// So many categories a column can have.
inline constexpr std::size_t kMostCategories = 65535;
// And so many classes the labels.
inline constexpr std::size_t kMostLabels = 1'000'000;

// Refuses so many columns, some of them of text, that those of a text of so many bytes would take
// more memory than reading may: each has a name, a type and pointers. Where a model says which
// columns there are, they are as many as it has.
void require_room(const std::string& source, std::size_t bytes, std::size_t columns,
                  std::size_t of_text);

// The error of a table whose columns hold more than most_texts(bytes).
DataError too_many_texts(const std::string& source, std::size_t bytes);

// The order of category and class names, whatever the order of the rows: by number if all are
// numbers, else by bytes. Returns the place of each name in that order.
std::vector<std::int32_t> rank_names(const std::vector<std::string_view>& names);
std::vector<std::int32_t> rank_names(const std::vector<std::string>& names);

// The names in that order, those that `rank` is of.
std::vector<std::string> in_rank(const std::vector<std::string_view>& names,
                                 const std::vector<std::int32_t>& rank);

}  // namespace simplexboost
