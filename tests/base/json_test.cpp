#include "base/text/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/message_of.h"

namespace simplexboost {
namespace {

std::size_t mistake_in(std::string_view text) {
  try {
    Json::parse(text);
  } catch (const JsonError& error) {
    return error.position();
  }
  return 0;
}

TEST(Json, IsWrittenInTheOrderOfItsKeys) {
  Json value{{"b", 1}, {"a", {1.5, "x", nullptr, true}}};
  value["list"] = Json::array();
  value["list"].push_back(-3);
  value["none"] = Json::object();
  value["b"] = 2U;
  EXPECT_EQ(value.dump(), R"({"b":2,"a":[1.5,"x",null,true],"list":[-3],"none":{}})");
}

TEST(Json, NumbersAreShortAndStayWhatTheyAre) {
  const std::vector<double> values{1, 0.1, 1e300, 5e-324, -0.0, 1e-7, 123456789.125};
  EXPECT_EQ(Json(values).dump(), "[1.0,0.1,1e+300,5e-324,-0.0,1e-07,123456789.125]");
  EXPECT_EQ(Json::parse(Json(values).dump()).get<std::vector<double>>(), values);
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json::parse("18446744073709551615").get<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(Json::parse("-9223372036854775808").get<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Json, StringsSurviveWhateverTheyHold) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "ä€😀";
  EXPECT_EQ(Json::parse(Json(all).dump()).get<std::string>(), all);
  EXPECT_EQ(Json("\x1b[2J\n\"\\").dump(), R"("\u001b[2J\n\"\\")");
  EXPECT_EQ(Json("a\xff"
                 "b\xe2\x82")
                .dump(),
            "\"a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(Json::parse(R"("\u20ac\ud83d\ude00\/")").get<std::string>(), "€😀/");
}

TEST(Json, MistakesAreFoundWhereTheyStand) {
  EXPECT_EQ(mistake_in(R"( {"a": [1, 2.5e-3, "x"], "b": {}} )"), 0U);
  EXPECT_EQ(mistake_in(""), 1U);
  EXPECT_EQ(mistake_in("[1,]"), 4U);
  EXPECT_EQ(mistake_in("{\"a\" 1}"), 6U);
  EXPECT_EQ(mistake_in("{a:1}"), 2U);
  EXPECT_EQ(mistake_in("[1 2]"), 4U);
  EXPECT_EQ(mistake_in("[1] x"), 5U);
  for (const char* text :
       {"01",       "1.",     ".5",  "-",       "1e",       "+1",          "0x1",
        "1e999",    "nul",    "tru", "NaN",     R"("\x")",  R"("\ud800")", R"("\udc00")",
        "\"\xff\"", "\"\n\"", "\"a", "\"\\u12", "{\"a\":1", "[",           "{1:2}"})
    EXPECT_NE(mistake_in(text), 0U) << text;
}

TEST(Json, NestedTooDeepIsRefused) {
  EXPECT_EQ(mistake_in(std::string(60, '[') + std::string(60, ']')), 0U);
  EXPECT_NE(mistake_in(std::string(1'000'000, '[')), 0U);
}

TEST(Json, WhatIsNotThereOrOfAnotherKindIsAnError) {
  const Json value = Json::parse(R"({"n":-5,"s":"x","l":[1,2],"big":300})");
  using testing::message_of;
  EXPECT_EQ(message_of([&] { value.at("none"); }), "the JSON object lacks 'none'");
  EXPECT_NE(message_of([&] { value.at("n").get<std::size_t>(); }), "");
  EXPECT_NE(message_of([&] { value.at("s").get<double>(); }), "");
  EXPECT_NE(message_of([&] { value.at("n").get<std::string>(); }), "");
  EXPECT_NE(message_of([&] { value.at("big").get<std::uint8_t>(); }), "");
  EXPECT_NE(message_of([&] { value.at("l").at("x"); }), "");
  EXPECT_EQ(value.at("l").get<std::vector<int>>(), (std::vector<int>{1, 2}));
  EXPECT_EQ(value.value("none", 7), 7);
  EXPECT_EQ(value.value("n", 7), -5);
  const std::map<std::string, double> map{{"x", 1}, {"y", 2.5}};
  EXPECT_EQ((Json(map).get<std::map<std::string, double>>()), map);
}

}  // namespace
}  // namespace simplexboost
