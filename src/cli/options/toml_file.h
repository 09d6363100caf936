// TOML files read with their places kept, so that every complaint names file, line and column.
// Includes toml++, which is heavy: for the few .cpp files that read TOML.
#pragma once

#include <toml++/toml.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "simplexboost/error.h"

namespace simplexboost::cli {

// Throws DataError on text that is no TOML or longer than a file of settings can be.
toml::table read_toml(const std::string& path);

Place place_of(const std::string& path, const toml::source_region& region);

// A scalar as one would write it on the command line; DataError on anything else.
std::string value_text(const std::string& path, std::string_view key, const toml::node& node);

// Throws DataError at the first key that is none of these.
void check_keys(const std::string& path, const toml::table& table,
                std::initializer_list<std::string_view> valid);

}  // namespace simplexboost::cli
