// Reads the bytes of a model file, refusing what cannot be one before memory is spent on it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simplexboost {

// Throws IoError where the system refuses or `path` is no regular file, ModelError where the
// beginning is not that of a model file. Messages begin with the path.
std::vector<std::byte> read_model_file(const std::string& path);

// The bytes of any other regular file of up to half of the memory, likewise.
std::vector<std::byte> read_foreign_file(const std::string& path);

}  // namespace simplexboost
