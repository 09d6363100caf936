// Records of finished work in a file, a JSON object a line, each under a key: what is in it need
// not be done again after an interruption.
#pragma once

#include <map>
#include <string>

namespace simplexboost {

class RecordFile {
 public:
  // Reads what is there; a line that is no whole record is left out, but for the first one: IoError
  // then, as the file is something else. An empty path keeps the records in memory only.
  explicit RecordFile(std::string path);

  // The JSON text of the record under a key, or null.
  const std::string* find(const std::string& key) const;
  const std::map<std::string, std::string>& all() const { return records_; }
  const std::string& path() const { return path_; }
  // `object` is the text of a JSON object. Writes the file anew, so that it is never torn.
  void add(const std::string& key, const std::string& object);

 private:
  std::string path_;
  std::map<std::string, std::string> records_;
};

// A short name for any text: FNV-1a, 64 bits, in hexadecimal.
std::string short_hash(const std::string& text);

}  // namespace simplexboost
