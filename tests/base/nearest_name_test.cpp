#include "base/text/nearest_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace simplexboost {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"gaussian3", "waveform", "led", "samme",
                                                    "learning-rate"};

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("samme", "smame"), 1U);
  EXPECT_EQ(edit_distance("Learning_Rate", "learning-rate"), 0U);
}

TEST(NearestName, FindsTypingErrors) {
  EXPECT_EQ(nearest_name("gausian3", kNames), "gaussian3");
  EXPECT_EQ(nearest_name("wavefrom", kNames), "waveform");
  EXPECT_EQ(nearest_name("LED", kNames), "led");
  EXPECT_EQ(nearest_name("learning_rat", kNames), "learning-rate");
}

TEST(NearestName, CompletesABeginning) {
  EXPECT_EQ(nearest_name("learn", kNames), "learning-rate");
}

TEST(NearestName, OffersNothingFarAway) {
  EXPECT_EQ(nearest_name("xyzzy", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), kNames), "");
}

TEST(NearestName, MessageListsValidNames) {
  const std::array<std::string_view, 2> names = {"led", "poker"};
  EXPECT_EQ(unknown_name_message("generator", "pokr", names),
            "unknown generator 'pokr'; did you mean 'poker'? (valid: led, poker)");
  EXPECT_EQ(unknown_name_message("generator", "zzz", names),
            "unknown generator 'zzz'; valid: led, poker");
}

RC_GTEST_PROP(NearestName, DistanceIsSymmetricAndBounded, (std::string a, std::string b)) {
  const std::size_t distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT(distance <= std::max(a.size(), b.size()));
  RC_ASSERT(distance >= std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
}

}  // namespace
}  // namespace simplexboost
