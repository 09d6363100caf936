#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/threads/parallel.h"
#include "data/label_weights.h"
#include "data/readers/arff_reader.h"
#include "data/readers/assemble.h"
#include "data/readers/column_plan.h"
#include "data/readers/csv_reader.h"
#include "data/readers/file_format.h"
#include "data/readers/libsvm_reader.h"
#include "data/readers/text_cell.h"
#include "data/readers/text_input.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

FileFormat format_of(const std::string& path, FileFormat stated) {
  if (stated != FileFormat::kAuto) return stated;
  if (path == "-") return FileFormat::kCsv;
  const FileFormat format = format_by_extension(path);
  if (format != FileFormat::kAuto) return format;
  throw DataError({path}, fmt::format("unknown extension {}; expected .csv, .tsv, .libsvm, .svm or "
                                      ".arff, also with .gz, or --format",
                                      quote(data_extension(path))));
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
  const char delimiter = data_extension(path) == ".tsv" ? '\t' : '\0';
  const CsvHeader header = options.header ? CsvHeader::kNames : CsvHeader::kNone;
  return read_table(input, CsvReader(input, header, delimiter, threads), options.header, options,
                    notes);
}

}  // namespace

Dataset read_dataset(const std::string& path, const ReadOptions& options, ReadNotes* notes) {
  ReadNotes unused;
  if (path == "-" && options.label_weights == "-")
    throw ParameterError("label-weights: the data is standard input already; give a file");
  try {
    Dataset data = read_format(path, format_of(path, options.format), options,
                               notes != nullptr ? *notes : unused);
    if (!options.label_weights.empty())
      read_label_weights(options.label_weights, resolve_threads(options.threads), data);
    return data;
  } catch (const std::bad_alloc&) {
    throw DataError({path == "-" ? "<stdin>" : path},
                    "too large for the memory of this machine; take fewer rows or columns");
  }
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
