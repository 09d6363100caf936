#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/parallel.h"
#include "data/arff_reader.h"
#include "data/assemble.h"
#include "data/column_plan.h"
#include "data/csv_reader.h"
#include "data/libsvm_reader.h"
#include "data/text_cell.h"
#include "data/text_input.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"

namespace simplexboost {
namespace {

// "" if there is none, else with its dot and in lower case; ".gz" aside.
std::string extension(const std::string& path) {
  std::string name = to_lower(path.substr(path.find_last_of('/') + 1));
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
}

FileFormat format_of(const std::string& path, FileFormat stated) {
  if (stated != FileFormat::kAuto) return stated;
  if (path == "-") return FileFormat::kCsv;
  const std::string end = extension(path);
  for (const char* csv : {"", ".csv", ".tsv", ".txt", ".data"})
    if (end == csv) return FileFormat::kCsv;
  for (const char* libsvm : {".libsvm", ".svm", ".svmlight"})
    if (end == libsvm) return FileFormat::kLibsvm;
  if (end == ".arff") return FileFormat::kArff;
  throw DataError({path}, fmt::format("unknown extension {}; expected .csv, .tsv, .libsvm, .svm or "
                                      ".arff, also with .gz, or --format",
                                      quote(end)));
}

// Readers of tables have names() and read(uses).
template <class Reader>
Dataset read_table(const TextInput& input, const Reader& reader, bool named,
                   const ReadOptions& options, ReadNotes& notes) {
  const ColumnPlan plan = plan_columns(input.name(), reader.names(), named, options, notes);
  return assemble(reader.read(cell_uses(plan, reader.names().size(), options.schema)), plan,
                  options, notes);
}

Dataset read_format(const std::string& path, FileFormat format, const ReadOptions& options,
                    ReadNotes& notes) {
  const int threads = resolve_threads(options.threads);
  const TextInput input = TextInput::open(path, threads);
  switch (format) {
    case FileFormat::kLibsvm: return read_libsvm(input, options, notes);
    case FileFormat::kArff: return read_table(input, ArffReader(input), true, options, notes);
    default: break;
  }
  const char delimiter = extension(path) == ".tsv" ? '\t' : '\0';
  return read_table(input, CsvReader(input, options.header, delimiter, threads), options.header,
                    options, notes);
}

}  // namespace

Dataset read_dataset(const std::string& path, const ReadOptions& options, ReadNotes* notes) {
  ReadNotes unused;
  try {
    return read_format(path, format_of(path, options.format), options,
                       notes != nullptr ? *notes : unused);
  } catch (const std::bad_alloc&) {
    throw DataError({path}, "too large for the memory of this machine; take fewer rows or columns");
  }
}

}  // namespace simplexboost
