#include "cli/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/training_parameter.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::string text(kLargestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw IoError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kLargestFile) {
    throw DataError({path}, "larger than 1 MB: this is no configuration file");
  }
  return text;
}

Place place_of(const std::string& path, const toml::source_position& position) {
  return {path, position.line, position.column};
}

toml::table parse(const std::string& path) {
  const std::string text = read_text(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw DataError(place_of(path, error.source().begin), std::string(error.description()));
  }
}

// The value as one would write it on the command line.
std::string value_text(const std::string& path, const toml::key& key, const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  throw DataError(place_of(path, node.source().begin),
                  fmt::format("{}: needs a number or a text", key.str()));
}

}  // namespace

void read_config_file(const std::string& path, Parameters& parameters) {
  for (const auto& [key, node] : parse(path)) {
    try {
      // An unknown name is said before anything about its value.
      static_cast<void>(get_parameter(parameters, key.str()));
      set_training_parameter(parameters, std::string(key.str()), value_text(path, key, node));
    } catch (const ParameterError& error) {
      throw DataError(place_of(path, key.source().begin), error.what());
    }
  }
}

}  // namespace simplexboost::cli
