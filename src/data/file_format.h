// What the name of a data file says about its content.
#pragma once

#include <string_view>

#include "simplexboost/read.h"

namespace simplexboost {

// Does the name end in .gz, in upper or lower case?
bool has_gzip_extension(std::string_view path);

// By the extension in front of any .gz: .csv, .libsvm, .svm or .arff; kAuto where it is another.
FileFormat format_by_extension(std::string_view path);

}  // namespace simplexboost
