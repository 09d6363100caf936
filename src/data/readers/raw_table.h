// A table as its file tells it, before anyone has said what a column means: each column holds
// numbers, or text coded by a dictionary. All dense readers make one, and assemble.h takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/readers/number_column.h"
#include "simplexboost/error.h"

namespace simplexboost {

// The distinct texts of a column, numbered in the order in which they first appear.
class TextDictionary {
 public:
  struct Entry {
    const std::string* text;  // a key of `codes`, which stay in place
    std::size_t count;
    std::size_t first_row;
  };

  TextDictionary() = default;
  TextDictionary(TextDictionary&&) = default;
  TextDictionary& operator=(TextDictionary&&) = default;

  // The code of `text`, seen `count` times, first in `row`.
  std::int32_t add(std::string_view text, std::size_t row, std::size_t count = 1);

  std::size_t size() const { return state_ ? state_->entries.size() : 0; }
  const Entry& operator[](std::size_t code) const { return state_->entries[code]; }
  std::vector<std::string> texts() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  struct State {
    std::vector<Entry> entries;
    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes;
    std::int32_t last = -1;  // equal texts often stand in runs
  };
  std::unique_ptr<State> state_;  // none before the first text: most columns have none
};

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

// The order of category and class names, whatever the order of the rows: by number if all are
// numbers, else by bytes. Returns the place of each name in that order.
std::vector<std::int32_t> rank_names(const std::vector<std::string>& names);

}  // namespace simplexboost
