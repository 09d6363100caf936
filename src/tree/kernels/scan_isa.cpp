// The scan for a feature's best cut, by any criterion.
#include "tree/kernels/criteria.h"
#include "tree/kernels/kernel_parts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class Score, std::size_t N, std::size_t V>
struct Scan {
  // `left` is scratch, or (V > 0) a copy of it that the compiler keeps in registers.
  static LANES_INLINE void direction(const ScanArgs& args, bool missing_left, std::int32_t* left,
                                     ScanResult& best) {
    const CriterionSpec& spec = *args.criterion;
    const std::size_t channels = V > 0 ? V * N : spec.channels;
    const std::int32_t* const missing = args.histogram + args.value_bins * channels;
    for (std::size_t j = 0; j < channels; j += N)
      store(left + j, missing_left ? load<Int<N>>(missing + j) : Int<N>{});
    const std::int32_t rows = args.total[kCountChannel];
    // With missing values on the right even the last bin is a cut: all that is known goes left.
    const bool missing_right = !missing_left && args.has_missing && missing[kCountChannel] > 0;
    const std::uint32_t cuts = args.value_bins - (missing_right ? 0 : 1);
    for (std::uint32_t bin = 0; bin < cuts; ++bin) {
      const std::int32_t* sums = args.histogram + bin * channels;
      if (sums[kCountChannel] == 0) continue;
      for (std::size_t j = 0; j < channels; j += N)
        store(left + j, load<Int<N>>(left + j) + load<Int<N>>(sums + j));
      const std::int32_t left_rows = left[kCountChannel];
      if (left_rows < args.min_rows) continue;
      if (rows - left_rows < args.min_rows) return;
      if (args.min_weight > 0) {
        const float weight = static_cast<float>(left[kWeightChannel]);
        const float whole = static_cast<float>(args.total[kWeightChannel]);
        if (weight < args.min_weight || whole - weight < args.min_weight) continue;
      }
      const float score = Score::of(spec, left, args.total);
      if (score > best.score) best = {score, bin, missing_left};
    }
  }

  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    ScanResult best;
    const std::size_t channels = args.criterion->channels;
    const std::int32_t* missing = args.histogram + args.value_bins * channels;
    const bool both = args.has_missing && missing[kCountChannel] > 0;
    if constexpr (V > 0) {
      alignas(64) std::int32_t left[V * N];
      direction(args, false, left, best);
      if (both) direction(args, true, left, best);
    } else {
      direction(args, false, scratch, best);
      if (both) direction(args, true, scratch, best);
    }
    return best;
  }
};

template <class Score, std::size_t N, std::size_t V>
struct ScoreOnce {
  static float run(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
    return Score::of(spec, left, total);
  }
};

// From the name of a criterion to its code.
template <std::size_t N, std::size_t V, template <class, std::size_t, std::size_t> class Use,
          class... Args>
LANES_INLINE auto with_criterion(CriterionKind kind, Args&&... args) {
  switch (kind) {
    case CriterionKind::kConfidence: return Use<DiagonalScore<Confidence, N>, N, 0>::run(args...);
    case CriterionKind::kShare: return Use<DiagonalScore<Share, N>, N, 0>::run(args...);
    case CriterionKind::kVote: return Use<LaneScore<Vote, N, V>, N, V>::run(args...);
    case CriterionKind::kClass: return Use<LaneScore<Class, N, V>, N, V>::run(args...);
    case CriterionKind::kSubset: return Use<LaneScore<Subset, N, V>, N, V>::run(args...);
    case CriterionKind::kCodeword: return Use<CodewordScore, N, 0>::run(args...);
    default: return Use<LaneScore<LeastSquares, N, V>, N, V>::run(args...);
  }
}

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
