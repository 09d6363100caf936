// Which settings an ensemble is made of: unlike ones, so that they err in other places, and as much
// of each as the size of the data allows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"
#include "simplexboost/quality.h"

namespace simplexboost {

struct MemberSetting {
  std::string name;
  Parameters parameters;
  bool doubts = false;  // it trains on labels by how far they are to be trusted (label_noise.h)
  bool bagged = false;  // a forest, trained once on all rows and judged by those out of the bag
  bool linear = false;  // of no algorithm (linear_member.h)
  std::string purpose = {};                     // why it is a member, for people
  std::map<std::string, std::string> why = {};  // of parameters that the portfolio chose, by name
};

struct Portfolio {
  int folds = 5;
  std::string by_size;  // the size of the data that folds, rounds and trees go by, in words
  std::vector<MemberSetting> members;
};

// Of a forest that is a member, all folds together: as many as one training has at most, which is
// what rows out of fold were judged by.
inline constexpr std::size_t kKeptTrees = 500;

// `wanted` as the user gave it; what is not at its default there stays in all members. Where an
// algorithm is named, it is the only one.
Portfolio make_portfolio(const Dataset& data, const Parameters& wanted, Quality quality);

// Rows that are too many to be cross-fitted without being asked have one training, on all but this
// share of them, which says where it ends.
inline constexpr double kSetAside = 0.1;

// Its parameters: those of the first member of Quality::kDefault, with as many rounds as all its
// folds may have together. `share`: the rows of a rank, with columns as all ranks know them.
Parameters large_training(const Dataset& share, const Parameters& wanted);

// What comes after the first member where labels were found to be wrong: the same ones, but that
// doubt, the first one among them. Bagged forests and linear members stay, too, as they are.
void doubt_labels(Portfolio& portfolio);

}  // namespace simplexboost
