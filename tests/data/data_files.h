// Files for the tests of the readers: written to a folder of their own, removed at the end.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"

namespace simplexboost::testing {

class DataFolder {
 public:
  DataFolder() {
    static std::atomic<int> counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("simplexboost-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }

  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

inline Dataset read_text(const std::string& name, std::string_view text,
                         const ReadOptions& options = {}, ReadNotes* notes = nullptr) {
  const DataFolder folder;
  return read_dataset(folder.write(name, text), options, notes);
}

// The message of reading `text`, without the folder; "" if nothing was thrown.
inline std::string read_error(const std::string& name, std::string_view text,
                              const ReadOptions& options = {}) {
  const DataFolder folder;
  const std::string path = folder.write(name, text);
  try {
    read_dataset(path, options);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.starts_with(path) ? name + message.substr(path.size()) : message;
  }
  return "";
}

inline std::vector<double> values(const Dataset& data, std::size_t column) {
  std::vector<double> result(data.rows);
  data.columns[column].copy(0, data.rows, result.data());
  return result;
}

}  // namespace simplexboost::testing
