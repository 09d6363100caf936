// Logistic regression, one copy for each instruction level (see base/simd/isa.h). A vector holds
// classes of one row.
#include "base/simd/lane_math.h"
#include "quality/linear/logistic_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <std::size_t N>
struct RowLoop {
  using Lanes = Float<N>;
  const LogisticArgs& args;

  // `Rows` rows at a time, which have the same inputs: what is read or written is so once for all
  // of them, and no sum waits for that of another row. Each sum has the terms of one row after the
  // other, so that their number makes no difference.
  template <std::size_t Rows>
  struct Group {
    const RowLoop& loop;
    const LinearEntry* begin[Rows];
    std::size_t entries;

    LANES_INLINE float* scores(std::size_t r) const {
      return loop.args.scores + r * loop.args.width;
    }
    // Where the numbers of an input are.
    LANES_INLINE std::size_t place(std::size_t e) const {
      return (std::size_t{begin[0][e].input} + 1) * loop.args.width;
    }

    LANES_INLINE void score() const {
      const float* const coefficients = loop.args.coefficients;
      for (std::size_t at = 0; at < loop.args.width; at += N) {
        Lanes sums[Rows];
        for (std::size_t r = 0; r < Rows; ++r) sums[r] = load<Lanes>(coefficients + at);
        for (std::size_t e = 0; e < entries; ++e) {
          const auto own = load<Lanes>(coefficients + place(e) + at);
          for (std::size_t r = 0; r < Rows; ++r) sums[r] += begin[r][e].value * own;
        }
        for (std::size_t r = 0; r < Rows; ++r) store(scores(r) + at, sums[r]);
      }
    }

    LANES_INLINE void add_slope() const {
      float* const slope = loop.args.slope;
      for (std::size_t at = 0; at < loop.args.width; at += N) {
        Lanes pulls[Rows];
        auto sums = load<Lanes>(slope + at);
        for (std::size_t r = 0; r < Rows; ++r) sums += pulls[r] = load<Lanes>(scores(r) + at);
        store(slope + at, sums);
        for (std::size_t e = 0; e < entries; ++e) {
          float* const own = slope + place(e) + at;
          sums = load<Lanes>(own);
          for (std::size_t r = 0; r < Rows; ++r) sums += begin[r][e].value * pulls[r];
          store(own, sums);
        }
      }
    }
  };

  // From the scores of a row, in their place, to the pulls on them, p - y; its loss.
  LANES_INLINE double to_pulls(std::size_t row, float* scores) const {
    const double weight = args.weights ? args.weights[row] : 1;
    const auto truth = static_cast<std::size_t>(args.truths[row]);
    auto tops = fill<Lanes>(-3e38F);
    for (std::size_t at = 0; at < args.width; at += N)
      tops = maximum(tops, load<Lanes>(scores + at));
    const float top = largest(tops);
    const float own = scores[truth];
    Lanes sums{};
    for (std::size_t at = 0; at < args.width; at += N) {
      const Lanes power = exp_of(load<Lanes>(scores + at) - top);
      store(scores + at, power);
      sums += power;
    }
    const float all = sum(sums);
    const auto counts = static_cast<float>(weight);
    for (std::size_t at = 0; at < args.width; at += N)
      store(scores + at, load<Lanes>(scores + at) * (counts / all));
    scores[truth] -= counts;
    return weight *
           (static_cast<double>(log_of(all)) + static_cast<double>(top) - static_cast<double>(own));
  }

  LANES_INLINE bool counts(std::size_t row) const {
    return args.truths[row] >= 0 && (!args.weights || args.weights[row] > 0);
  }

  template <std::size_t Rows>
  LANES_INLINE double add(const std::uint32_t* rows, double loss) const {
    Group<Rows> group{*this, {}, args.ends[rows[0] + 1] - args.ends[rows[0]]};
    for (std::size_t r = 0; r < Rows; ++r) group.begin[r] = args.entries + args.ends[rows[r]];
    group.score();
    for (std::size_t r = 0; r < Rows; ++r) loss += to_pulls(rows[r], group.scores(r));
    group.add_slope();
    return loss;
  }

  // All of them count and have all inputs.
  LANES_INLINE bool alike(const std::uint32_t* rows) const {
    for (std::size_t r = 0; r < kRowsTogether; ++r)
      if (!counts(rows[r]) || args.ends[rows[r] + 1] - args.ends[rows[r]] != args.inputs)
        return false;
    return true;
  }

  double run() const {
    double loss = 0;
    for (std::size_t i = 0; i < args.count;) {
      const std::uint32_t* const rows = args.rows + i;
      if (i + kRowsTogether <= args.count && alike(rows)) {
        loss = add<kRowsTogether>(rows, loss);
        i += kRowsTogether;
        continue;
      }
      if (counts(*rows)) loss = add<1>(rows, loss);
      ++i;
    }
    return loss;
  }
};

double add_rows(const LogisticArgs& args) {
  if (args.width == 4) return RowLoop<4>{args}.run();
  if (args.width == 8) return RowLoop<8>{args}.run();
  return RowLoop<16>{args}.run();
}

}  // namespace

extern const LogisticKernels kLogistic;
const LogisticKernels kLogistic{add_rows};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
