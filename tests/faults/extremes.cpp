// All algorithms where numbers are at their ends: weights, costs, features and rates of any size,
// thousands of rounds on rows that can be told apart, thousands of classes, fewer rows than
// classes; and ensembles, calibration and suspects of such weights. Each training gives a model
// with finite scores, or an error in words. Meant for the address and undefined-behaviour
// sanitizers.
//
//   simplexboost_extremes [--full] [--part I/N] [--only TEXT]
//
// --full: 10,000 rounds and up to 5,000 classes; --part: the I-th of N shares, I from 0.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "boosting/setup/algorithm_table.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"
#include "simplexboost/quality.h"
#include "simplexboost/train.h"

namespace {

using simplexboost::Column;
using simplexboost::Dataset;
using simplexboost::Model;
using simplexboost::Parameters;
using simplexboost::Quality;
using simplexboost::QualityOptions;
using simplexboost::Random;

struct Sizes {
  int rounds = 5;
  int many_rounds = 300;
  std::size_t classes = 60;
};

struct Case {
  std::string name;
  Dataset data;
  Parameters parameters;
  bool may_refuse = true;
  // The same classes must be predicted as from these data: a common factor of weights.
  std::optional<Dataset> like = {};
};

using Way = std::function<Model(const Dataset&, const Parameters&)>;

Way with_quality(Quality quality, bool distil = false) {
  return [=](const Dataset& data, const Parameters& parameters) {
    QualityOptions how;
    how.quality = quality;
    how.distil = distil;
    return simplexboost::train_quality(data, parameters, how).model;
  };
}

Model trained_and_calibrated(const Dataset& data, const Parameters& parameters) {
  simplexboost::CalibrateOptions how;
  how.threads = 1;
  return simplexboost::calibrate(simplexboost::train(data, parameters), data, how).model;
}

// Trained once more after the labels were judged as the verb `suspects` does.
Model trained_and_judged(const Dataset& data, const Parameters& parameters) {
  Dataset trusted = data;
  if (trusted.weights.empty()) trusted.weights.assign(data.rows, 1);
  const std::vector<double> weights = trusted.weights;
  QualityOptions how;
  how.quality = Quality::kDefault;
  const auto judge = [&](const std::vector<double>& trust, int) {
    for (std::size_t i = 0; i < trust.size(); ++i) trusted.weights[i] = weights[i] * trust[i];
    return simplexboost::train_quality(trusted, parameters, how).oof_proba;
  };
  simplexboost::find_suspects(data.labels, judge, 1);
  return simplexboost::train(data, parameters);
}

// What sums weights beside a training.
std::vector<std::pair<std::string, Way>> other_ways() {
  return {{"quality default", with_quality(Quality::kDefault)},
          {"quality best", with_quality(Quality::kBest)},
          {"distil", with_quality(Quality::kDefault, true)},
          {"calibrate", trained_and_calibrated},
          {"suspects", trained_and_judged}};
}

// Classes that lie apart on the first feature, with noise on the others.
Dataset separable(std::size_t rows, std::size_t classes) {
  Random random(rows + classes);
  Dataset data;
  data.rows = rows;
  std::vector<double> first;
  std::vector<double> second;
  std::vector<std::int32_t> third;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t label = i % classes;
    data.labels.codes.push_back(static_cast<std::int32_t>(label));
    first.push_back(static_cast<double>(label) + random.uniform() / 2);
    second.push_back(random.normal());
    third.push_back(static_cast<std::int32_t>(random.below(3)));
  }
  data.columns = {Column::numeric("x", first), Column::numeric("noise", second),
                  Column::categorical("c", third, {"r", "g", "b"})};
  for (std::size_t k = 0; k < classes; ++k) data.labels.classes.push_back("k" + std::to_string(k));
  data.labels.columns = {"class"};
  return data;
}

Dataset overlapping(std::size_t rows, std::size_t classes) {
  Dataset data = separable(rows, classes);
  Random random(7);
  for (auto& code : data.labels.codes)
    if (random.below(4) == 0) code = static_cast<std::int32_t>(random.below(classes));
  return data;
}

void scale_weights(Dataset& data, double factor) {
  if (data.weights.empty()) data.weights.assign(data.rows, 1);
  for (double& weight : data.weights) weight *= factor;
}

Dataset with_values(const std::vector<double>& values) {
  Dataset data = overlapping(24, 3);
  std::vector<double> column;
  for (std::size_t i = 0; i < data.rows; ++i) column.push_back(values[i % values.size()]);
  data.columns[1] = Column::numeric("extreme", column);
  return data;
}

void add_weights(std::vector<Case>& cases, const Parameters& plain) {
  const Dataset data = overlapping(36, 3);
  for (const double factor : {0x1p-1000, 0x1p-130, 0x1p-40, 0x1p40, 0x1p127, 0x1p130, 0x1p1000}) {
    Dataset scaled = data;
    scale_weights(scaled, factor);
    cases.push_back(
        {"weights times " + std::to_string(std::ilogb(factor)), scaled, plain, false, data});
  }
  for (const double ratio : {1e3, 1e12, 1e30, 1e60, 1e300}) {
    Dataset mixed = data;
    mixed.weights.assign(data.rows, 1);
    mixed.weights[5] = ratio;
    cases.push_back({"one weight of " + std::to_string(std::ilogb(ratio)), mixed, plain});
    mixed.weights[5] = 1 / ratio;
    cases.push_back({"one weight of -" + std::to_string(std::ilogb(ratio)), mixed, plain});
  }
  Dataset zeros = data;
  zeros.weights.assign(data.rows, 0);
  cases.push_back({"no weight at all", zeros, plain});
  zeros.weights[3] = 1;
  cases.push_back({"one row with a weight", zeros, plain});
}

void add_class_weights(std::vector<Case>& cases, const Parameters& plain) {
  const Dataset data = overlapping(36, 3);
  for (const char* weights : {"k0=1e39", "k0=1e-39", "k0=1e300,k1=1e-300", "k0=0", "balanced"}) {
    Parameters parameters = plain;
    parameters.class_weight = weights;
    cases.push_back({std::string("class weights ") + weights, data, parameters});
  }
  for (const char* costs : {"0,1e39,1;1,0,1;1,1,0", "0,1e-39,1;1,0,1;1,1,0",
                            "0,1e300,1e300;1e300,0,1e300;1e300,1e300,0", "0,0,0;0,0,0;0,0,0"}) {
    Parameters parameters = plain;
    parameters.costs = costs;
    cases.push_back({std::string("costs ") + costs, data, parameters});
  }
}

void add_features(std::vector<Case>& cases, const Parameters& plain) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  constexpr double kLargest = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  cases.push_back({"features at both ends", with_values({-kLargest, kLargest, 0}), plain, false});
  cases.push_back(
      {"features near nothing", with_values({-kLeast, kLeast, 0.0, -0.0}), plain, false});
  cases.push_back({"a feature of one value", with_values({1e308}), plain, false});
  cases.push_back({"a feature without values", with_values({kMissing}), plain, false});
  cases.push_back({"a feature of nearly none", with_values({kMissing, kMissing, kMissing, 1e300}),
                   plain, false});
  cases.push_back({"neighbouring features", with_values({1, std::nextafter(1, 2)}), plain, false});
}

void add_settings(std::vector<Case>& cases, const Parameters& plain) {
  const Dataset data = overlapping(36, 3);
  const std::vector<std::pair<const char*, std::function<void(Parameters&)>>> settings = {
      {"rate 1e-9", [](Parameters& p) { p.learning_rate = 1e-9; }},
      {"rate 1e-300", [](Parameters& p) { p.learning_rate = 1e-300; }},
      {"rate 10", [](Parameters& p) { p.learning_rate = 10; }},
      {"l2 of 1e308", [](Parameters& p) { p.l2 = 1e308; }},
      {"l2 of 1e-300", [](Parameters& p) { p.l2 = 1e-300; }},
      {"l2 of 0", [](Parameters& p) { p.l2 = 0; }},
      {"min-weight of 1e300", [](Parameters& p) { p.min_weight = 1e300; }},
      {"min-gain of 1e300", [](Parameters& p) { p.min_gain = 1e300; }},
      {"min-rows of all", [](Parameters& p) { p.min_rows = 1000; }},
      {"two bins", [](Parameters& p) { p.max_bins = 2; }},
      {"depth 40", [](Parameters& p) { p.depth = 40; }},
      {"depth 1", [](Parameters& p) { p.depth = 1; }},
      {"1,000 leaves", [](Parameters& p) { p.leaves = 1000; }},
      {"a row in a thousand", [](Parameters& p) { p.row_fraction = 0.001; }},
      {"a feature in a thousand", [](Parameters& p) { p.feature_fraction = 0.001; }},
      {"weight-floor of 0", [](Parameters& p) { p.weight_floor = 0; }},
  };
  for (const auto& [name, set] : settings) {
    Parameters parameters = plain;
    set(parameters);
    cases.push_back({name, data, parameters});
  }
}

void add_sizes(std::vector<Case>& cases, const Parameters& plain, const Sizes& sizes) {
  Parameters parameters = plain;
  parameters.rounds = sizes.many_rounds;
  parameters.early_stopping = 0;
  cases.push_back({"many rounds, two classes", separable(12, 2), parameters, false});
  cases.push_back({"many rounds, three classes", separable(12, 3), parameters, false});
  parameters.learning_rate = 1;
  cases.push_back({"many full rounds", separable(12, 3), parameters, false});
  parameters = plain;
  parameters.rounds = 1;  // of thousands of classes: some algorithms fit a tree to each
  cases.push_back({"many classes", separable(sizes.classes + 20, sizes.classes), parameters});
  parameters.rounds = 2;
  Dataset few = separable(sizes.classes / 4, sizes.classes / 4);
  for (std::size_t k = sizes.classes / 4; k < sizes.classes; ++k)
    few.labels.classes.push_back("k" + std::to_string(k));
  cases.push_back({"fewer rows than classes", few, parameters});
  cases.push_back(
      {"a row for each class", separable(sizes.classes / 10, sizes.classes / 10), parameters});
  cases.push_back({"two rows", separable(2, 2), plain});
  Dataset alone = separable(9, 1);
  cases.push_back({"one class", alone, plain});
}

std::vector<Case> weight_cases(const Sizes& sizes) {
  Parameters plain;
  plain.rounds = sizes.rounds;
  plain.threads = 1;
  std::vector<Case> cases;
  add_weights(cases, plain);
  add_class_weights(cases, plain);
  return cases;
}

std::vector<Case> cases_of(const std::string& algorithm, const Sizes& sizes) {
  Parameters plain;
  plain.algorithm = algorithm;
  plain.rounds = sizes.rounds;
  plain.threads = 1;
  std::vector<Case> cases;
  add_weights(cases, plain);
  add_class_weights(cases, plain);
  add_features(cases, plain);
  add_settings(cases, plain);
  add_sizes(cases, plain, sizes);
  return cases;
}

// What is wrong with the outcome; nothing: all is well.
std::optional<std::string> attempt(const Case& one, const Way& make) {
  try {
    const Model model = make(one.data, one.parameters);
    for (const float score : model.predict_scores(one.data, {.threads = 1}).values)
      if (!std::isfinite(score)) return "a score is not finite";
    if (!one.like) return std::nullopt;
    const Model other = make(*one.like, one.parameters);
    if (model.predict(one.data) != other.predict(one.data))
      return "a common factor of the weights changes the predictions";
  } catch (const simplexboost::ModelError& error) {
    return std::string("training made a model that is none: ") + error.what();
  } catch (const simplexboost::Error& error) {
    if (!one.may_refuse) return std::string("refused: ") + error.what();
  }
  return std::nullopt;
}

}  // namespace

int main(int count, char** words) {
  Sizes sizes;
  std::string only;
  std::size_t part = 0;
  std::size_t parts = 1;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--full") {
      sizes = {20, 10'000, 5'000};
    } else if (word == "--only" && i + 1 < count) {
      only = words[++i];
    } else if (word != "--part" || i + 1 >= count ||
               std::sscanf(words[++i], "%zu/%zu", &part, &parts) != 2 || parts == 0) {
      std::fprintf(stderr, "usage: simplexboost_extremes [--full] [--part I/N] [--only TEXT]\n");
      return 2;
    }
  }
  std::size_t done = 0;
  std::size_t found = 0;
  std::size_t number = 0;
  const auto attempt_all = [&](const std::string& what, const Way& make,
                               const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      const std::string name = what + ", " + one.name;
      if (number++ % parts != part || name.find(only) == std::string::npos) continue;
      // Before the attempt: where a sanitizer ends the program, this is the last line.
      std::printf("%s\n", name.c_str());
      std::fflush(stdout);
      ++done;
      if (const auto wrong = attempt(one, make)) {
        ++found;
        std::printf("FOUND %s: %s\n", name.c_str(), wrong->c_str());
      }
    }
  };
  const Way plainly = [](const Dataset& data, const Parameters& parameters) {
    return simplexboost::train(data, parameters);
  };
  for (const simplexboost::AlgorithmRow& row : simplexboost::algorithm_table())
    attempt_all(std::string(row.name), plainly, cases_of(std::string(row.name), sizes));
  for (const auto& [what, make] : other_ways()) attempt_all(what, make, weight_cases(sizes));
  std::printf("extremes: %zu trainings, %zu findings\n", done, found);
  return found == 0 && done > 0 ? 0 : 1;
}
