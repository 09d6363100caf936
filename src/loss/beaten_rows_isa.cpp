// One copy for each instruction level (see base/simd/isa.h).
#include "loss/beaten_rows.h"

#include "base/simd/lanes.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// Whether one of N scores from class k on is larger than the row's own, or as large and before it.
template <std::size_t N>
LANES_INLINE Int<N> better_lanes(const float* scores, std::size_t k, std::int32_t label) {
  const auto score = load<Float<N>>(scores + k);
  const Float<N> own = Float<N>{} + scores[label];
  Int<N> lane;
  for (std::size_t i = 0; i < N; ++i) lane[i] = static_cast<std::int32_t>(i);
  return (score > own) | ((score == own) & (lane < label - static_cast<std::int32_t>(k)));
}

template <std::size_t N>
LANES_INLINE bool any_lane(Int<N> mask) {
  using Long = typename VectorOf<std::uint64_t, N / 2>::Type;
  const Long pairs = __builtin_bit_cast(Long, mask);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < N / 2; ++i) any |= pairs[i];
  return any != 0;
}

// At least N classes: the last ones in a vector that may overlap the one before.
template <std::size_t N>
LANES_INLINE bool beaten_row(const float* scores, std::size_t classes, std::int32_t label) {
  Int<N> better{};
  for (std::size_t k = 0; k + N < classes; k += N) better |= better_lanes<N>(scores, k, label);
  return any_lane<N>(better | better_lanes<N>(scores, classes - N, label));
}

LANES_INLINE bool beaten_short_row(const float* scores, std::size_t classes, std::int32_t label) {
  bool better = false;
  for (std::size_t k = 0; k < classes; ++k)
    better |= (scores[k] > scores[label]) |
              ((scores[k] == scores[label]) & (static_cast<std::int32_t>(k) < label));
  return better;
}

void find(const float* scores, std::size_t rows, std::size_t classes, const std::int32_t* labels,
          std::uint8_t* beaten) {
  for (std::size_t i = 0; i < rows; ++i, scores += classes) {
    const std::int32_t label = labels[i];
    const bool is = label < 0      ? true
                    : classes >= 8 ? beaten_row<8>(scores, classes, label)
                    : classes >= 4 ? beaten_row<4>(scores, classes, label)
                                   : beaten_short_row(scores, classes, label);
    beaten[i] = is ? 1 : 0;
  }
}

}  // namespace

extern const BeatenRowsKernel kBeatenRows;
const BeatenRowsKernel kBeatenRows{find};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
