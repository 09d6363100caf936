// Logistic regression, one copy for each instruction level (see base/simd/isa.h). A vector holds
// classes of one row.
#include "base/simd/lane_math.h"
#include "quality/logistic_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <std::size_t N>
struct RowLoop {
  using Lanes = Float<N>;
  const LogisticArgs& args;

  // The scores of a row; the greatest of them.
  LANES_INLINE float score(const LinearEntry* begin, const LinearEntry* end) const {
    auto top = fill<Lanes>(-3e38F);
    for (std::size_t at = 0; at < args.width; at += N) {
      auto sums = load<Lanes>(args.coefficients + at);
      for (const LinearEntry* entry = begin; entry != end; ++entry)
        sums += entry->value *
                load<Lanes>(args.coefficients + (std::size_t{entry->input} + 1) * args.width + at);
      store(args.scores + at, sums);
      top = maximum(top, sums);
    }
    return largest(top);
  }

  // exp of the scores less the greatest of them, in their place; their sum.
  LANES_INLINE float to_exponentials(float top) const {
    Lanes sums{};
    for (std::size_t at = 0; at < args.width; at += N) {
      const Lanes power = exp_of(load<Lanes>(args.scores + at) - top);
      store(args.scores + at, power);
      sums += power;
    }
    return sum(sums);
  }

  LANES_INLINE void add_slope(const LinearEntry* begin, const LinearEntry* end) const {
    for (std::size_t at = 0; at < args.width; at += N) {
      const auto pulls = load<Lanes>(args.scores + at);
      store(args.slope + at, load<Lanes>(args.slope + at) + pulls);
      for (const LinearEntry* entry = begin; entry != end; ++entry) {
        float* const place = args.slope + (std::size_t{entry->input} + 1) * args.width + at;
        store(place, load<Lanes>(place) + entry->value * pulls);
      }
    }
  }

  LANES_INLINE double add_row(std::size_t row) const {
    const double weight = args.weights ? args.weights[row] : 1;
    if (args.truths[row] < 0 || !(weight > 0)) return 0;
    const auto truth = static_cast<std::size_t>(args.truths[row]);
    const LinearEntry* const begin = args.entries + args.ends[row];
    const LinearEntry* const end = args.entries + args.ends[row + 1];
    const float top = score(begin, end);
    const float own = args.scores[truth];
    const float all = to_exponentials(top);
    // The pull on the scores: p - y.
    const auto counts = static_cast<float>(weight);
    for (std::size_t at = 0; at < args.width; at += N)
      store(args.scores + at, load<Lanes>(args.scores + at) * (counts / all));
    args.scores[truth] -= counts;
    add_slope(begin, end);
    return weight *
           (static_cast<double>(log_of(all)) + static_cast<double>(top) - static_cast<double>(own));
  }

  double run() const {
    double loss = 0;
    for (std::size_t i = 0; i < args.count; ++i) loss += add_row(args.rows[i]);
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
