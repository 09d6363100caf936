// An optimiser decides what the next weak hypothesis shall do and how far to go along it.
//
// Before the first round start(), or, where a model is gone on from, resume() and
// ends_without_error(). The life of a round:
//   0. state()         for a checkpoint of a round that is broken off (and between rounds);
//   1. target(f)       what the weak learner shall fit now, given the scores f of the rows. A round
//                      may have several targets, such as a tree for each class: all of them are set
//                      here, from the same scores, and several() gives them one by one;
//   2. step(h)         how far to go along the hypothesis that came, or why to stop;
//   3. advance(h, a)   the step has been taken; the next target of the round follows;
//   4. metrics()       figures for the log.
// After the last round ending().
//
// All have target(), step(), resume() and metrics(); the others may be left alone: what they do
// here is right for an optimiser that keeps nothing but the scores and takes one step a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/row_space.h"
#include "base/row_weights.h"
#include "optimizer/fit_target.h"
#include "simplexboost/dataset.h"
#include "simplexboost/error.h"
#include "simplexboost/progress.h"

namespace simplexboost {

// The training labels as every optimiser sees them.
struct Problem {
  const Labels& labels;
  RowWeights weights;  // positive
  RowSpace space;
  std::size_t classes = 0;
  std::size_t features = 0;
  std::vector<float> costs = {};  // classes x classes (loss_block.h); empty: all 1

  std::size_t rows() const { return space.rows(); }  // that are here
  // Whether some row of some rank has weights of labels: a rank without rows has none of its own.
  // Asks the other ranks: all of them must call it.
  bool weighs_labels() const { return space.any(!labels.weights.empty()); }
};

struct Step {
  double length = 0;   // 0: none, the hypothesis is left out
  std::string stop;    // not empty: training ends with this step, for this reason
  double risk = 0;     // after it and those before it in its group, where only the best is taken;
                       // times a factor of the round
  bool again = false;  // none yet: target() has another one to try in its place
};

// The rounds of a model that training goes on from.
struct Past {
  std::size_t rounds = 0;
  const float* scores = nullptr;  // of the rows, rows x outputs, after the last round
  std::function<double(std::string_view name, std::size_t round)> figure;  // of its log
  // What a round added to the scores of the rows, rows x outputs. Valid until the next call.
  std::function<RowVectors(std::size_t round)> added;
  std::span<const std::byte> state = {};  // by Optimizer::state(); empty: not known

  // A figure that counts something, of which there are so many at most.
  std::size_t count(std::string_view name, std::size_t round, std::size_t most) const {
    const double value = figure(name, round);
    if (!(value >= 0 && value <= static_cast<double>(most)))
      throw ModelError("the model to go on from has a '" + std::string(name) +
                       "' in its log that cannot be");
    return static_cast<std::size_t>(value);
  }
};

// Where the targets of a round come in groups, of which only the one that leads to the lowest risk
// takes its steps.
class TargetGroups {
 public:
  virtual ~TargetGroups() = default;

  virtual std::size_t group() const = 0;  // targets in each
  // Where groups are single outputs: what all of them want, and the index of the best target, given
  // votes -1 or +1 for each of them (rows x targets). Width 0: not so.
  virtual RoundTarget joint_target() { return {}; }
  virtual std::size_t best_target(const std::vector<std::int8_t>& /*votes*/) { return 0; }
};

// Where a round has several targets, each for outputs of its own; asked after Optimizer::target().
class SeveralTargets {
 public:
  virtual ~SeveralTargets() = default;

  virtual std::size_t targets() const = 0;  // 0: nothing is left to fit
  // Valid until the next is asked for or, with at_once(), until the next round: then several (of a
  // group) may be fitted at the same time.
  virtual RoundTarget target_at(std::size_t index) = 0;
  virtual bool at_once() const { return false; }
  virtual TargetGroups* groups() { return nullptr; }  // null: each target takes a step
};

// What the end of training adds.
struct Ending {
  double scale = 1;         // what all steps of the model are multiplied by
  std::string remark = {};  // what else there is to say of how it went; empty: nothing
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // The scores that all rows begin with, one an output; empty: 0.
  virtual std::vector<float> start() const { return {}; }
  // `scores`: rows x outputs, the sum of the steps so far; they change while the round goes on.
  // Returns the first target.
  virtual RoundTarget target(const float* scores) = 0;
  virtual SeveralTargets* several() { return nullptr; }  // null: there is one
  // Of the hypothesis for the last target asked for.
  virtual Step step(const RowVectors& hypothesis) = 0;
  virtual void advance(const RowVectors& /*hypothesis*/, double /*length*/) {}
  // Takes over what the rounds of a model have left in it, beside the scores; called once, before
  // the first target.
  virtual void resume(const Past& past) = 0;
  // What the rounds have left in it that neither their scores nor their log tell, or not to the
  // last bit: small, and the same for resume() of another one.
  virtual std::vector<std::byte> state() const { return {}; }
  // Whether a hypothesis of votes without any error is the last, as its best step has no end.
  virtual bool ends_without_error() const { return false; }
  // Of a model of so many rounds.
  virtual Ending ending(std::size_t /*rounds*/) const { return {}; }
  // Of the last round, for the log.
  virtual std::vector<RoundMetric> metrics() const = 0;
};

}  // namespace simplexboost
