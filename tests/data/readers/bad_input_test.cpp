// Every kind of bad input that we know of, each with the place and the beginning of its message.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <ostream>

#include "data/data_files.h"

namespace simplexboost {
namespace {

using testing::DataFolder;
using testing::gzip;
using testing::read_error;
using testing::read_text;
using namespace std::string_literals;

struct BadInput {
  std::string name;  // of the case
  std::string file;
  std::string text;
  std::string message;  // how it begins
  std::function<void(ReadOptions&)> set = [](ReadOptions&) {};
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest calls it so
void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.name; }

std::string case_name(const ::testing::TestParamInfo<BadInput>& info) { return info.param.name; }

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsReportedAtItsPlace) {
  const BadInput& bad = GetParam();
  ReadOptions options;
  bad.set(options);
  const std::string message = read_error(bad.file, bad.text, options);
  EXPECT_EQ(message.substr(0, bad.message.size()), bad.message) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << "one line";
}

const Schema& model_schema() {
  static const Schema kSchema =
      read_text("train.csv", "x,color,class\n1,red,a\n2,blue,b\n").schema();
  return kSchema;
}

const Schema& positional_schema() {
  static const Schema kSchema = [] {
    ReadOptions options;
    options.header = false;
    options.label = {"2"};
    return read_text("train.csv", "1,a,3\n2,b,4\n", options).schema();
  }();
  return kSchema;
}

const Schema& libsvm_schema() {
  static const Schema kSchema = read_text("train.svm", "1 1:1 3:2\n2 2:1\n").schema();
  return kSchema;
}

void with_model(ReadOptions& options) { options.schema = &model_schema(); }
void no_header(ReadOptions& options) { options.header = false; }
void with_weight(ReadOptions& options) { options.weight = "w"; }
void two_labels(ReadOptions& options) { options.label = {"p", "q"}; }

std::string many_categories() {
  std::string text = "x,class\n";
  for (int i = 0; i < 65536; ++i) text += "t" + std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  return text;
}

std::string truncated_gzip() {
  const std::string whole = gzip("x,class\n1,a\n2,b\n");
  return whole.substr(0, whole.size() - 9);
}

std::string corrupt_gzip() {
  std::string bytes = gzip("x,class\n1,a\n2,b\n3,c\n4,d\n");
  bytes[12] = static_cast<char>(bytes[12] ^ 0x7F);
  return bytes;
}

std::string wrong_checksum() {
  std::string bytes = gzip("x,class\n1,a\n2,b\n");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  return bytes;
}

INSTANTIATE_TEST_SUITE_P(
    Text, BadInputTest,
    ::testing::Values(
        BadInput{"EmptyFile", "a.csv", "", "a.csv: is empty; expected"},
        BadInput{"OnlyLineEnds", "a.csv", "\n\r\n\n", "a.csv: is empty; expected"},
        BadInput{"OnlyByteOrderMark", "a.csv", "\xEF\xBB\xBF", "a.csv: is empty; expected"},
        BadInput{"NulByte", "a.csv", "x,class\n1,a\n2,\0b\n"s, "a.csv:3:3: a NUL byte"},
        BadInput{"Utf16", "a.csv", "\xFF\xFEx\0,\0"s, "a.csv: is UTF-16 text; save it as UTF-8"},
        BadInput{"Zip", "a.csv", "PK\x03\x04zip", "a.csv: is a zip archive or a spreadsheet"},
        BadInput{"Xz", "a.csv", "\xFD\x37zXZ\0rest"s, "a.csv: is compressed by xz; unpack it"},
        BadInput{"Zstd", "a.csv", "\x28\xB5\x2F\xFDzz", "a.csv: is compressed by zstd"},
        BadInput{"Bzip2", "a.csv", "BZh91AY&SYzz", "a.csv: is compressed by bzip2"},
        BadInput{"TruncatedGzip", "a.csv.gz", truncated_gzip(),
                 "a.csv.gz: broken gzip file: it ends too early"},
        BadInput{"GzipHeaderOnly", "a.csv.gz", "\x1F\x8B", "a.csv.gz: broken gzip file: it ends"},
        BadInput{"CorruptGzip", "a.csv.gz", corrupt_gzip(), "a.csv.gz: broken gzip file at byte "},
        BadInput{"GzipChecksum", "a.csv.gz", wrong_checksum(),
                 "a.csv.gz: broken gzip file at byte "},
        BadInput{"GzipTail", "a.csv.gz", gzip("x,class\n1,a\n2,b\n") + "tail",
                 "a.csv.gz: broken gzip file: other bytes follow its end"},
        BadInput{"EmptyGzip", "a.csv.gz", gzip(""), "a.csv.gz: is empty; expected"},
        BadInput{"NulInGzip", "a.csv.gz", gzip("x,class\n1,\0\n"s), "a.csv.gz:2:3: a NUL byte"},
        BadInput{"UnknownExtension", "a.xlsx", "x",
                 "a.xlsx: unknown extension '.xlsx'; expected .csv"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Csv, BadInputTest,
    ::testing::Values(
        BadInput{"HeaderOnly", "a.csv", "x,class\n", "a.csv:1:1: a header without rows; expected"},
        BadInput{"MissingHeader", "a.csv", "setosa,5.1,a\nvirginica,3,b\n",
                 "a.csv:1:8: missing header: '5.1' is a number, where the first line should name "
                 "the columns; add a line of names, or say --no-header"},
        BadInput{"DuplicateName", "a.csv", "x,y,x,class\n1,2,3,a\n",
                 "a.csv:1:5: a second column named 'x'; give each its own name"},
        BadInput{"EmptyName", "a.csv", "x,,class\n1,2,a\n", "a.csv:1:3: column 2 has no name"},
        BadInput{"NameAfterTrailingComma", "a.csv", "x,class,\n1,a,\n",
                 "a.csv:1:9: column 3 has no name"},
        BadInput{"NameNotUtf8", "a.csv", "x,\xE9t\xE9,class\n1,2,a\n",
                 "a.csv:1:3: this name is not UTF-8; save the file as UTF-8"},
        BadInput{"QuoteNeverClosedInHeader", "a.csv", "x,\"y,class\n1,2,a\n",
                 "a.csv:1:3: a quote that is never closed"},
        BadInput{"ShortRow", "a.csv", "x,y,class\n1,2,a\n3,b\n4,5,a\n",
                 "a.csv:3:4: the row ends after 2 cells, expected 3 as in the header"},
        BadInput{"LongRow", "a.csv", "x,y,class\n1,2,a\n3,4,b,5\n",
                 "a.csv:3:7: 4 cells in this row, expected 3 as in the header"},
        BadInput{"ShortLastRowWithoutLineEnd", "a.csv", "x,y,class\n1,2,a\n3",
                 "a.csv:3:2: the row ends after 1 cell, expected 3 as in the header"},
        BadInput{"RaggedWithoutHeader", "a.csv", "1,2,a\n1,b\n",
                 "a.csv:2:4: the row ends after 2 cells, expected 3 as in the first line",
                 no_header},
        BadInput{"EmptyLineInside", "a.csv", "x,class\n1,a\n\n2,b\n",
                 "a.csv:3:1: an empty line, expected 2 cells; delete it"},
        BadInput{"BlanksInside", "a.csv", "x,class\n1,a\n  \n2,b\n",
                 "a.csv:3:1: an empty line, expected 2 cells; delete it"},
        BadInput{"FarTooFewCells", "a.csv", "x,y,z,u,v,class\n\n\n\n\n\n\n1,1,1,1,1,a\n",
                 "a.csv:2:1: an empty line, expected 6 cells"},
        BadInput{"QuoteNeverClosed", "a.csv", "x,y,class\n1,u,a\n2,\"v,b\n3,w,a\n",
                 "a.csv:3:3: a quote that is never closed; close it, or double it"},
        BadInput{"QuoteInsideCell", "a.csv", "x,y,class\n1,u,a\n2,5\" disk,b\n",
                 "a.csv:3:4: a quote inside a cell that does not begin with one"},
        BadInput{"TextAfterQuote", "a.csv", "x,y,class\n1,\"u\"v,a\n2,w,b\n",
                 "a.csv:2:6: text after a closing quote"},
        BadInput{"LoneCarriageReturn", "a.csv", "x,class\r1,a\r2,b\r",
                 "a.csv:1:8: a carriage return without a line feed"},
        BadInput{
            "TextInNumericColumn", "a.csv",
            "x,größe,class\n1,10,a\n2,11,b\n3,12,a\n4,oops,b\n5,13,a\n",
            "a.csv:5:3: 'oops' is text; expected a number as elsewhere in column 'größe': mend "
            "it, leave it empty if it is missing, or say --categorical größe"},
        BadInput{"PlaceCountsCharacters", "a.csv", "n,x,class\nä ö,1,a\nü,q,b\nü,2,b\n",
                 "a.csv:3:3: 'q' is text; expected a number as elsewhere in column 'x'"},
        BadInput{"PlaceAfterLineEndInQuotes", "a.csv",
                 "n,x,class\n\"u\nv\",1,a\nw,2,b\n\"u\nv\",q,b\n",
                 "a.csv:6:4: 'q' is text; expected a number"},
        BadInput{"Infinite", "a.csv", "x,class\n1,a\n-inf,b\n2,b\n",
                 "a.csv:3:1: '-inf' is infinite; expected a finite number as elsewhere"},
        BadInput{"InfiniteManyTimes", "a.csv", "x,class\n1,a\nInfinity,b\nInfinity,b\n",
                 "a.csv:3:1: 'Infinity' is infinite; expected a finite number"},
        BadInput{"OutOfRange", "a.csv", "x,class\n1,a\n2,b\n1e999,b\n",
                 "a.csv:4:1: '1e999' is out of range; expected a number below 1.8e308 in size"},
        BadInput{"ThousandsSeparator", "a.csv", "x,class\n1,a\n\"1,000\",b\n2,b\n",
                 "a.csv:3:1: '1,000' has a comma; write numbers with a decimal point"},
        BadInput{"DecimalComma", "a.csv", "x;class\n1,5;a\n2,5;b\n",
                 "a.csv:2:1: '1,5' has a comma; write numbers with a decimal point"},
        BadInput{"HexadecimalNumber", "a.csv", "x,class\n1,a\n0x10,b\n2,b\n",
                 "a.csv:3:1: '0x10' is text; expected a number"},
        BadInput{"TooManyCategories", "a.csv", many_categories(),
                 "a.csv:65537:1: column 'x' has 65536 categories, at most 65535 are possible"},
        BadInput{"CategoryNotUtf8", "a.csv", "x,class\nu,a\n\xFFv,b\n",
                 "a.csv:3:1: this text is not UTF-8; save the file as UTF-8"},
        BadInput{"OnlyLabelColumn", "a.csv", "class\na\nb\n",
                 "a.csv: no column is left as a feature; expected one"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    LabelsAndWeights, BadInputTest,
    ::testing::Values(
        BadInput{"OneClass", "a.csv", "x,class\n1,a\n2,a\n",
                 "a.csv: only one class, 'a'; expected at least two"},
        BadInput{"OneRow", "a.csv", "x,class\n1,a\n", "a.csv:2:1: only one row; expected"},
        BadInput{"MissingLabel", "a.csv", "x,class\n1,a\n2,b\n3,\n",
                 "a.csv:4:3: the label is missing; fill it in, or delete the row"},
        BadInput{"MissingLabelAsQuestionMark", "a.csv", "class,x\na,1\n?,2\nb,3\n",
                 "a.csv:3:1: the label is missing"},
        BadInput{"AllLabelsMissing", "a.csv", "x,class\n1,\n2,\n",
                 "a.csv:2:3: the label is missing"},
        BadInput{"LabelNotUtf8", "a.csv", "x,class\n1,a\n2,\xFF\n",
                 "a.csv:3:3: this text is not UTF-8"},
        BadInput{"UnknownLabelColumn", "a.csv", "x,class\n1,a\n2,b\n",
                 "a.csv: no column 'kind' to take as the label; the columns are x, class",
                 [](ReadOptions& options) { options.label = {"kind"}; }},
        BadInput{"LabelPositionTooLarge", "a.csv", "x,class\n1,a\n2,b\n",
                 "a.csv: no column '3' to take as the label",
                 [](ReadOptions& options) { options.label = {"3"}; }},
        BadInput{"UnknownCategorical", "a.csv", "x,class\n1,a\n2,b\n",
                 "a.csv: no column 'y' to take as categorical",
                 [](ReadOptions& options) { options.categorical = {"y"}; }},
        BadInput{"UnknownIgnored", "a.csv", "x,class\n1,a\n2,b\n",
                 "a.csv: no column 'y' to take as one to ignore",
                 [](ReadOptions& options) { options.ignore = {"y"}; }},
        BadInput{"TwoRoles", "a.csv", "x,w,class\n1,1,a\n2,1,b\n",
                 "a.csv: column 'w' is given two roles",
                 [](ReadOptions& options) {
                   options.weight = "w";
                   options.label = {"w"};
                 }},
        BadInput{"LabelNamedTwice", "a.csv", "x,w,class\n1,1,a\n2,1,b\n",
                 "a.csv: column 'w' is given two roles",
                 [](ReadOptions& options) {
                   options.label = {"w", "w"};
                 }},
        BadInput{"UnknownWeight", "a.csv", "x,class\n1,a\n2,b\n",
                 "a.csv: no column 'w' to take as the weight", with_weight},
        BadInput{"NegativeWeight", "a.csv", "x,w,class\n1,1,a\n2,-1,b\n",
                 "a.csv:3:3: a negative weight; expected zero or more", with_weight},
        BadInput{"MissingWeight", "a.csv", "x,w,class\n1,1,a\n2,NA,b\n",
                 "a.csv:3:3: the weight is missing; expected a number", with_weight},
        BadInput{"InfiniteWeight", "a.csv", "x,w,class\n1,1,a\n2,inf,b\n",
                 "a.csv:3:3: 'inf' is infinite; expected a finite number in the weight column",
                 with_weight},
        BadInput{"TextAsWeight", "a.csv", "x,w,class\n1,heavy,a\n2,light,b\n",
                 "a.csv:2:3: 'heavy' is text; expected a number in the weight column", with_weight},
        BadInput{"AllWeightsZero", "a.csv", "x,w,class\n1,0,a\n2,0,b\n",
                 "a.csv:2:3: all weights are zero", with_weight},
        BadInput{"MultiLabelNotZeroOrOne", "a.csv", "p,q,x\n0,1,5\n1,2,5\n",
                 "a.csv:3:3: '2' as a label; expected 0 or 1", two_labels},
        BadInput{"MultiLabelText", "a.csv", "p,q,x\n0,1,5\nyes,1,5\n",
                 "a.csv:3:1: 'yes' as a label; expected 0 or 1", two_labels},
        BadInput{"MultiLabelAllUnknown", "a.csv", "p,q,x\n?,,5\n?,?,5\n",
                 "a.csv: no label is known; expected 0 or 1 in some cells", two_labels}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Matching, BadInputTest,
    ::testing::Values(
        BadInput{"MissingColumn", "a.csv", "x,class\n1,a\n",
                 "a.csv: a column that the model needs is missing: color", with_model},
        BadInput{"MissingColumns", "a.csv", "class,other\na,1\n",
                 "a.csv: columns that the model needs are missing: x, color", with_model},
        BadInput{"MissingLabelColumn", "a.csv", "x,color\n1,red\n",
                 "a.csv: the label column class is missing; name another by --label", with_model},
        BadInput{"TextInNumericFeature", "a.csv", "color,x,class\nred,1,a\nred,two,a\n",
                 "a.csv:3:5: 'two' is text; expected a number in column 'x', as in training",
                 with_model},
        BadInput{"InfiniteFeature", "a.csv", "color,x,class\nred,inf,a\n",
                 "a.csv:2:5: 'inf' is infinite; expected a finite number in column 'x'",
                 with_model},
        BadInput{"MissingHeaderForModel", "a.csv", "1,red,a\n", "a.csv:1:1: missing header",
                 with_model},
        BadInput{
            "PositionsTooFew", "a.csv", "1\n2\n",
            "a.csv: 1 columns, expected the 2 features of the model, with or without the label",
            [](ReadOptions& options) {
              with_model(options);
              no_header(options);
            }},
        BadInput{"PositionsTooMany", "a.csv", "1,red,3,a\n",
                 "a.csv: 4 columns, expected the 2 features",
                 [](ReadOptions& options) {
                   with_model(options);
                   no_header(options);
                 }},
        BadInput{"PositionsMoved", "a.csv", "9,1,a,3\n",
                 "a.csv: the columns stand in other places than in training",
                 [](ReadOptions& options) {
                   options.schema = &positional_schema();
                   options.header = false;
                   options.ignore = {"1"};
                 }},
        BadInput{"SeveralLabelsForSingleLabelModel", "a.csv", "x,color,p,q\n1,red,0,1\n",
                 "a.csv: 2 label columns, but the model has one label",
                 [](ReadOptions& options) {
                   with_model(options);
                   two_labels(options);
                 }},
        BadInput{"LibsvmForCategories", "a.svm", "a 1:1\n",
                 "a.svm: feature 'color' of the model has categories", with_model},
        BadInput{"LibsvmCountsFromZero", "a.svm", "1 1:1\n1 0:1\n",
                 "a.svm:2:3: index 0, but the model's data counts from 1",
                 [](ReadOptions& options) { options.schema = &libsvm_schema(); }},
        BadInput{"LibsvmListForSingleLabelModel", "a.svm", "1 1:1\n1,2 1:1\n",
                 "a.svm:2:1: a list of labels, but the model takes one label a row",
                 [](ReadOptions& options) { options.schema = &libsvm_schema(); }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Libsvm, BadInputTest,
    ::testing::Values(
        BadInput{"Empty", "a.svm", "", "a.svm: is empty; expected lines"},
        BadInput{"OnlyComments", "a.svm", "# nothing\n\n", "a.svm: is empty; expected lines"},
        BadInput{"RepeatedIndex", "a.svm", "1 1:2\n2 1:1 3:2 3:4\n",
                 "a.svm:2:11: index 3 twice in one row; give each once"},
        BadInput{"UnorderedIndices", "a.svm", "1 1:2\n2 3:1 2:2\n",
                 "a.svm:2:7: index 2 after 3; indices must ascend"},
        BadInput{"HugeIndex", "a.libsvm", "1 4000000000:2\n2 1:1\n",
                 "a.libsvm:1:3: feature index 4000000000 is too large; at most 1000000"},
        BadInput{"IndexBeyondAnyInteger", "a.svm", "1 1:1\n2 99999999999999999999999:2\n",
                 "a.svm:2:3: feature index 99999999999999999999999 is too large"},
        BadInput{"NegativeIndex", "a.svm", "1 -1:2\n", "a.svm:1:3: '-1:2'; expected index:value"},
        BadInput{"NoColon", "a.svm", "1 1:2 7\n", "a.svm:1:7: '7'; expected index:value"},
        BadInput{"NoIndex", "a.svm", "1 :2\n", "a.svm:1:3: ':2'; expected index:value"},
        BadInput{"NoValue", "a.svm", "1 1:\n", "a.svm:1:5: '' as a value; expected a number"},
        BadInput{"TextValue", "a.svm", "1 1:2\n2 2:abc\n",
                 "a.svm:2:5: 'abc' as a value; expected a number"},
        BadInput{"InfiniteValue", "a.svm", "1 1:inf\n",
                 "a.svm:1:5: 'inf' is infinite; expected a finite number"},
        BadInput{"ValueOutOfRange", "a.svm", "1 1:-1e400\n", "a.svm:1:5: '-1e400' is out of range"},
        BadInput{"QueryId", "a.svm", "1 qid:3 1:2\n", "a.svm:1:3: a query id; ranking data"},
        BadInput{"RowWithoutLabel", "a.svm", "1 1:2\n1:3\n2 1:1\n",
                 "a.svm:2:1: the label is missing"},
        BadInput{"LabelTwice", "a.svm", "1,2,1 1:2\n", "a.svm:1:5: label '1' twice in one row"},
        BadInput{"EmptyLabelInList", "a.svm", "1,,2 1:2\n", "a.svm:1:3: '' as a label; expected"},
        BadInput{"OneLibsvmClass", "a.svm", "1 1:2\n1 1:3\n", "a.svm: only one class, '1'"},
        BadInput{"OneLibsvmRow", "a.svm", "1 1:2\n", "a.svm:1:1: only one row"},
        BadInput{"NoFeatures", "a.svm", "1\n2\n", "a.svm: no features; expected index:value"},
        BadInput{"LabelOption", "a.svm", "1 1:2\n2 1:1\n", "a.svm: --label does not apply",
                 [](ReadOptions& options) { options.label = {"1"}; }},
        BadInput{"WeightOption", "a.svm", "1 1:2\n2 1:1\n", "a.svm: --weight does not apply",
                 with_weight},
        BadInput{"CategoricalOption", "a.svm", "1 1:2\n2 1:1\n",
                 "a.svm: --categorical does not apply",
                 [](ReadOptions& options) { options.categorical = {"1"}; }}),
    case_name);

std::string arff(const std::string& rows) {
  return "@relation r\n@attribute x numeric\n@attribute 'my color' {red, 'light blue'}\n"
         "@attribute class {a,b}\n@data\n" +
         rows;
}

INSTANTIATE_TEST_SUITE_P(
    Arff, BadInputTest,
    ::testing::Values(
        BadInput{"Empty", "a.arff", "", "a.arff: is empty; expected @relation"},
        BadInput{"NoAttributes", "a.arff", "% only this\n@relation r\n",
                 "a.arff: no @attribute line; is this an ARFF file?"},
        BadInput{"NoData", "a.arff", "@relation r\n@attribute x real\n",
                 "a.arff:3:1: no @data line"},
        BadInput{"DataFirst", "a.arff", "@relation r\n@data\n", "a.arff:2:1: @data before any"},
        BadInput{"NoRows", "a.arff", arff(""), "a.arff:6:1: no rows behind @data"},
        BadInput{"UnknownKeyword", "a.arff", "@relation r\n@atribute x real\n",
                 "a.arff:2:1: '@atribute'; expected @relation, @attribute or @data"},
        BadInput{"CsvInArff", "a.arff", "x,class\n1,a\n", "a.arff:1:1: 'x,class'; expected"},
        BadInput{"UnknownType", "a.arff", "@relation r\n@attribute x floaty\n",
                 "a.arff:2:14: 'floaty' as a type; expected numeric"},
        BadInput{"DateType", "a.arff", "@attribute x date 'yyyy'\n",
                 "a.arff:1:14: date attributes are not supported"},
        BadInput{"NoName", "a.arff", "@attribute\n", "a.arff:1:11: an attribute without a name"},
        BadInput{"TwoNames", "a.arff", "@attribute x real\n@attribute x real\n",
                 "a.arff:2:12: a second attribute named 'x'"},
        BadInput{"NominalNotClosed", "a.arff", "@attribute x {a,b\n",
                 "a.arff:1:18: expected , or } in the list of values"},
        BadInput{"NominalEmptyValue", "a.arff", "@attribute x {a,,b}\n",
                 "a.arff:1:17: an empty value"},
        BadInput{"NominalTwice", "a.arff", "@attribute x {a,b,a}\n",
                 "a.arff:1:19: value 'a' is declared twice"},
        BadInput{"TextBehindType", "a.arff", "@attribute x real now\n",
                 "a.arff:1:19: text behind the attribute's type"},
        BadInput{"QuoteNotClosedInName", "a.arff", "@attribute 'x real\n",
                 "a.arff:1:12: a quote that is never closed on this line"},
        BadInput{"WrongNominal", "a.arff", arff("1,red,a\n2,green,b\n"),
                 "a.arff:7:3: 'green' is no value of attribute 'my color'; expected red, light "
                 "blue"},
        BadInput{"TextInNumber", "a.arff", arff("1,red,a\ntwo,red,b\n"),
                 "a.arff:7:1: 'two' is text; expected a number, as attribute 'x' is declared"},
        BadInput{"Infinite", "a.arff", arff("1,red,a\n1e999,red,b\n"),
                 "a.arff:7:1: '1e999' is out of range; expected a number"},
        BadInput{"ShortRow", "a.arff", arff("1,red,a\n2,red\n"),
                 "a.arff:7:6: the row ends after 2 cells, expected 3, one an attribute"},
        BadInput{"LongRow", "a.arff", arff("1,red,a,7\n"),
                 "a.arff:6:9: a cell too many in this row, expected 3, one an attribute"},
        BadInput{"QuoteNotClosed", "a.arff", arff("1,'light blue,a\n"),
                 "a.arff:6:3: a quote that is never closed on this line"},
        BadInput{"TextAfterQuote", "a.arff", arff("1,'light blue'x,a\n"),
                 "a.arff:6:15: text after a closing quote; expected a comma"},
        BadInput{"SparseIndexTooLarge", "a.arff", arff("{0 1, 3 b}\n"),
                 "a.arff:6:7: '3' as an index; expected 0 to 2"},
        BadInput{"SparseIndexNoNumber", "a.arff", arff("{x 1}\n"),
                 "a.arff:6:2: 'x' as an index; expected 0 to 2"},
        BadInput{"SparseUnordered", "a.arff", arff("{2 b, 0 1}\n"),
                 "a.arff:6:7: index 0 out of order"},
        BadInput{"SparseNotClosed", "a.arff", arff("{0 1, 2 b\n"), "a.arff:6:10: expected , or }"},
        BadInput{"SparseTail", "a.arff", arff("{0 1} 7\n"), "a.arff:6:7: text behind }"},
        BadInput{"MissingLabel", "a.arff", arff("1,red,a\n2,red,?\n3,red,b\n"),
                 "a.arff:7:7: the label is missing"},
        BadInput{"OneClass", "a.arff", arff("1,red,a\n2,red,a\n"), "a.arff: only one class, 'a'"},
        BadInput{"OneRow", "a.arff", arff("1,red,a\n"), "a.arff:6:1: only one row"}),
    case_name);

// Long enough as a whole, but not where the lines are empty: no memory for half a million cells.
TEST(BadInput, ManyEmptyLinesFarInsideAreReportedAtTheFirst) {
  constexpr int kColumns = 100;
  std::string header = "class";
  std::string row = "a";
  for (int j = 1; j < kColumns; ++j) {
    header += ",x" + std::to_string(j);
    row += ",1";
  }
  std::string text = header + "\n";
  for (int i = 0; i < 8000; ++i) text += row + "\n";
  text += std::string(5000, '\n') + row + "\n";
  EXPECT_EQ(read_error("a.csv", text, {}),
            "a.csv:8002:1: an empty line, expected 100 cells; delete it");
}

TEST(BadFile, MissingFileIsNamed) {
  try {
    read_dataset("no/such.csv", {});
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "no/such.csv: no such file; check the name and the folder");
  }
}

TEST(BadFile, DirectoryIsNamedAsOne) {
  const DataFolder folder;
  const std::string path = folder.path("d.csv");
  std::filesystem::create_directory(path);
  try {
    read_dataset(path, {});
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(), path + ": is a directory; name a file in it");
  }
}

TEST(BadFile, LackOfPermissionIsNamed) {
  const DataFolder folder;
  const std::string path = folder.write("a.csv", "x,class\n1,a\n2,b\n");
  ::chmod(path.c_str(), 0);
  constexpr uid_t kNobody = 65534;
  const uid_t self = ::geteuid();
  ASSERT_EQ(::seteuid(self == 0 ? kNobody : self), 0);  // root may read everything
  std::string message;
  try {
    read_dataset(path, {});
  } catch (const IoError& error) {
    message = error.what();
  }
  ASSERT_EQ(::seteuid(self), 0);
  EXPECT_EQ(message, path + ": no permission to read it; check its mode and owner");
}

}  // namespace
}  // namespace simplexboost
