#include "data/readers/file_format.h"

#include <utility>

#include "data/readers/table/text_cell.h"

namespace simplexboost {

bool has_gzip_extension(std::string_view path) { return to_lower(path).ends_with(".gz"); }

std::string data_extension(std::string_view path) {
  std::string name = to_lower(path.substr(path.find_last_of('/') + 1));
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
}

FileFormat format_by_extension(std::string_view path) {
  constexpr std::pair<std::string_view, FileFormat> kExtensions[] = {
      {"", FileFormat::kCsv},        {".csv", FileFormat::kCsv},
      {".tsv", FileFormat::kCsv},    {".txt", FileFormat::kCsv},
      {".data", FileFormat::kCsv},   {".libsvm", FileFormat::kLibsvm},
      {".svm", FileFormat::kLibsvm}, {".svmlight", FileFormat::kLibsvm},
      {".arff", FileFormat::kArff},
  };
  const std::string extension = data_extension(path);
  for (const auto& [known, format] : kExtensions)
    if (extension == known) return format;
  return FileFormat::kAuto;
}

}  // namespace simplexboost
