#include "base/files/record_file.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// The record of a line, or nothing where it is no whole one.
std::optional<Json> read_line(const std::string& line) {
  try {
    Json record = Json::parse(line);
    if (record.is_object() && record.contains("key") && record.at("key").is_string()) return record;
  } catch (const JsonError&) {
    // A torn line, or none of ours.
  }
  return std::nullopt;
}

}  // namespace

RecordFile::RecordFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::ifstream in(path_, std::ios::binary);
  bool ours = true;
  for (std::string line; std::getline(in, line);) {
    std::optional<Json> record = read_line(line);
    if (!record) {
      // Later lines may be torn; one that stands before all records is somebody's own text.
      ours = ours && (!records_.empty() || line.find_first_not_of(" \t\r") == std::string::npos);
      continue;
    }
    const auto key = record->at("key").get<std::string>();
    record->erase("key");
    records_.insert_or_assign(key, record->dump());
  }
  if (!ours)
    throw IoError(
        fmt::format("'{}' is no journal, and would be lost: its first line is no record; "
                    "give the name of a new file",
                    path_));
}

const std::string* RecordFile::find(const std::string& key) const {
  const auto record = records_.find(key);
  return record == records_.end() ? nullptr : &record->second;
}

void RecordFile::add(const std::string& key, const std::string& object) {
  records_.insert_or_assign(key, object);
  if (path_.empty()) return;
  AtomicFile file(path_);
  std::string text;
  for (const auto& [name, record] : records_) {
    assert(record.starts_with('{'));
    const std::string_view rest = std::string_view(record).substr(1);
    text += fmt::format("{{\"key\":{}{}{}\n", Json(name).dump(), rest == "}" ? "" : ",", rest);
  }
  file.write(text);
  file.commit();
}

std::string short_hash(const std::string& text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100'0000'01b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace simplexboost
