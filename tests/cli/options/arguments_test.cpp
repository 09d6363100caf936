#include "cli/options/arguments.h"

#include <gtest/gtest.h>

namespace simplexboost::cli {
namespace {

const Verb kVerb{"try", "try things", "DATA [options]", "Tries.", "  simplexboost try x", nullptr};

struct Values {
  std::string data;
  std::string output;
  int number = 0;
  double share = 0;
  std::uint64_t seed = 0;
  bool json = false;
  bool text = false;
  std::vector<std::string> names;
};

Values parse(std::vector<std::string> words) {
  Values values;
  Arguments arguments(kVerb, std::move(words));
  arguments.positional("DATA", values.data, "Data.");
  arguments.required();
  arguments.option("-o,--output", "FILE", values.output, "Output.");
  arguments.option("--number", "N", values.number, "A number.");
  arguments.option("--share", "X", values.share, "A share.");
  arguments.option("--seed", "N", values.seed, "A seed.");
  arguments.flag("--json", values.json, "JSON.");
  arguments.flag("--text", values.text, "Text.");
  arguments.exclusive("--json", "--text");
  arguments.list("--names", "NAMES", values.names, "Names.");
  arguments.parse();
  return values;
}

std::string refusal(std::vector<std::string> words) {
  try {
    parse(std::move(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Arguments, SetsValuesInAnyOrderAndForm) {
  const Values values = parse({"--number", "-5", "x.csv", "-o", "out", "--share=0.5", "--json",
                               "--seed", "18446744073709551615"});
  EXPECT_EQ(values.data, "x.csv");
  EXPECT_EQ(values.output, "out");
  EXPECT_EQ(values.number, -5);
  EXPECT_EQ(values.share, 0.5);
  EXPECT_EQ(values.seed, 18446744073709551615ULL);
  EXPECT_TRUE(values.json);
  EXPECT_FALSE(values.text);
}

TEST(Arguments, DashIsStandardInput) { EXPECT_EQ(parse({"-"}).data, "-"); }

TEST(Arguments, ListsGrowByCommasAndByRepeats) {
  const Values values = parse({"--names", "a,b", "x.csv", "--names", "[c]"});
  EXPECT_EQ(values.names, (std::vector<std::string>{"a", "b", "[c]"}));
  EXPECT_EQ(values.data, "x.csv");
}

TEST(Arguments, UnknownOptionIsAnsweredWithTheNearestEvenIfOthersAreMissing) {
  EXPECT_NE(refusal({"--numbr", "5"}).find("unknown option '--numbr'; did you mean '--number'?"),
            std::string::npos);
  EXPECT_NE(refusal({"x", "--numbr=5"}).find("did you mean '--number'?"), std::string::npos);
}

TEST(Arguments, RefusesWhatIsMissingOrTooMuch) {
  EXPECT_NE(refusal({}).find("DATA is missing"), std::string::npos);
  EXPECT_NE(refusal({"x", "y"}).find("unexpected argument 'y'"), std::string::npos);
  EXPECT_NE(refusal({"x", "--number"}).find("--number needs a value"), std::string::npos);
  EXPECT_NE(refusal({"x", "--number", "1", "--number", "2"}).find("given 2 times"),
            std::string::npos);
  EXPECT_NE(refusal({"x", "--json", "--text"}).find("exclude each other"), std::string::npos);
}

TEST(Arguments, TakesQuietWhereTheVerbHasNotDeclaredIt) {
  for (const bool quiet : {false, true}) {
    std::string data;
    Arguments arguments(
        kVerb, quiet ? std::vector<std::string>{"x", "--quiet"} : std::vector<std::string>{"x"});
    arguments.positional("DATA", data, "Data.");
    arguments.parse();
    EXPECT_EQ(arguments.given("--quiet"), quiet);
  }
}

TEST(Arguments, RefusesTextForNumbers) {
  EXPECT_NE(refusal({"x", "--number", "five"}).find("--number: 'five' is not"), std::string::npos);
  EXPECT_NE(refusal({"x", "--number", "5.5"}), "");
  EXPECT_NE(refusal({"x", "--number", "99999999999"}), "");
  EXPECT_NE(refusal({"x", "--seed", "-1"}), "");
  EXPECT_NE(refusal({"x", "--share", ""}), "");
}

TEST(Arguments, HelpShowsEveryOption) {
  try {
    parse({"--help"});
    FAIL();
  } catch (const HelpRequested& help) {
    const std::string text = help.what();
    for (const char* part : {"DATA", "-o, --output FILE", "--names NAMES", "simplexboost try x"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part;
    }
  }
}

}  // namespace
}  // namespace simplexboost::cli
