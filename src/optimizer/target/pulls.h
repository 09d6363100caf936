// What optimisers that weight rows and labels have in common: signs of labels, edges of
// hypotheses, weights in log space.
#pragma once

#include <cstddef>
#include <vector>

#include "optimizer/optimizer.h"
#include "optimizer/vote_rows.h"

namespace simplexboost {

// A hypothesis without any error would have an infinite step: it counts as lacking this much of the
// largest edge, and the step along it is the last.
inline constexpr double kLeastLack = 1e-12;
inline constexpr const char* kNoError =
    "the last weak hypothesis makes no error on the training set";
// In the first round the weights are those that were given, and less than this of them counts as
// nothing: else rows whose class has a ten-millionth of the weight would be fitted like all others
// one round later.
inline constexpr double kNegligible = 1e-6;
inline constexpr const char* kNothingLeft =
    "the first weak hypothesis errs on less than a millionth of the weight";

// Whether votes, times a step, are for the labels that hold and for no others.
bool makes_no_error(const Problem& problem, const RowVectors& votes);

// Whether a label holds for a row, in single- and multi-label data.
bool label_holds(const Labels& labels, std::size_t row, std::size_t label);

// +1 for the labels that hold, -1 for the others, 0 for those that are unknown.
void row_signs(const Labels& labels, std::size_t row, std::size_t classes, float* signs);

// The logarithms of Labels::weights, rows x classes, -infinity for 0; empty where there are none.
std::vector<float> label_logs(const Labels& labels);

// What the edge, sum <pull, h> over the rows, lacks to the largest that values from `lowest` to 1
// could have: nothing, to the last bit, where the hypothesis makes no error.
double edge_lack(const Problem& problem, const float* pulls, const RowVectors& hypothesis,
                 double lowest);

// Weights of the rows as logarithms: easy rows never vanish for good, and no run ends in zeros.
class LogWeights {
 public:
  // Of the problem's rows, normalised.
  explicit LogWeights(const Problem& problem);

  std::vector<double>& logs() { return logs_; }
  // Weights of sum 1 from the logarithms, the largest of which is taken off first; returns the log
  // of the sum that they had, -infinity if none counts (all weights are 0 then).
  double normalise();
  const std::vector<double>& weights() const { return weights_; }
  // Shortened but for the row's given weight (base/text/shorten.h). Too small for a float is still
  // not nothing: a weight floor may lift it.
  float single(std::size_t row) const;

 private:
  RowSpace space_;
  RowWeights given_;
  std::vector<double> logs_;
  std::vector<double> weights_;
};

// Pulls D_i e_{c_i} of the rows to their own classes: the class proportions of a region are those
// of the weights D.
class OwnClassPulls {
 public:
  // The problem must outlive them. `rows`: who has the rows' pulls, if not this process.
  explicit OwnClassPulls(const Problem& problem, VoteRows* rows = nullptr);

  // Valid until the next call.
  RoundTarget target(const LogWeights& weights);

 private:
  const Problem& problem_;
  VoteRows* rows_;
  std::vector<float> pulls_;  // empty where others have them
  std::vector<float> row_weights_;
};

}  // namespace simplexboost
