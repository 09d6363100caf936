// Generated rows as text. Pieces are made in parallel, some per thread, and written in their order:
// memory does not depend on the number of rows, nor the text on the number of threads.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>
#include <string>

#include "base/files/atomic_file.h"
#include "base/files/gzip_encoder.h"
#include "base/threads/parallel.h"
#include "data/generators/row_source.h"
#include "data/readers/file_format.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

using Sink = std::function<void(std::string_view bytes)>;

void append_integer(std::string& out, std::int64_t value) {
  char digits[24];
  const auto result = std::to_chars(std::begin(digits), std::end(digits), value);
  out.append(std::begin(digits), result.ptr);
}

// A generated value is a multiple of 1e-5: an integer and a decimal point write it exactly, several
// times faster than what must serve any number.
void append_value(std::string& out, double value) {
  constexpr std::int64_t kUnit = 100000;
  std::int64_t scaled = std::llrint(value * static_cast<double>(kUnit));
  if (scaled < 0) {
    out += '-';
    scaled = -scaled;
  }
  append_integer(out, scaled / kUnit);
  std::int64_t rest = scaled % kUnit;
  if (rest == 0) return;
  char decimals[] = {'.', '0', '0', '0', '0', '0'};
  std::size_t last = 0;
  for (std::size_t i = 5; i > 0; --i, rest /= 10) {
    decimals[i] = static_cast<char>('0' + rest % 10);
    if (last == 0 && decimals[i] != '0') last = i;
  }
  out.append(decimals, last + 1);
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ',';
    text += word;
  }
  return text;
}

std::string header_of(const Schema& schema, FileFormat format) {
  std::string text;
  switch (format) {
    case FileFormat::kLibsvm: break;
    case FileFormat::kArff:
      text += "@relation generated\n\n";
      for (const FeatureSchema& feature : schema.features)
        text += "@attribute " + feature.name +
                (feature.categories.empty() ? " numeric" : " {" + join(feature.categories) + "}") +
                "\n";
      text += "@attribute class {" + join(schema.classes) + "}\n\n@data\n";
      break;
    case FileFormat::kAuto:
    case FileFormat::kCsv:
      for (const FeatureSchema& feature : schema.features) text += feature.name + ",";
      text += "class\n";
      break;
  }
  return text;
}

bool is_integer(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// LIBSVM's labels are numbers.
std::vector<std::string> label_texts(const Schema& schema, FileFormat format) {
  std::vector<std::string> texts = schema.classes;
  if (format != FileFormat::kLibsvm || std::all_of(texts.begin(), texts.end(), is_integer))
    return texts;
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k] = std::to_string(k);
  return texts;
}

void append_dense_row(std::string& out, const double* row,
                      const std::vector<FeatureSchema>& features, const std::string& label) {
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (features[j].categories.empty())
      append_value(out, row[j]);
    else
      out += features[j].categories[static_cast<std::size_t>(row[j])];
    out += ',';
  }
  out += label;
  out += '\n';
}

void append_entry(std::string& out, std::size_t feature, double value) {
  out += ' ';
  append_integer(out, static_cast<std::int64_t>(feature + 1));
  out += ':';
  append_value(out, value);
}

// Categories as their codes: it holds numbers alone.
void append_sparse_row(std::string& out, const double* row,
                       const std::vector<FeatureSchema>& features, const std::string& label) {
  out += label;
  for (std::size_t j = 0; j < features.size(); ++j)
    if (row[j] != 0) append_entry(out, j, row[j]);
  out += '\n';
}

// One block of rows and its text; the memory is used again for later blocks.
class Piece {
 public:
  void make(const RowGenerator& generator, std::size_t begin, std::size_t end, FileFormat format,
            const std::vector<std::string>& labels) {
    const auto* const sparse = dynamic_cast<const SparseGenerator*>(&generator);
    if (format == FileFormat::kLibsvm && sparse != nullptr && sparse->sparse())
      return make_sparse(*sparse, begin, end, labels);
    const std::size_t width = generator.schema().features.size();
    features_.resize((end - begin) * width);
    labels_.resize(end - begin);
    generator.fill(begin, end - begin, features_.data(), labels_.data());
    text_.clear();
    const auto append = format == FileFormat::kLibsvm ? &append_sparse_row : &append_dense_row;
    for (std::size_t i = 0; i < end - begin; ++i)
      append(text_, features_.data() + i * width, generator.schema().features,
             labels[static_cast<std::size_t>(labels_[i])]);
  }

  const std::string& text() const { return text_; }

 private:
  void make_sparse(const SparseGenerator& generator, std::size_t begin, std::size_t end,
                   const std::vector<std::string>& labels) {
    labels_.resize(end - begin);
    generator.fill_entries(begin, end - begin, entries_, labels_.data());
    text_.clear();
    std::size_t at = 0;
    for (std::size_t i = 0; i < end - begin; ++i) {
      text_ += labels[static_cast<std::size_t>(labels_[i])];
      for (; at < entries_.ends[i]; ++at)
        append_entry(text_, entries_.features[at], entries_.values[at]);
      text_ += '\n';
    }
  }

  SparseBlock entries_;
  std::vector<double> features_;
  std::vector<std::int32_t> labels_;
  std::string text_;
};

bool write_text(const RowGenerator& generator, FileFormat format, int threads, Progress* progress,
                const Sink& sink) {
  const std::size_t rows = generator.rows();
  const std::size_t block = generator.block_rows();
  const std::size_t blocks = rows / block + (rows % block > 0 ? 1 : 0);
  const std::vector<std::string> labels = label_texts(generator.schema(), format);
  threads = resolve_threads(threads);
  std::vector<Piece> pieces(std::min<std::size_t>(blocks, 4 * static_cast<std::size_t>(threads)));
  if (progress != nullptr) progress->start(blocks);
  sink(header_of(generator.schema(), format));
  for (std::size_t done = 0; done < blocks; done += pieces.size()) {
    const std::size_t count = std::min(pieces.size(), blocks - done);
    parallel_for(threads, count, [&](std::size_t i) {
      const std::size_t begin = (done + i) * block;
      pieces[i].make(generator, begin, begin + std::min(block, rows - begin), format, labels);
    });
    for (std::size_t i = 0; i < count; ++i) sink(pieces[i].text());
    if (progress != nullptr && !progress->round(done + count - 1, {})) return false;
  }
  if (progress != nullptr) progress->finish("all rows written");
  return true;
}

// Names that the readers would take for something else are refused.
FileFormat format_to_write(const std::string& path, FileFormat stated) {
  if (stated != FileFormat::kAuto) return stated;
  const FileFormat format = format_by_extension(path);
  if (format == FileFormat::kAuto || data_extension(path) == ".tsv")
    throw ParameterError("cannot tell the format of '" + path +
                         "': the name must end in .csv, .libsvm, .svm or .arff, also with .gz, or "
                         "the format be stated");
  return format;
}

}  // namespace

bool write_generated(const RowGenerator& generator, std::ostream& out, FileFormat format,
                     int threads, Progress* progress) {
  const bool complete = write_text(generator, format, threads, progress, [&](auto bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out) throw IoError("cannot write the generated rows: the output does not take more");
  });
  out.flush();
  if (!out) throw IoError("cannot write the generated rows: the output does not take more");
  return complete;
}

bool write_generated(const RowGenerator& generator, const std::string& path, FileFormat format,
                     int threads, Progress* progress) {
  format = format_to_write(path, format);
  AtomicFile file(path);
  const Sink to_file = [&](std::string_view bytes) { file.write(bytes); };
  bool complete = false;
  if (has_gzip_extension(path)) {
    GzipEncoder encoder(to_file);
    complete = write_text(generator, format, threads, progress,
                          [&](std::string_view bytes) { encoder.write(bytes); });
    encoder.finish();
  } else {
    complete = write_text(generator, format, threads, progress, to_file);
  }
  if (complete) file.commit();
  return complete;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
