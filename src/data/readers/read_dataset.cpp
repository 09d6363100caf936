#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/labels/label_weights.h"
#include "data/readers/arff_reader.h"
#include "data/readers/csv_reader.h"
#include "data/readers/file_format.h"
#include "data/readers/libsvm_reader.h"
#include "data/readers/read_notes.h"
#include "data/readers/read_text.h"
#include "data/readers/table/assemble.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/table/text_cell.h"
#include "data/readers/text_input.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"

namespace simplexboost {
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
                   const ReadOptions& options, ReadNotes& notes, const TableShare& share) {
  const std::size_t columns = reader.names().size();
  const ColumnPlan plan = plan_columns(input.name(), reader.names(), named, options, notes);
  RawTable table = reader.read(cell_uses(plan, columns, options.schema));
  if (options.schema == nullptr) {
    std::vector<CellUse> uses(columns, CellUse::kSkip);
    const std::vector<std::size_t> again = numbers_of_text_columns(table, plan, share);
    for (const std::size_t c : again) uses[c] = CellUse::kText;
    RawTable texts = again.empty() ? RawTable() : reader.read(uses);
    for (const std::size_t c : again) table.columns[c] = std::move(texts.columns[c]);
  }
  return assemble(std::move(table), plan, options, notes);
}

}  // namespace

TextFormat text_format(const std::string& path, const ReadOptions& options) {
  return {format_of(path, options.format), data_extension(path) == ".tsv" ? '\t' : '\0',
          options.header ? CsvHeader::kNames : CsvHeader::kNone};
}

Dataset read_text(const TextInput& input, const TextFormat& format, const ReadOptions& options,
                  ReadNotes& notes, const TableShare& share) {
  const bool matched = options.schema != nullptr;
  switch (format.format) {
    case FileFormat::kLibsvm: return read_libsvm(input, options, notes);
    case FileFormat::kArff:
      return read_table(input, ArffReader(input, matched), true, options, notes, share);
    default: break;
  }
  const CsvReader reader(input, format.header, format.delimiter, resolve_threads(options.threads),
                         matched);
  return read_table(input, reader, options.header, options, notes, share);
}

DataError too_large(const std::string& path) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  const std::string size = unknown ? "" : size_text(static_cast<double>(bytes)) + " are ";
  return {
      {path == "-" ? "<stdin>" : path},
      fmt::format("{}too large for the memory of this machine, of which {} are free; take fewer "
                  "rows or columns",
                  size, size_text(static_cast<double>(available_memory())))};
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

Dataset read_dataset(const std::string& path, const ReadOptions& options, ReadNotes* notes) {
  ReadNotes unused;
  if (path == "-" && options.label_weights == "-")
    throw ParameterError("label-weights: the data is standard input already; give a file");
  try {
    const TextFormat format = text_format(path, options);
    const TextInput input = TextInput::open(path, resolve_threads(options.threads));
    Dataset data = read_text(input, format, options, notes != nullptr ? *notes : unused);
    if (notes != nullptr) tell_unknown(*notes);
    if (!options.label_weights.empty())
      read_label_weights(options.label_weights, resolve_threads(options.threads), data);
    return data;
  } catch (const std::bad_alloc&) {
    throw too_large(path);
  }
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
