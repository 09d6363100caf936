// What must hold for all inputs: tables survive being written and read, threads do not matter, and
// no bytes, however damaged, do more than throw an Error.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>

#include "base/random.h"
#include "data/data_files.h"
#include "data/readers/table/text_cell.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::gzip;
using testing::read_text;

bool same_bits(const Dataset& a, const Dataset& b) {
  if (a.rows != b.rows || !(a.schema() == b.schema()) || a.labels.codes != b.labels.codes)
    return false;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const std::vector<double> x = testing::values(a, c);
    const std::vector<double> y = testing::values(b, c);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::isnan(x[i]) != std::isnan(y[i]) || (!std::isnan(x[i]) && x[i] != y[i])) return false;
  }
  return true;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

// A cell as CSV: in quotes where it must be, or where the coin says so.
std::string csv_cell(const std::string& text, bool quote_anyway) {
  const bool must = text.find_first_of(",\"\n\r;\t ") != std::string::npos;
  return must || quote_anyway ? quoted(text) : text;
}

RC_GTEST_PROP(ReaderProperties, CsvWrittenAndReadIsTheSame, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(2, 30);
  const auto alphabet = rc::gen::element('a', 'b', '"', ',', '\n', '\r', ' ', ';', '\t', 'Z');
  const auto text_gen = rc::gen::map(rc::gen::container<std::string>(alphabet),
                                     [](std::string text) { return "t" + text; });
  const auto number_gen =
      rc::gen::suchThat(rc::gen::arbitrary<double>(), [](double x) { return std::isfinite(x); });
  const auto texts = *rc::gen::container<std::vector<std::string>>(rows, text_gen);
  const auto numbers = *rc::gen::container<std::vector<double>>(rows, number_gen);
  const auto coins = *rc::gen::container<std::vector<bool>>(rows, rc::gen::arbitrary<bool>());
  const auto crlf = *rc::gen::arbitrary<bool>();

  const std::string line_end = crlf ? "\r\n" : "\n";
  std::string csv = "text,number,class" + line_end;
  for (std::size_t i = 0; i < rows; ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", numbers[i]);
    csv += csv_cell(texts[i], coins[i]) + "," + csv_cell(number, coins[i]) + "," +
           std::to_string(i % 2) + line_end;
  }
  const Dataset data = read_text("a.csv", csv);
  RC_ASSERT(data.rows == rows);
  RC_ASSERT(testing::values(data, 1) == numbers);
  const std::vector<double> codes = testing::values(data, 0);
  for (std::size_t i = 0; i < rows; ++i)
    RC_ASSERT(data.columns[0].schema.categories[static_cast<std::size_t>(codes[i])] == texts[i]);
}

// Large enough for several chunks, with quoted line ends across their edges.
std::string long_csv() {
  Random random(5);
  std::string text = "a,b,c,class\n";
  while (text.size() < (std::size_t{5} << 19)) {
    text += std::to_string(random.uniform()) + "," + std::to_string(random.below(1000)) + ",";
    if (random.below(50) == 0) text += "\"line\nend, \"\"x\"\" \n\"";
    text += ",k" + std::to_string(random.below(5)) + "\n";
  }
  return text;
}

TEST(ReaderProperties, AnyNumberOfThreadsReadsTheSame) {
  const DataFolder folder;
  const std::string path = folder.write("a.csv", long_csv());
  ReadOptions options;
  options.threads = 1;
  const Dataset one = read_dataset(path, options);
  EXPECT_EQ(one.columns[2].schema.categories.size(), 1U);
  for (const int threads : {2, 3, 7}) {
    options.threads = threads;
    EXPECT_TRUE(same_bits(one, read_dataset(path, options))) << threads;
  }
}

TEST(ReaderProperties, AnyNumberOfThreadsFindsTheSameFirstError) {
  const DataFolder folder;
  std::string text = long_csv();
  const std::size_t bad = text.find('\n', text.size() / 2) + 1;
  text.insert(bad, "1,\n2,3\n");
  text.insert(text.size() - 1, ",extra,extra");
  const std::string path = folder.write("a.csv", text);
  std::vector<std::string> messages;
  for (const int threads : {1, 2, 3, 7}) {
    ReadOptions options;
    options.threads = threads;
    try {
      read_dataset(path, options);
    } catch (const DataError& error) {
      messages.emplace_back(error.what());
    }
  }
  ASSERT_EQ(messages.size(), 4U);
  for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
}

// Reads `text` changed at random in many ways; each must give data or an Error.
void survive_damage(const std::string& name, const std::string& text, bool zipped) {
  const DataFolder folder;
  const Schema schema = read_text(name, zipped ? gzip(text) : text).schema();
  const std::string bytes = zipped ? gzip(text) : text;
  Random random(11);
  constexpr std::string_view kLikely = "\"',:;{}%#?@\n\r\t -.e0\\";
  for (int trial = 0; trial < 1000; ++trial) {
    std::string damaged = bytes;
    for (std::uint64_t k = 0; k <= random.below(4); ++k) {
      const std::size_t at = random.below(damaged.size());
      switch (random.below(4)) {
        case 0: damaged[at] = static_cast<char>(random.below(256)); break;
        case 1: damaged[at] = kLikely[random.below(kLikely.size())]; break;
        case 2: damaged.erase(at, 1 + random.below(5)); break;
        default: damaged.insert(at, 1, kLikely[random.below(kLikely.size())]); break;
      }
      if (damaged.empty()) damaged = " ";
    }
    if (trial % 10 == 0) damaged.resize(random.below(damaged.size() + 1));
    // A new file each time: replacing the content of one makes some file systems wait for the disk.
    const std::string path = folder.write(std::to_string(trial) + name, damaged);
    ReadOptions options;
    options.threads = 1 + trial % 2;
    options.header = trial % 7 != 0;
    if (trial % 2 == 0) options.schema = &schema;
    options.require_labels = trial % 3 != 0;
    try {
      const Dataset data = read_dataset(path, options);
      for (std::size_t c = 0; c < data.columns.size(); ++c) testing::values(data, c);
    } catch (const Error&) {  // as it should
    }
  }
}

const std::string kCsv =
    "x,\"y \"\"q\"\"\",color,class\r\n1,2.5,red,a\r\n-3e5,,\"light, blue\",b\r\n?,nan,red,a\r\n";
const std::string kArff =
    "@relation r\n@attribute x real\n@attribute 'c d' {u,'v w'}\n@attribute class {a,b}\n@data\n"
    "1,u,a\n2,'v w',b\n{0 5, 2 b}\n% end\n?,u,a\n";

TEST(ReaderProperties, DamagedCsvNeverCrashes) { survive_damage("a.csv", kCsv, false); }
TEST(ReaderProperties, DamagedGzipNeverCrashes) { survive_damage("a.csv.gz", kCsv, true); }
TEST(ReaderProperties, DamagedLibsvmNeverCrashes) {
  survive_damage("a.svm", "1 1:0.5 3:2e3\n2 2:1 # c\n1 4:-1\n", false);
}
TEST(ReaderProperties, DamagedLibsvmListsNeverCrash) {
  survive_damage("a.svm", "1,3 1:0.5 3:2e3\n2 2:1 # c\n4:-1\n", false);
}
TEST(ReaderProperties, DamagedArffNeverCrashes) { survive_damage("a.arff", kArff, false); }

RC_GTEST_PROP(ReaderProperties, PlainDecimalsAgreeWithTheGeneralMethod,
              (std::int64_t digits, std::uint8_t point, bool negative)) {
  std::string text = std::to_string(digits < 0 ? ~digits : digits);
  text.insert(point % (text.size() + 1), ".");
  if (negative) text.insert(0, "-");
  double fast = 0;
  const char* const end = read_plain_decimal(text.data(), text.data() + text.size(), fast);
  if (end != nullptr) RC_ASSERT(fast == read_cell(text).number);
}

}  // namespace
}  // namespace simplexboost
