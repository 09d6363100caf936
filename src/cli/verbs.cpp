#include <array>

#include "cli/verb.h"

namespace simplexboost::cli {

std::span<const Verb> verbs() {
  static const std::array kVerbs{
      kPredictVerb, kEvaluateVerb, kInspectVerb, kGenerateVerb, kAlgorithmsVerb,
  };
  return kVerbs;
}

}  // namespace simplexboost::cli
