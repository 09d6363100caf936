// The record of an experiment's finished cells, a JSON line each: what is in it is not run again,
// so that an interrupted experiment goes on where it stopped; and, while a cell is under way, of
// the trainings that validation has made for it.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/files/record_file.h"

namespace simplexboost {

// One training and its test.
struct CellResult {
  std::size_t wrong = 0;
  std::size_t rows = 0;  // test rows
  std::size_t rounds = 0;
  double seconds = 0;  // of training, with all that validation took
  std::string stop_reason;
  std::size_t train_rows = 0;
  std::string chosen = {};                      // by validation, in words
  std::map<std::string, double> measures = {};  // by name; errors and bounds in percent
  std::size_t bound_checks = 0;                 // how often a bound was compared
  std::size_t bounds_broken = 0;                // and how often it did not hold
  std::vector<std::size_t> curve_rounds = {};   // rounds that the curves have a point for
  std::map<std::string, std::vector<double>> curves = {};  // by name, in percent
  std::string program = {};  // that made it, of cells of a journal; "unknown" of old ones
};

class Journal {
 public:
  // Reads what is there; a line that is no whole record is left out, and its cell run again.
  // `program`: the one that makes the cells to come.
  explicit Journal(const std::string& path, std::string program = "unknown");

  const std::string& path() const { return file_.path(); }
  const CellResult* find(const std::string& key) const;
  // Adds a cell and writes the file anew, so that it is never torn.
  void add(const std::string& key, const CellResult& result);

 private:
  RecordFile file_;
  std::string program_;
  std::map<std::string, CellResult> cells_;
};

// The validation errors, one a round, of trainings that are only steps on the way to a cell. Lines
// are appended, by any thread; one that was torn is left out when the file is read again.
class TrialLog {
 public:
  explicit TrialLog(std::string path);

  // The errors, or null; valid as long as the log is.
  const std::vector<double>* find(const std::string& key) const;
  void add(const std::string& key, const std::vector<double>& errors);
  // All cells are finished: removes the file.
  void clear();

 private:
  std::string path_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<double>> trials_;
};

}  // namespace simplexboost
