#include "cli/options/experiment_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "boosting/setup/algorithm_table.h"
#include "cli/options/settings_file.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

class ExperimentFileTest : public testing::SettingsFileTest {
 protected:
  ExperimentSpec read(const std::string& text) const { return read_experiment_file(write(text)); }
  std::string refusal(const std::string& text) const {
    return refusal_by(read_experiment_file, text);
  }
};

constexpr const char* kHead = "title = \"T\"\npaper = \"P\"\n";
constexpr const char* kData = "[[data]]\nname = \"d\"\n";
constexpr const char* kAlgorithm = "[[algorithm]]\nname = \"A\"\n";

TEST_F(ExperimentFileTest, ReadsAWholeSpec) {
  const ExperimentSpec spec = read(std::string(kHead) +
                                   "metric = \"error\"\nstages = [0, 10]\n"
                                   "[protocol]\ntest_fraction = 0.25\nseeds = [3, 4]\nfolds = 5\n"
                                   "[[data]]\nname = \"d\"\npaper_test_rows = 7\n"
                                   "generator = { name = \"gaussian3\", rows = 50 }\n"
                                   "[[algorithm]]\nname = \"A\"\nrounds_per_class = 20\n"
                                   "parameters = { algorithm = \"samme\", depth = 2 }\n"
                                   "[figures.A]\nd = [12.5, 0.5]\n");
  EXPECT_EQ(spec.metric, ExperimentMetric::kError);
  EXPECT_EQ(spec.protocol.folds, 5);
  EXPECT_EQ(spec.protocol.seeds, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(spec.data.at(0).train_generator->rows, 50U);
  EXPECT_EQ(spec.data.at(0).paper_test_rows, 7U);
  EXPECT_EQ(spec.algorithms.at(0).parameters.depth, 2);
  EXPECT_EQ(spec.algorithms.at(0).rounds_per_class, 20);
  const PaperFigure figure = spec.figures.at({"A", "d"});
  EXPECT_EQ(figure.value, 12.5);
  EXPECT_EQ(figure.bar, 0.5);
  EXPECT_EQ(spec.stages, (std::vector<std::size_t>{0, 10}));
}

TEST_F(ExperimentFileTest, ReadsProtocolsGridsMeasuresAndPairs) {
  const ExperimentSpec spec =
      read(std::string(kHead) +
           "measures = [\"train_error\"]\ncurves = [\"test_error\"]\n"
           "[protocol]\nvalidation = \"folds\"\nvalidation_folds = 10\n"
           "rounds = \"smoothed\"\nretrain = true\nfigures_of = \"least-train-error\"\n"
           "[[data]]\nname = \"d, noisy\"\nfolder = \"d\"\npool = true\nordinal = true\n"
           "label_noise = 0.2\nmost_rounds = 9\n"
           "[[algorithm]]\nname = \"A\"\ngrid = { leaves = [3, 5] }\n"
           "fold_grid = { depth = [2] }\nrounds = \"all\"\n"
           "bounds = { bound_24 = \"train_error\" }\n"
           "[measured.A.train_error]\n\"d, noisy\" = 3\n"
           "[[pairwise]]\ntitle = \"T\"\nfirst = \"A\"\nsecond = \"A\"\n"
           "measures = [\"error\"]\n[pairwise.paper]\n\"d, noisy\" = \"o\"\n");
  EXPECT_EQ(spec.protocol.validation, ValidationRows::kFolds);
  EXPECT_EQ(spec.protocol.validation_folds, 10);
  EXPECT_EQ(spec.protocol.rounds_rule, RoundsRule::kSmoothed);
  EXPECT_TRUE(spec.protocol.retrain);
  EXPECT_TRUE(spec.protocol.at_least_train_error);
  EXPECT_EQ(spec.data.at(0).folder, "d");
  EXPECT_TRUE(spec.data.at(0).pool);
  EXPECT_TRUE(spec.data.at(0).ordinal);
  EXPECT_EQ(spec.data.at(0).label_noise, 0.2);
  EXPECT_EQ(spec.data.at(0).most_rounds, 9);
  EXPECT_EQ(spec.algorithms.at(0).grid.at(0).values, (std::vector<std::string>{"3", "5"}));
  EXPECT_EQ(spec.algorithms.at(0).fold_grid.at(0).parameter, "depth");
  EXPECT_EQ(spec.algorithms.at(0).rounds_rule, RoundsRule::kAll);
  EXPECT_EQ(spec.algorithms.at(0).bounds.at("bound_24"), "train_error");
  EXPECT_EQ((spec.measured.at({"A", "d, noisy", "train_error"})), 3);
  EXPECT_EQ(spec.curves, (std::vector<std::string>{"test_error"}));
  EXPECT_EQ(spec.pairwise.at(0).paper.at("d, noisy"), "o");
}

TEST_F(ExperimentFileTest, RefusesProtocolsThatMakeNoSense) {
  const std::string valid = std::string(kHead) + kData + kAlgorithm;
  EXPECT_NE(refusal(valid + "[protocol]\nvalidation = \"folds\"\n").find("retrain = true"),
            std::string::npos);
  EXPECT_NE(refusal(valid + "[protocol]\nvalidation = \"fold\"\n").find("none, next-fold, folds"),
            std::string::npos);
  EXPECT_EQ(refusal(valid + "grid = { leaves = [3, -1] }\n").rfind(":7:23: leaves: ", 0), 0U);
  EXPECT_NE(refusal(valid + "grid = { seed = [3] }\n"), "");
  EXPECT_NE(refusal(valid + "[measured.A.m]\nd = 1\n").find("not among the spec's measures"),
            std::string::npos);
  EXPECT_NE(refusal(valid + "[[pairwise]]\ntitle = \"T\"\nfirst = \"A\"\nsecond = \"A\"\n"
                            "measures = [\"error\"]\npaper = { d = \"+-\" }\n")
                .find("a sign"),
            std::string::npos);
  EXPECT_NE(refusal(valid + "[[pairwise]]\ntitle = \"T\"\nfirst = \"A\"\nsecond = \"Z\"\n")
                .find("'Z' is not declared"),
            std::string::npos);
}

// Every spec that is shipped can be read, and names no algorithm that does not exist.
TEST_F(ExperimentFileTest, ReadsEveryShippedSpec) {
  std::size_t specs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SIMPLEXBOOST_EXPERIMENTS)) {
    if (entry.path().extension() != ".toml") continue;
    const ExperimentSpec spec = read_experiment_file(entry.path().string());
    for (const ExperimentAlgorithm& algorithm : spec.algorithms)
      EXPECT_NO_THROW(find_algorithm(algorithm.parameters.algorithm, false)) << entry.path();
    ++specs;
  }
  EXPECT_GT(specs, 10U);
}

TEST_F(ExperimentFileTest, SaysWhereTheTextIsNoToml) {
  EXPECT_EQ(refusal("title = \n").rfind(":1:", 0), 0U);
}

TEST_F(ExperimentFileTest, NamesWhatIsMissing) {
  EXPECT_NE(refusal(std::string("title = \"T\"\n") + kData).find("'paper' is missing"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(kHead) + kData).find("'algorithm' is missing"), std::string::npos);
  EXPECT_NE(refusal(std::string(kHead) + "[[data]]\n" + kAlgorithm).find("'name' is missing"),
            std::string::npos);
}

TEST_F(ExperimentFileTest, RefusesWhatItDoesNotKnowWithLineAndColumn) {
  const std::string valid = std::string(kHead) + kData + kAlgorithm;
  EXPECT_EQ(refusal(valid), "");
  EXPECT_EQ(refusal("titel = \"x\"\n" + valid).rfind(":1:1: unknown key 'titel'", 0), 0U);
  EXPECT_EQ(refusal(valid + "parameters = { roundz = 3 }\n").rfind(":7:16: ", 0), 0U);
  EXPECT_EQ(refusal(valid + "parameters = { rounds = 0 }\n").rfind(":7:16: rounds: ", 0), 0U);
  EXPECT_EQ(refusal(valid + "parameters = { seed = 0 }\n").rfind(":7:16: seed: ", 0), 0U);
  EXPECT_EQ(refusal(valid + "[figures.B]\nd = 3\n").rfind(":7:10: 'B' is not declared", 0), 0U);
  EXPECT_EQ(refusal(valid + "[figures.A]\ne = 3\n").rfind(":8:1: 'e' is not declared", 0), 0U);
  EXPECT_EQ(refusal(valid + "[figures.A]\nd = 101\n").rfind(":8:5: d: needs a number", 0), 0U);
  EXPECT_EQ(refusal(valid + kAlgorithm).rfind(":7:1: algorithm: 'A' is there twice", 0), 0U);
  EXPECT_EQ(refusal(valid + "[protocol]\nseeds = []\n").rfind(":8:9: seeds: needs", 0), 0U);
}

TEST_F(ExperimentFileTest, KeepsDataSetsWithinTheirFolder) {
  for (const char* name : {"../x", "a/b", "."}) {
    const std::string text =
        std::string(kHead) + "[[data]]\nname = \"" + name + "\"\n" + kAlgorithm;
    EXPECT_NE(refusal(text).find("without '/'"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace simplexboost::cli
