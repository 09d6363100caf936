// A file of settings for the tests of its readers, removed at the end.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/message_of.h"
#include "data/data_files.h"

namespace simplexboost::testing {

class SettingsFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text) const { return folder_.write("a.toml", text); }

  // What read(path) says of the text, without the path in front of it; empty if it is taken.
  template <class Read>
  std::string refusal_by(const Read& read, const std::string& text) const {
    const std::string path = write(text);
    const std::string message = message_of<DataError>([&] { read(path); });
    if (message.empty()) return message;
    EXPECT_EQ(message.rfind(path, 0), 0U) << message;
    return message.substr(path.size());
  }

 private:
  DataFolder folder_;
};

}  // namespace simplexboost::testing
