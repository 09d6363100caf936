// Every generator against its definition, written down here a second time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <string>

#include "base/random.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"

namespace simplexboost {
namespace {

struct Rows {
  std::size_t width = 0;
  std::vector<double> features;
  std::vector<std::int32_t> labels;

  const double* row(std::size_t i) const { return features.data() + i * width; }
  bool operator==(const Rows&) const = default;
};

Rows rows_of(const RowGenerator& generator, std::size_t begin, std::size_t count) {
  Rows rows{generator.schema().features.size(), {}, std::vector<std::int32_t>(count)};
  rows.features.resize(count * rows.width);
  generator.fill(begin, count, rows.features.data(), rows.labels.data());
  return rows;
}

GeneratorSpec spec_of(const std::string& name, std::size_t rows, std::uint64_t seed = 1) {
  GeneratorSpec spec;
  spec.name = name;
  spec.rows = rows;
  spec.seed = seed;
  return spec;
}

Rows rows_of(const GeneratorSpec& spec) {
  const auto generator = make_generator(spec);
  return rows_of(*generator, 0, generator->rows());
}

double class_rows(const Rows& rows, std::int32_t k) {
  return static_cast<double>(std::count(rows.labels.begin(), rows.labels.end(), k));
}

// Mean of feature j over the rows of class k.
double class_mean(const Rows& rows, std::int32_t k, std::size_t j) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    if (rows.labels[i] == k) sum += rows.row(i)[j];
  return sum / class_rows(rows, k);
}

double class_covariance(const Rows& rows, std::int32_t k, std::size_t a, std::size_t b) {
  const double mean_a = class_mean(rows, k, a);
  const double mean_b = class_mean(rows, k, b);
  double sum = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    if (rows.labels[i] == k) sum += (rows.row(i)[a] - mean_a) * (rows.row(i)[b] - mean_b);
  return sum / class_rows(rows, k);
}

// The share of rows that a rule gets wrong.
template <class Rule>
double error_of(const Rows& rows, const Rule& rule) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    if (rule(rows.row(i)) != rows.labels[i]) ++wrong;
  return static_cast<double>(wrong) / static_cast<double>(rows.labels.size());
}

std::string failure(const GeneratorSpec& spec) {
  try {
    make_generator(spec);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "";
}

TEST(Gaussian3, HasTheMeansAndCovariancesOfThePaper) {
  const Rows rows = rows_of(spec_of("gaussian3", 200000));
  const double means[3][2] = {{1, 2}, {-1, 0}, {2, -1}};
  const double covariances[3][3] = {{1, 0.5, 2}, {1, 0.3, 1}, {0.4, 0.1, 0.8}};
  for (std::int32_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(class_rows(rows, k), 200000 / 3.0, 1000);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(class_mean(rows, k, j), means[k][j], 0.03);
    EXPECT_NEAR(class_covariance(rows, k, 0, 0), covariances[k][0], 0.03);
    EXPECT_NEAR(class_covariance(rows, k, 0, 1), covariances[k][1], 0.03);
    EXPECT_NEAR(class_covariance(rows, k, 1, 1), covariances[k][2], 0.05);
  }
}

TEST(Gaussian3, BayesErrorAgreesWithTheTrueDensitiesOnASample) {
  const GeneratorSpec spec = spec_of("gaussian3", 1000000);
  // Squared Mahalanobis distance plus log determinant, with inverses by hand.
  const double error = error_of(rows_of(spec), [](const double* x) {
    const double a = x[0] - 1, b = x[1] - 2, c = x[0] + 1, d = x[1], e = x[0] - 2, f = x[1] + 1;
    const std::array<double, 3> costs = {
        (2 * a * a - a * b + b * b) / 1.75 + std::log(1.75),
        (c * c - 0.6 * c * d + d * d) / 0.91 + std::log(0.91),
        (0.8 * e * e - 0.2 * e * f + 0.4 * f * f) / 0.31 + std::log(0.31)};
    return static_cast<std::int32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  });
  const double bayes = make_generator(spec)->bayes_error().value();
  EXPECT_NEAR(bayes, error, 0.0013);  // four standard errors
  EXPECT_NEAR(bayes, 0.1145, 1e-4);   // the paper estimates 11 % from two samples of 1,000
}

// h1 of Breiman et al. 1984; h2 and h3 are it, moved by four.
double wave(int which, int i) {
  const int centre = which == 1 ? 11 : which == 2 ? 15 : 7;
  return std::max(6 - std::abs(i - centre), 0);
}

TEST(Waveform, HasTheMeansAndVariancesOfItsDefinition) {
  const Rows rows = rows_of(spec_of("waveform", 60000));
  const int mixtures[3][2] = {{1, 2}, {1, 3}, {2, 3}};
  ASSERT_EQ(rows.width, 21U);
  for (std::int32_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 21; ++j) {
      const double a = wave(mixtures[k][0], static_cast<int>(j) + 1);
      const double b = wave(mixtures[k][1], static_cast<int>(j) + 1);
      EXPECT_NEAR(class_mean(rows, k, j), (a + b) / 2, 0.06) << k << " " << j;
      EXPECT_NEAR(class_covariance(rows, k, j, j), 1 + (a - b) * (a - b) / 12, 0.18);
    }
    // Neighbouring features share the mixture, not the noise.
    const double slope_a = wave(mixtures[k][0], 9) - wave(mixtures[k][1], 9);
    const double slope_b = wave(mixtures[k][0], 10) - wave(mixtures[k][1], 10);
    EXPECT_NEAR(class_covariance(rows, k, 8, 9), slope_a * slope_b / 12, 0.12);
  }
}

// The likelihood of a class, integrated over the mixture by the midpoint rule in all 21 features.
double waveform_likelihood(const double* x, int first, int second) {
  constexpr int kSteps = 60;
  double sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double u = (step + 0.5) / kSteps;
    double squares = 0;
    for (int i = 1; i <= 21; ++i) {
      const double difference = x[i - 1] - u * wave(first, i) - (1 - u) * wave(second, i);
      squares += difference * difference;
    }
    sum += std::exp(-squares / 2);
  }
  return sum;
}

TEST(Waveform, BayesErrorAgreesWithTheTrueDensitiesOnASample) {
  const GeneratorSpec spec = spec_of("waveform", 40000);
  const double error = error_of(rows_of(spec), [](const double* x) {
    const std::array<double, 3> likelihoods = {
        waveform_likelihood(x, 1, 2), waveform_likelihood(x, 1, 3), waveform_likelihood(x, 2, 3)};
    return static_cast<std::int32_t>(std::max_element(likelihoods.begin(), likelihoods.end()) -
                                     likelihoods.begin());
  });
  EXPECT_NEAR(make_generator(spec)->bayes_error().value(), error, 0.007);
}

// Which of the segments a (top) to g (middle) of the usual naming a digit lights.
const std::array<std::string, 10> kLit = {"abcdef", "bc",     "abdeg", "abcdg",   "bcfg",
                                          "acdfg",  "acdefg", "abc",   "abcdefg", "abcdfg"};
// The usual names of the features in their order: top, upper left, upper right, middle, ...
const std::string kSegmentNames = "afbgecd";

TEST(Led, SegmentsAreInvertedOneTimeInTen) {
  const Rows rows = rows_of(spec_of("led", 100000));
  ASSERT_EQ(rows.width, 7U);
  for (std::int32_t digit = 0; digit < 10; ++digit) {
    EXPECT_NEAR(class_rows(rows, digit), 10000, 500);
    for (std::size_t j = 0; j < 7; ++j) {
      const bool lit =
          kLit[static_cast<std::size_t>(digit)].find(kSegmentNames[j]) != std::string::npos;
      EXPECT_NEAR(class_mean(rows, digit, j), lit ? 0.9 : 0.1, 0.015) << digit << " " << j;
    }
  }
  EXPECT_TRUE(std::all_of(rows.features.begin(), rows.features.end(),
                          [](double x) { return x == 0 || x == 1; }));
}

TEST(Led, BayesErrorIsTheKnownOne) {
  // Breiman et al. 1984 give 0.26.
  EXPECT_NEAR(make_generator(spec_of("led", 1))->bayes_error().value(), 0.26, 0.0005);
}

// By sorting and comparing, as a player would.
std::int32_t naive_hand(const double* x) {
  std::multiset<int> ranks;
  std::set<int> suits;
  for (std::size_t i = 0; i < 5; ++i) {
    suits.insert(static_cast<int>(x[2 * i]));
    ranks.insert(static_cast<int>(x[2 * i + 1]));
  }
  const std::vector<int> sorted(ranks.begin(), ranks.end());
  bool in_order = true;
  for (std::size_t i = 1; i < 5; ++i) in_order = in_order && sorted[i] == sorted[i - 1] + 1;
  const bool ace_high = sorted == std::vector<int>{1, 10, 11, 12, 13};
  const bool flush = suits.size() == 1;
  std::vector<std::size_t> groups;
  for (const int rank : std::set<int>(ranks.begin(), ranks.end()))
    groups.push_back(ranks.count(rank));
  std::sort(groups.rbegin(), groups.rend());

  if (flush && ace_high) return 9;
  if (flush && in_order) return 8;
  if (groups[0] == 4) return 7;
  if (groups[0] == 3 && groups[1] == 2) return 6;
  if (flush) return 5;
  if (in_order || ace_high) return 4;
  if (groups[0] == 3) return 3;
  if (groups[0] == 2 && groups[1] == 2) return 2;
  return groups[0] == 2 ? 1 : 0;
}

TEST(Poker, HandsAreDealtAndLabelledByTheRules) {
  const Rows rows = rows_of(spec_of("poker", 300000));
  ASSERT_EQ(rows.width, 10U);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const double* hand = rows.row(i);
    std::set<std::pair<double, double>> cards;
    for (std::size_t c = 0; c < 5; ++c) {
      ASSERT_TRUE(hand[2 * c] >= 1 && hand[2 * c] <= 4);
      ASSERT_TRUE(hand[2 * c + 1] >= 1 && hand[2 * c + 1] <= 13);
      cards.insert({hand[2 * c], hand[2 * c + 1]});
    }
    ASSERT_EQ(cards.size(), 5U);
    ASSERT_EQ(rows.labels[i], naive_hand(hand)) << "row " << i;
  }
}

TEST(Poker, ClassesHaveTheirExactProbabilities) {
  constexpr double kRows = 1000000;
  const Rows rows = rows_of(spec_of("poker", 1000000, 3));
  // Hands of each kind among C(52, 5) = 2598960.
  const double hands[10] = {1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4};
  for (std::int32_t k = 0; k < 10; ++k) {
    const double p = hands[k] / 2598960;
    EXPECT_NEAR(class_rows(rows, k), kRows * p, 4.5 * std::sqrt(kRows * p * (1 - p)) + 1)
        << "class " << k;
  }
}

TEST(Balance, IsTheWholeTable) {
  GeneratorSpec spec;
  spec.name = "balance";
  const Rows rows = rows_of(spec);
  ASSERT_EQ(rows.labels.size(), 625U);
  std::set<std::vector<double>> distinct;
  std::array<int, 3> counts{};
  for (std::size_t i = 0; i < 625; ++i) {
    const double* x = rows.row(i);
    distinct.insert(std::vector<double>(x, x + 4));
    const double torque = x[0] * x[1] - x[2] * x[3];
    EXPECT_EQ(rows.labels[i], torque > 0 ? 0 : torque < 0 ? 2 : 1);
    ++counts[static_cast<std::size_t>(rows.labels[i])];
    for (std::size_t j = 0; j < 4; ++j) EXPECT_TRUE(x[j] >= 1 && x[j] <= 5);
  }
  EXPECT_EQ(distinct.size(), 625U);
  EXPECT_EQ(counts, (std::array<int, 3>{288, 49, 288}));
  EXPECT_EQ(make_generator(spec)->schema().classes, (std::vector<std::string>{"L", "B", "R"}));
}

TEST(Balance, RefusesAnyOtherNumberOfRows) {
  EXPECT_EQ(failure(spec_of("balance", 625)), "");
  EXPECT_EQ(failure(spec_of("balance", 624)),
            "the data set 'balance' has exactly 625 rows; leave rows out");
}

GeneratorSpec manyclass(std::size_t classes, std::size_t features, double bayes_error) {
  GeneratorSpec spec = spec_of("manyclass", 1000);
  spec.classes = classes;
  spec.features = features;
  spec.bayes_error = bayes_error;
  return spec;
}

// Nearest class mean in all features: the Bayes rule, as the means of a large sample are.
double nearest_mean_error(GeneratorSpec spec, std::size_t per_class) {
  const std::size_t classes = *spec.classes;
  spec.rows = classes * per_class;
  const Rows rows = rows_of(spec);
  std::vector<double> means(classes * rows.width);
  std::vector<double> counts(classes);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const auto k = static_cast<std::size_t>(rows.labels[i]);
    ++counts[k];
    for (std::size_t j = 0; j < rows.width; ++j) means[k * rows.width + j] += rows.row(i)[j];
  }
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t j = 0; j < rows.width; ++j) means[k * rows.width + j] /= counts[k];

  spec.rows = *spec.rows + 20000;
  const auto generator = make_generator(spec);
  const Rows fresh = rows_of(*generator, rows.labels.size(), 20000);
  return error_of(fresh, [&](const double* x) {
    std::size_t best = 0;
    double best_distance = std::numeric_limits<double>::max();
    for (std::size_t k = 0; k < classes; ++k) {
      double distance = 0;
      for (std::size_t j = 0; j < rows.width; ++j) {
        const double difference = x[j] - means[k * rows.width + j];
        distance += difference * difference;
      }
      if (distance < best_distance) best = k;
      best_distance = std::min(best_distance, distance);
    }
    return static_cast<std::int32_t>(best);
  });
}

TEST(Manyclass, BayesErrorIsTheOneAskedFor) {
  EXPECT_NEAR(nearest_mean_error(manyclass(2, 2, 0.2), 10000), 0.2, 0.012);
  EXPECT_NEAR(nearest_mean_error(manyclass(10, 6, 0.05), 2000), 0.05, 0.008);
  EXPECT_NEAR(nearest_mean_error(manyclass(100, 10, 0.1), 1000), 0.1, 0.012);
  EXPECT_NEAR(nearest_mean_error(manyclass(100, 20, 0.5), 1000), 0.5, 0.02);
  EXPECT_NEAR(nearest_mean_error(manyclass(50, 10, 0.001), 1000), 0.001, 0.001);
}

TEST(Manyclass, SeedsOfOneSpecAllHaveItsBayesError) {
  GeneratorSpec spec = manyclass(30, 8, 0.15);
  for (spec.seed = 10; spec.seed < 15; ++spec.seed)
    EXPECT_NEAR(nearest_mean_error(spec, 500), 0.15, 0.014) << "seed " << spec.seed;
}

TEST(Manyclass, NoiseFeaturesSayNothing) {
  GeneratorSpec spec = manyclass(5, 6, 0.1);
  spec.informative = 2;
  spec.rows = 100000;
  const auto generator = make_generator(spec);
  std::vector<std::string> names;
  for (const FeatureSchema& feature : generator->schema().features) names.push_back(feature.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x1", "x2", "noise1", "noise2", "noise3", "noise4"}));
  const Rows rows = rows_of(spec);
  for (std::int32_t k = 0; k < 5; ++k) {
    for (std::size_t j = 2; j < 6; ++j) EXPECT_NEAR(class_mean(rows, k, j), 0, 0.04);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(class_covariance(rows, k, j, j), 1, 0.05);
  }
}

TEST(Manyclass, RefusesWhatItCannotMake) {
  EXPECT_NE(failure(manyclass(1, 5, 0.1)).find("classes must be from 2"), std::string::npos);
  EXPECT_NE(failure(manyclass(1000001, 5, 0.1)).find("classes must be"), std::string::npos);
  EXPECT_NE(failure(manyclass(10, 0, 0.1)).find("features must be"), std::string::npos);
  EXPECT_NE(failure(manyclass(10, 5, 0.95)).find("bayes-error must be"), std::string::npos);
  EXPECT_NE(failure(manyclass(10, 5, 0)).find("bayes-error must be"), std::string::npos);
  EXPECT_NE(failure(manyclass(10, 5, -0.1)).find("bayes-error must be"), std::string::npos);
  EXPECT_NE(failure(manyclass(10, 5, std::nan(""))).find("bayes-error must be"), std::string::npos);
  GeneratorSpec spec = manyclass(10, 5, 0.1);
  spec.informative = 6;
  EXPECT_NE(failure(spec).find("informative must be"), std::string::npos);
  spec = manyclass(100000, 2000, 0.1);
  spec.informative = 1000;
  EXPECT_NE(failure(spec).find("classes x informative"), std::string::npos);
}

TEST(Manyclass, LimitsTheCrowdOnALine) {
  EXPECT_NE(failure(manyclass(100000, 1, 0.001)).find("lie too close"), std::string::npos);
}

GeneratorSpec names(std::size_t values, std::size_t columns, std::size_t classes) {
  GeneratorSpec spec = spec_of("names", 100000);
  spec.values = values;
  spec.features = columns;
  spec.classes = classes;
  return spec;
}

// With few names the shares of the classes are seen in the rows.
TEST(Names, BayesErrorIsThatOfTheLikeliestClassOfEachName) {
  const GeneratorSpec spec = names(6, 1, 4);
  const Rows rows = rows_of(spec);
  std::map<double, std::array<double, 4>> counts;
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    ++counts[rows.row(i)[0]][static_cast<std::size_t>(rows.labels[i])];
  double right = 0;
  for (const auto& [name, of_classes] : counts)
    right += *std::max_element(of_classes.begin(), of_classes.end());
  EXPECT_NEAR(make_generator(spec)->bayes_error().value(), 1 - right / 100000, 0.01);
}

TEST(Names, AreMostlyRareAndAFewFrequent) {
  const Rows rows = rows_of(names(1000, 2, 3));
  std::vector<double> counts(1000);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    ASSERT_TRUE(rows.row(i)[1] >= 0 && rows.row(i)[1] < 1000);
    ++counts[static_cast<std::size_t>(rows.row(i)[1])];
  }
  EXPECT_NEAR(counts[0] / 100000, std::cbrt(1e-3), 0.005);
  EXPECT_NEAR(counts[999] / 100000, 1 - std::cbrt(0.999), 2e-4);
}

TEST(Names, RefusesWhatItCannotMake) {
  EXPECT_NE(failure(names(1, 3, 5)).find("values must be from 2"), std::string::npos);
  EXPECT_NE(failure(names(10, 0, 5)).find("features must be from 1"), std::string::npos);
  EXPECT_NE(failure(names(10, 3, 1)).find("classes must be from 2"), std::string::npos);
  EXPECT_NE(failure(names(65535, 1000, 5)).find("features x values x classes"), std::string::npos);
}

// Word r of n occurs in proportion to 1 / r, but for those that come from the topics' own orders.
TEST(Text, WordsFollowZipfAndTopicsHaveTheirOwn) {
  GeneratorSpec spec = spec_of("text", 4000);
  spec.features = 1000;
  spec.topics = 4;
  const Dataset data = generate(spec);
  ASSERT_EQ(data.columns.size(), 1000U);
  std::vector<double> counts(1000);
  std::vector<double> values(data.rows);
  double all = 0;
  double largest_lead = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    EXPECT_TRUE(data.columns[j].sparse);
    data.columns[j].copy(0, data.rows, values.data());
    std::vector<double> of_topic(4);
    for (std::size_t i = 0; i < data.rows; ++i) {
      counts[j] += values[i];
      of_topic[static_cast<std::size_t>(data.labels.codes[i])] += values[i];
    }
    all += counts[j];
    if (j >= 200)
      largest_lead = std::max(
          largest_lead, *std::max_element(of_topic.begin(), of_topic.end()) / (1 + counts[j]));
  }
  EXPECT_NEAR(all / static_cast<double>(data.rows), 80, 1) << "words of a text";
  double harmonic = 0;
  for (std::size_t r = 1; r <= counts.size(); ++r) harmonic += 1 / static_cast<double>(r);
  for (const std::size_t r : {1U, 2U, 5U, 10U})
    EXPECT_NEAR(counts[r - 1] / all, 0.95 / harmonic / static_cast<double>(r), 0.01) << r;
  EXPECT_GT(largest_lead, 0.8) << "a rare word of one topic";
  EXPECT_LT(make_generator(spec)->bayes_error().value(), 0.3);
}

class EveryGenerator : public ::testing::TestWithParam<GeneratorInfo> {
 protected:
  static GeneratorSpec spec(std::uint64_t seed = 1) {
    GeneratorSpec spec;
    spec.name = GetParam().name;
    spec.seed = seed;
    if (!GetParam().fixed_rows) spec.rows = 10000;
    if (spec.name == "text") spec.features = 40, spec.topics = 5;  // all values are looked at here
    return spec;
  }
};

TEST_P(EveryGenerator, SameSeedSameRows) {
  EXPECT_EQ(rows_of(spec()), rows_of(spec()));
  if (GetParam().fixed_rows) return;
  EXPECT_NE(rows_of(spec(1)).features, rows_of(spec(2)).features);
}

TEST_P(EveryGenerator, ShorterDataIsTheBeginningOfLonger) {
  GeneratorSpec noisy = spec();
  noisy.label_noise = 0.3;
  const Rows all = rows_of(noisy);
  if (!GetParam().fixed_rows) noisy.rows = 5000;
  const auto generator = make_generator(noisy);
  const std::pair<std::size_t, std::size_t> ranges[] = {
      {0, generator->rows()}, {0, 1}, {17, 300}, {generator->rows() - 1, 1}, {4000, 900}, {5, 0}};
  for (const auto& [begin, count] : ranges) {
    if (begin + count > generator->rows()) continue;
    const Rows part = rows_of(*generator, begin, count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(part.labels[i], all.labels[begin + i]);
      ASSERT_TRUE(std::equal(part.row(i), part.row(i) + part.width, all.row(begin + i)));
    }
  }
}

TEST_P(EveryGenerator, DatasetHoldsTheSameRowsForAnyNumberOfThreads) {
  const Rows rows = rows_of(spec());
  const auto generator = make_generator(spec());
  for (const int threads : {1, 2, 3, 7}) {
    const Dataset data = generate(spec(), threads);
    ASSERT_EQ(data.rows, rows.labels.size());
    EXPECT_EQ(data.schema(), generator->schema());
    EXPECT_EQ(data.labels.codes, rows.labels);
    std::vector<double> column(data.rows);
    for (std::size_t j = 0; j < rows.width; ++j) {
      data.columns[j].copy(0, data.rows, column.data());
      for (std::size_t i = 0; i < data.rows; ++i) ASSERT_EQ(column[i], rows.row(i)[j]);
    }
  }
}

TEST_P(EveryGenerator, LabelNoiseReplacesLabelsEvenlyAndLeavesFeatures) {
  const Rows clean = rows_of(spec());
  GeneratorSpec noisy_spec = spec();
  noisy_spec.label_noise = 0.25;
  const Rows noisy = rows_of(noisy_spec);
  EXPECT_EQ(noisy.features, clean.features);
  const std::size_t classes = make_generator(spec())->schema().classes.size();
  std::map<std::size_t, double> steps;
  for (std::size_t i = 0; i < clean.labels.size(); ++i) {
    ASSERT_TRUE(noisy.labels[i] >= 0 && static_cast<std::size_t>(noisy.labels[i]) < classes);
    ++steps[(static_cast<std::size_t>(noisy.labels[i] - clean.labels[i]) + classes) % classes];
  }
  const auto rows = static_cast<double>(clean.labels.size());
  EXPECT_NEAR(steps[0] / rows, 0.75, 4.5 * std::sqrt(0.25 * 0.75 / rows));
  const double each = 0.25 / static_cast<double>(classes - 1);
  for (std::size_t step = 1; step < classes; ++step)
    EXPECT_NEAR(steps[step] / rows, each, 4.5 * std::sqrt(each / rows)) << "step " << step;
}

TEST_P(EveryGenerator, BayesErrorCountsLabelNoise) {
  const double clean = make_generator(spec())->bayes_error().value();
  GeneratorSpec noisy = spec();
  noisy.label_noise = 0.2;
  const auto generator = make_generator(noisy);
  const auto classes = static_cast<double>(generator->schema().classes.size());
  // Right: predicted rightly and kept, or predicted wrongly and moved to just this class.
  const double right = (1 - clean) * 0.8 + clean * 0.2 / (classes - 1);
  EXPECT_NEAR(generator->bayes_error().value(), 1 - right, 1e-12);
  noisy.label_noise = 1;
  EXPECT_FALSE(make_generator(noisy)->bayes_error().has_value());
}

TEST_P(EveryGenerator, RefusesSenselessNumbers) {
  GeneratorSpec bad = spec();
  bad.rows = 0;
  EXPECT_EQ(failure(bad), "rows must be at least 1");
  for (const double noise : {-0.1, 1.1, std::nan("")}) {
    bad = spec();
    bad.label_noise = noise;
    EXPECT_EQ(failure(bad), "label-noise is a probability: it must be from 0 to 1");
  }
  if (!GetParam().parameters.empty()) return;
  bad = spec();
  bad.classes = 5;
  EXPECT_EQ(failure(bad),
            "the generator '" + bad.name + "' has no parameter 'classes'; manyclass has it");
}

INSTANTIATE_TEST_SUITE_P(Generators, EveryGenerator,
                         ::testing::ValuesIn(generators().begin(), generators().end()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST(Generators, UnknownNameIsAnsweredWithTheNearest) {
  EXPECT_EQ(failure(spec_of("gausian3", 10)),
            "unknown generator 'gausian3'; did you mean 'gaussian3'? (valid: gaussian3, waveform, "
            "led, poker, balance, manyclass, names, text)");
}

TEST(Generators, RefusesMoreRowsInMemoryThanADatasetCounts) {
  EXPECT_THROW(generate(spec_of("led", std::size_t{1} << 40)), ParameterError);
}

}  // namespace
}  // namespace simplexboost
