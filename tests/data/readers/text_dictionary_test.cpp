#include "data/readers/table/text_dictionary.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"

namespace simplexboost {
namespace {

struct Twin {
  std::vector<std::string> texts;
  std::map<std::string, std::size_t> codes;
  std::vector<std::size_t> counts;
  std::vector<std::size_t> first_rows;

  std::int32_t add(const std::string& text, std::size_t row, std::size_t count) {
    const auto [found, added] = codes.emplace(text, texts.size());
    if (added) {
      texts.push_back(text);
      counts.push_back(0);
      first_rows.push_back(row);
    }
    counts[found->second] += count;
    return static_cast<std::int32_t>(found->second);
  }
};

// Few texts and many, empty ones, some that are others' beginnings, in runs and not.
TEST(TextDictionary, DoesAsAMapDoes) {
  for (const std::size_t different : {1U, 7U, 8U, 9U, 30U, 1000U, 100'000U}) {
    Random random(different);
    TextDictionary dictionary;
    Twin twin;
    EXPECT_EQ(dictionary.size(), 0U);
    for (std::size_t row = 0; row < 3 * different; ++row) {
      const std::size_t drawn = random.below(different);
      const std::string text =
          drawn == 0 ? "" : std::string(1 + drawn % 5, 'a') + std::to_string(drawn);
      for (std::size_t again = 0; again <= drawn % 3; ++again)
        ASSERT_EQ(dictionary.add(text, row, 1 + again), twin.add(text, row, 1 + again));
    }
    ASSERT_EQ(dictionary.size(), twin.texts.size());
    const std::vector<std::string_view> texts = dictionary.texts();
    for (std::size_t code = 0; code < texts.size(); ++code) {
      ASSERT_EQ(texts[code], twin.texts[code]);
      ASSERT_EQ(dictionary[code].text, twin.texts[code]);
      ASSERT_EQ(dictionary[code].count, twin.counts[code]);
      ASSERT_EQ(dictionary[code].first_row, twin.first_rows[code]);
    }
  }
}

}  // namespace
}  // namespace simplexboost
