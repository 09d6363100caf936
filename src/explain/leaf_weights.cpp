#include "explain/leaf_weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "explain/shap_kernels.h"

namespace simplexboost {

// Newton's iteration on the Legendre polynomial.
Quadrature::Quadrature(std::size_t points) : point(points), weight(points) {
  const auto n = static_cast<double>(points);
  for (std::size_t i = 0; i < points; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double slope = 1;
    for (int step = 0; step < 100; ++step) {
      double before = 1;
      double value = x;
      for (std::size_t k = 2; k <= points; ++k) {
        const auto degree = static_cast<double>(k);
        before =
            std::exchange(value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree);
      }
      slope = n * (x * value - before) / (x * x - 1);
      const double move = value / slope;
      x -= move;
      if (std::fabs(move) < 1e-15) break;
    }
    point[i] = (1 - x) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

namespace {

// Exact for paths of so many features.
const Quadrature& quadrature(std::size_t features) {
  static const std::vector<Quadrature> kMade = [] {
    std::vector<Quadrature> made;
    for (std::size_t points = 1; points <= kWordBits / 2; ++points) made.emplace_back(points);
    return made;
  }();
  return kMade[(features + 1) / 2 - 1];
}

// The integral of t^a (1-t)^c over [0, 1]: a! c! / (a + c + 1)!
double beta(std::size_t a, std::size_t c) {
  constexpr std::size_t kKnown = 32;
  static const auto kTable = [] {
    std::array<std::array<double, kKnown>, kKnown> table{};
    for (std::size_t i = 0; i < kKnown; ++i) {
      table[i][0] = 1 / static_cast<double>(i + 1);
      for (std::size_t j = 1; j < kKnown; ++j)
        table[i][j] = table[i][j - 1] * static_cast<double>(j) / static_cast<double>(i + j + 1);
    }
    return table;
  }();
  if (a < kKnown && c < kKnown) return kTable[a][c];
  double value = 1 / static_cast<double>(a + 1);
  for (std::size_t j = 1; j <= c; ++j)
    value *= static_cast<double>(j) / static_cast<double>(a + j + 1);
  return value;
}

bool has_bit(std::span<const std::uint64_t> words, std::size_t j) {
  return ((words[j / kWordBits] >> (j % kWordBits)) & 1) != 0;
}

// What kernels do for one row at a time, for paths of more features than a word has bits: there
// t and 1 - t decide with few points already, but as many are taken as make it exact.
void long_path_weights(const PathTree& tree, std::size_t leaf, GameKind kind,
                       std::span<const std::uint64_t> answers, double* weights) {
  const std::span<const double> shares = tree.shares(leaf);
  const std::size_t count = shares.size();
  const Quadrature rule((count + 1) / 2);
  std::vector<double> factor(count);
  std::vector<double> after(count + 1);
  const auto move = [&](std::size_t j) { return (has_bit(answers, j) ? 1 : 0) - shares[j]; };
  std::fill_n(weights, kind == GameKind::kPairs ? count * (count - 1) / 2 : count, 0.0);
  for (std::size_t q = 0; q < rule.point.size(); ++q) {
    const double t = rule.point[q];
    after[count] = rule.weight[q];
    for (std::size_t j = count; j-- > 0;) {
      factor[j] = (has_bit(answers, j) ? t : 0) + (1 - t) * shares[j];
      after[j] = after[j + 1] * factor[j];
    }
    double before = 1;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < count; before *= factor[i], ++i) {
      if (kind == GameKind::kFeatures) weights[i] += move(i) * before * after[i + 1];
      if (kind == GameKind::kFeatures) continue;
      double between = before * move(i) / 2;
      for (std::size_t j = i + 1; j < count; between *= factor[j], ++j)
        weights[pair++] += between * move(j) * after[j + 1];
    }
  }
}

// Against the rows of a background, for one row: of those features in which the two lead to
// different sides, a lead to the leaf by the row's value (A) and c by the other's (C); the leaf is
// reached where all of A and none of C are known.
void background_weights(const PathTree& tree, std::size_t leaf, GameKind kind,
                        const BackgroundAnswers& background, std::span<const std::uint64_t> answers,
                        double* weights) {
  const std::size_t count = tree.features_of(leaf);
  const std::size_t words = answers.size();
  std::fill_n(weights, kind == GameKind::kPairs ? count * (count - 1) / 2 : count, 0.0);
  for (std::size_t p = 0; p < background.count(leaf); ++p) {
    const std::span<const std::uint64_t> other(background.patterns(leaf) + p * words, words);
    std::size_t a = 0;
    std::size_t c = 0;
    bool reached = true;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t mask = word_mask(count, w);
      reached = reached && ((answers[w] | other[w]) & mask) == mask;
      a += static_cast<std::size_t>(std::popcount(answers[w] & ~other[w] & mask));
      c += static_cast<std::size_t>(std::popcount(other[w] & ~answers[w] & mask));
    }
    if (!reached || a + c == 0) continue;
    const double share = background.shares(leaf)[p];
    // 1: in A, -1: in C, 0: in neither.
    const auto side = [&](std::size_t j) {
      return (has_bit(answers, j) ? 1 : 0) - (has_bit(other, j) ? 1 : 0);
    };
    const double own[2] = {a > 0 ? share * beta(a - 1, c) : 0, c > 0 ? share * beta(a, c - 1) : 0};
    if (kind == GameKind::kFeatures) {
      for (std::size_t j = 0; j < count; ++j) {
        const int at = side(j);
        weights[j] += at > 0 ? own[0] : at < 0 ? -own[1] : 0;
      }
      continue;
    }
    std::size_t pair = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j, ++pair) {
        const int both = side(i) + side(j);
        if (side(i) == 0 || side(j) == 0) continue;
        const double size = both > 0   ? beta(a - 2, c)
                            : both < 0 ? beta(a, c - 2)
                                       : -beta(a - 1, c - 1);
        weights[pair] += share * size / 2;
      }
  }
}

// One row after the other; rows of the same answers have the same weights.
void row_weights(const PathTree& tree, std::size_t leaf, GameKind kind,
                 const BackgroundAnswers* background, const std::uint64_t* answers, double* lines) {
  const std::size_t count = tree.features_of(leaf);
  const std::size_t words = tree.words();
  const std::size_t size = kind == GameKind::kPairs ? count * (count - 1) / 2 : count;
  const std::uint32_t* const places = tree.places(leaf);
  std::vector<std::uint64_t> own(words * kShapRows);  // the answers, row by row
  for (std::size_t r = 0; r < kShapRows; ++r)
    for (std::size_t w = 0; w < words; ++w)
      own[r * words + w] = answers[w * kShapRows + r] & word_mask(count, w);
  std::vector<double> weights(size);
  for (std::size_t r = 0; r < kShapRows; ++r) {
    const std::span<const std::uint64_t> row(own.data() + r * words, words);
    std::size_t same = 0;
    while (!std::equal(row.begin(), row.end(), own.data() + same * words)) ++same;
    if (same < r) {
      for (std::size_t e = 0; e < size; ++e)
        lines[places[e] * kShapRows + r] = lines[places[e] * kShapRows + same];
      continue;
    }
    if (background)
      background_weights(tree, leaf, kind, *background, row, weights.data());
    else
      long_path_weights(tree, leaf, kind, row, weights.data());
    for (std::size_t e = 0; e < size; ++e) lines[places[e] * kShapRows + r] = weights[e];
  }
}

}  // namespace

BackgroundAnswers::BackgroundAnswers(const PathTree& tree, const Players& players,
                                     const Dataset& rows)
    : words_(tree.words()), tree_(&tree) {
  const std::size_t size = words_ * kShapRows;
  std::vector<double> values(players.count() * kShapRows);
  std::vector<std::uint64_t> scratch;
  std::vector<std::uint64_t> answers(tree.leaves() * size);
  std::vector<std::map<std::vector<std::uint64_t>, std::size_t>> counts(tree.leaves());
  std::vector<std::uint64_t> pattern(words_);
  for (std::size_t begin = 0; begin < rows.rows; begin += kShapRows) {
    const std::size_t end = std::min(begin + kShapRows, rows.rows);
    players.gather(rows, begin, end, values.data());
    tree.answers(values.data(), scratch, answers.data());
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf)
      for (std::size_t r = 0; r < end - begin; ++r) {
        for (std::size_t w = 0; w < words_; ++w)
          pattern[w] =
              answers[leaf * size + w * kShapRows + r] & word_mask(tree.features_of(leaf), w);
        ++counts[leaf][pattern];
      }
  }
  first_.push_back(0);
  for (const auto& of_leaf : counts) {
    for (const auto& [words, count] : of_leaf) {
      patterns_.insert(patterns_.end(), words.begin(), words.end());
      shares_.push_back(static_cast<double>(count) / static_cast<double>(rows.rows));
    }
    first_.push_back(shares_.size());
  }
}

double BackgroundAnswers::reach(std::size_t leaf) const {
  for (std::size_t p = 0; p < count(leaf); ++p) {
    bool all = true;
    for (std::size_t w = 0; w < words_; ++w)
      all = all && patterns(leaf)[p * words_ + w] == word_mask(tree_->features_of(leaf), w);
    if (all) return shares(leaf)[p];
  }
  return 0;
}

void leaf_weights(const PathTree& tree, GameKind kind, const BackgroundAnswers* background,
                  const std::uint64_t* answers, double* lines) {
  const std::size_t size = tree.words() * kShapRows;
  for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    const std::size_t count = tree.features_of(leaf);
    if (count == 0 || (kind == GameKind::kPairs && count == 1)) continue;
    if (background || count > kWordBits) {
      row_weights(tree, leaf, kind, background, answers + leaf * size, lines);
      continue;
    }
    const Quadrature& rule = quadrature(count);
    LeafPaths paths;
    paths.answers = answers + leaf * size;
    paths.count = count;
    paths.shares = tree.shares(leaf).data();
    paths.places = tree.places(leaf);
    paths.points = rule.point.size();
    paths.point = rule.point.data();
    paths.weight = rule.weight.data();
    if (kind == GameKind::kFeatures)
      shap_kernels().feature_weights(paths, lines);
    else
      shap_kernels().pair_weights(paths, lines);
  }
}

}  // namespace simplexboost
