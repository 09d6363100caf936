// Reading data sets from CSV, LIBSVM and ARFF files, plain or gzipped, or from standard input.
// Bad input throws DataError with the file, line and column; nothing is guessed in silence.
#pragma once

#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

enum class FileFormat : std::uint8_t { kAuto, kCsv, kLibsvm, kArff };

struct ReadOptions {
  FileFormat format = FileFormat::kAuto;  // kAuto: by extension, .gz aside; standard input is CSV
  std::vector<std::string> label;  // names or 1-based positions; empty: `class`, else the last
  std::string weight;              // name or position of the weight column; empty: none
  // A CSV file of Labels::weights: a line of class names, in any order, then a line for each row of
  // the data; empty: none.
  std::string label_weights;
  std::vector<std::string> categorical;  // columns to take as categories whatever they hold
  std::vector<std::string> ignore;       // columns to leave out
  bool header = true;                    // CSV: the first line holds the names
  bool require_labels = true;            // false: prediction data may come without labels
  bool multi_label = false;              // LIBSVM: force lists of labels even if every row has one
  bool part = false;                     // others have more rows: one, or one class, is enough
  const Schema* schema = nullptr;        // match with this (a model's) instead of inferring
  int threads = 0;                       // 0: all cores
};

// What was noticed and is worth a line to the person: extra columns ignored, unseen categories...
struct ReadNotes {
  std::vector<std::string> lines;

  // Names in the data that a model does not know, in the words of a line that they stand in; so
  // that what is read in pieces can be told as one. read_dataset() leaves lines alone.
  struct Unknown {
    std::string before;
    std::size_t rows = 0;  // that hold them; 0: it is no matter of rows
    std::vector<std::string> names;
    std::string after;
  };
  std::vector<Unknown> unknown;
};

// `path` "-" is standard input.
SIMPLEXBOOST_API Dataset read_dataset(const std::string& path, const ReadOptions& options,
                                      ReadNotes* notes = nullptr);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
