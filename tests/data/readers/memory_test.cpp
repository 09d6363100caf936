// What reading takes: at most 8 times the text and 64 MB, whatever shape the text has.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/memory.h"
#include "base/message_of.h"
#include "base/peak_memory.h"
#include "data/data_files.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::gzip;
using testing::kMeasures;

// How much more memory reading takes at its peak than there was before, in bytes.
std::size_t peak_of_reading(const std::string& path, const ReadOptions& options) {
  return testing::peak_of([&] { static_cast<void>(read_dataset(path, options)); });
}

struct Shape {
  std::string file;
  std::function<std::string()> text;
  bool zipped = false;  // is tried, too
};

std::string repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

std::string header(std::size_t columns) {
  std::string line;
  for (std::size_t i = 0; i < columns; ++i) line += "c" + std::to_string(i) + ",";
  return line + "class\n";
}

std::string table(std::size_t columns, const std::string& cell, std::size_t bytes) {
  std::string row;
  for (std::size_t i = 0; i < columns; ++i) row += cell + ",";
  const std::string rows = repeated(row + "a\n" + row + "b\n", bytes);
  return header(columns) + rows;
}

std::string labels(std::size_t bytes, const std::string& before, const std::string& after) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i)
    text += before + "t" + std::to_string(i) + after;
  return text;
}

std::string distinct(std::size_t bytes) {
  std::string text = "x,class\n";
  for (std::size_t i = 0; text.size() < bytes; ++i)
    text += "t" + std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  return text;
}

// Columns of cells of `size` characters, all different within a column.
std::string different(std::size_t columns, std::size_t size, std::size_t bytes) {
  constexpr std::string_view kDigits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&()*+-./:;<=>@[]^_`{|}~";
  std::string text = header(columns);
  for (std::size_t row = 0; text.size() < bytes; ++row) {
    std::string cell(1, 'x');
    for (std::size_t i = 1, rest = row; i < size; ++i, rest /= kDigits.size())
      cell += kDigits[rest % kDigits.size()];
    for (std::size_t c = 0; c < columns; ++c) text += cell + ",";
    text += row % 2 == 0 ? "a\n" : "b\n";
  }
  return text;
}

std::string attributes(std::size_t count, const std::string& type) {
  std::string text = "@relation r\n";
  for (std::size_t i = 0; i < count; ++i)
    text += "@attribute a" + std::to_string(i) + " " + type + "\n";
  return text + "@attribute class {a,b}\n@data\n";
}

constexpr std::size_t kMega = 1 << 20;

const Shape kShapes[] = {
    {"narrow.csv", [] { return table(1, "0.1", 12 * kMega); }, true},
    {"short.csv", [] { return table(10, "0", 12 * kMega); }},
    {"empty.csv", [] { return table(100, "", 12 * kMega); }},
    {"long.csv", [] { return table(5, "0.12345678901234", 12 * kMega); }},
    {"wide.csv", [] { return table(100'000, "7", 8 * kMega); }},
    {"text.csv", [] { return table(10, "ab", 12 * kMega); }, true},
    {"wide-text.csv", [] { return table(20'000, "x", 8 * kMega); }},
    {"commas.csv", [] { return std::string(10 * kMega, ','); }},
    {"quotes.csv", [] { return table(4, "\"a,b\"", 10 * kMega); }},
    {"ids.csv", [] { return distinct(24 * kMega); }},
    {"keys.csv", [] { return different(8, 5, 24 * kMega); }, true},
    {"few-rows.csv", [] { return different(100'000, 2, 20 * kMega); }},
    {"two-rows.csv", [] { return table(990'000, "a", 1); }},
    {"two-rows-of-numbers.csv", [] { return table(130'000, "1", 1); }},
    {"two-rows-of-text.csv", [] { return table(70'000, "a", 1); }},
    {"names.csv", [] { return different(200, 4, 24 * kMega); }},
    {"classes.csv", [] { return "x,class\n" + labels(16 * kMega, "1,", "\n"); }},
    {"classes.libsvm", [] { return labels(16 * kMega, "", " 1:1\n"); }},
    {"strings.arff",
     [] {
       return "@relation r\n@attribute s string\n@attribute class {a,b}\n@data\n" +
              labels(16 * kMega, "", ",a\n");
     }},
    {"numbers.arff",
     [] { return attributes(10, "numeric") + repeated("0,1,2,3,4,5,6,7,8,9,a\n", 10 * kMega); },
     true},
    {"wide.arff",
     [] {
       std::string row;
       for (std::size_t i = 0; i < 300'000; ++i) row += "0,";
       return attributes(300'000, "numeric") + row + "a\n" + row + "b\n";
     }},
    {"nominal.arff", [] { return attributes(50'000, "{a,b,c}") + "{1 b}\n{50000 b}\n"; }},
    {"sparse.arff",
     [] { return attributes(1000, "numeric") + repeated("{1 2, 1000 b}\n{3 1}\n", kMega / 64); }},
    {"pairs.libsvm", [] { return repeated("1 1:1 2:1 3:1\n2 2:5\n", 12 * kMega); }, true},
    {"huge.libsvm", [] { return std::string("1 1:1\n2 1000000:1\n"); }},
    {"labels.libsvm", [] { return repeated("1\n2\n", 24 * kMega) + "1 1:1\n"; }},
    {"lists.libsvm", [] { return repeated("1,2,3,4,5,6,7,8,9 1:1\n", 24 * kMega); }},
    {"ones.libsvm", [] { return repeated("1 1:1\n2 2:2\n", 24 * kMega); }},
    {"rows.csv", [] { return "x,y\n" + repeated("1,a\n2,b\n", 24 * kMega); }},
    {"rows.arff", [] { return attributes(1, "numeric") + repeated("1,a\n2,b\n", 24 * kMega); }},
    {"values.arff",
     [] {
       return "@relation r\n@attribute x {" + labels(16 * kMega, "", ",") +
              "z}\n@attribute class {a,b}\n@data\nz,a\nt1,b\n";
     }},
    {"name.csv", [] { return std::string(16 * kMega, 'x') + ",class\n1,a\n2,b\n"; }},
    {"escapes.csv",
     [] {
       return "x,class\n" + labels(8 * kMega, "\"" + std::string(200, '"'), "\",a\n") +
              labels(8 * kMega, "\"" + std::string(200, '"'), "\",b\n");
     }},
    {"late.csv",
     [] {
       return "x,class\n" + repeated("1,a\n2,b\n", 12 * kMega) + labels(12 * kMega, "", ",a\n");
     }},
    {"essays.csv", [] { return "x,class\n" + labels(24 * kMega, std::string(100, 'e'), ",a\n"); }},
};

TEST(MemoryOfReading, IsBoundedByTheText) {
  if (!kMeasures) GTEST_SKIP() << "a sanitizer has memory of its own";
  const DataFolder folder;
  for (const Shape& shape : kShapes) {
    const std::string text = shape.text();
    for (const bool zipped : {false, true}) {
      if (zipped && !shape.zipped) continue;
      const std::string path =
          folder.write(shape.file + (zipped ? ".gz" : ""), zipped ? gzip(text) : text);
      ReadOptions options;
      options.threads = 2;
      const std::size_t bound = 8 * text.size() + 64 * kMega;
      EXPECT_LE(peak_of_reading(path, options), bound)
          << shape.file << (zipped ? " gzipped" : "") << ", " << text.size() << " bytes";
      std::filesystem::remove(path);  // together they would fill a small disk
    }
  }
}

TEST(MemoryOfReading, OfWhatIsNoTextIsSmall) {
  if (!kMeasures) GTEST_SKIP() << "a sanitizer has memory of its own";
  const DataFolder folder;
  const std::string path = folder.write("bomb.csv.gz", gzip(std::string(400 * kMega, '\0')));
  EXPECT_LE(peak_of_reading(path, {}), 32 * kMega);
}

TEST(MemoryOfReading, OfWhatARuleForbidsEndsAtTheRule) {
  if (!kMeasures) GTEST_SKIP() << "a sanitizer has memory of its own";
  const DataFolder folder;
  const std::string text = table(10, "0.12345", 40 * kMega);
  const std::size_t more = 60 * kMega;  // the text, and not all of its numbers
  for (const bool zipped : {false, true}) {
    const std::string path =
        folder.write(zipped ? "a.csv.gz" : "a.csv", zipped ? gzip(text) : text);
    const std::size_t peak = testing::peak_of([&] {
      set_memory_rules({resident_memory() + more, ""});
      EXPECT_THROW(read_dataset(path, {}), DataError);
    });
    EXPECT_GT(peak, 32 * kMega);
    EXPECT_LE(peak, more + 16 * kMega);
  }
}

TEST(MemoryOfReading, RefusesManyFeaturesOfASmallText) {
  std::string wide = "1 1:1\n2";
  for (int j = 1; j <= 200'000; ++j) wide += " " + std::to_string(j) + ":1";
  const std::string said = testing::read_error("a.libsvm", wide + "\n");
  EXPECT_EQ(said.rfind("a.libsvm: 200000 features in a text of ", 0), 0U) << said;
  EXPECT_NE(said.find(" would take 97 MB; leave out those that occur in few rows"),
            std::string::npos)
      << said;
  EXPECT_EQ(
      testing::read_error("a.csv", table(300'000, "a", 1)),
      "a.csv: 300001 columns in a text of 3488900 bytes would take 128 MB; leave some out, or "
      "write it as LIBSVM");
  EXPECT_EQ(testing::read_error("a.csv", std::string(3'000'000, ',')),
            "a.csv:1:1000001: more than 1000000 cells in a line; is the delimiter right?");
}

TEST(MemoryOfReading, RefusesTooManyDifferentTexts) {
  const std::string text = different(40'000, 2, 3 * kMega);
  const std::size_t most = text.size() / 8 + kMega / 2;
  const std::string message = "a.csv: more than " + std::to_string(most) + " different texts in " +
                              std::to_string(text.size()) +
                              " bytes; leave columns of names and keys out by --ignore";
  for (const int threads : {1, 2, 5}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_EQ(testing::read_error("a.csv", text, options), message);
    // What is wrong with a row is said first, wherever it stands.
    EXPECT_NE(testing::read_error("a.csv", text + "1,2\n", options).find("ends after 2 cells"),
              std::string::npos);
  }
}

TEST(MemoryOfReading, RefusesMoreThanAMillionClasses) {
  const std::string classes = labels(10'900'000, "1,", "\n");
  EXPECT_EQ(testing::read_error("a.csv", "x,class\n" + classes),
            "a.csv:1000002:3: more than 1000000 classes; is this the label?");
  EXPECT_EQ(testing::read_error("a.libsvm", labels(13'900'000, "", " 1:1\n")),
            "a.libsvm:1000001:1: more than 1000000 classes; does each line begin with its label?");
}

}  // namespace
}  // namespace simplexboost
