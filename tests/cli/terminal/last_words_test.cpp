#include "cli/terminal/last_words.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace simplexboost::cli {
namespace {

std::string words_of(const std::exception_ptr& error) {
  static std::string told;
  told.clear();
  tell_uncaught(error, [](const char* words) { told = words; });
  return told;
}

TEST(LastWords, AreTheExceptionsOwn) {
  EXPECT_EQ(words_of(std::make_exception_ptr(std::runtime_error("the disk is full"))),
            "the disk is full");
}

TEST(LastWords, SpeakOfMemoryWhereItIsShort) {
  EXPECT_EQ(words_of(std::make_exception_ptr(std::bad_alloc())), "not enough memory");
  EXPECT_EQ(words_of(std::make_exception_ptr(std::length_error("vector"))), "not enough memory");
}

TEST(LastWords, OfWhatIsUnknownSayThat) {
  EXPECT_NE(words_of(std::make_exception_ptr(7)).find("unknown kind"), std::string::npos);
  EXPECT_NE(words_of(nullptr).find("without a word"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost::cli
