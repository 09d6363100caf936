#include "data/file_format.h"

#include <algorithm>
#include <utility>

namespace simplexboost {
namespace {

bool has_extension(std::string_view path, std::string_view extension) {
  if (path.size() < extension.size()) return false;
  const std::string_view end = path.substr(path.size() - extension.size());
  return std::equal(end.begin(), end.end(), extension.begin(), [](char c, char lower) {
    return c == lower || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == lower);
  });
}

}  // namespace

bool has_gzip_extension(std::string_view path) { return has_extension(path, ".gz"); }

FileFormat format_by_extension(std::string_view path) {
  constexpr std::pair<std::string_view, FileFormat> kExtensions[] = {
      {".csv", FileFormat::kCsv},
      {".libsvm", FileFormat::kLibsvm},
      {".svm", FileFormat::kLibsvm},
      {".arff", FileFormat::kArff},
  };
  if (has_gzip_extension(path)) path.remove_suffix(3);
  for (const auto& [extension, format] : kExtensions)
    if (has_extension(path, extension)) return format;
  return FileFormat::kAuto;
}

}  // namespace simplexboost
