#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "simplexboost/error.h"
#include "simplexboost/generate.h"
#include "simplexboost/read.h"

namespace simplexboost {
namespace {

namespace fs = std::filesystem;

GeneratorSpec wanted_rows(const std::string& name, std::size_t rows) {
  GeneratorSpec spec;
  spec.name = name;
  spec.seed = 4;
  spec.label_noise = 0.1;
  if (name != "balance") spec.rows = rows;
  if (name == "text") spec.features = 40, spec.topics = 5;  // all values are looked at here
  return spec;
}

std::string text_of(const GeneratorSpec& spec, FileFormat format, int threads = 2) {
  std::ostringstream out;
  EXPECT_TRUE(write_generated(*make_generator(spec), out, format, threads));
  return out.str();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

double number(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(result.ec == std::errc() && result.ptr == text.data() + text.size()) << text;
  return value;
}

class WriteGenerated : public ::testing::TestWithParam<GeneratorInfo> {
 protected:
  // More than the block size, and no multiple of it.
  static GeneratorSpec spec() { return wanted_rows(std::string(GetParam().name), 9001); }
};

// The values of a column; those of a category, which a file may number otherwise, by name.
std::vector<std::string> texts_of(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  std::vector<std::string> texts;
  for (const double value : values)
    texts.push_back(column.schema.type == FeatureType::kCategorical
                        ? column.schema.categories[static_cast<std::size_t>(value)]
                        : fmt::format("{}", value));
  return texts;
}

// Expects lines of values and a class name to hold exactly what is in memory.
void expect_rows(const std::vector<std::string>& lines, std::size_t first, const Dataset& data) {
  ASSERT_EQ(lines.size() - first, data.rows);
  std::vector<std::vector<std::string>> columns;
  for (const Column& column : data.columns) columns.push_back(texts_of(column, data.rows));
  for (std::size_t i = 0; i < data.rows; ++i) {
    const std::vector<std::string> cells = split(lines[first + i], ',');
    ASSERT_EQ(cells.size(), columns.size() + 1);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const bool named = data.columns[j].schema.type == FeatureType::kCategorical;
      ASSERT_EQ(named ? cells[j] : fmt::format("{}", number(cells[j])), columns[j][i]);
    }
    ASSERT_EQ(cells.back(), data.labels.classes[static_cast<std::size_t>(data.labels.codes[i])]);
  }
}

TEST_P(WriteGenerated, CsvHoldsExactlyTheDatasetInMemory) {
  const Dataset data = generate(spec());
  const std::vector<std::string> lines = split(text_of(spec(), FileFormat::kCsv), '\n');
  std::string header;
  for (const Column& column : data.columns) header += column.schema.name + ",";
  EXPECT_EQ(lines[0], header + "class");
  expect_rows(lines, 1, data);
}

std::string arff_type(const FeatureSchema& feature) {
  if (feature.type != FeatureType::kCategorical) return "numeric";
  return fmt::format("{{{}}}", fmt::join(feature.categories, ","));
}

TEST_P(WriteGenerated, ArffDeclaresColumnsAndClasses) {
  const Dataset data = generate(spec());
  const std::vector<std::string> lines = split(text_of(spec(), FileFormat::kArff), '\n');
  ASSERT_EQ(lines[0], "@relation generated");
  for (std::size_t j = 0; j < data.columns.size(); ++j)
    EXPECT_EQ(lines[2 + j], "@attribute " + data.columns[j].schema.name + " " +
                                arff_type(data.columns[j].schema));
  const std::string& classes = lines[2 + data.columns.size()];
  EXPECT_TRUE(classes.starts_with("@attribute class {" + data.labels.classes[0] + ","));
  EXPECT_TRUE(classes.ends_with("," + data.labels.classes.back() + "}"));
  EXPECT_EQ(lines[4 + data.columns.size()], "@data");
  expect_rows(lines, 5 + data.columns.size(), data);
}

TEST_P(WriteGenerated, LibsvmLeavesZerosOut) {
  const Dataset data = generate(spec());
  const std::vector<std::string> lines = split(text_of(spec(), FileFormat::kLibsvm), '\n');
  ASSERT_EQ(lines.size(), data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const std::vector<std::string> words = split(lines[i], ' ');
    const std::int32_t code = data.labels.codes[i];
    const bool numeric = data.source != "balance";
    ASSERT_EQ(words[0],
              numeric ? data.labels.classes[static_cast<std::size_t>(code)] : std::to_string(code));
    std::vector<double> row(data.columns.size());
    for (std::size_t w = 1; w < words.size(); ++w) {
      const std::vector<std::string> pair = split(words[w], ':');
      ASSERT_EQ(pair.size(), 2U);
      ASSERT_NE(pair[1], "0");
      row.at(static_cast<std::size_t>(number(pair[0])) - 1) = number(pair[1]);
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      double value = 0;
      data.columns[j].copy(i, i + 1, &value);
      ASSERT_EQ(row[j], value);
    }
  }
}

TEST_P(WriteGenerated, SameTextForAnyNumberOfThreads) {
  const std::string text = text_of(spec(), FileFormat::kCsv, 1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(text_of(spec(), FileFormat::kCsv, threads), text);
}

INSTANTIATE_TEST_SUITE_P(Generators, WriteGenerated,
                         ::testing::ValuesIn(generators().begin(), generators().end()),
                         [](const auto& suite) { return std::string(suite.param.name); });

class WriteGeneratedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "generated_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // gzread takes plain files too.
  static std::string content(const std::string& path) {
    gzFile file = gzopen(path.c_str(), "rb");
    std::string text;
    char buffer[4096];
    for (int got = 0; (got = gzread(file, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    gzclose(file);
    return text;
  }

  fs::path folder_;
};

TEST_F(WriteGeneratedFile, ExtensionSaysTheFormat) {
  const GeneratorSpec spec = wanted_rows("waveform", 500);
  const auto generator = make_generator(spec);
  const std::pair<const char*, FileFormat> files[] = {
      {"a.csv", FileFormat::kCsv},      {"a.csv.gz", FileFormat::kCsv},
      {"a.svm", FileFormat::kLibsvm},   {"a.libsvm.gz", FileFormat::kLibsvm},
      {"a.ARFF.GZ", FileFormat::kArff}, {"noextension", FileFormat::kCsv},
  };
  for (const auto& [name, format] : files) {
    EXPECT_TRUE(write_generated(*generator, path(name), FileFormat::kAuto));
    EXPECT_EQ(content(path(name)), text_of(spec, format)) << name;
  }
  EXPECT_LT(fs::file_size(path("a.csv.gz")), fs::file_size(path("a.csv")) / 2);
  EXPECT_TRUE(write_generated(*generator, path("b.csv"), FileFormat::kArff));
  EXPECT_EQ(content(path("b.csv")), text_of(spec, FileFormat::kArff));
}

class StopAtOnce : public Progress {
 public:
  bool round(std::size_t, std::span<const RoundMetric>) override { return false; }
};

TEST_F(WriteGeneratedFile, StoppedWorkLeavesTheOldFile) {
  std::ofstream(path("a.csv")) << "old";
  const auto generator = make_generator(wanted_rows("led", 1000000));
  StopAtOnce progress;
  EXPECT_FALSE(write_generated(*generator, path("a.csv"), FileFormat::kAuto, 1, &progress));
  EXPECT_EQ(content(path("a.csv")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(WriteGeneratedFile, RefusesNamesThatWouldBeReadAsSomethingElse) {
  const auto generator = make_generator(wanted_rows("led", 10));
  for (const char* name : {"a.tsv", "a.json", "a.json.gz"})
    EXPECT_THROW(write_generated(*generator, path(name), FileFormat::kAuto), ParameterError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(WriteGeneratedFile, ReadsBackAsTheDatasetInMemory) {
  for (const GeneratorInfo& info : generators()) {
    const GeneratorSpec spec = wanted_rows(std::string(info.name), 3000);
    const Dataset made = generate(spec);
    for (const char* name : {"a.csv.gz", "a.arff"}) {
      write_generated(*make_generator(spec), path(name), FileFormat::kAuto);
      const Dataset read = read_dataset(path(name), {});
      ASSERT_EQ(read.rows, made.rows);
      ASSERT_EQ(read.columns.size(), made.columns.size());
      for (std::size_t j = 0; j < made.columns.size(); ++j) {
        EXPECT_EQ(read.columns[j].schema.name, made.columns[j].schema.name);
        EXPECT_EQ(read.columns[j].schema.type, made.columns[j].schema.type);
        EXPECT_EQ(texts_of(read.columns[j], made.rows), texts_of(made.columns[j], made.rows));
      }
      for (std::size_t i = 0; i < made.rows; ++i)
        ASSERT_EQ(read.labels.classes[static_cast<std::size_t>(read.labels.codes[i])],
                  made.labels.classes[static_cast<std::size_t>(made.labels.codes[i])]);
    }
  }
}

TEST_F(WriteGeneratedFile, FailureNamesThePath) {
  const auto generator = make_generator(wanted_rows("led", 10));
  try {
    write_generated(*generator, path("no/a.csv"), FileFormat::kAuto);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(path("no/a.csv")), std::string::npos);
  }
}

TEST(WriteGeneratedStream, RefusedOutputIsAnError) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THROW(write_generated(*make_generator(wanted_rows("led", 10)), out, FileFormat::kCsv),
               IoError);
}

TEST(WriteGeneratedStream, WideRowsComeInSmallBlocks) {
  GeneratorSpec spec = wanted_rows("manyclass", 100);
  spec.features = 50000;
  spec.informative = 4;
  EXPECT_LE(make_generator(spec)->block_rows(), 2U);
  EXPECT_EQ(split(text_of(spec, FileFormat::kCsv), '\n').size(), 101U);
}

}  // namespace
}  // namespace simplexboost
