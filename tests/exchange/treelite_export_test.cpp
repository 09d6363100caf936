// Treelite checkpoints of random models, read by a twin that knows the format alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/message_of.h"
#include "base/text/json.h"
#include "exchange/random_models.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

using testing::message_of;
using testing::position_in;
using testing::random_model;
using testing::row_of;

// https://treelite.readthedocs.io/en/latest/serialization: numbers, and arrays behind their length.
class CheckpointReader {
 public:
  explicit CheckpointReader(std::string bytes) : bytes_(std::move(bytes)) {}
  template <class Number>
  Number number() {
    Number value{};
    take(&value, sizeof value);
    return value;
  }
  template <class Number>
  std::vector<Number> array() {
    std::vector<Number> values(number<std::uint64_t>());
    take(values.data(), values.size() * sizeof(Number));
    return values;
  }
  std::string text() {
    const std::vector<char> letters = array<char>();
    return {letters.begin(), letters.end()};
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  void take(void* to, std::size_t size) {
    ASSERT_LE(at_ + size, bytes_.size());
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

struct CheckpointTree {
  std::vector<std::int8_t> type, compare;
  std::vector<std::int32_t> left, right, feature;
  std::vector<std::uint8_t> missing_left, set_right;
  std::vector<double> value, threshold, vectors;
  std::vector<std::uint64_t> vector_begin, vector_end, set_begin, set_end;
  std::vector<std::uint32_t> sets;

  explicit CheckpointTree(CheckpointReader& in) {
    const auto nodes = static_cast<std::size_t>(in.number<std::int32_t>());
    in.number<std::uint8_t>();
    type = in.array<std::int8_t>();
    left = in.array<std::int32_t>();
    right = in.array<std::int32_t>();
    feature = in.array<std::int32_t>();
    missing_left = in.array<std::uint8_t>();
    value = in.array<double>();
    threshold = in.array<double>();
    compare = in.array<std::int8_t>();
    set_right = in.array<std::uint8_t>();
    vectors = in.array<double>();
    vector_begin = in.array<std::uint64_t>();
    vector_end = in.array<std::uint64_t>();
    sets = in.array<std::uint32_t>();
    set_begin = in.array<std::uint64_t>();
    set_end = in.array<std::uint64_t>();
    for (int field = 0; field < 6; ++field) EXPECT_EQ(in.number<std::uint64_t>(), 0U);
    for (int field = 0; field < 2; ++field) EXPECT_EQ(in.number<std::int32_t>(), 0);
    EXPECT_EQ(type.size(), nodes);
    EXPECT_EQ(set_end.size(), nodes);
  }

  std::size_t leaf_of(const std::vector<double>& row) const {
    std::size_t at = 0;
    while (left[at] >= 0) {
      const double x = row[static_cast<std::size_t>(feature[at])];
      bool goes_left = x <= threshold[at];
      if (type[at] == 2)
        goes_left = std::any_of(sets.begin() + static_cast<std::ptrdiff_t>(set_begin[at]),
                                sets.begin() + static_cast<std::ptrdiff_t>(set_end[at]),
                                [&](std::uint32_t code) { return static_cast<double>(code) == x; });
      if (std::isnan(x)) goes_left = missing_left[at] != 0;
      at = static_cast<std::size_t>(goes_left ? left[at] : right[at]);
    }
    return at;
  }
};

struct Checkpoint {
  std::size_t targets = 0;
  std::size_t classes = 0;
  std::vector<std::int32_t> target, label;
  std::string function;
  std::vector<double> base;
  Json attributes;
  std::vector<CheckpointTree> trees;

  explicit Checkpoint(const std::string& bytes) {
    CheckpointReader in(bytes);
    EXPECT_EQ(in.number<std::int32_t>(), 4);
    for (int part = 0; part < 2; ++part) in.number<std::int32_t>();
    for (int part = 0; part < 2; ++part) EXPECT_EQ(in.number<std::uint8_t>(), 3);
    const auto count = in.number<std::uint64_t>();
    in.number<std::int32_t>();
    EXPECT_EQ(in.number<std::uint8_t>(), 2);
    EXPECT_EQ(in.number<std::uint8_t>(), 0);
    targets = static_cast<std::size_t>(in.number<std::int32_t>());
    classes = static_cast<std::size_t>(in.array<std::int32_t>().at(0));
    in.array<std::int32_t>();
    target = in.array<std::int32_t>();
    label = in.array<std::int32_t>();
    function = in.text();
    for (int part = 0; part < 2; ++part) in.number<float>();
    base = in.array<double>();
    attributes = Json::parse(in.text());
    EXPECT_EQ(in.number<std::int32_t>(), 0);
    for (std::uint64_t t = 0; t < count; ++t) trees.emplace_back(in);
    EXPECT_TRUE(in.at_end());
  }

  // targets x classes; linear terms, where there are any, by the attributes.
  std::vector<double> sums(const std::vector<double>& row) const {
    std::vector<double> sum = base;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const CheckpointTree& tree = trees[t];
      const std::size_t leaf = tree.leaf_of(row);
      double* const to = sum.data() + static_cast<std::size_t>(target[t]) * classes;
      if (label[t] >= 0) {
        to[label[t]] += tree.value[leaf];
        continue;
      }
      for (std::size_t k = 0; k < classes; ++k) to[k] += tree.vectors[tree.vector_begin[leaf] + k];
    }
    if (!attributes.contains("linear")) return sum;
    for (const Json& term : attributes.at("linear")) {
      const double at =
          position_in(row[term.at("feature").get<std::size_t>()], term.at("low").get<double>(),
                      term.at("high").get<double>(), term.at("center").get<double>());
      const auto slopes = term.at("slopes").get<std::vector<double>>();
      for (std::size_t k = 0; k < classes; ++k)
        sum[term.at("target").get<std::size_t>() * classes + k] += at * slopes[k];
    }
    return sum;
  }
};

std::vector<double> softmax(std::vector<double> values) {
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - top);
  for (double& value : values) value /= sum;
  return values;
}

bool has_linear_terms(const Model& model) {
  return !ensemble_of(model).forest.linear_features.empty();
}

// Of members these are their outputs, else the class scores.
TEST(TreeliteExport, RawSumsAreTheScoresOfRandomModels) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Model model = random_model(seed);
    const bool members = !ensemble_of(model).members.empty();
    const Checkpoint checkpoint(to_treelite(model, {.raw = true, .linear_aside = true}));
    ASSERT_EQ(checkpoint.function, "identity_multiclass");
    ASSERT_EQ(checkpoint.attributes.contains("linear"), has_linear_terms(model));
    const Dataset data = random_data(model.schema(), 30, seed);
    const Matrix expected = members ? model.predict_outputs(data) : model.predict_scores(data);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const std::vector<double> found = checkpoint.sums(row_of(data, i));
      ASSERT_EQ(found.size(), expected.columns);
      for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_NEAR(found[k], expected.row(i)[k], 2e-5) << "seed " << seed;  // sums of floats
    }
  }
}

TEST(TreeliteExport, SoftmaxesWithTemperatureAndOtherSharesAreWhole) {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Ensemble ensemble = ensemble_of(random_model(seed, seed % 4 == 0 || seed % 4 == 3));
    if (!ensemble.members.empty() || ensemble.link != Link::kSoftmax ||
        !ensemble.forest.linear_features.empty())
      continue;
    ++tried;
    const Model model = make_model(std::move(ensemble));
    const Checkpoint checkpoint(to_treelite(model));
    ASSERT_EQ(checkpoint.function, "softmax");
    const Dataset data = random_data(model.schema(), 30, seed);
    const Matrix expected = model.predict_proba(data);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const std::vector<double> found = softmax(checkpoint.sums(row_of(data, i)));
      for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_NEAR(found[k], expected.row(i)[k], 1e-5) << "seed " << seed;
    }
  }
  EXPECT_GT(tried, 2);
}

TEST(TreeliteExport, NamesTheMemberWithLinearTermsAndTheWayOut) {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Model model = random_model(seed);
    if (!has_linear_terms(model)) continue;
    ++tried;
    const std::string said = message_of([&] { to_treelite(model, {.raw = true}); });
    EXPECT_NE(said.find("has linear terms"), std::string::npos) << said;
    EXPECT_NE(said.find("--linear-aside"), std::string::npos) << said;
    const bool members = !ensemble_of(model).members.empty();
    EXPECT_EQ(said.starts_with(members ? "the member 'member " : "the model has"), true) << said;
  }
  EXPECT_GT(tried, 4);
}

// A file may have trees that reach from one member into the next; ours never do.
TEST(TreeliteExport, RefusesTreesThatReachOverMembers) {
  Ensemble pooled = random_pooled_ensemble(3);
  pooled.schema.classes[0] = "a";
  const std::string said =
      message_of([&] { to_treelite(make_model(std::move(pooled)), {.raw = true}); });
  EXPECT_NE(said.find("outputs of several members"), std::string::npos) << said;
}

}  // namespace
}  // namespace simplexboost
