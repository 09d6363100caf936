// Trainings whose rows are parted among the ranks of a fake cluster.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/fake_cluster.h"
#include "boosting/training.h"
#include "model/ensemble.h"
#include "model/file/serialization.h"
#include "model/model_access.h"

namespace simplexboost::testing {

inline Dataset rows_of(const Dataset& data, std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  return select_rows(data, rows);
}

// The rows in as many shares as there are ranks: uneven, with borders anywhere, some of none.
inline std::vector<Dataset> shares_of(const Dataset& data, int ranks) {
  // Parts of 16.
  static const std::vector<std::vector<std::size_t>> kBorders{
      {0, 16}, {0, 7, 16}, {0, 0, 11, 16}, {}, {0, 3, 3, 10, 11, 16}};
  const std::vector<std::size_t>& borders = kBorders[static_cast<std::size_t>(ranks) - 1];
  std::vector<Dataset> shares;
  for (std::size_t r = 0; r + 1 < borders.size(); ++r)
    shares.push_back(rows_of(data, data.rows * borders[r] / 16, data.rows * borders[r + 1] / 16));
  return shares;
}

// What a rank trains on, beside the parameters.
struct Share {
  const Dataset& data;
  const Dataset* valid = nullptr;
  const Model* init = nullptr;
  TrainOptions own = {};  // parts of a user's own
};

inline std::string trained_bytes(const Share& share, const Parameters& parameters,
                                 Communicator& ranks = no_others()) {
  TrainOptions options = share.own;
  options.valid = share.valid;
  options.init = share.init;
  Training training = make_training(share.data, parameters, options, {.ranks = ranks});
  training.boost(std::numeric_limits<std::size_t>::max());
  return serialize(ensemble_of(training.finish()));
}

// The bytes of the model that the ranks train together, each given its share; all have the same.
inline std::string parted_bytes(const std::vector<Dataset>& shares,
                                const std::vector<Dataset>& valid, const Parameters& parameters,
                                const Model* init = nullptr, const TrainOptions& own = {}) {
  FakeCluster cluster(static_cast<int>(shares.size()));
  std::vector<std::string> bytes(shares.size());
  cluster.run([&](Communicator& ranks) {
    const auto r = static_cast<std::size_t>(ranks.rank());
    Parameters mine = parameters;
    mine.threads = 1 + ranks.rank() % 2;
    const Share share{shares[r], valid.empty() ? nullptr : &valid[r], init, own};
    bytes[r] = trained_bytes(share, mine, ranks);
  });
  for (const std::string& one : bytes) EXPECT_EQ(one, bytes[0]);
  return bytes[0];
}

// That 2, 3 and 5 ranks give the model of one.
inline void expect_same_model(const Share& whole, const Parameters& parameters) {
  const std::string wanted = trained_bytes(whole, parameters);
  for (const int ranks : {2, 3, 5}) {
    SCOPED_TRACE(ranks);
    const std::vector<Dataset> valid =
        whole.valid ? shares_of(*whole.valid, ranks) : std::vector<Dataset>();
    // Not compared by EXPECT_EQ, which would print them.
    EXPECT_TRUE(parted_bytes(shares_of(whole.data, ranks), valid, parameters, whole.init,
                             whole.own) == wanted);
  }
}

}  // namespace simplexboost::testing
