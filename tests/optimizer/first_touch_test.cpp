// Large arrays are first touched where rounds write them, by the threads that do.
#include <gtest/gtest.h>

#include "base/memory.h"
#include "optimizer/gradient_boosting.h"
#include "optimizer/hamming_boosting.h"
#include "optimizer/labelled_problem.h"
#include "optimizer/logit_boosting.h"

namespace simplexboost {
namespace {

constexpr std::size_t kManyRows = 400'000;
constexpr std::size_t kManyClasses = 64;
constexpr std::size_t kPulls = kManyRows * kManyClasses * sizeof(float);

// Of what make() gives, while that lives.
template <class Make>
std::uint64_t memory_of(const Make& make) {
  const std::uint64_t before = resident_memory();
  const auto made = make();
  const std::uint64_t after = resident_memory();
  return after > before ? after - before : 0;
}

TEST(FirstTouch, OfPullsIsNotThatOfTheThreadThatMakesThem) {
  if (resident_memory() == 0) GTEST_SKIP() << "the system does not tell";
  Random random(1);
  const testing::LabelledProblem rows(kManyRows, kManyClasses, random);
  const Problem problem = rows.problem();
  EXPECT_LT(memory_of([&] {
              return std::make_unique<GradientBoosting>(problem, Codebook::simplex(kManyClasses),
                                                        make_loss("exponential"),
                                                        PullSpace::kClasses);
            }),
            kPulls / 4);
  EXPECT_LT(memory_of([&] {
              HammingOptions options;
              options.confident = true;
              return std::make_unique<HammingBoosting>(problem, options);
            }),
            kPulls / 4);
  EXPECT_LT(memory_of([&] { return std::make_unique<LogitBoosting>(problem, LogitOptions{}); }),
            kPulls / 4);
}

}  // namespace
}  // namespace simplexboost
