// Cross-fitting by several ranks gives the model of one, whatever the shares of the rows.
#include "quality/ranked_quality.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/fake_cluster.h"
#include "boosting/labelled_data.h"
#include "boosting/parted_training.h"
#include "data/rows/row_shares.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "quality/portfolio.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::FakeCluster;
using testing::labelled_data;
using testing::multi_label_data;
using testing::shares_of;

struct Work {
  Dataset data;
  Parameters parameters = {};
  QualityOptions options = {};
};

std::string bytes_of(const QualityResult& result) { return serialize(ensemble_of(result.model)); }

std::string bytes_by_ranks(const Work& work, int count,
                           const std::function<void(QualityOptions&, int)>& more = {}) {
  const std::vector<Dataset> shares = shares_of(work.data, count);
  std::vector<std::string> bytes(shares.size());
  FakeCluster cluster(count);
  cluster.run([&](Communicator& ranks) {
    const auto r = static_cast<std::size_t>(ranks.rank());
    Parameters mine = work.parameters;
    mine.threads = 1 + ranks.rank() % 2;
    QualityOptions options = work.options;
    if (more) more(options, ranks.rank());
    bytes[r] = bytes_of(train_quality(gather_all_rows(shares[r], ranks), mine, options, ranks));
  });
  for (const std::string& one : bytes) EXPECT_TRUE(one == bytes[0]);
  return bytes[0];
}

void expect_model_of_one(const Work& work) {
  const std::string one = bytes_of(train_quality(work.data, work.parameters, work.options));
  for (const int ranks : {2, 3, 5}) EXPECT_TRUE(bytes_by_ranks(work, ranks) == one) << ranks;
}

Work usual_work() {
  Work work{labelled_data({400, 3, 4, true, 0.1}, 3)};
  work.options.quality = Quality::kDefault;
  return work;
}

TEST(RankedQuality, ForestAndLinearMemberBesideFolds) { expect_model_of_one(usual_work()); }

TEST(RankedQuality, WeightsOfRowsAndClasses) {
  Work work = usual_work();
  for (std::size_t i = 0; i < work.data.rows; ++i)
    work.data.weights.push_back(static_cast<double>(1 + i % 3));
  work.parameters.class_weight = "balanced";
  expect_model_of_one(work);
}

TEST(RankedQuality, WrongLabelsAreDoubted) {
  Work work{labelled_data({900, 3, 3, false, 0.45}, 3)};
  work.options.quality = Quality::kDefault;
  const std::string one = bytes_of(train_quality(work.data, work.parameters, work.options));
  EXPECT_NE(one.find("doubting labels"), std::string::npos);
  expect_model_of_one(work);
}

TEST(RankedQuality, BestOfManyMembersInGroups) {
  Work work{labelled_data({120, 3, 3, false, 0.1}, 4)};
  work.options.quality = Quality::kBest;
  work.options.folds = 3;
  work.parameters.rounds = 12;
  for (std::uint32_t i = 0; i < 120; ++i) work.options.groups.push_back(i / 4);
  expect_model_of_one(work);
}

TEST(RankedQuality, Distilled) {
  Work work{labelled_data({150, 3, 3, false, 0.1}, 4)};
  work.options.quality = Quality::kDefault;
  work.options.folds = 3;
  work.options.distil = true;
  work.parameters.rounds = 12;
  expect_model_of_one(work);
}

TEST(RankedQuality, SeveralLabels) {
  Work work{multi_label_data({150, 3, 3, false, 0.1}, 4)};
  work.options.quality = Quality::kDefault;
  work.options.folds = 3;
  expect_model_of_one(work);
}

class RoundCounter : public Progress {
 public:
  bool round(std::size_t, std::span<const RoundMetric>) override {
    ++rounds;
    return rounds != last;
  }
  std::size_t rounds = 0;
  std::size_t last = 0;  // after which it ends all; 0: none
};

// Each fold had a place in the file, whichever rank had trained it.
TEST(RankedQuality, GoesOnFromCheckpointOfOtherRanks) {
  Work work = usual_work();
  const std::string one = bytes_of(train_quality(work.data, work.parameters, work.options));
  const std::string file = ::testing::TempDir() + "ranked_quality.cp";
  std::filesystem::remove(file);
  work.options.checkpoint = {file, 0, 0, true};
  EXPECT_TRUE(bytes_by_ranks(work, 3) == one);
  ASSERT_TRUE(std::filesystem::exists(file));
  std::vector<RoundCounter> counters(2);
  const auto count = [&](QualityOptions& options, int rank) {
    options.progress = &counters[static_cast<std::size_t>(rank)];
  };
  EXPECT_TRUE(bytes_by_ranks(work, 2, count) == one);
  // No fold is trained again: what is left is the forest, by one of them.
  EXPECT_LE(counters[0].rounds + counters[1].rounds, 110U);
  work.options.checkpoint.keep = false;
  EXPECT_TRUE(bytes_of(train_quality(work.data, work.parameters, work.options)) == one);
  EXPECT_FALSE(std::filesystem::exists(file));
}

// Rank 0 hears of a wish to stop, and all end with what there is.
TEST(RankedQuality, AllStopWhereOneDoes) {
  const Work work = usual_work();
  RoundCounter counter;
  counter.last = 30;
  const auto stop = [&](QualityOptions& options, int rank) {
    if (rank == 0) options.progress = &counter;
  };
  const std::string bytes = bytes_by_ranks(work, 3, stop);
  EXPECT_NE(bytes.find("1 member on 5 folds, of "), std::string::npos);
}

TEST(RankedQuality, BudgetEndsAllRanksAlike) {
  Work work = usual_work();
  work.options.budget = 1e-9;
  EXPECT_FALSE(bytes_by_ranks(work, 3).empty());
}

TEST(RankedQuality, ErrorOfOneRankReachesAll) {
  Work work = usual_work();
  const auto wrong = [](QualityOptions& options, int rank) {
    if (rank == 1) options.groups = {1, 2};
  };
  EXPECT_THROW(bytes_by_ranks(work, 3, wrong), std::exception);
}

TEST(RankedQuality, AutoAsksForTheRowsOfAllRanks) {
  const Dataset data = labelled_data({50, 3, 2, false, 0.1}, 1);
  for (const std::size_t rows : {50U, 49U}) {
    const std::vector<Dataset> shares = shares_of(testing::rows_of(data, 0, rows), 3);
    FakeCluster cluster(3);
    cluster.run([&](Communicator& ranks) {
      const Dataset& mine = shares[static_cast<std::size_t>(ranks.rank())];
      EXPECT_EQ(plain_training(mine, ranks),
                rows == 50 ? PlainTraining::kCrossFitted : PlainTraining::kFast);
      EXPECT_EQ(cross_fit_size(mine, ranks).values, static_cast<std::int64_t>(rows * (2 + 3)));
    });
  }
}

// Another limit than that of a hundred million values, while it lives.
class Limit {
 public:
  explicit Limit(const std::string& values) {
    ::setenv("SIMPLEXBOOST_CROSS_FIT_VALUES", values.c_str(), 1);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { ::unsetenv("SIMPLEXBOOST_CROSS_FIT_VALUES"); }
};

// What training does that is told nothing.
std::string plain_bytes(const Dataset& share, Communicator& ranks) {
  if (plain_training(share, ranks) == PlainTraining::kCrossFitted) {
    QualityOptions options;
    options.quality = Quality::kDefault;
    return bytes_of(train_quality(gather_all_rows(share, ranks), {}, options, ranks));
  }
  const DatasetSplit split = split_share(share, kSetAside, 0, ranks);
  return testing::trained_bytes({split.train, &split.valid}, large_training(share, {}), ranks);
}

TEST(RankedQuality, PlainTrainingIsThatOfOneRankOnBothSidesOfTheLimit) {
  const Dataset data = labelled_data({2500, 3, 4, true, 0.1}, 3);
  const std::int64_t values = cross_fit_size(data, no_others()).values;
  std::vector<std::string> sides;
  for (const std::int64_t most : {values, values - 1}) {
    const PlainTraining kind = most == values ? PlainTraining::kCrossFitted : PlainTraining::kLarge;
    const Limit limit(std::to_string(most));
    EXPECT_EQ(cross_fits_by_itself(data), kind == PlainTraining::kCrossFitted);
    sides.push_back(plain_bytes(data, no_others()));
    for (const int count : {1, 2, 3}) {
      const std::vector<Dataset> shares = shares_of(data, count);
      FakeCluster cluster(count);
      cluster.run([&](Communicator& ranks) {
        const Dataset& mine = shares[static_cast<std::size_t>(ranks.rank())];
        EXPECT_EQ(plain_training(mine, ranks), kind);
        EXPECT_TRUE(plain_bytes(mine, ranks) == sides.back()) << most << " " << count;
      });
    }
  }
  EXPECT_FALSE(sides[0] == sides[1]);
}

TEST(RankedQuality, SaysWhatIsWrongWithTheLimit) {
  for (const char* const wrong : {"", "many", "-1", "5x", "99999999999999999999"}) {
    const Limit limit(wrong);
    EXPECT_THROW(cross_fit_size(labelled_data({50, 3, 2, false, 0.1}, 1), no_others()),
                 ParameterError);
  }
}

// Steps that were given stay, and rounds are those of all folds.
TEST(LargeTraining, FirstMemberWithTheRoundsOfAllFolds) {
  const Dataset data = labelled_data({50, 3, 4, false, 0.1}, 1);
  Parameters wanted;
  const Parameters usual = large_training(data, wanted);
  EXPECT_EQ(usual.rounds, 450);
  EXPECT_EQ(usual.learning_rate, 0.2);
  EXPECT_EQ(usual.early_stopping, 15);
  EXPECT_EQ(usual.algorithm, "newton");
  wanted.learning_rate = 0.05;
  wanted.seed = 7;
  EXPECT_EQ(large_training(data, wanted).learning_rate, 0.05);
  EXPECT_EQ(large_training(data, wanted).seed, 7U);
}

// Columns of every kind come together as they were.
TEST(GatherRows, RowsOfAllRanksInTheirOrder) {
  Dataset data = labelled_data({90, 3, 4, true, 0.1}, 1);
  data.columns.push_back(Column::sparse_numeric("s", {3, 40, 41, 88}, {1, 2, 3, 4}));
  for (const Dataset& whole : {data, multi_label_data({90, 3, 4, true, 0.1}, 1)}) {
    for (const int count : {1, 2, 3, 5}) {
      const std::vector<Dataset> shares = shares_of(whole, count);
      FakeCluster cluster(count);
      cluster.run([&](Communicator& ranks) {
        const Dataset all = gather_rows(shares[static_cast<std::size_t>(ranks.rank())], ranks);
        ASSERT_EQ(all.rows, whole.rows);
        EXPECT_EQ(all.schema(), whole.schema());
        EXPECT_EQ(all.labels.codes, whole.labels.codes);
        EXPECT_EQ(all.labels.offsets, whole.labels.offsets);
        std::vector<double> a(all.rows);
        std::vector<double> b(all.rows);
        for (std::size_t j = 0; j < all.columns.size(); ++j) {
          all.columns[j].copy(0, all.rows, a.data());
          whole.columns[j].copy(0, all.rows, b.data());
          for (std::size_t i = 0; i < all.rows; ++i)
            EXPECT_TRUE(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])) << i << " " << j;
        }
      });
    }
  }
}

}  // namespace
}  // namespace simplexboost
