// The bytes of a file or of standard input as they come, unzipped where they are gzipped.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace simplexboost {

// Closes a file that was opened; standard input stays as it is.
class OpenFile {
 public:
  // "-" is standard input. Throws IoError where the system refuses.
  OpenFile(const std::string& path, const std::string& name);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_ = 0;  // standard input
};

// What to say where reading failed.
[[noreturn]] void throw_read_error(const std::string& name, int code);

class ByteSource {
 public:
  // The file must outlive it.
  ByteSource(int file, std::string name);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Up to `room` bytes; 0 at the end. Throws IoError, or DataError where the gzip file is broken.
  std::size_t read(char* out, std::size_t room);
  // Whether more will come within so many milliseconds, or the end is known.
  bool ready(int milliseconds) const;

 private:
  struct Inflater;
  void fill();
  std::size_t inflate(char* out, std::size_t room);
  bool next_member();

  int file_;
  std::string name_;
  std::unique_ptr<Inflater> inflater_;  // where it is gzipped
  std::string raw_ = {};                // as read, from begin_ on not handed over yet
  std::size_t begin_ = 0;
  std::size_t handed_ = 0;  // bytes of the file before that, for messages
  bool known_ = false;      // whether it is gzipped
  bool ended_ = false;
};

}  // namespace simplexboost
