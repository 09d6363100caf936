// The codewords y^1..y^K in R^d that stand for the classes, and the two linear maps between scores
// and classes that every booster needs. The structured sets (simplex, canonical, one-vs-all) never
// build their matrix for that: they serve 10,000 classes at a cost of O(K) a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simplexboost {

// Sets that are stored (not simplex, canonical, one-vs-all) may have so many numbers.
inline constexpr std::size_t kMostCodebookNumbers = 50'000'000;

enum class CodebookKind : std::uint8_t {
  kSimplex,
  kCanonical,
  kMaxMin,
  kOneVsAll,
  kAllPairs,
  kRandom,
  kRandomSparse,
  kFile,
};

// The name that users write; "file" for a matrix of their own.
std::string_view codebook_kind_name(CodebookKind kind);

// The class scores are u_k = <y_k, f> / 2 for every kind, the canonical one included: there u =
// f / 2, while a model without codewords has u = f (that is, codewords 2 e_k). The factor is a
// matter of the scale of f only, and keeping it makes margins and capacities comparable.
class Codebook {
 public:
  // The regular simplex, d = K - 1: unit, centred, <y_k, y_l> = -1 / (K - 1). Needs K >= 2.
  static Codebook simplex(std::size_t classes);
  // The unit vectors e_k, d = K.
  static Codebook canonical(std::size_t classes);
  // 2 e_k - (1, ..., 1), d = K: +1 for the class, -1 for all others.
  static Codebook one_vs_all(std::size_t classes);
  // Any other set: `matrix` is classes x dimension, row-major.
  static Codebook dense(CodebookKind kind, std::size_t classes, std::vector<float> matrix);

  std::size_t classes() const { return classes_; }
  std::size_t dimension() const { return dimension_; }
  CodebookKind kind() const { return kind_; }

  // One number of the matrix, in closed form where there is one.
  double entry(std::size_t k, std::size_t j) const;
  // The whole matrix, classes x dimension, row-major: for model files and weak learners.
  std::vector<float> matrix() const;

  // u = f Y^T / 2 for a block of rows: `scores` is n x d, `class_scores` n x K, and they must not
  // overlap. A row's result does not depend on the others.
  void class_scores(std::span<const float> scores, std::span<float> class_scores) const;

  // The adjoint, R = P Y / 2: what a pull on the class scores (n x K) is as a pull on the scores
  // (n x d). With P_k = -w tau_k and P_c = w it is the pull of jmlr2019 (37).
  void pulls(std::span<const float> class_pulls, std::span<float> pulls) const;

  // What both maps read, for who has the rows elsewhere; the sets of other kinds have none of it.
  struct Tables {
    std::span<const float> half_diagonal;    // simplex: of y_j's coordinate j,
    std::span<const float> half_below;       // and of minus coordinate j of the classes after j
    std::span<const float> half;             // dense sets: Y / 2,
    std::span<const float> half_transposed;  // and its transpose, rows padded (product_stride)
  };
  Tables tables() const { return {half_diagonal_, half_below_, half_, half_transposed_}; }

  // What a diagonal of curvatures in the class scores (n x K) is in the scores (n x d), the mixed
  // terms left out: sum_k H_k (y_kj / 2)^2.
  void curvatures(std::span<const float> class_curvatures, std::span<float> curvatures) const;

 private:
  Codebook(CodebookKind kind, std::size_t classes, std::size_t dimension)
      : kind_(kind), classes_(classes), dimension_(dimension) {}

  void row_curvatures(const float* class_curvatures, float* curvatures) const;

  CodebookKind kind_;
  std::size_t classes_;
  std::size_t dimension_;
  // See tables().
  std::vector<float> half_diagonal_;
  std::vector<float> half_below_;
  std::vector<float> half_;
  std::vector<float> half_transposed_;
};

}  // namespace simplexboost
