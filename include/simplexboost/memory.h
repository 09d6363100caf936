// How much memory this process may take, and where the bins of training data go that would take too
// much of it. It is a rule of the process, as the machine's own memory is: all trainings obey it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

struct MemoryRules {
  // In bytes; 0: what is free on the machine. Training estimates what it will take before it
  // begins: with bins beyond a rule it keeps them in a file, and what is still beyond is refused,
  // with the sizes.
  std::uint64_t most = 0;
  // The folder of a file for bins, which has no name and is gone with the process; empty: in
  // memory, unless `most` is less, and then in the folder for temporary files. The values that the
  // bins are of stay where the data set has them.
  std::string bins_folder;
};

// For trainings that begin from now on. Models do not depend on it.
SIMPLEXBOOST_API void set_memory_rules(MemoryRules rules);
SIMPLEXBOOST_API MemoryRules memory_rules();

// A size as people write it: 800M, 2.5G, 1T, with or without a B behind it, or a number of bytes;
// powers of 1024. Throws ParameterError, which begins with `name`.
SIMPLEXBOOST_API std::uint64_t parse_memory(std::string_view text, std::string_view name);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
