#include "boosting/workers.h"

#include "base/threads/parallel.h"
#include "boosting/setup/custom_learner.h"

namespace simplexboost {

RowVectors Worker::fit(const RoundTarget& target, const Draw& draw) {
  const Sampler::Round seen = sampler.draw(target, draw.round, draw.target);
  RowVectors hypothesis = learner->fit(seen.target, seen.sample);
  hypothesis.code = target.to.code;
  hypothesis.minus_output = target.to.minus_output;
  return hypothesis;
}

// A few for each thread, since some targets take longer than others. Ranks sum over their rows
// while they fit, and all of them in one order: there the targets come one by one. So they do on a
// device, which works on one at a time.
Workers::Workers(const Composition& chosen, const LearnerData& data, const MakeLearner& make,
                 Optimizer& optimizer)
    : optimizer_(optimizer), threads_(chosen.problem.space.threads()) {
  constexpr std::size_t kForAThread = 4;
  const Parameters& parameters = chosen.parameters;
  const auto make_one = [&]() -> std::unique_ptr<WeakLearner> {
    if (!make) return make_learner(chosen.learner, data, parameters);
    return std::make_unique<CustomLearnerAdapter>(make, LearnerContext{data.raw, parameters},
                                                  chosen.learner.family, chosen.problem.space);
  };
  const auto threads = static_cast<std::size_t>(threads_);
  SeveralTargets* const several = optimizer.several();
  const bool many = !make && several && several->at_once() && threads > 1 &&
                    several->targets() >= threads && !chosen.problem.space.parted() && !data.device;
  const std::size_t count = many ? std::min(several->targets(), kForAThread * threads) : 1;
  for (std::size_t i = 0; i < count; ++i)
    workers_.push_back(
        {make_one(), Sampler(parameters, chosen.problem.space, data.bins.features())});
}

std::vector<RowVectors> Workers::fit_several(std::size_t begin, std::size_t end,
                                             std::size_t round) {
  SeveralTargets& several = *optimizer_.several();
  std::vector<RoundTarget> targets;
  for (std::size_t i = begin; i < end; ++i) targets.push_back(several.target_at(i));
  const TargetGroups* const groups = several.groups();
  std::vector<RowVectors> fitted(targets.size());
  parallel_for(workers_.size() > 1 ? threads_ : 1, targets.size(), [&](std::size_t i) {
    const std::size_t index = groups ? (begin + i) % groups->group() : begin + i;
    fitted[i] = workers_[i].fit(targets[i], {round, index});
  });
  return fitted;
}

}  // namespace simplexboost
