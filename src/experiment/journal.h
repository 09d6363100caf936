// The record of an experiment's finished cells, a JSON line each: what is in it is not run again,
// so that an interrupted experiment goes on where it stopped.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

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
};

class Journal {
 public:
  // Reads what is there; a line that is no whole record is left out, and its cell run again.
  explicit Journal(std::string path);

  const CellResult* find(const std::string& key) const;
  // Adds a cell and writes the file anew, so that it is never torn.
  void add(const std::string& key, const CellResult& result);

 private:
  std::string path_;
  std::map<std::string, CellResult> cells_;
};

// A short name for any text: FNV-1a, 64 bits, in hexadecimal.
std::string text_hash(const std::string& text);

}  // namespace simplexboost
