#include "tree/leaf/abstention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace simplexboost {
namespace {

double z_of(const std::vector<VoteWeight>& votes, const std::vector<bool>& cast) {
  VoteWeight sum;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (!cast[i]) continue;
    sum.right += votes[i].right;
    sum.wrong += votes[i].wrong;
  }
  // Steps are not taken backwards.
  const double lead = std::max(std::sqrt(sum.right) - std::sqrt(sum.wrong), 0.0);
  return 1 - lead * lead;
}

// Of all sets of votes that could be cast.
double least_z(const std::vector<VoteWeight>& votes) {
  double least = 1;
  for (unsigned set = 0; set < 1U << votes.size(); ++set) {
    std::vector<bool> cast(votes.size());
    for (std::size_t i = 0; i < votes.size(); ++i) cast[i] = (set >> i & 1U) != 0;
    least = std::min(least, z_of(votes, cast));
  }
  return least;
}

TEST(Abstention, FindsTheSetOfLeastZAsTryingAllDoes) {
  Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<VoteWeight> votes(1 + random.below(9));
    for (VoteWeight& vote : votes) {
      vote.right = random.uniform() / 10;
      vote.wrong = trial % 7 == 0 && random.below(3) == 0 ? 0 : random.uniform() / 10;
    }
    EXPECT_NEAR(z_of(votes, voting(votes)), least_z(votes), 1e-12);
  }
}

TEST(Abstention, LeavesOutVotesThatAreNoBetterThanGuessing) {
  EXPECT_EQ(voting(std::vector<VoteWeight>{{0.4, 0.1}, {0.2, 0.2}, {0.05, 0.05}}),
            (std::vector<bool>{true, false, false}));
  EXPECT_EQ(voting(std::vector<VoteWeight>{{0.1, 0.2}}), std::vector<bool>{false});
  EXPECT_TRUE(voting({}).empty());
}

}  // namespace
}  // namespace simplexboost
