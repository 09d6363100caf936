// Writes a file so that its path always holds the old content or the whole new one. Bytes go to a
// temporary file beside the target, which commit() syncs and renames over it; without a commit the
// temporary is removed and the target is as it was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simplexboost {

// Every failure (no such folder, no permission, disk full) throws IoError with the path and the
// system's reason. Writes are not buffered: hand over large pieces.
//
// A symbolic link is followed and stays, one to nothing yet too; an existing file's permissions are
// kept. A target that is no regular file (/dev/null, a pipe) cannot be replaced and is written
// directly. What a process that was killed left of writing the same target is removed.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

  // Makes the new content the file's. Call once, after the last write.
  void commit();

  const std::string& path() const { return path_; }

 private:
  void open_temporary(unsigned mode);
  void sync_folder();
  [[noreturn]] void fail(const char* what, int error);

  std::string path_;       // as the caller named it, for messages
  std::string target_;     // with symbolic links resolved
  std::string temporary_;  // empty: written directly, or renamed already
  int file_ = -1;
};

}  // namespace simplexboost
