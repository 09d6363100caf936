// Codebooks by name: the one place that knows which kinds there are, what dimension each may have,
// and how large a set may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codeword/codebook.h"

namespace simplexboost {

struct CodebookSpec {
  // One of codebook_names(), or a file: whatever has a '.' or '/' in it, or exists. Empty: simplex,
  // or maxmin where another dimension is asked for.
  std::string kind = {};
  std::size_t classes = 0;                    // 0: as the file has them
  std::optional<std::size_t> dimension = {};  // none: the kind's own
  std::uint64_t seed = 0;                     // of maxmin, random and random-sparse
  int threads = 0;
};

std::span<const std::string_view> codebook_names();

// Throws ParameterError where the kind, the classes and the dimension do not fit together, and what
// read_codebook throws.
Codebook make_codebook(const CodebookSpec& spec);

}  // namespace simplexboost
