#include "codeword/make_codebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text/nearest_name.h"
#include "codeword/codebook_file.h"
#include "codeword/max_min.h"
#include "codeword/output_codes.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostClasses = 1'000'000;
// K^2 d, the cost of one step of the search for max-min sets: beyond, it takes more than an hour.
constexpr double kMostSearchWork = 1e10;

// Throws unless the dimension is left open or is the one that the kind has.
void require_dimension(const CodebookSpec& spec, std::size_t dimension) {
  if (!spec.dimension || *spec.dimension == dimension) return;
  throw ParameterError(fmt::format(
      "{} codewords of {} classes have dimension {}, not {}; maxmin takes any from 2 on",
      spec.kind.empty() ? "simplex" : spec.kind, spec.classes, dimension, *spec.dimension));
}

void require_size(const CodebookSpec& spec, std::size_t dimension) {
  if (dimension <= kMostCodebookNumbers / spec.classes) return;
  throw ParameterError(fmt::format(
      "{} codewords of {} classes and dimension {} are more than {} numbers; simplex, canonical "
      "and one-vs-all need not store theirs",
      spec.kind, spec.classes, dimension, kMostCodebookNumbers));
}

Codebook make_simplex(const CodebookSpec& spec) {
  require_dimension(spec, spec.classes - 1);
  return Codebook::simplex(spec.classes);
}

Codebook make_canonical(const CodebookSpec& spec) {
  require_dimension(spec, spec.classes);
  return Codebook::canonical(spec.classes);
}

Codebook make_one_vs_all(const CodebookSpec& spec) {
  require_dimension(spec, spec.classes);
  return Codebook::one_vs_all(spec.classes);
}

Codebook make_all_pairs(const CodebookSpec& spec) {
  const std::size_t dimension = spec.classes * (spec.classes - 1) / 2;
  require_dimension(spec, dimension);
  require_size(spec, dimension);
  return all_pairs_codebook(spec.classes);
}

Codebook make_max_min(const CodebookSpec& spec) {
  if (!spec.dimension) throw ParameterError("maxmin codewords need a dimension: --dimension D");
  const std::size_t dimension = *spec.dimension;
  const std::size_t smallest = spec.classes == 2 ? 1 : 2;
  if (dimension < smallest)
    throw ParameterError(
        fmt::format("maxmin codewords of {} classes have a dimension of {} or more, not {}",
                    spec.classes, smallest, dimension));
  require_size(spec, dimension);
  const double work = static_cast<double>(spec.classes) * static_cast<double>(spec.classes) *
                      static_cast<double>(dimension);
  const bool searched = dimension > 2 && spec.classes > 2 * dimension;
  if (searched && work > kMostSearchWork) {
    throw ParameterError(fmt::format(
        "the search for maxmin codewords of {} classes in dimension {} would take too long; random "
        "codewords are nearly as good for so many",
        spec.classes, dimension));
  }
  return max_min_codebook(spec.classes, dimension, spec.seed, spec.threads);
}

Codebook make_random(const CodebookSpec& spec, CodeDensity density) {
  const std::size_t dimension =
      spec.dimension.value_or(random_code_dimension(spec.classes, density));
  if (dimension < 1) throw ParameterError("the dimension of codewords must be at least 1");
  require_size(spec, dimension);
  return random_codebook(spec.classes, dimension, density, spec.seed);
}

Codebook make_dense(const CodebookSpec& spec) { return make_random(spec, CodeDensity::kDense); }
Codebook make_sparse(const CodebookSpec& spec) { return make_random(spec, CodeDensity::kSparse); }

struct Kind {
  std::string_view name;
  Codebook (*make)(const CodebookSpec& spec);
};

constexpr std::array kKinds{
    Kind{"simplex", make_simplex},      Kind{"canonical", make_canonical},
    Kind{"maxmin", make_max_min},       Kind{"one-vs-all", make_one_vs_all},
    Kind{"all-pairs", make_all_pairs},  Kind{"random", make_dense},
    Kind{"random-sparse", make_sparse},
};

bool means_file(const std::string& kind) {
  std::error_code ignored;
  return kind.find_first_of("./") != std::string::npos || std::filesystem::exists(kind, ignored);
}

Codebook from_file(const CodebookSpec& spec) {
  Codebook book = read_codebook(spec.kind);
  const auto check = [&](std::size_t wanted, std::size_t found, const char* what) {
    if (wanted == found) return;
    throw DataError(Place{spec.kind},
                    fmt::format("{} {}, but {} were asked for", found, what, wanted));
  };
  if (spec.classes != 0) check(spec.classes, book.classes(), "lines, one a class");
  if (spec.dimension) check(*spec.dimension, book.dimension(), "columns, one a dimension");
  return book;
}

}  // namespace

std::span<const std::string_view> codebook_names() {
  static const auto kNames = [] {
    std::array<std::string_view, kKinds.size()> all;
    std::transform(kKinds.begin(), kKinds.end(), all.begin(), [](const Kind& k) { return k.name; });
    return all;
  }();
  return kNames;
}

Codebook make_codebook(const CodebookSpec& spec) {
  CodebookSpec full = spec;
  if (full.kind.empty()) {
    const bool other = full.dimension && *full.dimension + 1 != full.classes;
    full.kind = other ? "maxmin" : "simplex";
  }
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const Kind& k) { return k.name == full.kind; });
  if (kind == kKinds.end()) {
    if (means_file(full.kind)) return from_file(full);
    throw ParameterError(unknown_name_message("codewords", full.kind, codebook_names()));
  }
  if (full.classes < 2 || full.classes > kMostClasses) {
    throw ParameterError(
        fmt::format("codewords are for 2 to {} classes, not {}", kMostClasses, full.classes));
  }
  return kind->make(full);
}

}  // namespace simplexboost
