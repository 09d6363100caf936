// The distinct texts of a column, numbered in the order in which they first appear. A column of
// names has as many as rows: all characters are in one pool, and a text takes 12 bytes beside its
// own and 12 at most for being found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/growing_array.h"

namespace simplexboost {

class TextDictionary {
 public:
  struct Entry {
    std::string_view text;  // until the next is added
    std::size_t count;
    std::size_t first_row;
  };

  // The code of `text`, seen `count` times, first in `row`. DataError beyond 4 GB of texts.
  std::int32_t add(std::string_view text, std::size_t row, std::size_t count = 1);

  bool contains(std::string_view text) const;

  std::size_t size() const { return state_ ? state_->items.size() : 0; }
  Entry operator[](std::size_t code) const {
    const Item& item = state_->items[code];
    return {state_->text(code), item.count, item.first_row};
  }
  std::vector<std::string_view> texts() const;

 private:
  struct Item {
    std::uint32_t end;  // of the text in the pool, where that of the next begins
    std::uint32_t count;
    std::uint32_t first_row;
  };

  struct State {
    GrowingArray<char> pool;
    GrowingArray<Item> items;
    std::vector<std::uint32_t> slots;  // by hash: code + 1, 0 if free; none while items are few
    std::uint32_t last = 0;            // equal texts often stand in runs

    std::string_view text(std::size_t code) const {
      const std::size_t begin = code == 0 ? 0 : items[code - 1].end;
      return {pool.data() + begin, items[code].end - begin};
    }
    std::uint32_t find(std::string_view text, std::size_t row);
    std::uint32_t append(std::string_view text, std::size_t row);
    std::size_t slot(std::string_view text) const;
    void widen();
  };
  std::unique_ptr<State> state_;  // none before the first text: most columns have none
};

// So many different texts the columns of a table may hold together, read from so many bytes: where
// cells are short and all differ, their names alone would take more than the 8 bytes a byte that
// reading may take.
constexpr std::size_t most_texts(std::size_t bytes) { return bytes / 8 + (std::size_t{1} << 19U); }

}  // namespace simplexboost
