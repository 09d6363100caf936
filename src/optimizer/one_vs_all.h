// One-vs-all: an AdaBoost of its own for every class, that class against the others (jmlr2019
// (225)). Each has its own weights, its own steps and its own end; one that has ended is left
// alone. Likewise with an output code (Allwein, Schapire and Singer 2000): each of its columns is a
// problem of two sides, +1 and -1, and classes that have 0 there do not take part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codeword/codebook.h"
#include "optimizer/target/pulls.h"

namespace simplexboost {

// What a hypothesis says of a class, and with it the step that minimises Z, the sum of D e^{-a y
// h}.
enum class VoteKind : std::uint8_t {
  kSign,        // -1 or +1: a = 1/2 ln((1+gamma)/(1-gamma))
  kConfidence,  // half the log of the odds: a = 1 (Schapire and Singer 1999)
  kNumber,      // any number: a by a line search
};

class OneVsAllBoosting : public Optimizer, public SeveralTargets {
 public:
  // `code`: null for one-vs-all; of its entries the signs count.
  OneVsAllBoosting(const Problem& problem, VoteKind kind, const Codebook* code = nullptr);

  // A target for each class, or column, that goes on: pull D_i y_i for one output.
  RoundTarget target(const float* scores) override;
  SeveralTargets* several() override { return this; }
  std::size_t targets() const override { return active_.size(); }
  RoundTarget target_at(std::size_t index) override;
  Step step(const RowVectors& hypothesis) override;
  void advance(const RowVectors& hypothesis, double length) override;
  void resume(const Past& past) override;
  std::vector<std::byte> state() const override;
  // Which classes ended, when and why.
  Ending ending(std::size_t rounds) const override;
  std::vector<RoundMetric> metrics() const override;

 private:
  // What became of a class.
  struct ClassState {
    std::size_t rounds = 0;
    std::string end;      // why; empty: it goes on
    bool closed = false;  // the risk is that after the last step
    double log_risk = 0;  // log of sum D_0 e^{-f y}

    template <class Bytes>
    void carry(Bytes& bytes) {
      bytes(rounds)(end)(closed)(log_risk);
    }
  };
  // +1 or -1: the side of a row in the problem of a class, or column; 0: it does not take part.
  float side(std::size_t row, std::size_t label) const;
  std::string name_of(std::size_t label) const;
  void take_state(std::span<const std::byte> state);
  void weigh_labels();
  void weigh(std::size_t label);
  // Writes log D of rows [begin, end) to weights_, y to pulls_; returns the largest.
  float log_weights(std::size_t begin, std::size_t end, std::size_t label);
  double best_length(const RowVectors& hypothesis) const;
  // What a class has been told by a round: whether anything, and whether all of it was right.
  struct ClassVotes {
    bool anything = false;
    bool right = true;
  };
  ClassVotes votes_of(const RowVectors& added, std::size_t label) const;  // the rows that are here
  std::vector<ClassVotes> votes_of(const RowVectors& added) const;  // all, to the classes not found
  Step leave(double length, std::string why);

  const Problem& problem_;
  VoteKind kind_;
  std::vector<float> code_;         // signs, classes x columns; empty: one-vs-all
  std::size_t columns_;             // of the scores: classes, or those of the code
  std::vector<double> row_logs_;    // of D_0
  std::vector<float> label_logs_;   // of Labels::weights, by which D_0 of a class is multiplied
  std::vector<double> log_totals_;  // of D_0 of each class, where there are such weights
  const float* scores_ = nullptr;
  std::vector<ClassState> classes_;
  std::vector<std::size_t> active_;  // classes that go on, at the start of the round
  std::size_t going_on_ = 0;         // and now
  std::size_t label_ = 0;            // of the last target
  std::vector<float> pulls_;         // D y
  std::vector<float> weights_;       // D
  // Sums over the steps of the round.
  std::size_t steps_ = 0;
  double sum_z_ = 0;
  double sum_length_ = 0;
  double z_ = 1;  // of the last hypothesis, at its best step
};

}  // namespace simplexboost
