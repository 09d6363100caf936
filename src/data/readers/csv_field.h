// One field of a CSV file that is written: quoted where the reader needs it (RFC 4180).
#pragma once

#include <string>

namespace simplexboost {

std::string csv_field(const std::string& text);

}  // namespace simplexboost
