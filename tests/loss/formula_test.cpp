// The formulas of the loss table: what each says of itself, and that it says the same in lanes and
// in plain numbers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "loss/added_formula.h"
#include "loss/loss.h"
#include "loss/loss_table.h"

namespace simplexboost {
namespace {

using plain::RowPulls;
using plain::RowSum;
using plain::visit_formula;
using Lanes = plain::Float<8>;

// Calls check(Formula{}) for the formula of every row, and for one that has none.
template <class Check>
void for_formulas(const Check& check) {
  for (const LossFacts& row : loss_table()) {
    SCOPED_TRACE(row.name);
    visit_formula(row.formula, check);
  }
  SCOPED_TRACE("added");
  check(plain::RootFormula{});
}

// Tops and sums from well fitted rows to very wrong ones, and rows without a rival.
struct Rows {
  std::vector<float> top, sum;

  Rows() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (const float size : {1.0F, 5.0F, 30.0F, 90.0F, 1e4F})
      for (int i = 0; i < 400; ++i) {
        top.push_back(size * (2 * uniform(random) - 1));
        sum.push_back(1 + 20 * uniform(random) * uniform(random));
      }
    for (int i = 0; i < 8; ++i) {
      top.push_back(i % 2 == 0 ? 0.0F : -1e30F);
      sum.push_back(i < 4 ? 0.0F : 1.0F);
    }
  }
};

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

template <class Formula, class Number>
std::vector<Number> figures(Number top, Number sum) {
  const RowSum<Number> row(top, sum);
  const RowPulls<Number> pulls = Formula::pulls(row);
  const Number pull = pulls.pull * plain::exp_of(Formula::log_weight(top));
  const Number term = sum * 0.25F;
  return {Formula::log_value(top),
          Formula::value(row),
          Formula::log_weight(top),
          pulls.pull,
          pulls.bend,
          pulls.own,
          plain::own_curvature<Formula>(pull * sum, pulls.own),
          plain::entry_curvature<Formula>(pull * term, term, -0.5F)};
}

TEST(LossFormulas, GiveTheSameBitsInLanesAndInPlainNumbers) {
  const Rows rows;
  for_formulas([&](auto formula) {
    using Formula = decltype(formula);
    for (std::size_t i = 0; i < rows.top.size(); i += 8) {
      const auto lanes = figures<Formula>(plain::load<Lanes>(rows.top.data() + i),
                                          plain::load<Lanes>(rows.sum.data() + i));
      for (std::size_t j = 0; j < 8; ++j) {
        const auto alone = figures<Formula>(rows.top[i + j], rows.sum[i + j]);
        for (std::size_t f = 0; f < alone.size(); ++f)
          ASSERT_EQ(bits(lanes[f][j]), bits(alone[f]))
              << "figure " << f << " of top " << rows.top[i + j] << ", sum " << rows.sum[i + j];
      }
    }
  });
}

TEST(LossFormulas, AreThoseOfGammaAndItsSlope) {
  for_formulas([](auto formula) {
    using Formula = decltype(formula);
    const auto rate = static_cast<double>(Formula::kRate);
    for (const double top : {-20.0, -3.0, -0.1, 0.0, 0.7, 4.0, 15.0})
      for (const double sum : {1.0, 1.5, 12.0}) {
        const double s = std::exp(top) * sum;
        const RowSum<double> row(top, sum);
        EXPECT_NEAR(Formula::value(row) * std::exp(Formula::log_value(top)), Formula::gamma(s),
                    1e-12 * (1 + Formula::gamma(s)));
        const double weight = Formula::pulls(row).pull * sum * std::exp(Formula::log_weight(top));
        EXPECT_NEAR(weight, rate * s * Formula::gamma_slope(s), 1e-12 * (1 + std::abs(weight)));
        const double step = 1e-6 * s;
        const double slope = (Formula::gamma(s + step) - Formula::gamma(s - step)) / (2 * step);
        EXPECT_NEAR(Formula::gamma_slope(s), slope, 1e-6 * std::abs(slope) + 1e-15 / step);
      }
  });
}

TEST(LossTable, FindsEveryRowByItsName) {
  EXPECT_EQ(loss_table().size(), loss_names().size());
  for (std::size_t i = 0; i < loss_table().size(); ++i) {
    const LossFacts& row = loss_table()[i];
    EXPECT_EQ(loss_names()[i], row.name);
    EXPECT_EQ(row.formula, static_cast<int>(i));
    EXPECT_EQ(make_loss(row.name)->name(), row.name);
    EXPECT_EQ(find_loss(row.name), &row);
  }
  EXPECT_EQ(find_loss("softplus"), nullptr);
}

}  // namespace
}  // namespace simplexboost
