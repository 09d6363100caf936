// Small models that speak of much, and what they may take: no more than what they say needs.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "base/peak_memory.h"
#include "model/explain.h"
#include "model/file/safetensors.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"

namespace simplexboost {
namespace {

using testing::kMeasures;
using testing::peak_of;

constexpr std::size_t kMega = 1 << 20;

// A tree of two leaves that speaks of all classes of a simplex, whose codewords as a matrix would
// take 4 K^2 bytes.
Ensemble simplex_model(std::size_t classes) {
  Ensemble ensemble;
  ensemble.algorithm = "gd-mcboost";
  ensemble.schema.features = {{"x", FeatureType::kNumeric, {}}};
  ensemble.schema.classes = numbered("class ", classes);
  ensemble.schema.label_columns = {"class"};
  ensemble.simplex = true;
  const auto outputs = static_cast<std::uint32_t>(classes - 1);
  ensemble.bias.assign(outputs, 0);
  Forest& forest = ensemble.forest;
  forest.outputs = outputs;
  forest.nodes = {Node{0.5, 0, ~0, ~1, 0, 0, false, true}};
  std::vector<float> values(std::size_t{2} * outputs, 0);
  values[7 % outputs] = 1;
  values[outputs + 9 % outputs] = 1;
  forest.leaf_values = LeafValues(values);
  forest.trees = {TreeSpan{0, 1, 0, 2, 0, outputs}};
  forest.round_end = {1};
  return ensemble;
}

TEST(LargeModel, SixtyThousandClassesOfASimplexNeedNoMatrixOfCodewords) {
  if (!kMeasures) GTEST_SKIP() << "a sanitizer has memory of its own";
  const Ensemble ensemble = simplex_model(60'000);
  Dataset data;
  data.rows = 2;
  data.columns = {Column::numeric("x", {0, 1})};
  const std::size_t peak = peak_of([&] {
    const Model model = make_model(ensemble);
    EXPECT_EQ(model.predict(data), (std::vector<std::int32_t>{7, 9}));
    EXPECT_EQ(class_importance(ensemble, false).size(), 60'000U);
    EXPECT_FALSE(tree_text(ensemble, 0).empty());
  });
  EXPECT_LT(peak, 64 * kMega);
}

// What the closed form says of a simplex is what its codewords say.
TEST(LargeModel, ImportanceOfASimplexIsThatOfItsCodewords) {
  Ensemble simplex = simplex_model(12);
  const std::vector<double> closed = class_importance(simplex, false);
  Ensemble stored = simplex;
  stored.codewords = codeword_matrix(simplex);
  stored.simplex = false;
  const std::vector<double> expected = class_importance(stored, false);
  ASSERT_EQ(closed.size(), expected.size());
  for (std::size_t k = 0; k < closed.size(); ++k) EXPECT_NEAR(closed[k], expected[k], 1e-6) << k;
}

// Metadata that nobody asked for: one long text, and many short ones.
TEST(LargeModel, MetadataTakeNoMoreThanAFewTimesTheirSize) {
  if (!kMeasures) GTEST_SKIP() << "a sanitizer has memory of its own";
  const std::string sound = serialize(simplex_model(4));
  TensorFile file = parse_safetensors(std::as_bytes(std::span(sound)));
  for (const bool many : {false, true}) {
    TensorFile larger = file;
    if (many)
      for (int i = 0; i < 200'000; ++i) larger.metadata["key " + std::to_string(i)] = "a value";
    else
      larger.metadata["long"] = std::string(16 * kMega, '"');
    const std::string bytes = write_safetensors(larger);
    const std::size_t peak = peak_of([&] { deserialize(std::as_bytes(std::span(bytes))); });
    EXPECT_LT(peak, 8 * bytes.size()) << bytes.size();
  }
}

}  // namespace
}  // namespace simplexboost
