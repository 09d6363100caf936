// Parting the rows of a node by a cut.
#include "base/simd/lanes.h"
#include "tree/kernels/kernel_parts.h"

#if defined(__AVX512F__)
#include <immintrin.h>
// Without optimisation the gather is a macro, whose mask GCC finds to change its sign.
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

#if defined(__AVX512F__)
// Sixteen rows at a time, from the first on; returns how many were done, and sets how many of them
// went left. Whole vectors are written: what is too much lies where rows were read already, or is
// overwritten.
template <bool BySet, class Bin>
LANES_INLINE std::size_t part_vectors(const PartArgs<Bin>& args, std::size_t& lefts) {
  // The gather counts bytes in 32 bits, with a sign.
  constexpr std::size_t kMostBytes = 0x7fffffff;
  const std::size_t step = args.stride * sizeof(Bin);
  if (args.count < 16 || (args.rows[args.count - 1] + std::size_t{1}) * step > kMostBytes) return 0;
  const __m512i stride = _mm512_set1_epi32(static_cast<int>(step));
  const __m512i within = _mm512_set1_epi32(sizeof(Bin) == 1 ? 0xff : 0xffff);
  const __m512i cut = _mm512_set1_epi32(args.bin);
  // A bin that there is not, where missing values go right.
  const __m512i missing = _mm512_set1_epi32(args.missing_left ? args.missing_bin : -1);
  // The forms with masks: GCC finds the others to read what was not set. The words of the set stand
  // twice, and of the number of a word four bits are looked at.
  constexpr __mmask16 kAll = 0xffff;
  const __m512i set =
      BySet ? _mm512_maskz_broadcast_i32x8(
                  kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(args.left_set)))
            : _mm512_setzero_si512();
  const __m512i one = _mm512_set1_epi32(1);
  std::size_t left = 0;
  std::size_t i = 0;
  for (; i + 16 <= args.count; i += 16) {
    const __m512i rows = _mm512_loadu_si512(args.rows + i);
    const __m512i gathered = _mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), 0xffff, _mm512_mullo_epi32(rows, stride), args.bins, 1);
    const __m512i bins = _mm512_and_si512(gathered, within);
    // A word of the set, turned so that the bin's bit is the lowest.
    const __m512i word =
        _mm512_maskz_permutexvar_epi32(kAll, _mm512_maskz_srli_epi32(kAll, bins, 5), set);
    const __m512i bits = _mm512_maskz_rorv_epi32(kAll, word, bins);
    const auto goes = BySet ? _mm512_test_epi32_mask(bits, one)
                            : static_cast<__mmask16>(_mm512_cmple_epi32_mask(bins, cut) |
                                                     _mm512_cmpeq_epi32_mask(bins, missing));
    _mm512_storeu_si512(args.rows + left, _mm512_maskz_compress_epi32(goes, rows));
    _mm512_storeu_si512(args.right + (i - left),
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(~goes), rows));
    left += static_cast<std::size_t>(__builtin_popcount(goes));
  }
  lefts = left;
  return i;
}
#else
template <bool BySet, class Bin>
LANES_INLINE std::size_t part_vectors(const PartArgs<Bin>& /*args*/, std::size_t& /*lefts*/) {
  return 0;
}
#endif

template <bool BySet, class Bin>
std::size_t part_any(const PartArgs<Bin>& args) {
  std::size_t left = 0;
  for (std::size_t i = part_vectors<BySet>(args, left); i < args.count; ++i) {
    const std::uint32_t row = args.rows[i];
    const std::int32_t bin = args.bins[row * args.stride];
    const bool goes = BySet ? (args.left_set[bin >> 5] >> (bin & 31) & 1) != 0
                            : (bin <= args.bin) | (args.missing_left & (bin == args.missing_bin));
    args.right[i - left] = row;
    args.rows[left] = row;
    left += goes ? 1 : 0;
  }
  return left;
}

}  // namespace

std::size_t part(const PartArgs<std::uint8_t>& args) {
  return args.left_set ? part_any<true>(args) : part_any<false>(args);
}
std::size_t part(const PartArgs<std::uint16_t>& args) { return part_any<false>(args); }

}  // namespace simplexboost::SIMPLEXBOOST_ISA
