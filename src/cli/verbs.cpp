#include <array>

#include "cli/verb.h"

namespace simplexboost::cli {

std::span<const Verb> verbs() {
  static const std::array table{
      kTrainVerb,    kPredictVerb,    kEvaluateVerb,  kCvVerb,         kTuneVerb, kInspectVerb,
      kGenerateVerb, kAlgorithmsVerb, kCodewordsVerb, kExperimentVerb, kDemoVerb,
  };
  return table;
}

}  // namespace simplexboost::cli
