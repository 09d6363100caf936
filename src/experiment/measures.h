// What is measured of a trained model beside its test error: figures of its log at one round,
// the error measures of jmlr2005 on the training rows, whether every bound held, and curves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/journal.h"
#include "experiment/spec.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// The first round, counted from 1, of the least value; 0 where there is none.
std::size_t least_round(std::span<const double> values);

// A number of rounds and the error that speaks for it.
struct StoppingTime {
  std::size_t rounds = 0;
  double error = 1;
};

// icml2014 (15): the T > `least` whose mean of the errors of rounds floor(0.8 T) to T is least; all
// rounds where there are no more than `least`. `errors` has one a round, the first for round 1.
StoppingTime smoothed_stopping_time(std::span<const double> errors, std::size_t least = 50);

// Rounds until nine tenths of the way from the first error to the least one are done (jmlr2005,
// section 4.2.2).
std::size_t rounds_to_nine_tenths(std::span<const double> errors);

// Shares of the rows that make a pseudo-loss error, f(x, c) < mean of the others, and a maxlabel
// error, f(x, c) / sum f(x, y) < the share of the right class under the classes' own shares (21).
struct LabelErrors {
  double pseudo_loss = 0;
  double maxlabel = 0;
};
LabelErrors label_errors(const Model& model, const Dataset& data, const PredictOptions& options);

// Names that `measures` of a spec may have beside columns of the log: "pseudo_loss_error",
// "maxlabel_error" (both of the training rows) and "rounds_to_90".
bool is_share(std::string_view measure);  // an error or a bound: reported in percent

// Puts into `cell` what the spec asks for, at the round `round` (from 1).
void measure(const ExperimentSpec& spec, const ExperimentAlgorithm& algorithm, const Model& model,
             const Dataset& train, std::size_t round, int threads, CellResult& cell);

}  // namespace simplexboost
