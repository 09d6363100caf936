// Which settings an ensemble is made of: unlike ones, so that they err in other places, and as much
// of each as the size of the data allows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"
#include "simplexboost/quality.h"

namespace simplexboost {

struct MemberSetting {
  std::string name;
  Parameters parameters;
};

struct Portfolio {
  int folds = 5;
  std::vector<MemberSetting> members;
};

// `wanted` as the user gave it; what is not at its default there stays in all members. Where an
// algorithm is named, it is the only one.
Portfolio make_portfolio(const Dataset& data, const Parameters& wanted, Quality quality);

}  // namespace simplexboost
