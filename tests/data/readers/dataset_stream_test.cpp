// Reading in blocks gives the rows, the notes and the errors of reading at once, wherever the
// blocks end.
#include "data/readers/dataset_stream.h"

#include <gtest/gtest.h>

#include "base/message_of.h"
#include "data/data_files.h"
#include "data/readers/read_notes.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::gzip;
using testing::message_of;

Schema schema() {
  Schema schema;
  schema.features = {{"x", FeatureType::kNumeric, {}},
                     {"c", FeatureType::kCategorical, {"a", "b,\nb", "d"}},
                     {"y", FeatureType::kNumeric, {}}};
  schema.classes = {"no", "yes"};
  schema.label_columns = {"class"};
  schema.named = true;
  return schema;
}

Schema numbers(std::size_t count) {
  Schema schema;
  for (std::size_t i = 1; i <= count; ++i)
    schema.features.push_back({std::to_string(i), FeatureType::kNumeric, {}});
  schema.classes = {"1", "2"};
  schema.named = false;
  return schema;
}

// All values and labels as text, row by row.
std::string rows_text(const Dataset& data) {
  std::string text;
  std::vector<std::vector<double>> columns;
  for (const Column& column : data.columns) {
    columns.emplace_back(data.rows);
    column.copy(0, data.rows, columns.back().data());
  }
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (const auto& values : columns) text += std::to_string(values[i]) + " ";
    text += data.labels.codes.empty() ? "" : std::to_string(data.labels.codes[i]);
    text += "\n";
  }
  return text;
}

std::string all_lines(const ReadNotes& notes) {
  std::string text;
  for (const std::string& line : notes.lines) text += line + "\n";
  return text;
}

struct Said {
  std::string rows;
  std::string notes;
  std::string error;
};

Said at_once(const std::string& path, const ReadOptions& options) {
  Said said;
  said.error = message_of([&] {
    ReadNotes notes;
    said.rows = rows_text(read_dataset(path, options, &notes));
    said.notes = all_lines(notes);
  });
  return said;
}

Said in_blocks(const std::string& path, const ReadOptions& options, std::size_t bytes) {
  Said said;
  said.error = message_of([&] {
    DatasetStream stream(path, options, bytes);
    while (const auto block = stream.next()) said.rows += rows_text(*block);
    said.notes = all_lines(stream.notes());
  });
  return said;
}

void expect_same(const std::string& file, const std::string& text, const ReadOptions& given) {
  const DataFolder folder;
  for (const bool zipped : {false, true}) {
    const std::string path = folder.write(file + (zipped ? ".gz" : ""), zipped ? gzip(text) : text);
    const Said whole = at_once(path, given);
    for (const std::size_t bytes : {1U, 2U, 3U, 7U, 16U, 31U, 64U, 200U, 100'000U}) {
      SCOPED_TRACE(file + " in blocks of " + std::to_string(bytes) + "\n" + text.substr(0, 300));
      const Said parts = in_blocks(path, given, bytes);
      EXPECT_EQ(parts.error, whole.error);
      if (!whole.error.empty()) continue;
      EXPECT_EQ(parts.rows, whole.rows);
      EXPECT_EQ(parts.notes, whole.notes);
    }
  }
}

class Streams : public ::testing::Test {
 protected:
  ReadOptions options(const Schema& schema) const {
    ReadOptions options;
    options.schema = &schema;
    options.require_labels = false;
    options.threads = 2;
    return options;
  }
};

TEST_F(Streams, ReadCsvAsAWhole) {
  const Schema known = schema();
  const std::string rows =
      "1,a,2,yes\n3,\"b,\nb\",4,no\n-5.5,,1e3,yes\n?,d,0,no\n7,\"unseen \"\"one\"\"\",8,maybe\n"
      "9,other,10,yes\n11,unseen,12,no\n";
  for (const char* header : {"x,c,y,class\n", "y,c,more,x,class\n", "\"x\",\"c\",\"y\",\"cl\n\"\n",
                             "\xEF\xBB\xBFx,c,y,class\n"})
    for (const char* tail : {"", "1,a,2,yes", "\n\n\r\n", "1,a,2,yes\r\n"})
      expect_same(
          "a.csv",
          header + (std::string(header)[0] == 'y' ? "2,a,0,1,no\n4,d,0,3,no\n" : rows + tail),
          options(known));
}

TEST_F(Streams, ReadCsvWithoutAHeader) {
  const Schema known = numbers(3);
  ReadOptions given = options(known);
  given.header = false;
  expect_same("a.csv", "1;2;3\n4;5;6\n7;8;9\n10;11;12\n\n", given);
  expect_same("a.csv", "1;2;3\n4;5;6\n7;8\n10;11;12\n", given);
  expect_same("a.tsv", "1\t2\t3\r\n4\t\t6\r\n", given);
  expect_same("a.csv", "1;2;3\r\r", given);
  expect_same("a.csv",
              "\xEF\xBB\xBF"
              "1;2;3\n4;5;6\n",
              given);
}

TEST_F(Streams, ReadLibsvm) {
  const Schema known = numbers(4);
  expect_same("a.libsvm",
              "# a comment\n1 1:2 3:4\n\n2 2:1.5 4:-1 # more\n  \n1\n2 7:3 9:1\n1 4:2 8:1\n#end\n",
              options(known));
  expect_same("a.libsvm", "\xEF\xBB\xBF\n1 1:2\n2 3:1\n", options(known));
  expect_same("a.libsvm", "\xEF\xBB\xBF# a comment\n1 1:2\n2 3:1\n", options(known));
  expect_same("a.libsvm", "1 1:2\n2 3:x\n", options(known));
  expect_same("a.libsvm", "1 1:2\n2 3:1\n1 2:1 2:2\n", options(known));
  expect_same("a.libsvm", "# nothing\n\n", options(known));
  expect_same("a.libsvm", "1 1:2\n\r\r\n2 1:1\n", options(known));  // a label of its own, if odd
}

TEST_F(Streams, ReadArff) {
  const Schema known = schema();
  const std::string head =
      "% a comment\n@RELATION r\n@attribute x numeric\n@attribute c {a,d,new}\n"
      "@attribute y real\n@attribute class {no,yes}\n\n@Data % here\n";
  expect_same("a.arff",
              head + "1,a,2,yes\n% more\n\n3,d,4,no\n{0 5, 3 yes}\n7,new,8,no\n9,new,1,no\n%\n",
              options(known));
  expect_same("a.arff", head + "1,a,2,yes\n3,d,no\n", options(known));
  expect_same("a.arff", head + "1,a,2,yes\n3,d,x,no\n", options(known));
  expect_same("a.arff", head + "% no rows\n", options(known));
  expect_same("a.arff", head.substr(0, 60), options(known));
}

TEST_F(Streams, TellErrorsAtTheirPlaces) {
  const Schema known = schema();
  const std::string good = "x,c,y,class\n1,a,2,yes\n3,d,4,no\n";
  for (const char* bad :
       {"5,a\n", "5,a,6,yes,7\n", "5,a,text,yes\n", "\n5,a,6,yes\n", "5,a\"b,6,yes\n",
        "5,\"a,6,yes\n", "5,\xFF,6,\xFE\n", "5,\"a\"b,6,yes\n", "1e999,a,6,yes\n"})
    expect_same("a.csv", good + bad + "7,a,8,no\n", options(known));
  expect_same("a.csv", std::string("x,c,y,class\n1,a,2,yes\n3,d,\0,no\n", 31), options(known));
  for (const char* bad :
       {"", "\n", "x,c,y,class\n", "x,c,y,class", "1,2,3,4\n1,2,3,4\n", "x,c,y,y\n"})
    expect_same("a.csv", bad, options(known));
  ReadOptions labelled = options(known);
  labelled.require_labels = true;
  expect_same("a.csv", good + "5,a,6,\n", labelled);
}

TEST_F(Streams, RefuseBrokenGzip) {
  const DataFolder folder;
  const Schema known = schema();
  const std::string zipped = gzip("x,c,y,class\n1,a,2,yes\n3,d,4,no\n");
  const auto say = [&](const std::string& bytes) {
    return in_blocks(folder.write("a.csv.gz", bytes), options(known), 8).error;
  };
  EXPECT_EQ(say(zipped), "");
  EXPECT_EQ(say(zipped + std::string(5, '\0')), "");
  EXPECT_NE(say(zipped + "x").find("other bytes follow its end"), std::string::npos);
  EXPECT_NE(say(zipped.substr(0, zipped.size() - 3)).find("it ends too early"), std::string::npos);
  std::string changed = zipped;
  changed[zipped.size() - 6] = static_cast<char>(changed[zipped.size() - 6] ^ 1);
  EXPECT_NE(say(changed).find("broken gzip file at byte"), std::string::npos);
  const Said joined =
      in_blocks(folder.write("b.csv.gz", gzip("x,c,y,class\n1,a,") + gzip("2,yes\n3,d,4,no\n")),
                options(known), 8);
  EXPECT_EQ(joined.error, "");
  EXPECT_EQ(std::count(joined.rows.begin(), joined.rows.end(), '\n'), 2);
}

}  // namespace
}  // namespace simplexboost
