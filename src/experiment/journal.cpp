#include "experiment/journal.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/atomic_file.h"

namespace simplexboost {
namespace {

using Json = nlohmann::ordered_json;

std::string record_text(const std::string& key, const CellResult& cell) {
  const Json record{{"key", key},
                    {"wrong", cell.wrong},
                    {"rows", cell.rows},
                    {"rounds", cell.rounds},
                    {"seconds", cell.seconds},
                    {"stop_reason", cell.stop_reason}};
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::pair<std::string, CellResult>> parse_record(const std::string& line) {
  const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object()) return std::nullopt;
  try {
    CellResult cell{record.at("wrong").get<std::size_t>(), record.at("rows").get<std::size_t>(),
                    record.at("rounds").get<std::size_t>(), record.at("seconds").get<double>(),
                    record.at("stop_reason").get<std::string>()};
    if (cell.rows == 0 || cell.wrong > cell.rows) return std::nullopt;
    return std::pair{record.at("key").get<std::string>(), cell};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
  std::ifstream in(path_, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (auto record = parse_record(line)) cells_.insert_or_assign(record->first, record->second);
  }
}

const CellResult* Journal::find(const std::string& key) const {
  const auto cell = cells_.find(key);
  return cell == cells_.end() ? nullptr : &cell->second;
}

void Journal::add(const std::string& key, const CellResult& result) {
  cells_.insert_or_assign(key, result);
  AtomicFile file(path_);
  std::string text;
  for (const auto& [name, cell] : cells_) text += record_text(name, cell);
  file.write(text);
  file.commit();
}

std::string text_hash(const std::string& text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100'0000'01b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace simplexboost
