#include "cli/options/parameter_options.h"

#include <gtest/gtest.h>

#include "cli/options/settings_file.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

class ConfigFileTest : public testing::SettingsFileTest {
 protected:
  static Parameters read_file(const std::string& path) {
    Parameters parameters;
    read_config_file(path, parameters);
    return parameters;
  }
  Parameters read(const std::string& text) const { return read_file(write(text)); }
  std::string refusal(const std::string& text) const { return refusal_by(read_file, text); }
};

TEST_F(ConfigFileTest, SetsParameters) {
  const Parameters parameters =
      read("# mine\nrounds = 7\nlearning-rate = 0.25\nlearner = \"tree\"\nmin_rows = 3\n");
  EXPECT_EQ(parameters.rounds, 7);
  EXPECT_EQ(parameters.learning_rate, 0.25);
  EXPECT_EQ(parameters.learner, "tree");
  EXPECT_EQ(parameters.min_rows, 3);
}

TEST_F(ConfigFileTest, AnEmptyFileChangesNothing) {
  EXPECT_EQ(read("").rounds, Parameters{}.rounds);
}

TEST_F(ConfigFileTest, UnknownKeyIsNamedWithItsPlaceAndTheNearest) {
  const std::string message = refusal("seed = 1\n  ronds = 7\n");
  EXPECT_EQ(message.rfind(":2:3: ", 0), 0U) << message;
  EXPECT_NE(message.find("did you mean 'rounds'?"), std::string::npos) << message;
}

TEST_F(ConfigFileTest, ValueOutOfRangeIsNamedWithItsPlace) {
  EXPECT_EQ(refusal("rounds = 0").rfind(":1:1: rounds: '0' is out of range", 0), 0U);
  EXPECT_NE(refusal("l2 = nan"), "");
  EXPECT_NE(refusal("l2 = inf"), "");
}

TEST_F(ConfigFileTest, UnknownAlgorithmIsNamedWithItsPlaceAndTheNearest) {
  const std::string message = refusal("seed = 1\nalgorithm = \"samm\"\n");
  EXPECT_EQ(message.rfind(":2:1: algorithm: unknown algorithm 'samm'", 0), 0U) << message;
  EXPECT_NE(message.find("did you mean 'samme'?"), std::string::npos) << message;
}

TEST_F(ConfigFileTest, ListsTablesAndDatesAreNoValues) {
  EXPECT_EQ(refusal("rounds = [1, 2]"), ":1:10: rounds: needs a number or a text");
  EXPECT_NE(refusal("[rounds]\nx = 1"), "");
  EXPECT_NE(refusal("rounds = 2020-01-01"), "");
  EXPECT_NE(refusal("rounds = true"), "");
}

TEST_F(ConfigFileTest, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(refusal("rounds = 1\nlearner = \"tree\n").rfind(":2:", 0), 0U);
  EXPECT_NE(refusal("rounds = 1\nrounds = 2\n"), "");
  EXPECT_NE(refusal(std::string("rounds\0= 1", 10)), "");
  EXPECT_NE(refusal(std::string(100'000, '[')), "");
}

TEST_F(ConfigFileTest, RefusesWhatCannotBeAConfiguration) {
  EXPECT_NE(refusal(std::string((1 << 20) + 1, '#')), "");
  Parameters parameters;
  EXPECT_THROW(read_config_file(write("") + ".missing", parameters), IoError);
  EXPECT_THROW(read_config_file(::testing::TempDir(), parameters), Error);
}

}  // namespace
}  // namespace simplexboost::cli
