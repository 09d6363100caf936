// The JSON of random models, read by a twin that knows the text alone.
#include <gtest/gtest.h>

#include <cmath>

#include "base/text/json.h"
#include "exchange/random_models.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

using testing::position_in;
using testing::random_model;
using testing::row_of;

const Json& item(const Json& array, std::size_t i) {
  return *(array.begin() + static_cast<std::ptrdiff_t>(i));
}

bool goes_left(const Json& node, double x) {
  if (std::isnan(x)) return node.at("missing").get<std::string>() == "left";
  if (!node.contains("in")) return x <= node.at("threshold").get<double>();
  for (const Json& code : node.at("in"))
    if (static_cast<double>(code.get<std::uint32_t>()) == x) return true;
  return false;
}

const Json& leaf_of(const Json& tree, const std::vector<double>& row) {
  std::int64_t at = tree.at("nodes").begin() == tree.at("nodes").end() ? -1 : 0;
  while (at >= 0) {
    const Json& node = item(tree.at("nodes"), static_cast<std::size_t>(at));
    const bool left = goes_left(node, row[node.at("feature").get<std::size_t>()]);
    at = node.at(left ? "left" : "right").get<std::int64_t>();
  }
  return item(tree.at("leaves"), static_cast<std::size_t>(-at - 1));
}

std::vector<float> outputs_of(const Json& model, const std::vector<double>& row) {
  auto f = model.at("bias").get<std::vector<float>>();
  for (const Json& tree : model.at("trees")) {
    const auto output = tree.at("output").get<std::size_t>();
    const auto minus = tree.value("minus_output", f.size());
    const auto give = [&](std::size_t j, float value) {
      f[output + j] += value;
      if (minus < f.size()) f[minus + j] -= value;
    };
    const Json& leaf = leaf_of(tree, row);
    if (leaf.is_object()) {
      for (const auto& [j, value] : leaf.get<std::map<std::string, float>>())
        give(std::stoul(j), value);
    } else {
      const auto values = leaf.get<std::vector<float>>();
      for (std::size_t j = 0; j < values.size(); ++j) give(j, values[j]);
    }
    if (!tree.contains("linear")) continue;
    for (const Json& term : tree.at("linear")) {
      const double at =
          position_in(row[term.at("feature").get<std::size_t>()], term.at("low").get<double>(),
                      term.at("high").get<double>(), term.at("center").get<double>());
      const auto slopes = term.at("slopes").get<std::vector<float>>();
      for (std::size_t j = 0; j < slopes.size(); ++j)
        give(j, static_cast<float>(at * static_cast<double>(slopes[j])));
    }
  }
  return f;
}

TEST(JsonExport, SaysTheOutputsOfRandomModelsToTheBit) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Model model = random_model(seed, seed % 2 == 0);
    const Json told = Json::parse(to_json(model));
    const Dataset data = random_data(model.schema(), 25, seed);
    const Matrix expected = model.predict_outputs(data);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const std::vector<float> found = outputs_of(told, row_of(data, i));
      ASSERT_EQ(found.size(), expected.columns);
      for (std::size_t c = 0; c < found.size(); ++c)
        ASSERT_EQ(found[c], expected.row(i)[c]) << "seed " << seed << ", row " << i;
    }
  }
}

TEST(JsonExport, SaysLinksMembersAndCalibration) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Model model = random_model(seed, true);
    const Ensemble& ensemble = ensemble_of(model);
    const Json told = Json::parse(to_json(model));
    EXPECT_EQ(told.at("classes").get<std::vector<std::string>>(), model.schema().classes);
    EXPECT_EQ(told.at("link").at("scale").get<double>(), ensemble.link_scale);
    EXPECT_EQ(told.at("link").at("shift").get<double>(), ensemble.link_shift);
    EXPECT_EQ(told.contains("codewords"), !codeword_matrix(ensemble).empty());
    EXPECT_EQ(told.contains("members"), !ensemble.members.empty());
    EXPECT_EQ(told.value("priors", std::vector<double>()), ensemble.priors);
    for (std::size_t m = 0; m < ensemble.members.size(); ++m) {
      const Json& member = item(told.at("members"), m);
      EXPECT_EQ(member.at("weight").get<double>(), ensemble.members[m].weight);
      EXPECT_EQ(member.at("scale").get<double>(), ensemble.members[m].scale);
      EXPECT_EQ(member.at("shift").get<double>(), ensemble.members[m].shift);
    }
    if (ensemble.map.empty()) continue;
    const Json& map = told.at("calibration");
    EXPECT_EQ(map.value("scale", std::vector<double>()), ensemble.map.scale);
    EXPECT_EQ(map.value("knot_p", std::vector<double>()), ensemble.map.knot_p);
    EXPECT_EQ(map.value("knot_q", std::vector<double>()), ensemble.map.knot_q);
  }
}

}  // namespace
}  // namespace simplexboost
