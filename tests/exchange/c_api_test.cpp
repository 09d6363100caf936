// The interface in C says of random models what the library does, to the bit.
#include <gtest/gtest.h>

#include "exchange/random_models.h"
#include "simplexboost/simplexboost.h"

namespace simplexboost {
namespace {

using testing::matrix_of;
using testing::random_model;

struct Handle {
  explicit Handle(const std::vector<std::byte>& bytes) {
    EXPECT_EQ(sb_model_from_bytes(bytes.data(), bytes.size(), &model), SB_OK) << sb_last_error();
  }
  ~Handle() { sb_model_free(model); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  sb_model* model = nullptr;
};

TEST(CApi, PredictsRandomModelsAsTheLibraryDoes) {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    const Model model = random_model(seed, seed % 3 == 0);
    const Handle handle(model.to_bytes());
    const Dataset data = random_data(model.schema(), 40, seed);
    const std::vector<double> rows = matrix_of(data);
    const std::size_t features = model.schema().features.size();
    const std::size_t classes = model.schema().classes.size();
    ASSERT_EQ(sb_model_class_count(handle.model), classes);
    ASSERT_EQ(sb_model_feature_count(handle.model), features);
    const Matrix scores = model.predict_scores(data);
    const Matrix proba = model.predict_proba(data);
    const std::vector<std::int32_t> labels = model.predict(data);
    std::vector<float> own_scores(data.rows * classes);
    std::vector<double> own_proba(own_scores.size());
    std::vector<std::int32_t> own_labels(data.rows);
    ASSERT_EQ(sb_predict_scores(handle.model, rows.data(), data.rows, 1, own_scores.data()), SB_OK);
    ASSERT_EQ(sb_predict_proba(handle.model, rows.data(), data.rows, 2, own_proba.data()), SB_OK);
    ASSERT_EQ(sb_predict(handle.model, rows.data(), data.rows, 0, own_labels.data()), SB_OK);
    for (std::size_t i = 0; i < data.rows; ++i) {
      std::vector<float> one_scores(classes);
      std::vector<double> one_proba(classes);
      std::int32_t one_label = -1;
      const double* const row = rows.data() + i * features;
      ASSERT_EQ(sb_predict_scores(handle.model, row, 1, 1, one_scores.data()), SB_OK);
      ASSERT_EQ(sb_predict_proba(handle.model, row, 1, 1, one_proba.data()), SB_OK);
      ASSERT_EQ(sb_predict(handle.model, row, 1, 1, &one_label), SB_OK);
      EXPECT_EQ(own_labels[i], labels[i]) << "seed " << seed;
      EXPECT_EQ(one_label, own_labels[i]) << "seed " << seed;
      for (std::size_t k = 0; k < classes; ++k) {
        ASSERT_EQ(own_scores[i * classes + k], scores.row(i)[k]) << "seed " << seed;
        ASSERT_EQ(one_scores[k], scores.row(i)[k]) << "seed " << seed;
        ASSERT_NEAR(own_proba[i * classes + k], static_cast<double>(proba.row(i)[k]), 1e-6);
        ASSERT_NEAR(one_proba[k], own_proba[i * classes + k], 1e-12) << "seed " << seed;
      }
    }
  }
}

TEST(CApi, DamagedBytesAreErrors) {
  const std::vector<std::byte> bytes = random_model(2).to_bytes();
  Random random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<std::byte> damaged = bytes;
    damaged.resize(1 + random.below(bytes.size()));
    damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
    sb_model* model = nullptr;
    const sb_status status = sb_model_from_bytes(damaged.data(), damaged.size(), &model);
    EXPECT_EQ(status == SB_OK, model != nullptr);
    EXPECT_EQ(status == SB_OK, std::string(sb_last_error()).empty());
    sb_model_free(model);
  }
}

}  // namespace
}  // namespace simplexboost
