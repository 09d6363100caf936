#include "codeword/output_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/stop.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using Symbols = std::vector<signed char>;  // one row or one column

struct Shape {
  std::size_t classes;
  std::size_t dimension;
  CodeDensity density;
};

double symbol_count(CodeDensity density) { return density == CodeDensity::kDense ? 2 : 3; }

// Columns with both signs, a column and its negative counted once.
double useful_columns(std::size_t classes, CodeDensity density) {
  const double power = std::exp2(static_cast<double>(classes));
  return density == CodeDensity::kDense
             ? power / 2 - 1
             : (std::pow(3.0, static_cast<double>(classes)) - 2 * power + 1) / 2;
}

signed char draw_symbol(Random& random, CodeDensity density) {
  const std::uint64_t bits = random.next() >> 62;
  if (density == CodeDensity::kSparse && bits >= 2) return 0;
  return (bits & 1) != 0 ? 1 : -1;
}

Symbols draw(Random& random, std::size_t size, CodeDensity density) {
  Symbols symbols(size);
  for (signed char& symbol : symbols) symbol = draw_symbol(random, density);
  return symbols;
}

bool has_both_signs(const Symbols& column) {
  return std::find(column.begin(), column.end(), 1) != column.end() &&
         std::find(column.begin(), column.end(), -1) != column.end();
}

// The same text for a column and its negative.
std::string column_key(const Symbols& column) {
  const auto first = std::find_if(column.begin(), column.end(), [](auto s) { return s != 0; });
  const int sign = first != column.end() ? *first : 1;
  std::string key;
  for (const signed char symbol : column) key += static_cast<char>('1' + sign * symbol);
  return key;
}

std::string row_key(const Symbols& row) {
  std::string key;
  for (const signed char symbol : row) key += static_cast<char>('1' + symbol);
  return key;
}

std::vector<Symbols> transpose(const std::vector<Symbols>& lines) {
  std::vector<Symbols> result(lines.front().size(), Symbols(lines.size()));
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t j = 0; j < lines[i].size(); ++j) result[j][i] = lines[i][j];
  return result;
}

template <class Key>
bool all_distinct(const std::vector<Symbols>& lines, const Key& key) {
  std::unordered_set<std::string> seen;
  return std::all_of(lines.begin(), lines.end(),
                     [&](const Symbols& line) { return seen.insert(key(line)).second; });
}

// `count` lines that differ by their keys and satisfy `useful`, unless luck fails.
template <class Key, class Useful>
std::optional<std::vector<Symbols>> draw_distinct(Random& random, std::size_t count,
                                                  std::size_t size, CodeDensity density,
                                                  const Key& key, const Useful& useful) {
  std::vector<Symbols> lines;
  std::unordered_set<std::string> seen;
  const std::size_t most_draws = 10'000 + 100 * count;
  for (std::size_t draws = 0; draws < most_draws && lines.size() < count; ++draws) {
    check_stop();
    Symbols line = draw(random, size, density);
    if (useful(line) && seen.insert(key(line)).second) lines.push_back(std::move(line));
  }
  if (lines.size() < count) return std::nullopt;
  return lines;
}

// Rows that differ and useful columns that differ. The scarcer are drawn as wanted, and the others
// are then almost surely right: few columns make rows scarce, many make columns so.
std::optional<std::vector<Symbols>> draw_matrix(Random& random, const Shape& shape) {
  const double log_rows = std::log(static_cast<double>(shape.classes));
  const bool rows_scarce =
      static_cast<double>(shape.dimension) * std::log(symbol_count(shape.density)) <
      2 * log_rows + 1;
  if (rows_scarce) {
    auto rows = draw_distinct(random, shape.classes, shape.dimension, shape.density, row_key,
                              [](const Symbols&) { return true; });
    if (!rows) return std::nullopt;
    const auto columns = transpose(*rows);
    if (!std::all_of(columns.begin(), columns.end(), has_both_signs)) return std::nullopt;
    if (!all_distinct(columns, column_key)) return std::nullopt;
    return rows;
  }
  const auto columns = draw_distinct(random, shape.dimension, shape.classes, shape.density,
                                     column_key, has_both_signs);
  if (!columns) return std::nullopt;
  auto rows = transpose(*columns);
  if (!all_distinct(rows, row_key)) return std::nullopt;
  return rows;
}

int smallest_squared_distance(const std::vector<Symbols>& rows) {
  int smallest = std::numeric_limits<int>::max();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    check_stop();
    for (std::size_t l = 0; l < k; ++l) {
      int distance = 0;
      for (std::size_t j = 0; j < rows[k].size(); ++j) {
        const int difference = rows[k][j] - rows[l][j];
        distance += difference * difference;
      }
      smallest = std::min(smallest, distance);
    }
  }
  return smallest;
}

void check_shape(const Shape& shape) {
  const double columns = useful_columns(shape.classes, shape.density);
  const auto dimension = static_cast<double>(shape.dimension);
  if (dimension > columns) {
    throw ParameterError(
        fmt::format("{} classes have only {:.0f} different columns, but dimension {} asks for more",
                    shape.classes, columns, shape.dimension));
  }
  if (std::pow(symbol_count(shape.density), dimension) < static_cast<double>(shape.classes)) {
    throw ParameterError(fmt::format(
        "dimension {} is too small for {} different codewords; at least {:.0f} is needed",
        shape.dimension, shape.classes,
        std::ceil(std::log(static_cast<double>(shape.classes)) /
                  std::log(symbol_count(shape.density)))));
  }
}

// As many matrices as cost little to compare: each takes all pairs of rows.
std::size_t candidate_count(const Shape& shape) {
  const double work = static_cast<double>(shape.classes) * static_cast<double>(shape.classes) *
                      static_cast<double>(shape.dimension);
  return static_cast<std::size_t>(std::clamp(3e8 / work, 1.0, 1000.0));
}

Codebook to_codebook(CodebookKind kind, const std::vector<Symbols>& rows) {
  std::vector<float> matrix;
  for (const Symbols& row : rows) matrix.insert(matrix.end(), row.begin(), row.end());
  return Codebook::dense(kind, rows.size(), std::move(matrix));
}

}  // namespace

Codebook all_pairs_codebook(std::size_t classes) {
  assert(classes >= 2);
  const std::size_t dimension = classes * (classes - 1) / 2;
  std::vector<float> matrix(classes * dimension);
  std::size_t column = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b, ++column) {
      matrix[a * dimension + column] = 1;
      matrix[b * dimension + column] = -1;
    }
  }
  return Codebook::dense(CodebookKind::kAllPairs, classes, std::move(matrix));
}

std::size_t random_code_dimension(std::size_t classes, CodeDensity density) {
  const double factor = density == CodeDensity::kDense ? 10 : 15;
  const double wanted = std::ceil(factor * std::log2(static_cast<double>(classes)));
  return static_cast<std::size_t>(std::min(wanted, useful_columns(classes, density)));
}

Codebook random_codebook(std::size_t classes, std::size_t dimension, CodeDensity density,
                         std::uint64_t seed) {
  assert(classes >= 2 && dimension >= 1);
  const Shape shape{classes, dimension, density};
  check_shape(shape);
  std::vector<Symbols> best;
  int best_distance = 0;
  const std::size_t candidates = candidate_count(shape);
  constexpr std::size_t kTriesEach = 20;
  std::size_t found = 0;
  for (std::size_t i = 0; i < kTriesEach * candidates && found < candidates; ++i) {
    check_stop();
    Random random(seed, i);
    auto rows = draw_matrix(random, shape);
    if (!rows) continue;
    ++found;
    const int distance = candidates > 1 ? smallest_squared_distance(*rows) : 1;
    if (distance <= best_distance) continue;
    best_distance = distance;
    best = std::move(*rows);
  }
  if (best.empty()) {
    throw ParameterError(fmt::format(
        "found no random code of {} classes and dimension {} with different rows and columns; the "
        "usual dimension is {}",
        classes, dimension, random_code_dimension(classes, density)));
  }
  const bool dense = density == CodeDensity::kDense;
  return to_codebook(dense ? CodebookKind::kRandom : CodebookKind::kRandomSparse, best);
}

}  // namespace simplexboost
