#include "base/record_file.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/atomic_file.h"

namespace simplexboost {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& record) {
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

RecordFile::RecordFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::ifstream in(path_, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || !record.contains("key") || !record["key"].is_string()) continue;
    const auto key = record["key"].get<std::string>();
    record.erase("key");
    records_.insert_or_assign(key, text_of(record));
  }
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
    text += fmt::format("{{\"key\":{}{}{}\n", text_of(name), rest == "}" ? "" : ",", rest);
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
