#include "simplexboost/dataset.h"

#include <gtest/gtest.h>

#include "base/message_of.h"
#include "data/rows/row_split.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

Dataset ten_rows() {
  Dataset data;
  data.rows = 10;
  data.columns.push_back(Column::numeric("x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  data.columns.push_back(
      Column::categorical("c", {0, -1, 1, 0, -1, 1, 0, -1, 1, 0}, {"even", "odd"}));
  data.columns.push_back(Column::sparse_numeric("s", {2, 5}, {20, 50}));
  data.labels.classes = {"a", "b"};
  data.labels.codes = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  data.weights = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  return data;
}

std::vector<double> values_of(const Column& column, std::size_t begin, std::size_t end) {
  std::vector<double> values(end - begin);
  column.copy(begin, end, values.data());
  for (double& value : values)
    if (value != value) value = -1;
  return values;
}

using Values = std::vector<double>;

TEST(SelectRows, GivesTheRowsInTheOrderAskedFor) {
  const Dataset part = select_rows(ten_rows(), {5, 2, 2, 1});
  EXPECT_EQ(part.rows, 4U);
  EXPECT_EQ(values_of(part.columns[0], 0, 4), (Values{5, 2, 2, 1}));
  EXPECT_EQ(values_of(part.columns[1], 0, 4), (Values{1, 1, 1, -1}));
  EXPECT_EQ(values_of(part.columns[2], 0, 4), (Values{50, 20, 20, 0}));
  EXPECT_EQ(values_of(part.columns[0], 1, 3), (Values{2, 2}));
  EXPECT_EQ(part.labels.codes, (std::vector<std::int32_t>{1, 0, 0, 1}));
  EXPECT_EQ(part.weights, (Values{5, 2, 2, 1}));
}

TEST(SelectRows, CopiesNoDenseColumn) {
  Dataset data = ten_rows();
  const std::byte* const numbers = data.columns[0].data;
  const Dataset part = select_rows(data, {9, 8});
  EXPECT_EQ(part.columns[0].data, numbers);
  EXPECT_EQ(part.columns[0].rows, part.columns[1].rows);
  data = Dataset();  // the part keeps what it needs
  EXPECT_EQ(values_of(part.columns[0], 0, 2), (Values{9, 8}));
}

TEST(SelectRows, PartsOfPartsAndSlicesOfPartsAreRowsOfTheWhole) {
  const Dataset part = select_rows(ten_rows(), {9, 7, 5, 3, 1});
  const Dataset again = select_rows(part, {4, 0, 2});
  EXPECT_EQ(values_of(again.columns[0], 0, 3), (Values{1, 9, 5}));
  EXPECT_EQ(again.columns[0].rows, again.columns[1].rows);
  const Dataset slice = slice_features(again, 1, 3);
  EXPECT_EQ(values_of(slice.columns[0], 0, 2), (Values{9, 5}));
  EXPECT_EQ(values_of(slice.columns[2], 0, 2), (Values{0, 50}));
  EXPECT_EQ(select_rows(part, {}).rows, 0U);
}

TEST(SplitRows, PartsTheRowsAsTheCommandDoes) {
  const Dataset data = ten_rows();
  const DatasetSplit split = split_rows(data, 0.4, 3);
  const RowSplit rows = stratified_split(data.labels, data.rows, 0.4, 3);
  EXPECT_EQ(split.train.rows, 6U);
  EXPECT_EQ(split.valid.rows, 4U);
  for (std::size_t i = 0; i < rows.valid.size(); ++i)
    EXPECT_EQ(values_of(split.valid.columns[0], i, i + 1)[0], rows.valid[i]);
  EXPECT_THROW(split_rows(data, 1, 3), ParameterError);
  EXPECT_EQ(testing::message_of<DataError>([&] { split_rows(data, 0.01); }),
            "10 rows are too few to set a share of 0.01 aside");
}

}  // namespace
}  // namespace simplexboost
