// A text as a data set: the one place that knows which reader is for which format.
#pragma once

#include <string>

#include "data/readers/csv_reader.h"
#include "data/readers/table/column_types.h"
#include "data/readers/text_input.h"
#include "simplexboost/read.h"

namespace simplexboost {

struct TextFormat {
  FileFormat format = FileFormat::kCsv;
  char delimiter = '\0';  // CSV: as CsvReader has it
  CsvHeader header = CsvHeader::kNames;
};

// By what the options say, or by the name of the file.
TextFormat text_format(const std::string& path, const ReadOptions& options);

Dataset read_text(const TextInput& input, const TextFormat& format, const ReadOptions& options,
                  ReadNotes& notes, const TableShare& share = {});

// The error of data that memory is too short for.
DataError too_large(const std::string& path);

}  // namespace simplexboost
