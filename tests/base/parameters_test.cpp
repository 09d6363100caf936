#include "simplexboost/parameters.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "base/message_of.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::message_of;

std::string refusal(std::string_view name, std::string_view value) {
  Parameters parameters;
  return message_of<ParameterError>([&] { set_parameter(parameters, name, value); });
}

TEST(Parameters, DefaultsAreInRange) { EXPECT_NO_THROW(check_parameters(Parameters{})); }

// The members of an aggregate: how many values it can be made from.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class Aggregate, class... Values>
constexpr std::size_t members() {
  if constexpr (requires { Aggregate{Values{}..., Anything{}}; })
    return members<Aggregate, Values..., Anything>();
  else
    return sizeof...(Values);
}

TEST(Parameters, EveryMemberHasOneSpec) {
  std::set<std::string_view> names;
  for (const ParameterSpec& spec : parameter_specs()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    EXPECT_FALSE(spec.group.empty()) << spec.name;
  }
  EXPECT_EQ(names.size(), members<Parameters>());
}

TEST(Parameters, TextSurvivesARoundTrip) {
  for (const ParameterSpec& spec : parameter_specs()) {
    Parameters parameters;
    const std::string before = get_parameter(parameters, spec.name);
    set_parameter(parameters, spec.name, before);
    EXPECT_EQ(get_parameter(parameters, spec.name), before) << spec.name;
  }
}

RC_GTEST_PROP(Parameters, EveryDoubleInRangeSurvivesARoundTrip, ()) {
  const double value = 1e-4 + std::fmod(std::abs(*rc::gen::arbitrary<double>()), 9.0);
  RC_PRE(std::isfinite(value));
  Parameters parameters;
  parameters.learning_rate = value;
  Parameters copy;
  set_parameter(copy, "learning-rate", get_parameter(parameters, "learning-rate"));
  RC_ASSERT(copy.learning_rate == value);
}

RC_GTEST_PROP(Parameters, AnyTextIsTakenOrRefusedWithTheName, (const std::string& text)) {
  const std::string message = refusal("rounds", text);
  RC_ASSERT(message.empty() || message.rfind("rounds: ", 0) == 0);
}

TEST(Parameters, BothEndsOfARangeAreAllowed) {
  EXPECT_EQ(refusal("rounds", "1"), "");
  EXPECT_EQ(refusal("rounds", "1000000"), "");
  EXPECT_EQ(refusal("seed", "18446744073709551615"), "");
}

TEST(Parameters, RefusesNumbersOutOfRangeAndNamesTheRange) {
  EXPECT_EQ(refusal("rounds", "0"),
            "rounds: '0' is out of range; give a whole number, 1 to 1000000");
  EXPECT_EQ(refusal("rounds", "99999999999999999999"),
            "rounds: '99999999999999999999' is out of range; give a whole number, 1 to 1000000");
  EXPECT_EQ(refusal("l2", "1e308"), "l2: '1e+308' is too large; give 1e+12 or less");
  EXPECT_NE(refusal("learning-rate", "nan"), "");
  EXPECT_NE(refusal("learning-rate", "inf"), "");
  EXPECT_NE(refusal("learning-rate", "-1"), "");
  EXPECT_NE(refusal("seed", "-1"), "");
}

TEST(Parameters, RefusesWhatIsNoNumber) {
  for (const char* text : {"", " 5", "5 ", "five", "5.5", "1e3", "0x10", "+5"}) {
    EXPECT_NE(refusal("rounds", text), "") << text;
  }
  EXPECT_EQ(refusal("l2", "1e3"), "");
}

TEST(Parameters, RefusesAnUnknownChoiceWithTheNearest) {
  EXPECT_NE(refusal("learner", "stunp").find("did you mean 'stump'?"), std::string::npos);
}

TEST(Parameters, RefusesAnUnknownNameWithTheNearest) {
  EXPECT_NE(refusal("learning-rat", "1").find("did you mean 'learning-rate'?"), std::string::npos);
}

TEST(Parameters, UnderscoresAreDashes) {
  Parameters parameters;
  set_parameter(parameters, "learning_rate", "0.5");
  EXPECT_EQ(parameters.learning_rate, 0.5);
  EXPECT_EQ(get_parameter(parameters, "learning_rate"), "0.5");
}

TEST(Parameters, AFailedSettingChangesNothing) {
  Parameters parameters;
  EXPECT_THROW(set_parameter(parameters, "rounds", "0"), ParameterError);
  EXPECT_EQ(parameters.rounds, Parameters{}.rounds);
}

TEST(Parameters, CheckFindsAValueThatWasSetDirectly) {
  Parameters parameters;
  parameters.row_fraction = std::nan("");
  EXPECT_THROW(check_parameters(parameters), ParameterError);
}

}  // namespace
}  // namespace simplexboost
