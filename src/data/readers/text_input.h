// The whole text of a file or of standard input, unzipped where it is gzipped, without a byte order
// mark. All readers take their bytes from here, and name their places with it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost {

class TextInput {
 public:
  // `path` "-" is standard input. Throws IoError where the system refuses, DataError where the
  // bytes are no text: broken gzip, another compression, UTF-16, NUL bytes.
  static TextInput open(const std::string& path, int threads);
  // For texts that are in memory already.
  static TextInput from_text(std::string name, std::string_view text);
  // Pieces of a longer text, which must outlive them: its beginning; and one that begins with its
  // first lines again, the head of so many bytes, before those from line `lines_before` + 1 on.
  static TextInput beginning(std::string name, std::string_view text, int threads);
  static TextInput part(std::string name, std::string_view text, std::size_t head,
                        std::size_t lines_before, int threads);
  // Several such pieces behind one head, of one text or of several.
  struct Piece {
    std::size_t begin = 0;         // in the joined text
    std::string name = {};         // of the text that it is from
    std::size_t lines_before = 0;  // in that
  };
  static TextInput joined(std::string name, std::string_view text, std::vector<Piece> pieces,
                          int threads);

  const std::string& name() const { return name_; }
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  std::string_view text() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }

  // The line and the column (in characters) of a byte of the text.
  Place place(const char* at) const;
  DataError error(const char* at, const std::string& what) const { return {place(at), what}; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  // Memory that is not cleared before it is read into: clearing costs as much as reading.
  struct Buffer {
    std::unique_ptr<char, Free> bytes;
    std::size_t size = 0;
    std::size_t capacity = 0;

    void reserve(std::size_t wanted);
  };

  static Buffer read_file(int file, const std::string& name, int threads);
  static Buffer read_stream(int file, const std::string& name);
  TextInput(std::string name, std::string_view text);
  TextInput(std::string name, Buffer buffer, int threads);
  void skip_mark();
  void check_text(int threads) const;
  void check_zeros(int threads) const;

  std::string name_;
  Buffer buffer_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::vector<Piece> pieces_;  // behind the head, where it is not a whole text; ascending
};

}  // namespace simplexboost
