// What the name of a data file says about its content.
#pragma once

#include <string>
#include <string_view>

#include "simplexboost/read.h"

namespace simplexboost {

// Does the name end in .gz, in upper or lower case?
bool has_gzip_extension(std::string_view path);

// With its dot, in lower case and .gz aside; "" where there is none.
std::string data_extension(std::string_view path);

// kAuto where the extension is none that a data file has; no extension at all is CSV.
FileFormat format_by_extension(std::string_view path);

}  // namespace simplexboost
