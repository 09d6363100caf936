#include "simplexboost/dataset_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/message_of.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::message_of;
using Texts = std::vector<std::string>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values_of(const Dataset& data, std::size_t column) {
  std::vector<double> values(data.rows);
  data.columns[column].copy(0, data.rows, values.data());
  return values;
}

TEST(DatasetBuilder, SeesMatricesOfAnyLayoutAndKind) {
  const std::vector<double> by_row{1, 2, 3, 4, 5, 6};
  const std::vector<float> by_column{1, 3, 5, 2, 4, 6};
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6};
  const Dataset data = DatasetBuilder(3)
                           .add_matrix(row_major(by_row.data(), 3, 2))
                           .add_matrix(column_major(by_column.data(), 3, 2))
                           .add_matrix(row_major(bytes.data(), 3, 2))
                           .build();
  ASSERT_EQ(data.columns.size(), 6U);
  for (const std::size_t first : {0U, 2U, 4U}) {
    EXPECT_EQ(values_of(data, first), (std::vector<double>{1, 3, 5})) << first;
    EXPECT_EQ(values_of(data, first + 1), (std::vector<double>{2, 4, 6})) << first;
  }
  EXPECT_EQ(data.columns[0].data, reinterpret_cast<const std::byte*>(by_row.data()));
  EXPECT_EQ(data.columns[2].scalar, Scalar::kFloat32);
}

TEST(DatasetBuilder, ColumnsWithoutNamesGoByPosition) {
  const std::vector<double> values{1, 2};
  const Dataset data = DatasetBuilder(1).add_matrix(row_major(values.data(), 1, 2)).build();
  EXPECT_FALSE(data.named);
  EXPECT_EQ(data.columns[1].schema.name, "2");
  const Dataset named =
      DatasetBuilder(1).add_matrix(row_major(values.data(), 1, 2), {{"a", "b"}}).build();
  EXPECT_TRUE(named.named);
  EXPECT_EQ(named.columns[1].schema.name, "b");
}

TEST(DatasetBuilder, TheOwnerLivesAsLongAsTheData) {
  auto owner = std::make_shared<const std::vector<double>>(std::vector<double>{1, 2});
  MatrixOptions options;
  options.owner = owner;
  const Dataset data =
      DatasetBuilder(2).add_matrix(column_major(owner->data(), 2, 1), options).build();
  EXPECT_EQ(owner.use_count(), 3);
  options.owner = nullptr;
  owner.reset();
  EXPECT_EQ(values_of(data, 0), (std::vector<double>{1, 2}));
}

TEST(DatasetBuilder, NumbersOfAMatrixMayNameCategories) {
  const std::vector<double> values{10, 0.5, 2, -0.0, kNan, 0.5, 10, 1e20};
  const Dataset data =
      DatasetBuilder(4).add_matrix(row_major(values.data(), 4, 2), {{"a", "b"}, {0, 1}}).build();
  EXPECT_EQ(data.columns[0].schema.categories, (Texts{"2", "10"}));
  EXPECT_EQ(data.columns[1].schema.categories, (Texts{"0", "0.5", "100000000000000000000"}));
  const std::vector<double> codes = values_of(data, 0);
  EXPECT_EQ(codes[0], 1);
  EXPECT_EQ(codes[1], 0);
  EXPECT_TRUE(std::isnan(codes[2]));
  const std::vector<std::int64_t> large{9007199254740993, 9007199254740992};
  const Dataset whole =
      DatasetBuilder(2).add_matrix(column_major(large.data(), 2, 1), {{}, {0}}).build();
  EXPECT_EQ(whole.columns[0].schema.categories, (Texts{"9007199254740992", "9007199254740993"}));
}

TEST(DatasetBuilder, CategoriesAndClassesGetTheReadersCodes) {
  const Dataset data = DatasetBuilder(4)
                           .add_categories("colour", Texts{"red", "", "blue", "red"})
                           .set_labels(Texts{"10", "9", "10", "9"})
                           .build();
  EXPECT_EQ(data.columns[0].schema.categories, (Texts{"blue", "red"}));
  const std::vector<double> codes = values_of(data, 0);
  EXPECT_EQ(codes[0], 1);
  EXPECT_TRUE(std::isnan(codes[1]));
  EXPECT_EQ(codes[2], 0);
  EXPECT_EQ(data.labels.classes, (Texts{"9", "10"}));
  EXPECT_EQ(data.labels.codes, (std::vector<std::int32_t>{1, 0, 1, 0}));
  EXPECT_EQ(data.labels.columns, Texts{"class"});
}

TEST(DatasetBuilder, WholeNumbersAreClassesInTheirOrder) {
  const std::vector<std::int32_t> labels{10, -1, 9};
  DatasetBuilder builder(3);
  builder.add_numbers("x", {1, 2, 3}).set_labels(labels).set_weights({1, 2, 0.5});
  const Dataset data = builder.build();
  EXPECT_EQ(data.labels.classes, (Texts{"-1", "9", "10"}));
  EXPECT_EQ(data.labels.codes, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(data.weights, (std::vector<double>{1, 2, 0.5}));
  EXPECT_EQ(DatasetBuilder(3)
                .add_numbers("x", {1, 2, 3})
                .set_labels(std::vector<std::int64_t>{10, -1, 9})
                .data()
                .labels.codes,
            data.labels.codes);
}

TEST(DatasetBuilder, CodesAreThoseOfAModel) {
  const Dataset train = DatasetBuilder(3)
                            .add_categories("colour", Texts{"red", "green", "blue"})
                            .set_labels(Texts{"a", "b", "c"})
                            .build();
  const Dataset test = DatasetBuilder(3, train.schema())
                           .add_categories("colour", Texts{"red", "mauve", "red"})
                           .set_labels(Texts{"c", "d", "a"})
                           .build();
  EXPECT_EQ(test.columns[0].schema, train.columns[0].schema);
  EXPECT_EQ(values_of(test, 0)[0], 2);
  EXPECT_TRUE(std::isnan(values_of(test, 0)[1]));
  EXPECT_EQ(test.labels.classes, train.labels.classes);
  EXPECT_EQ(test.labels.codes, (std::vector<std::int32_t>{2, -1, 0}));
}

TEST(DatasetBuilder, SaysWhatDoesNotFit) {
  const std::vector<double> values{1, 2};
  const auto refusal = [&](const auto& use) {
    return message_of<DataError>([&] {
      DatasetBuilder builder(2, "mine");
      use(builder);
      builder.build();
    });
  };
  EXPECT_EQ(refusal([&](auto& b) { b.add_matrix(row_major(values.data(), 1, 2)); }),
            "mine: a matrix has 1 rows where there are 2");
  EXPECT_EQ(refusal([&](auto& b) {
              b.add_matrix(row_major(values.data(), 2, 1), {{"a", "b"}});
            }),
            "mine: 2 names for a matrix of 1 columns");
  EXPECT_EQ(refusal([&](auto& b) {
              b.add_matrix(row_major(values.data(), 2, 1), {{}, {1}});
            }),
            "mine: there is no column 1 in a matrix of 1");
  EXPECT_EQ(refusal([&](auto& b) { b.add_numbers("x", {1}); }),
            "mine: column 'x' has 1 rows where there are 2");
  EXPECT_EQ(refusal([&](auto& b) {
              b.add_categories("x", {0, 2}, {"a", "b"});
            }),
            "mine: column 'x' has a code without a category");
  EXPECT_EQ(refusal([&](auto& b) {
              b.add_numbers("\xff", {1, 2});
            }),
            R"(mine: the name '\xff' is not UTF-8)");
  EXPECT_EQ(refusal([&](auto& b) {
              b.add_numbers("x", {1, 2}).set_labels(Texts{"a"});
            }),
            "mine: the list of labels has 1 rows where there are 2");
  EXPECT_EQ(refusal([&](auto& b) {
              b.add_numbers("x", {1, 2}).set_labels(Texts{"a", ""});
            }),
            "mine:2: the label is missing; fill it in, or delete the row");
  EXPECT_EQ(refusal([](auto&) {}), "mine: no columns; add a matrix or a column at least");
}

TEST(DatasetBuilder, WeightsOfLabelsMultiply) {
  DatasetBuilder builder(2);
  builder.add_numbers("x", {1, 2}).set_labels(Texts{"a", "b"});
  builder.weigh_labels(std::vector<float>{1, 2, 3, 0}).weigh_labels(std::vector<float>{2, 2, 2, 2});
  EXPECT_EQ(builder.data().labels.weights, (std::vector<float>{2, 4, 6, 0}));
  EXPECT_EQ(message_of<DataError>([&] { builder.weigh_labels(std::vector<float>{1}); }),
            "the data: 1 weights of labels where there are 2 rows and 2 classes");
}

}  // namespace
}  // namespace simplexboost
