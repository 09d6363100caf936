// What a model expects of itself on new rows: figures with intervals, from training rows that those
// who judged them had not seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simplexboost/export.h"
namespace simplexboost::inline SIMPLEXBOOST_ABI {

// One figure of an estimate, with an interval that holds it with a chance of 95 %.
struct EstimateFigure {
  std::string name;         // "error", "log-loss", ...
  std::int32_t label = -1;  // the class that it is of; -1: of all
  double value = 0;
  double low = 0;
  double high = 0;

  bool operator==(const EstimateFigure&) const = default;
};

// What the model is expected to do on new rows, from training rows that those who judged them had
// not seen.
struct Estimate {
  std::string method;  // "out-of-bag", "out-of-fold", ...
  std::uint64_t rows = 0;
  std::vector<EstimateFigure> figures;

  bool operator==(const Estimate&) const = default;
};

// One of several models whose probabilities are averaged, and its part in the mean.
struct MemberWeight {
  std::string name;
  double weight = 0;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
