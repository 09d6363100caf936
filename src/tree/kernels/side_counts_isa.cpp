#include "base/simd/formula.h"
#include "tree/kernels/side_counts.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

constexpr std::size_t kWord = 64;

// A bit for each of 64 values that is up to `limit`.
std::uint64_t compare_word(const std::uint8_t* values, std::uint8_t limit) {
  std::uint64_t bits = 0;
#if defined(__SSE2__)
  const __m128i most = _mm_set1_epi8(static_cast<char>(limit));
  for (std::size_t part = 0; part < 4; ++part) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + 16 * part));
    const __m128i below = _mm_cmpeq_epi8(_mm_min_epu8(some, most), some);
    bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(below)))
            << (16 * part);
  }
#else
  for (std::size_t i = 0; i < kWord; ++i)
    bits |= static_cast<std::uint64_t>(values[i] <= limit) << i;
#endif
  return bits;
}

// Bits [begin, end) of a word.
std::uint64_t span_of(std::size_t begin, std::size_t end) {
  const std::uint64_t up_to = end == kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  return up_to & ~((std::uint64_t{1} << begin) - 1);
}

std::int64_t ones(std::uint64_t bits) { return __builtin_popcountll(bits); }

// Of the bits [begin, end).
std::int64_t ones_of(const std::uint64_t* bits, std::size_t begin, std::size_t end) {
  std::int64_t sum = 0;
  for (std::size_t w = begin / kWord; w * kWord < end; ++w) {
    const std::size_t first = w * kWord < begin ? begin - w * kWord : 0;
    const std::size_t last = end - w * kWord < kWord ? end - w * kWord : kWord;
    sum += ones(bits[w] & span_of(first, last));
  }
  return sum;
}

SideCounts count(const SideArgs& args) {
  for (std::size_t w = 0; w * kWord < args.rows; ++w)
    args.bits[w] = compare_word(args.values + w * kWord, args.most);
  SideCounts left{};
  std::size_t begin = 0;
  for (std::size_t k = 0; k < args.classes; ++k) {
    const std::int64_t own = ones_of(args.bits, begin, args.ends[k]);
    begin = args.ends[k];
    left.rows += static_cast<std::size_t>(own);
    left.squares += own * own;
    left.cross += own * args.totals[k];
  }
  return left;
}

}  // namespace

extern const SideKernel kSideKernel;
const SideKernel kSideKernel = {count};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
