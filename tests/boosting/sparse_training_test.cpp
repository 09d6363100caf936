// Columns that are mostly zero train to the same bytes, whether they come sparse or dense and
// whether their bins are kept so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boosting/labelled_data.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/training.h"
#include "data/default_bins.h"
#include "model/file/serialization.h"
#include "model/model_access.h"

namespace simplexboost {
namespace {

using testing::DataShape;
using testing::labelled_data;

// Sectors of the plane, and beside the features that tell them many that are zero as a rule.
Dataset thin_data(std::size_t rows, std::uint64_t seed) {
  DataShape shape;
  shape.rows = rows;
  shape.mixed = true;
  Dataset data = labelled_data(shape, seed);
  Random random(seed + 100);
  const std::size_t dense = data.columns.size();
  for (std::size_t f = 0; f < 24; ++f) {
    std::vector<double> from(rows);
    data.columns[f % 2].copy(0, rows, from.data());
    for (double& value : from) value = random.below(12) == 0 ? std::round(4 * value) / 2 : 0;
    data.columns.insert(data.columns.begin() + static_cast<std::ptrdiff_t>(random.below(dense)),
                        Column::numeric("thin" + std::to_string(f), from));
  }
  return data;
}

Dataset with_sparse_columns(const Dataset& data) {
  Dataset result = data;
  for (Column& column : result.columns) {
    if (column.schema.name.rfind("thin", 0) != 0) continue;
    std::vector<double> values(data.rows);
    column.copy(0, data.rows, values.data());
    std::vector<std::uint32_t> rows;
    std::vector<double> kept;
    for (std::uint32_t i = 0; i < data.rows; ++i)
      if (values[i] != 0) rows.push_back(i), kept.push_back(values[i]);
    column = Column::sparse_numeric(column.schema.name, rows, kept);
  }
  return result;
}

class SparseTraining : public ::testing::TestWithParam<std::string> {};

TEST_P(SparseTraining, GivesTheBytesOfDenseBins) {
  const Dataset data = thin_data(400, 1);
  const Dataset valid = thin_data(150, 2);
  Parameters parameters;
  parameters.algorithm = GetParam();
  parameters.rounds = 4;
  parameters.seed = 3;
  if (GetParam() == "newton" || GetParam() == "adaboost-mh") {
    parameters.row_fraction = 0.6;
    parameters.feature_fraction = 0.5;
  }
  const auto bytes = [&](const Dataset& train_rows, const Dataset& valid_rows, bool forget,
                         int threads) {
    std::vector<FeatureBins> bins = choose_training_bins(train_rows, parameters);
    std::size_t sparse = 0;
    for (const FeatureBins& one : bins) sparse += one.sparse() ? 1U : 0U;
    EXPECT_GE(sparse, 20U);
    if (forget) forget_defaults(bins);
    Parameters own = parameters;
    own.threads = threads;
    TrainOptions options;
    options.valid = &valid_rows;
    TrainingContext context;
    context.bins = &bins;
    return serialize(ensemble_of(train(train_rows, own, options, context)));
  };
  const auto expected = bytes(data, valid, true, 1);
  EXPECT_EQ(bytes(data, valid, false, 1), expected);
  EXPECT_EQ(bytes(with_sparse_columns(data), with_sparse_columns(valid), false, 3), expected);
}

std::vector<std::string> every_name() {
  std::vector<std::string> names;
  for (const AlgorithmRow& row : algorithm_table()) names.emplace_back(row.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, SparseTraining, ::testing::ValuesIn(every_name()), test_name);

}  // namespace
}  // namespace simplexboost
