// Reads data of any length in constant memory: block by block, in order, each a data set that is
// matched with a model's schema, while more comes in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "data/readers/byte_source.h"
#include "data/readers/read_text.h"
#include "simplexboost/read.h"

namespace simplexboost {

class DatasetStream {
 public:
  // Rows of about so many bytes make a block; fewer where nothing comes for a moment, so that they
  // do not wait. A row, or a header, that is longer is held whole.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 23;

  // `options` has a schema and no label weights. Throws as read_dataset() does, as do the others.
  DatasetStream(const std::string& path, const ReadOptions& options,
                std::size_t block_bytes = kBlockBytes);

  // The next rows; nothing at the end. There is a first block: data without rows is an error.
  std::optional<Dataset> next();
  // Of all blocks; to be asked at the end.
  ReadNotes notes() const;

 private:
  std::string_view pending() const;
  void drop(std::size_t size);
  void put_head();
  void fill();
  // Reads on until a block is whole, and returns its size; 0: nothing is left.
  std::size_t gather();
  // Of the rows that are whole, without empty lines behind them; 0: none is.
  std::size_t whole_rows() const;
  bool has_rows(std::string_view text) const;
  Dataset read_block(std::size_t size);

  std::string path_;
  std::string name_;
  ReadOptions options_;
  TextFormat format_;
  std::size_t block_bytes_;
  OpenFile file_;
  ByteSource source_;
  std::string buffer_ = {};     // room; the first size_ bytes of it are text:
  std::size_t size_ = 0;        // the head, and what is in no block yet
  std::size_t head_ = 0;        // bytes of lines that every block but the first begins with
  std::string next_head_ = {};  // found in the first one
  std::size_t lines_ = 0;       // of the text before what is pending
  bool ended_ = false;          // nothing will come
  bool first_ = true;
  ReadNotes notes_ = {};
};

}  // namespace simplexboost
