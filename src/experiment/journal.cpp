#include "experiment/journal.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "base/text/json.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// What most cells do not have is left out.
std::string record_text(const CellResult& cell, const std::string& program) {
  Json record{{"wrong", cell.wrong},
              {"rows", cell.rows},
              {"rounds", cell.rounds},
              {"seconds", cell.seconds},
              {"stop_reason", cell.stop_reason},
              {"train_rows", cell.train_rows},
              {"program", program}};
  if (!cell.chosen.empty()) record["chosen"] = cell.chosen;
  if (!cell.measures.empty()) record["measures"] = cell.measures;
  if (cell.bound_checks > 0)
    record["bounds"] = {{"checks", cell.bound_checks}, {"broken", cell.bounds_broken}};
  if (!cell.curves.empty()) {
    record["curve_rounds"] = cell.curve_rounds;
    record["curves"] = cell.curves;
  }
  return record.dump();
}

// Throws JsonError on a record that is not whole.
CellResult parse_cell(const Json& record) {
  CellResult cell;
  cell.wrong = record.at("wrong").get<std::size_t>();
  cell.rows = record.at("rows").get<std::size_t>();
  cell.rounds = record.at("rounds").get<std::size_t>();
  cell.seconds = record.at("seconds").get<double>();
  cell.stop_reason = record.at("stop_reason").get<std::string>();
  cell.train_rows = record.value("train_rows", std::size_t{0});
  cell.chosen = record.value("chosen", std::string());
  cell.measures = record.value("measures", cell.measures);
  if (record.contains("bounds")) {
    cell.bound_checks = record.at("bounds").at("checks").get<std::size_t>();
    cell.bounds_broken = record.at("bounds").at("broken").get<std::size_t>();
  }
  cell.curve_rounds = record.value("curve_rounds", cell.curve_rounds);
  cell.curves = record.value("curves", cell.curves);
  cell.program = record.value("program", std::string("unknown"));
  return cell;
}

bool sound(const CellResult& cell) {
  for (const auto& [name, values] : cell.curves)
    if (values.size() != cell.curve_rounds.size()) return false;
  return cell.rows > 0 && cell.wrong <= cell.rows && cell.bounds_broken <= cell.bound_checks;
}

std::optional<CellResult> parse_record(const std::string& text) {
  try {
    CellResult cell = parse_cell(Json::parse(text));
    if (sound(cell)) return cell;
  } catch (const JsonError&) {
    // Not a whole record: its cell is run again.
  }
  return std::nullopt;
}

}  // namespace

Journal::Journal(const std::string& path, std::string program)
    : file_(path), program_(std::move(program)) {
  for (const auto& [key, text] : file_.all())
    if (const auto cell = parse_record(text)) cells_.insert_or_assign(key, *cell);
}

const CellResult* Journal::find(const std::string& key) const {
  const auto cell = cells_.find(key);
  return cell == cells_.end() ? nullptr : &cell->second;
}

void Journal::add(const std::string& key, const CellResult& result) {
  cells_.insert_or_assign(key, result);
  file_.add(key, record_text(result, program_));
}

TrialLog::TrialLog(std::string path) : path_(std::move(path)) {
  std::ifstream in(path_, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    try {
      const Json record = Json::parse(line);
      trials_.insert_or_assign(record.at("key").get<std::string>(),
                               record.at("errors").get<std::vector<double>>());
    } catch (const JsonError&) {
      continue;  // not a whole record: its training is run again
    }
  }
}

const std::vector<double>* TrialLog::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto trial = trials_.find(key);
  return trial == trials_.end() ? nullptr : &trial->second;
}

void TrialLog::add(const std::string& key, const std::vector<double>& errors) {
  const std::lock_guard lock(mutex_);
  trials_.insert_or_assign(key, errors);
  // The line end goes first: the line before may be torn.
  std::ofstream out(path_, std::ios::binary | std::ios::app);
  out << '\n' << Json({{"key", key}, {"errors", errors}}).dump();
  out.flush();
  if (!out) throw IoError(fmt::format("cannot write '{}'", path_));
}

void TrialLog::clear() {
  const std::lock_guard lock(mutex_);
  trials_.clear();
  std::error_code none;
  std::filesystem::remove(path_, none);
}

}  // namespace simplexboost
