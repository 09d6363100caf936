// What several processes read of files together is what one process reads of all of them.
#include "data/readers/share_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "base/fake_cluster.h"
#include "base/message_of.h"
#include "base/random.h"
#include "data/data_files.h"
#include "data/rows/row_shares.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::FakeCluster;
using testing::message_of;

// All there is to know of a data set, as text.
std::string text_of_rows(const Dataset& data) {
  std::string text = fmt::format("{} {}", data.rows, data.named);
  for (const Column& column : data.columns) {
    std::vector<double> values(data.rows);
    column.copy(0, data.rows, values.data());
    text += fmt::format("\n{} [{}] {}", column.schema.name,
                        fmt::join(column.schema.categories, "|"), fmt::join(values, " "));
  }
  return text + fmt::format("\n[{}] {} / {} / {}", fmt::join(data.labels.classes, "|"),
                            fmt::join(data.labels.codes, " "), fmt::join(data.labels.offsets, " "),
                            fmt::join(data.weights, " "));
}

// The shares of so many processes, joined again.
std::string read_by(int ranks, const std::string& pattern, const ReadOptions& options) {
  std::vector<Dataset> shares(static_cast<std::size_t>(ranks));
  FakeCluster(ranks).run([&](Communicator& others) {
    shares[static_cast<std::size_t>(others.rank())] = read_share(pattern, options, others);
  });
  Dataset all = shares[0];
  for (std::size_t r = 1; r < shares.size(); ++r) all = join_rows(all, shares[r]);
  return text_of_rows(all);
}

void expect_same_rows(const std::string& pattern, const std::string& whole,
                      const ReadOptions& options = {}) {
  const std::string wanted = text_of_rows(read_dataset(whole, options));
  for (const int ranks : {1, 2, 3, 5, 8, 40}) {
    SCOPED_TRACE(ranks);
    EXPECT_EQ(read_by(ranks, pattern, options), wanted);
  }
}

// Cells with line ends and quotes in them, of which a process may see the middle only.
std::string hostile_csv(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  std::string text = "x,\"the \"\"name\"\"\n of it\",place,class\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += random.below(5) == 0 ? "" : std::to_string(random.below(1000));
    const auto lines = random.below(4);
    text += ",\"";
    for (std::uint64_t k = 0; k < lines; ++k) text += random.below(2) == 0 ? "a,\"\"\n" : "\r\n,b";
    text += fmt::format("t{}\",p{},c{}\n", random.below(3), i / 7, i % 3);
  }
  return text;
}

TEST(ShareReader, CutsBetweenRowsWhateverIsInTheCells) {
  const DataFolder folder;
  for (const std::size_t rows : {3U, 20U, 200U})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const std::string path = folder.write("all.csv", hostile_csv(rows, seed));
      expect_same_rows(path, path);
    }
}

TEST(ShareReader, MarksAndLineEndsOfOtherSystemsAndNoLineEndAtTheEnd) {
  const DataFolder folder;
  std::string text =
      "\xEF\xBB\xBF"
      "a;b;class\r\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{};{};{}\r\n", i, i % 7, i % 3);
  for (const std::string& end : {std::string(), std::string("1;2;0"), std::string("\r\n\r\n\n")}) {
    const std::string path = folder.write("all.csv", text + end);
    expect_same_rows(path, path);
  }
}

TEST(ShareReader, FilesOfAPatternAreOneBehindTheOther) {
  const DataFolder folder;
  const std::string head = "x,y,class\n";
  std::string all = head;
  for (int f = 0; f < 5; ++f) {
    std::string rows;
    for (int i = 0; i < (f == 2 ? 1 : 10 + 30 * (f % 3)); ++i)
      rows += fmt::format("{},t{},c{}\n", i * f, i % 11, (i + f) % 4);
    all += rows;
    if (f == 3) rows.pop_back();
    if (f == 4) rows += "\n\n";
    folder.write(fmt::format("part-{}.csv", f), head + rows);
  }
  expect_same_rows(folder.path("part-*.csv"), folder.write("all.csv", all));
}

TEST(ShareReader, ZippedFilesAreNotCut) {
  const DataFolder folder;
  std::string all = "x,class\n";
  for (int f = 0; f < 3; ++f) {
    std::string rows;
    for (int i = 0; i < 20; ++i) rows += fmt::format("{},c{}\n", i * f, (i + f) % 4);
    all += rows;
    const std::string name = fmt::format("part-{}.csv", f);
    if (f == 1)
      folder.write(name, "x,class\n" + rows);
    else
      folder.write(name + ".gz", testing::gzip("x,class\n" + rows));
  }
  expect_same_rows(folder.path("part-*"), folder.write("all.csv", all));
}

TEST(ShareReader, TypesAndCodesAreThoseOfAllRows) {
  const DataFolder folder;
  std::string text = "number,late,none,class\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("{},{},{},{}\n", i * 0.5, i > 70 ? "x" + std::to_string(i % 5) : "",
                        i == 3 ? "seen" : "", i < 90 ? "usual" : "rare");
  const std::string path = folder.write("all.csv", text);
  expect_same_rows(path, path);
}

TEST(ShareReader, FilesWithoutNames) {
  const DataFolder folder;
  ReadOptions options;
  options.header = false;
  std::string text;
  for (int i = 0; i < 60; ++i) text += fmt::format("{}\ttext {}\t{}\n", i, i % 4, i % 3);
  const std::string path = folder.write("all.tsv", text);
  expect_same_rows(path, path, options);
}

TEST(ShareReader, IndicesOfLibsvmFilesAreThoseOfAllRows) {
  const DataFolder folder;
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{} {}:{} # a comment\n{}", i % 3, 1 + i % 4 + (i == 55 ? 9 : 0), i + 0.5,
                        i % 7 == 0 ? "\n" : "");
  const std::string path = folder.write("all.libsvm", text);
  expect_same_rows(path, path);
  const std::string zero = folder.write("zero.libsvm", text + "2 0:1\n");
  expect_same_rows(zero, zero);
  const std::string lists = folder.write("lists.libsvm", text + "0,2 3:1\n");
  expect_same_rows(lists, lists);
}

TEST(ShareReader, ArffFiles) {
  const DataFolder folder;
  std::string text =
      "% made by hand\n@relation r\n@attribute x numeric\n@attribute c {a,'b c'}\n@data\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", i, i % 3 == 0 ? "a" : "'b c'");
  const std::string path = folder.write("all.arff", text);
  expect_same_rows(path, path);
}

TEST(ShareReader, EachRankMayHaveFilesOfItsOwn) {
  const DataFolder folder;
  std::string all = "x,class\n";
  for (int r = 0; r < 3; ++r) {
    std::string rows;
    for (int i = 0; i < 10 + r; ++i) rows += fmt::format("{},c{}\n", i, (i + r) % 3);
    all += rows;
    folder.write(fmt::format("of-{}.csv", r), "x,class\n" + rows);
  }
  EXPECT_EQ(read_by(3, folder.path("of-{rank}.csv"), {}),
            text_of_rows(read_dataset(folder.write("all.csv", all), {})));
}

std::string error_of(int ranks, const std::string& pattern, const ReadOptions& options = {}) {
  return message_of([&] {
    FakeCluster(ranks).run([&](Communicator& others) { read_share(pattern, options, others); });
  });
}

TEST(ShareReader, AShareMayBeEmptyWhereverTheRowsAre) {
  const DataFolder folder;
  const std::string head = "x,place,class\n";
  const std::string rows = "1,u,a\n2,v,b\n3,u,a\n4,v,b\n5,u,a\n";
  const std::string wanted = text_of_rows(read_dataset(folder.write("all.csv", head + rows), {}));
  for (int full = 0; full < 3; ++full) {
    SCOPED_TRACE(full);
    for (int r = 0; r < 3; ++r)
      folder.write(fmt::format("p-{}.csv", r), head + (r == full ? rows : ""));
    EXPECT_EQ(read_by(3, folder.path("p-{rank}.csv"), {}), wanted);
    expect_same_rows(folder.path("p-*.csv"), folder.path("all.csv"));
    folder.write(fmt::format("p-{}.csv", full), head);
    EXPECT_NE(error_of(3, folder.path("p-{rank}.csv")).find("a header without rows"),
              std::string::npos);
  }
}

TEST(ShareReader, ErrorsNameTheFileAndItsLine) {
  const DataFolder folder;
  std::string text = "x,\"two\nlines\",class\n";
  for (int i = 0; i < 100; ++i) text += fmt::format("{},\"a\nb\",{}\n", i, i % 3);
  const std::string path = folder.write("all.csv", text + "1,2\n");
  for (const int ranks : {2, 3, 7}) {
    const std::string message = error_of(ranks, path);
    EXPECT_NE(message.find("all.csv:203:4: the row ends after 2 cells"), std::string::npos)
        << message;
  }
  folder.write("part-1.csv", "x,class\n1,a\n2,b\n");
  folder.write("part-2.csv", "x,class\n1,a\n2\n");
  EXPECT_NE(error_of(1, folder.path("part-*.csv")).find("part-2.csv:3:2: the row ends"),
            std::string::npos);
  folder.write("part-3.csv", "y,class\n1,a\n");
  EXPECT_NE(error_of(2, folder.path("part-[13].csv")).find("the header is not that of"),
            std::string::npos);
}

// A column as the cells of `cell(row)`, which stand where they do and not anywhere.
template <class Cell>
std::string csv_of(std::size_t rows, const Cell& cell) {
  std::string text = "x,class\n";
  for (std::size_t i = 0; i < rows; ++i) text += fmt::format("{},{}\n", cell(i), i % 3);
  return text;
}

TEST(ShareReader, TypesDoNotDependOnWhereTheTextsStand) {
  const DataFolder folder;
  const auto expect_categories = [&](const auto& cell) {
    const std::string path = folder.write("all.csv", csv_of(200, cell));
    EXPECT_EQ(read_dataset(path, {}).columns[0].schema.type, FeatureType::kCategorical);
    expect_same_rows(path, path);
  };
  // Numbers first, of which a share may have nothing else, written in more than one way.
  expect_categories([](std::size_t i) {
    return i < 90 ? fmt::format("{}{}", i % 9, i % 2 == 0 ? "" : ".0")
                  : std::string(1, "ABCDE"[i % 5]);
  });
  // Less text in a share than a column of categories has.
  expect_categories([](std::size_t i) { return i > 177 ? "5more" : std::to_string(i % 5); });
  expect_categories([](std::size_t i) { return i == 0 || i > 180 ? "5more" : "4"; });
  // A text that repeats, but on no share of two.
  expect_categories(
      [](std::size_t i) { return i % 5 == 0 ? fmt::format("t{}", i % 195) : std::to_string(i); });
}

// As one process, which takes it for a slip.
TEST(ShareReader, RefusesTextAmongNumbers) {
  const DataFolder folder;
  const auto expect_refusal = [&](const std::string& what, const auto& cell) {
    const std::string path = folder.write("all.csv", csv_of(100, cell));
    for (const int ranks : {1, 2, 3, 8, 40}) EXPECT_EQ(error_of(ranks, path), path + what);
  };
  const std::string mend =
      " is text; expected a number as elsewhere in column 'x': mend it, leave it empty if it is "
      "missing, or say --categorical x";
  expect_refusal(":99:1: 'o'" + mend,
                 [](std::size_t i) { return i >= 97 ? "o" : std::to_string(i); });
  expect_refusal(":2:1: 'o'" + mend, [](std::size_t i) { return i < 9 ? "o" : std::to_string(i); });
  // Names that all differ.
  expect_refusal(":53:1: 'n51'" + mend,
                 [](std::size_t i) { return fmt::format("{}{}", i > 50 ? "n" : "", i); });
  expect_refusal(
      ":12:1: 'inf' is infinite; expected a finite number as elsewhere in column 'x': "
      "mend it, leave it empty if it is missing, or say --categorical x",
      [](std::size_t i) { return i == 10 || i == 80 ? "inf" : std::to_string(i); });
  expect_refusal(
      ":42:1: '1,5' has a comma; write numbers with a decimal point and without "
      "thousands separators, or say --categorical x",
      [](std::size_t i) { return i < 40 ? "1" : "\"1,5\""; });
}

TEST(ShareReader, WeightsOfAShareMayAllBeZero) {
  const DataFolder folder;
  ReadOptions options;
  options.weight = "w";
  std::string text = "x,w,class\n";
  for (int i = 0; i < 90; ++i) text += fmt::format("{},{},{}\n", i, i < 70 ? 0 : 1, i % 3);
  const std::string path = folder.write("all.csv", text);
  expect_same_rows(path, path, options);
  const std::string none = folder.write("none.csv", "x,w,class\n1,0,a\n2,0,b\n3,0,a\n");
  for (const int ranks : {1, 2, 5})
    EXPECT_NE(error_of(ranks, none, options).find("all weights are zero"), std::string::npos);
}

TEST(ShareReader, SaysWhatCannotBeShared) {
  const DataFolder folder;
  EXPECT_NE(error_of(2, folder.path("none-*.csv")).find("no file is named like"),
            std::string::npos);
  EXPECT_NE(error_of(2, "-").find("standard input is read by one process"), std::string::npos);
  EXPECT_NE(error_of(2, folder.path("not there.csv")).find("not there.csv"), std::string::npos);
  folder.write("empty-1.csv", "");
  EXPECT_NE(error_of(2, folder.path("empty-*.csv")).find("is empty"), std::string::npos);
}

TEST(ShareReader, RowsSetAsideAreThoseOfOneProcess) {
  const DataFolder folder;
  std::string text = "x,class\n";
  for (int i = 0; i < 300; ++i) text += fmt::format("{},c{}\n", i, i * i % 5);
  const std::string path = folder.write("all.csv", text);
  const DatasetSplit wanted = split_rows(read_dataset(path, {}), 0.3, 7);
  for (const int ranks : {1, 3, 5}) {
    std::vector<Dataset> train(static_cast<std::size_t>(ranks));
    std::vector<Dataset> valid = train;
    FakeCluster(ranks).run([&](Communicator& others) {
      const auto r = static_cast<std::size_t>(others.rank());
      DatasetSplit split = split_share(read_share(path, {}, others), 0.3, 7, others);
      train[r] = std::move(split.train);
      valid[r] = std::move(split.valid);
    });
    const auto joined = [](const std::vector<Dataset>& shares) {
      return text_of_rows(std::accumulate(shares.begin() + 1, shares.end(), shares[0], join_rows));
    };
    EXPECT_EQ(joined(train), text_of_rows(wanted.train));
    EXPECT_EQ(joined(valid), text_of_rows(wanted.valid));
  }
}

}  // namespace
}  // namespace simplexboost
