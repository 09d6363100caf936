// AdaBoost.ECC (Guruswami and Sahai 1999): each round parts the classes into two colours, fits a
// binary hypothesis to the colours of the rows, and moves all classes of a colour alike.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/target/mislabel_weights.h"

namespace simplexboost {

enum class Colouring : std::uint8_t {
  kRandom,  // half of the classes, by chance; as below where hardly any weight comes across
  kMaxCut,  // from there, classes change sides while more mislabel weight comes across
};

class ColourBoosting : public Optimizer {
 public:
  ColourBoosting(const Problem& problem, Colouring colouring, std::uint64_t seed);

  // With mu in {-1, +1} the colour of a class and D the weights of mislabels, in proportion to
  // exp((f_l - f_c) / 2): pull mu(c) times the sum of D_{i,l} over the l of the other colour; the
  // hypothesis counts mu(l) times for class l.
  RoundTarget target(const float* scores) override;
  // alpha = 1/2 ln((1-e)/e), e the error under these weights.
  Step step(const RowVectors& hypothesis) override;
  // The weights follow from the scores.
  void resume(const Past& past) override { round_ = past.rounds; }
  bool ends_without_error() const override { return problem_.classes == 2; }
  std::vector<RoundMetric> metrics() const override;

  // Of the last round; for tests.
  const std::vector<float>& colours() const { return colours_; }

 private:
  void colour();
  void improve_cut();
  // Sets pulls and weights for the colours; returns the share of the mislabel weight across them.
  double weigh_across();
  // K x K: the weight of the mislabels of class k's rows as class l, both ways together.
  std::vector<double> confusion() const;

  const Problem& problem_;
  Colouring colouring_;
  std::uint64_t seed_;
  std::uint64_t round_ = 0;
  MislabelWeights mislabels_;
  std::vector<std::vector<std::uint32_t>> rows_of_class_;  // that are here
  std::vector<std::int64_t> class_rows_;                   // of each class, of all ranks
  std::vector<float> colours_;                             // mu
  std::vector<float> pulls_;
  std::vector<float> weights_;
  double cut_ = 0;  // share of the mislabel weight across the colours
  double edge_ = 0;
  double length_ = 0;
};

}  // namespace simplexboost
