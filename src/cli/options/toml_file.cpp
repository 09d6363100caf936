#include "cli/options/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/text/nearest_name.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::string text;
  std::array<char, 4096> piece{};
  while (in) {
    in.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile)
      throw DataError({path}, "larger than 1 MB: this is no configuration file");
  }
  if (in.bad()) throw IoError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return text;
}

}  // namespace

toml::table read_toml(const std::string& path) {
  const std::string text = read_text(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw DataError(place_of(path, error.source()), std::string(error.description()));
  }
}

Place place_of(const std::string& path, const toml::source_region& region) {
  return {path, region.begin.line, region.begin.column};
}

std::string value_text(const std::string& path, std::string_view key, const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  throw DataError(place_of(path, node.source()), fmt::format("{}: needs a number or a text", key));
}

void check_keys(const std::string& path, const toml::table& table,
                std::initializer_list<std::string_view> valid) {
  const std::vector<std::string_view> names(valid);
  for (const auto& [key, node] : table) {
    if (std::find(names.begin(), names.end(), key.str()) == names.end()) {
      throw DataError(place_of(path, key.source()), unknown_name_message("key", key.str(), names));
    }
  }
}

}  // namespace simplexboost::cli
