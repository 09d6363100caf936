// What an ensemble tells of how it was made: for each member the settings that its trainings took,
// each with a reason, and why those that have no part have none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/ensemble.h"
#include "quality/cross_fit.h"
#include "quality/portfolio.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

// `wanted`: what the user gave, where it is not at its default.
std::vector<Choice> choices_of(const MemberSetting& setting, const CrossFit& fit,
                               const Parameters& wanted);

class ChoiceRecords {
 public:
  explicit ChoiceRecords(const Parameters& wanted) : wanted_(wanted) {}

  // In the order of the members that are pooled.
  void trained(const MemberSetting& setting, const CrossFit& fit);
  void left_out(const MemberSetting& setting, std::string why);
  // A member without a training; it comes after all others.
  void guessed();

  // `weights`: of those that were trained, in their order. The record of the pool comes first.
  std::vector<MemberRecord> finish(const std::vector<double>& weights, std::vector<Choice> pool);

 private:
  const Parameters& wanted_;
  std::vector<MemberRecord> records_;
};

}  // namespace simplexboost
