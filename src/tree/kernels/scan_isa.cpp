// The scan for a feature's best cut, by any criterion.
#include "tree/cuts.h"
#include "tree/kernels/criteria.h"
#include "tree/kernels/kernel_parts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class Score, std::size_t N, std::size_t V>
struct Scan {
  const ScanArgs& args;
  std::int32_t* left;  // scratch, or (V > 0) a copy of it that the compiler keeps in registers
  ScanResult best = {};

  LANES_INLINE std::size_t channels() const { return V > 0 ? V * N : args.criterion->channels; }
  LANES_INLINE const std::int32_t* sums(std::uint32_t bin) const {
    return args.histogram + bin * channels();
  }

  LANES_INLINE void start(bool missing_left) {
    const std::int32_t* const missing = sums(args.value_bins);
    for (std::size_t j = 0; j < channels(); j += N)
      store(left + j, missing_left ? load<Int<N>>(missing + j) : Int<N>{});
  }
  LANES_INLINE bool empty(std::uint32_t bin) const { return sums(bin)[kCountChannel] == 0; }
  LANES_INLINE void move_left(std::uint32_t bin) {
    for (std::size_t j = 0; j < channels(); j += N)
      store(left + j, load<Int<N>>(left + j) + load<Int<N>>(sums(bin) + j));
  }
  LANES_INLINE CutFit fit() const { return cut_fit(args, left); }
  LANES_INLINE void try_cut(std::uint32_t bin, bool missing_left) {
    const float score = Score::of(*args.criterion, left, args.total);
    if (score > best.score) best = {score, bin, missing_left};
  }

  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    alignas(64) std::int32_t registers[V > 0 ? V * N : 1];
    Scan scan{args, V > 0 ? registers : scratch};
    const bool missing = args.has_missing && scan.sums(args.value_bins)[kCountChannel] > 0;
    for_numeric_cuts(scan, args.value_bins, missing);
    return scan.best;
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
