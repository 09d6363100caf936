#include <array>

#include "cli/verb.h"

namespace simplexboost::cli {

std::span<const Verb> verbs() {
  static const std::array kVerbs{
      kAlgorithmsVerb,
      kGenerateVerb,
  };
  return kVerbs;
}

}  // namespace simplexboost::cli
