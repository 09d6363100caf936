#include "boosting/setup/memory_plan.h"

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

Composition composed(const Dataset& data, const std::string& algorithm) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  return compose(data, parameters, {});
}

// What rows are said to take beside what any row does, in floats.
std::uint64_t floats_of_row(const Dataset& data, const std::string& algorithm) {
  constexpr std::uint64_t kAnyRow = 40;
  const MemoryPlan plan = plan_memory(data, {}, composed(data, algorithm), 0);
  return (plan.rows / data.rows - kAnyRow) / sizeof(float);
}

TEST(MemoryPlan, KnowsWhatAlgorithmsKeep) {
  const Dataset data = testing::labelled_data({.rows = 500, .classes = 30}, 1);
  EXPECT_EQ(floats_of_row(data, "newton"), 2 * 30 + 6 + 8U);   // a sketch of six outputs
  EXPECT_EQ(floats_of_row(data, "gd-mcboost"), 3 * 29 + 32U);  // statistics of all outputs
  EXPECT_EQ(floats_of_row(data, "cd-mcboost"), 7 * 29 + 32U);
  EXPECT_EQ(floats_of_row(data, "abc-logitboost"), 9 * 30 + 8U);  // class by class
  EXPECT_EQ(floats_of_row(data, "one-vs-all"), 30 + 8U);
}

// Of 60 classes up to 64,000,000 pulls are kept, of 100 up to 2,000,000.
TEST(MemoryPlan, CountsPullsOfNewtonWhereTheyAreKept) {
  const auto floats = [](std::size_t rows, std::size_t classes, int sketch) {
    Dataset data = testing::labelled_data({.rows = 500, .classes = classes}, 1);
    Parameters parameters;
    parameters.algorithm = "newton";
    parameters.sketch = sketch;
    const Composition chosen = compose(data, parameters, {});
    data.rows = rows;
    return (plan_memory(data, {}, chosen, 0).rows / rows - 40) / sizeof(float);
  };
  EXPECT_EQ(floats(1'000'000, 60, 6), 2 * 60 + 6 + 8U);
  EXPECT_EQ(floats(1'100'000, 60, 6), 60 + 6 + 8U);
  EXPECT_EQ(floats(20'000, 100, 6), 2 * 100 + 6 + 8U);
  EXPECT_EQ(floats(20'001, 100, 6), 100 + 6 + 8U);
  EXPECT_EQ(floats(20'001, 100, 0), 2 * 100 + 104U);  // they shape the tree
}

TEST(MemoryPlan, CountsTheRowsOfValidation) {
  const Dataset data = testing::labelled_data({.classes = 30}, 1);
  const Composition chosen = composed(data, "newton");
  EXPECT_EQ(plan_memory(data, {}, chosen, 0).judged, 0U);
  EXPECT_EQ(plan_memory(data, {}, chosen, 1000).judged, 1000 * (30 * 4 + 16U));
}

TEST(MemoryPlan, RefusesWithItsSizesWhatTheMachineCannotHoldWithoutAnyRule) {
  Dataset data = testing::labelled_data({.classes = 30}, 1);
  const Composition chosen = composed(data, "newton");
  EXPECT_TRUE(choose_store(data, {}, chosen, 0).folder.empty());
  data.rows = std::size_t{1} << 40U;
  const std::string said = testing::message_of([&] { choose_store(data, {}, chosen, 0); });
  EXPECT_NE(said.find("training would take about "), std::string::npos) << said;
  EXPECT_NE(said.find(" GB of this machine "), std::string::npos) << said;
  EXPECT_NE(said.find(" are free (--bins-on-disk takes less"), std::string::npos) << said;
}

}  // namespace
}  // namespace simplexboost
