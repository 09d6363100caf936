// Who fits the targets of a round: one weak learner, which uses all threads, or several that fit
// one target each at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "boosting/sampling.h"
#include "boosting/setup/composition.h"
#include "learner/weak_learner.h"
#include "optimizer/optimizer.h"

namespace simplexboost {

// Which hypothesis of which round: what is random depends on it.
struct Draw {
  std::size_t round;
  std::size_t target;
};

struct Worker {
  std::unique_ptr<WeakLearner> learner;
  Sampler sampler;

  RowVectors fit(const RoundTarget& target, const Draw& draw);
};

class Workers {
 public:
  // `data`: the training set. All must outlive it; `make` is empty unless a user has a learner of
  // their own.
  Workers(const Composition& chosen, const LearnerData& data, const MakeLearner& make,
          Optimizer& optimizer);

  Worker& first() { return workers_.front(); }

  // Fits the round's targets [begin, end); calls use(hypothesis, its worker) in their order.
  template <class Use>
  void each_fit(std::size_t begin, std::size_t end, std::size_t round, const Use& use) {
    for (; begin < end; begin += workers_.size()) {
      const std::vector<RowVectors> fitted =
          fit_several(begin, std::min(begin + workers_.size(), end), round);
      for (std::size_t i = 0; i < fitted.size(); ++i) use(fitted[i], workers_[i]);
    }
  }

 private:
  // The hypotheses for the targets [begin, end), one to a worker.
  std::vector<RowVectors> fit_several(std::size_t begin, std::size_t end, std::size_t round);

  Optimizer& optimizer_;
  int threads_;
  std::vector<Worker> workers_;
};

}  // namespace simplexboost
