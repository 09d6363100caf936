// The scan for a feature's best cut, by any criterion.
#include "tree/kernels/criteria.h"
#include "tree/kernels/kernel_parts.h"
#include "tree/split/cuts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// Whether a score is the sum of a vector, so that cuts can be scored side by side.
template <class Score>
concept Summed = requires {
  &Score::Judge::addends;
};

  // --- Cuts by eights --------------------------------------------------------------------------
  // Most of a score is its last steps: two divisions, the sum over the lanes of a vector, and
  // whether the cut is allowed. Eight cuts take them together, each in the order in which it would
  // by itself.

#if defined(SIMPLEXBOOST_PLAIN_LANES)
template <std::size_t N>
LANES_INLINE Float<8> sum_eight(const Float<N>* x) {
  Float<8> sums;
  for (std::size_t i = 0; i < 8; ++i) sums[i] = sum(x[i]);
  return sums;
}
template <std::size_t N, std::size_t I>
LANES_INLINE Float<N> lane_everywhere(Float<8> x) {
  return x[I];
}
template <std::size_t Channel, std::size_t N>
LANES_INLINE Int<8> channel_of_eight(const Int<N>* x) {
  Int<8> values;
  for (std::size_t i = 0; i < 8; ++i) values[i] = x[i][Channel];
  return values;
}
#else
// Lane i + 4 of two vectors to lane i, side by side; four lanes have nothing to add.
LANES_INLINE Float<8> fold(Float<8> a, Float<8> b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}
LANES_INLINE Float<8> fold(Float<4> a, Float<4> b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// The sums of eight vectors, each in the order of sum() in lanes.h.
template <std::size_t N>
LANES_INLINE Float<8> sum_eight(const Float<N>* x) {
  const auto pairs = [](Float<8> a, Float<8> b) {
    return Float<8>(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                    __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15));
  };
  const Float<8> low = pairs(fold(x[0], x[4]), fold(x[1], x[5]));
  const Float<8> high = pairs(fold(x[2], x[6]), fold(x[3], x[7]));
  return Float<8>(__builtin_shufflevector(low, high, 0, 2, 8, 10, 4, 6, 12, 14) +
                  __builtin_shufflevector(low, high, 1, 3, 9, 11, 5, 7, 13, 15));
}

template <std::size_t N, std::size_t I>
LANES_INLINE Float<N> lane_everywhere(Float<8> x) {
  if constexpr (N == 4)
    return Float<4>(__builtin_shufflevector(x, x, I, I, I, I));
  else
    return Float<8>(__builtin_shufflevector(x, x, I, I, I, I, I, I, I, I));
}

// One of the first two channels of eight vectors.
template <std::size_t Channel, std::size_t N>
LANES_INLINE Int<8> channel_of_eight(const Int<N>* x) {
  const auto two = [&](std::size_t i) {
    return Int<4>(__builtin_shufflevector(x[i], x[i + 1], 0, 1, N, N + 1));
  };
  const auto four = [&](std::size_t i) {
    return Int<8>(__builtin_shufflevector(two(i), two(i + 4), 0, 1, 2, 3, 4, 5, 6, 7));
  };
  constexpr int kC = Channel;
  return Int<8>(__builtin_shufflevector(four(0), four(2), kC, kC + 2, kC + 8, kC + 10, kC + 4,
                                        kC + 6, kC + 12, kC + 14));
}
#endif

template <class Score, std::size_t N, std::size_t V>
struct ScanByEights {
  using Judge = typename Score::Judge;

  const ScanArgs& args;
  std::int32_t* left;  // scratch: the sums of what is left of the cut
  Float<8> best_scores = Float<8>{} + kNoCut;
  Int<8> best_cuts{};  // by lanes; those with missing values on the left from value_bins on
  bool ended = false;

  LANES_INLINE std::size_t channels() const { return V > 0 ? V * N : args.criterion->channels; }
  LANES_INLINE std::size_t vectors() const {
    return V > 0 ? V : (args.criterion->pulls + kPullChannel + N - 1) / N;
  }
  LANES_INLINE const std::int32_t* sums(std::size_t bin) const {
    return args.histogram + bin * channels();
  }

  // Which of eight cuts leave enough on either side, as cut_fit() has it.
  LANES_INLINE Int<8> fits(Int<8> rows, Int<8> weights) const {
    const Int<8> least = Int<8>{} + args.min_rows;
    Int<8> fit = (rows >= least) & ((args.total[kCountChannel] - rows) >= least);
    if (args.min_weight > 0) {
      const Float<8> weight = to_float<8>(weights);
      const Float<8> rest = static_cast<float>(args.total[kWeightChannel]) - weight;
      const Float<8> lightest = Float<8>{} + args.min_weight;
      fit = fit & (weight >= lightest) & (rest >= lightest);
    }
    return fit;
  }

  // The cuts behind `Count` bins that hold rows, or behind `count` of them where Count is 0.
  template <std::size_t Count>
  LANES_INLINE void try_cuts(const std::uint32_t* bins, std::size_t count, std::int32_t first_cut) {
    const std::size_t cuts = Count > 0 ? Count : count;
    const CriterionSpec& spec = *args.criterion;
    Judge seen[8];
    Int<N> heads[8] = {};
    const std::int32_t* places[8];
    for (std::size_t i = 0; i < cuts; ++i) places[i] = sums(bins[i]);
    const auto add = [&](std::size_t v, bool head) __attribute__((always_inline)) {
      auto sum = load<Int<N>>(left + v * N);
      const auto total = load<Int<N>>(args.total + v * N);
      const Int<N> live = live_lanes<N>(0, N);
      for (std::size_t i = 0; i < cuts; ++i) {
        sum += load<Int<N>>(places[i] + v * N);
        Int<N> r = total - sum;
        if (head) {
          heads[i] = sum;
          seen[i] = Judge::of(to_float<N>(sum & live), to_float<N>(r & live));
        } else {
          seen[i].add(to_float<N>(sum), to_float<N>(r), live);
        }
      }
      store(left + v * N, sum);
    };
    add(0, true);
    for (std::size_t v = 1; v < vectors(); ++v) add(v, false);
    const Int<8> rows = channel_of_eight<kCountChannel, N>(heads);
    const Int<8> weights = channel_of_eight<kWeightChannel, N>(heads);
    const Float<8> left_inverse = inverse_of(to_float<8>(weights) + spec.l2);
    const Float<8> right_inverse =
        inverse_of(to_float<8>(args.total[kWeightChannel] - weights) + spec.l2);
    const auto addends = [&]<std::size_t I>() __attribute__((always_inline)) {
      return seen[I].addends(lane_everywhere<N, I>(left_inverse),
                             lane_everywhere<N, I>(right_inverse));
    };
    const Float<N> all[8] = {addends.template operator()<0>(), addends.template operator()<1>(),
                             addends.template operator()<2>(), addends.template operator()<3>(),
                             addends.template operator()<4>(), addends.template operator()<5>(),
                             addends.template operator()<6>(), addends.template operator()<7>()};
    const Float<8> scores = sum_eight<N>(all);
    Int<8> better = fits(rows, weights) & (scores > best_scores);
    if (Count == 0) better = better & (lane_numbers() < static_cast<std::int32_t>(cuts));
    best_scores = select(better, scores, best_scores);
    best_cuts = select(better, load<Int<8>>(bins) + first_cut, best_cuts);
    ended = args.total[kCountChannel] - left[kCountChannel] < args.min_rows;
  }

  static LANES_INLINE Int<8> lane_numbers() {
    Int<8> numbers{};
    for (std::int32_t i = 0; i < 8; ++i) numbers[static_cast<std::size_t>(i)] = i;
    return numbers;
  }

  // The cuts behind bins 0 .. cuts - 1, missing values on one side. Bins without rows are no cuts.
  LANES_INLINE void try_side(std::uint32_t cuts, bool missing_left) {
    constexpr std::size_t kChunk = 64;
    const std::int32_t* const missing = sums(args.value_bins);
    for (std::size_t v = 0; v < vectors(); ++v)
      store(left + v * N, missing_left ? load<Int<N>>(missing + v * N) : Int<N>{});
    const auto first_cut = static_cast<std::int32_t>(missing_left ? args.value_bins : 0);
    std::uint32_t filled[kChunk + 8] = {};
    std::size_t size = 0;
    ended = false;
    for (std::uint32_t bin = 0; bin < cuts && !ended;) {
      const std::uint32_t end = cuts - bin < kChunk ? cuts : bin + kChunk;
      for (; bin < end; ++bin) {
        filled[size] = bin;
        size += static_cast<std::size_t>(sums(bin)[kCountChannel] != 0);
      }
      std::size_t i = 0;
      for (; i + 8 <= size && !ended; i += 8) try_cuts<8>(filled + i, 8, first_cut);
      for (std::size_t j = 0; j < 8; ++j) filled[j] = filled[i + j];
      size -= i;
    }
    if (size > 0 && !ended) try_cuts<0>(filled, size, first_cut);
  }

  // Of equals the first.
  LANES_INLINE ScanResult best() const {
    ScanResult result;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto cut = static_cast<std::uint32_t>(best_cuts[i]);
      if (best_scores[i] > result.score ||
          (best_scores[i] == result.score && result.score > kNoCut && cut < number)) {
        number = cut;
        result = {best_scores[i], cut % args.value_bins, cut >= args.value_bins};
      }
    }
    return result;
  }

  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    if (args.value_bins == 0) return {};
    ScanByEights scan{args, scratch};
    const bool missing = args.has_missing && scan.sums(args.value_bins)[kCountChannel] > 0;
    // As for_numeric_cuts() has them.
    scan.try_side(missing ? args.value_bins : args.value_bins - 1, false);
    if (missing) scan.try_side(args.value_bins - 1, true);
    return scan.best();
  }
};

// --- Cuts one by one -------------------------------------------------------------------------
template <class Score, std::size_t N>
struct ScanOneByOne {
  const ScanArgs& args;
  std::int32_t* left;  // scratch
  ScanResult best = {};

  LANES_INLINE const std::int32_t* sums(std::uint32_t bin) const {
    return args.histogram + bin * args.criterion->channels;
  }

  LANES_INLINE void start(bool missing_left) {
    const std::int32_t* const missing = sums(args.value_bins);
    for (std::size_t j = 0; j < args.criterion->channels; j += N)
      store(left + j, missing_left ? load<Int<N>>(missing + j) : Int<N>{});
  }
  LANES_INLINE bool empty(std::uint32_t bin) const { return sums(bin)[kCountChannel] == 0; }
  LANES_INLINE void move_left(std::uint32_t bin) {
    for (std::size_t j = 0; j < args.criterion->channels; j += N)
      store(left + j, load<Int<N>>(left + j) + load<Int<N>>(sums(bin) + j));
  }
  LANES_INLINE CutFit fit() const { return cut_fit(args, left); }
  LANES_INLINE void try_cut(std::uint32_t bin, bool missing_left) {
    const float score = Score::of(*args.criterion, left, args.total);
    if (score > best.score) best = {score, bin, missing_left};
  }

  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    ScanOneByOne scan{args, scratch};
    const bool missing = args.has_missing && scan.sums(args.value_bins)[kCountChannel] > 0;
    for_numeric_cuts(scan, args.value_bins, missing);
    return scan.best;
  }
};

template <class Score, std::size_t N, std::size_t V>
struct Scan {
  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    if constexpr (Summed<Score>) {
      return ScanByEights<Score, N, V>::run(args, scratch);
    } else {
      return ScanOneByOne<Score, N>::run(args, scratch);
    }
  }
};

template <class Score, std::size_t N, std::size_t V>
struct ScoreOnce {
  static float run(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
    return Score::of(spec, left, total);
  }
};

// From the length of a statistics vector to code of that length.
template <template <class, std::size_t, std::size_t> class Use, class... Args>
LANES_INLINE auto with_length(const CriterionSpec& spec, Args&&... args) {
  // Weights of each channel come in halves, so their shortest vector of eight is two of four.
  if (diagonal(spec.kind) && spec.channels == 8)
    return with_criterion<4, 0, Use>(spec.kind, args...);
  switch (spec.channels) {
    case 4: return with_criterion<4, 1, Use>(spec.kind, args...);
    case 8: return with_criterion<8, 1, Use>(spec.kind, args...);
    case 16: return with_criterion<8, 2, Use>(spec.kind, args...);
    case 24: return with_criterion<8, 3, Use>(spec.kind, args...);
    case 32: return with_criterion<8, 4, Use>(spec.kind, args...);
    case 40: return with_criterion<8, 5, Use>(spec.kind, args...);
    default: return with_criterion<8, 0, Use>(spec.kind, args...);
  }
}

}  // namespace

ScanResult scan(const ScanArgs& args, std::int32_t* left) {
  return with_length<Scan>(*args.criterion, args, left);
}

float score(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
  return with_length<ScoreOnce>(spec, spec, left, total);
}

}  // namespace simplexboost::SIMPLEXBOOST_ISA
