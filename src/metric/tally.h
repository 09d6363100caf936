// One pass over scored rows that gathers what any metric needs. Rows are taken block by block on
// several threads and summed in the order of the blocks, so figures do not depend on the number of
// threads or ranks; memory follows the rows or the classes, never their product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "base/row_weights.h"
#include "metric/calibration.h"
#include "metric/class_counts.h"
#include "metric/confusion.h"
#include "metric/log_loss.h"
#include "metric/roc_area.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// What costs something and is gathered only if asked for; class counts always are.
enum TallyPart : unsigned {
  kTallyProbabilities = 1,  // log loss, Brier score, calibration, maxlabel error
  kTallyOrder = 2,          // ranks and margins of the true class, pseudo-loss error
  kTallyPairs = 4,          // pairs of row and class that are wrong
  kTallyConfusion = 8,
  kTallyAreas = 16,  // a second pass
};
inline constexpr unsigned kTallyAll = 31;

struct ScoredRows {
  const Labels& labels;  // single-label: -1 is a class that the model does not know
  RowWeights weights;
  RowSpace space;
  std::size_t classes;
  // Whether a score above 0 says yes; else a probability above 1/2 does, where there are any. Sets
  // of labels: always.
  bool signed_scores;
  // Class scores of rows [begin, end), row by row, in place or put into `room`. Called from several
  // threads at once.
  std::function<const float*(std::size_t begin, std::size_t end, std::vector<float>& room)> scores;
  // One row's scores to probabilities, in place; empty where the model has none: what needs them is
  // not gathered.
  std::function<void(std::span<float>)> to_proba;
};

struct WeightedMargin {
  float margin;
  double weight;
};

struct Evaluation {
  Evaluation(std::size_t class_count, bool sets)
      : classes(class_count),
        multi_label(sets),
        counts(class_count),
        confusion(class_count),
        areas(class_count) {}

  std::size_t classes;
  bool multi_label;
  unsigned parts = 0;  // what was gathered
  std::size_t rows = 0;
  std::size_t wrong_rows = 0;
  std::size_t unknown_rows = 0;
  std::size_t unknown_pairs = 0;  // sets of labels: of row and label, that are left out of all
  ClassCounts counts;
  Confusion confusion;
  LogLoss log_loss;  // sets of labels: the mean over the pairs of row and label
  // Sums of weight times
  double squares = 0;        // sum over classes of (probability - truth)^2
  double wrong_pairs = 0;    // classes for which yes or no is wrong (one label a row)
  double pseudo_losses = 0;  // jmlr2005, section 2.2: below the mean score of the other classes
  double below_share = 0;    // jmlr2005, Definition 1: confidence below that of the uninformed rule
  Calibration calibration;
  std::vector<double> by_rank;  // weight of the rows whose class has the rank; unknown: in none
  std::vector<WeightedMargin> margins;  // one a row, but for unknown classes
  RocAreas areas;

  double total() const { return counts.total(); }
  void merge(const Evaluation& other);

  // What the ranks sum in turn: all but what they gather in the end, a number for each row.
  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(rows)(wrong_rows)(unknown_rows)(unknown_pairs)(squares)(wrong_pairs);
    bytes(pseudo_losses)(below_share)(by_rank);
    counts.carry(bytes);
    confusion.carry(bytes);
    log_loss.carry(bytes);
    calibration.carry(bytes);
  }
};

Evaluation tally_rows(const ScoredRows& rows, unsigned parts);

}  // namespace simplexboost
