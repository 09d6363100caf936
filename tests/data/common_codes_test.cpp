#include "data/common_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/fake_cluster.h"
#include "base/message_of.h"
#include "data/readers/table/raw_table.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::FakeCluster;
using testing::message_of;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// As a reader makes it of one file: names by their rank, empty for missing.
Column column_of(const std::vector<std::string>& cells) {
  std::vector<std::string> names;
  for (const std::string& cell : cells)
    if (!cell.empty() && std::find(names.begin(), names.end(), cell) == names.end())
      names.push_back(cell);
  const std::vector<std::int32_t> rank = rank_names(names);
  std::vector<std::string> categories(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    categories[static_cast<std::size_t>(rank[i])] = names[i];
  std::vector<std::int32_t> codes;
  for (const std::string& cell : cells) {
    const auto found = std::find(categories.begin(), categories.end(), cell);
    codes.push_back(cell.empty() ? -1 : static_cast<std::int32_t>(found - categories.begin()));
  }
  return Column::categorical("x", codes, categories);
}

std::vector<double> values_of(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  for (double& value : values)
    if (std::isnan(value)) value = -1;
  return values;
}

Dataset dataset_of(const std::vector<std::string>& cells, const std::vector<std::string>& labels) {
  Dataset data;
  data.source = "some.csv";
  data.rows = cells.size();
  data.columns.push_back(column_of(cells));
  const Column classes = column_of(labels);
  data.labels.classes = classes.schema.categories;
  for (const double code : values_of(classes, labels.size()))
    data.labels.codes.push_back(static_cast<std::int32_t>(code));
  return data;
}

TEST(CommonCodes, AreThoseOfAllRowsTogether) {
  // Numbers as long as all are: 10 behind 9; else by bytes.
  const std::vector<std::vector<std::string>> cells = {
      {"9", "", "10"}, {"10", "2", "2", "9"}, {}, {"1e1", ""}};
  const std::vector<std::vector<std::string>> labels = {
      {"b", "b", "a"}, {"c", "b", "c", "c"}, {}, {"Z", "a"}};
  std::vector<std::string> all_cells;
  std::vector<std::string> all_labels;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    first.push_back(all_cells.size());
    all_cells.insert(all_cells.end(), cells[i].begin(), cells[i].end());
    all_labels.insert(all_labels.end(), labels[i].begin(), labels[i].end());
  }
  const Dataset whole = dataset_of(all_cells, all_labels);
  const std::vector<double> codes = values_of(whole.columns[0], whole.rows);
  FakeCluster(4).run([&](Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    Dataset data = dataset_of(cells[rank], labels[rank]);
    agree_on_codes(data, ranks);
    EXPECT_EQ(data.columns[0].schema, whole.columns[0].schema);
    EXPECT_EQ(data.labels.classes, whole.labels.classes);
    const std::vector<double> here = values_of(data.columns[0], data.rows);
    for (std::size_t i = 0; i < data.rows; ++i) {
      EXPECT_EQ(here[i], codes[first[rank] + i]);
      EXPECT_EQ(data.labels.codes[i], whole.labels.codes[first[rank] + i]);
    }
  });
}

TEST(CommonCodes, NamesInAnOrderOfTheirOwnStayWhereAllRanksHaveThem) {
  FakeCluster(2).run([&](Communicator& ranks) {
    Dataset data;
    data.rows = 1;
    data.columns.push_back(Column::categorical("x", {ranks.rank()}, {"low", "high"}));
    data.labels = {{"yes", "no"}, {ranks.rank()}, {}, {"y"}};
    agree_on_codes(data, ranks);
    EXPECT_EQ(data.columns[0].schema.categories, (std::vector<std::string>{"low", "high"}));
    EXPECT_EQ(values_of(data.columns[0], 1)[0], ranks.rank());
    EXPECT_EQ(data.labels.classes, (std::vector<std::string>{"yes", "no"}));
  });
}

TEST(CommonCodes, SeveralLabelsOfARowStayAscendingAndKeepTheirWeights) {
  FakeCluster(2).run([&](Communicator& ranks) {
    Dataset data;
    data.rows = 2;
    data.columns.push_back(Column::numeric("x", {1, 2}));
    if (ranks.rank() == 0) {
      data.labels = {{"b", "d"}, {0, 1, 1}, {0, 2, 3}, {}, {1, 1, 0.5F, 1}};
    } else {
      data.labels = {{"a", "b"}, {0, 1}, {0, 0, 2}, {}, {1, 1, 1, 0.25F}};
    }
    agree_on_codes(data, ranks);
    EXPECT_EQ(data.labels.classes, (std::vector<std::string>{"a", "b", "d"}));
    EXPECT_EQ(data.labels.codes, ranks.rank() == 0 ? (std::vector<std::int32_t>{1, 2, 2})
                                                   : (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(data.labels.weights, ranks.rank() == 0 ? (std::vector<float>{1, 1, 1, 1, 0.5F, 1})
                                                     : (std::vector<float>{1, 1, 1, 1, 0.25F, 1}));
  });
}

TEST(CommonCodes, AColumnWithoutValuesIsOfTheTypeThatOthersGiveIt) {
  FakeCluster(2).run([&](Communicator& ranks) {
    Dataset data = dataset_of({"a", "b"}, {"y", "n"});
    if (ranks.rank() == 1) data.columns[0] = Column::numeric("x", {kNone, kNone});
    agree_on_codes(data, ranks);
    EXPECT_EQ(data.columns[0].schema.type, FeatureType::kCategorical);
    EXPECT_EQ(data.columns[0].schema.categories, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(values_of(data.columns[0], 2),
              ranks.rank() == 0 ? (std::vector<double>{0, 1}) : (std::vector<double>{-1, -1}));
  });
}

// What two ranks are told, which is the same.
std::string refusal(const std::function<void(Dataset&)>& change_second) {
  std::string messages[2];
  FakeCluster(2).run([&](Communicator& ranks) {
    Dataset data = dataset_of({"a", "b"}, {"y", "n"});
    data.columns.push_back(Column::numeric("z", {1, 2}));
    if (ranks.rank() == 1) change_second(data);
    messages[ranks.rank()] = message_of<DataError>([&] { agree_on_codes(data, ranks); });
  });
  EXPECT_EQ(messages[0], messages[1]);
  return messages[0];
}

TEST(CommonCodes, RefusesColumnsThatDoNotAgree) {
  EXPECT_EQ(refusal([](Dataset& data) { data.columns.pop_back(); }),
            "some.csv: 2 features, but 1 in the rows of process 1; expected the same");
  EXPECT_EQ(refusal([](Dataset& data) { data.columns[1].schema.name = "w"; }),
            "some.csv: feature 2 is 'z', but 'w' in the rows of process 1; expected the same");
  EXPECT_EQ(refusal([](Dataset& data) {
              data.columns[1] = Column::categorical("z", {0, 0}, {"k"});
            }),
            "some.csv: column 'z' holds numbers in some processes and categories in others; say "
            "--categorical z (in Python categorical_features=['z'])");
  EXPECT_EQ(refusal([](Dataset& data) {
              data.labels.offsets = {0, 1, 2};
            }),
            "some.csv: one label a row in some processes and several in others; expected the same");
  EXPECT_EQ(refusal([](Dataset& data) {
              data.weights = {1, 2};
            }),
            "some.csv: weights of rows in some processes and none in others; expected the same");
  EXPECT_EQ(refusal([](Dataset& data) {
              data.labels.weights = {1, 1, 1, 2};
            }),
            "some.csv: weights of labels in some processes and none in others; expected the same");
}

TEST(CommonCodes, RefusesMoreCategoriesThanOneReaderTakes) {
  FakeCluster(2).run([&](Communicator& ranks) {
    std::vector<std::string> cells(kMostCategories);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = std::to_string(i);
    if (ranks.rank() == 1) cells[0] = "one more";
    Dataset data;
    data.rows = 0;
    data.columns.push_back(Column::categorical("z", {}, cells));
    EXPECT_EQ(message_of<DataError>([&] { agree_on_codes(data, ranks); }),
              "column 'z' has 65536 categories, at most 65535 are possible; leave it out");
  });
}

TEST(CommonCodes, RanksWithoutRowsOrLabelsNeedNoWeights) {
  FakeCluster(3).run([&](Communicator& ranks) {
    Dataset data;
    data.rows = ranks.rank() == 2 ? 0 : 1;
    data.columns.push_back(Column::numeric("x", std::vector<double>(data.rows, 1)));
    if (ranks.rank() == 0) data.labels = {{"a"}, {0}, {0, 1}, {}, {0.5F}};
    if (ranks.rank() == 1) data.labels = {{}, {}, {0, 0}, {}};
    data.weights.assign(data.rows, 3);
    agree_on_codes(data, ranks);
    EXPECT_EQ(data.weights.size(), data.rows);
    EXPECT_EQ(data.labels.weights, ranks.rank() == 0   ? (std::vector<float>{0.5F})
                                   : ranks.rank() == 1 ? (std::vector<float>{1})
                                                       : (std::vector<float>{}));
  });
}

}  // namespace
}  // namespace simplexboost
