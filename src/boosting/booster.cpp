#include "boosting/booster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/stop.h"
#include "boosting/leaf_covers.h"
#include "boosting/past_model.h"
#include "boosting/setup/device_choice.h"
#include "loss/margin.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "optimizer/target/pulls.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Room for more rounds like the first one: a vector that doubles holds its values twice for a
// while, and memory that is never written to costs nothing. Not too much of it, since some systems
// count it all the same, and training may stop early.
void reserve_values(Forest& forest, std::size_t rounds) {
  constexpr std::size_t kMost = std::size_t{1} << 25;
  forest.leaf_values.reserve(std::min(rounds * forest.leaf_values.size(), kMost));
}

// Scores shrink and the probabilities stay.
void scale_steps(Ensemble& ensemble, double factor) {
  if (factor == 1) return;
  ensemble.forest.leaf_values.multiply(factor);
  for (float& slope : ensemble.forest.slopes) slope = static_cast<float>(slope * factor);
  ensemble.link_scale /= factor;
}

std::vector<float> scores_here(std::vector<float> all, const RowSpace& space, std::size_t outputs) {
  if (!space.parted()) return all;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(space.first() * outputs);
  return {begin, begin + static_cast<std::ptrdiff_t>(space.rows() * outputs)};
}

}  // namespace

Booster::Booster(const Dataset& data, Composition chosen, const TrainOptions& options,
                 const std::vector<FeatureBins>* bins)
    : data_(data),
      progress_(options.progress ? *options.progress : silent_),
      chosen_(std::move(chosen)),
      binned_(bin_rows(data, chosen_, options, bins)),
      device_(make_training_device(chosen_, binned_)),
      optimizer_(chosen_.algorithm.make_optimizer(chosen_.problem, parts())),
      train_(data.labels, data.weights, chosen_.problem.space, chosen_.codebook(),
             chosen_.problem.classes, device_rounds() ? &device_rounds()->scores() : nullptr),
      workers_(chosen_, learner_data(), options.make_learner, *optimizer_),
      ensemble_(new_ensemble(data, chosen_, options)) {
  set_images(data, chosen_, binned_);
  check_figures(options, chosen_, ensemble_);
  if (options.valid) valid_.emplace(*options.valid, learner_data(), chosen_, options, "valid_", 0);
  for (std::size_t i = 0; i < options.also_valid.size(); ++i)
    also_valid_.emplace_back(*options.also_valid[i], learner_data(), chosen_, options,
                             fmt::format("valid_{}_", i), i + 1);
  if (options.init) check_past_statistics(data, chosen_.parameters);
  std::optional<ForestStart> from;
  if (options.init) from = find_forest_start(*options.init);
  if (from) {
    check_forest_start(from->forest, ensemble_, data_.source);
    forest_ = std::move(from->forest);
  }
  if (options.init && !from)
    resume(*options.init, nullptr);
  else if (from && from->boosted)
    resume(make_model(std::move(*from->boosted)), nullptr);
  else
    start();
}

Booster::~Booster() = default;

DeviceRounds* Booster::device_rounds() const { return device_ ? device_->rounds.get() : nullptr; }

Parts Booster::parts() const {
  Parts parts = chosen_.parts();
  parts.newton_rows = device_rounds();
  parts.gradient_rows = device_rounds();
  parts.vote_rows = device_rounds();
  return parts;
}

void Booster::start() {
  if (forest_) {
    train_.set(forest_scores(data_));
    for_each_valid([&](Validation& valid) {
      valid.take_scores([&](ScoreBoard& board, const Dataset& data, const RowSpace&) {
        board.set(forest_scores(data));
      });
    });
    return;
  }
  const std::vector<float> scores = optimizer_->start();
  if (scores.empty()) return;
  ensemble_.bias = scores;
  train_.fill(scores);
  for_each_valid([&](Validation& valid) { valid.start(scores); });
}

std::vector<float> Booster::forest_scores(const Dataset& data) const {
  const RowSpace& space = chosen_.problem.space;
  const double scale = ensemble_.link_scale;
  return &data == &data_ ? unseen_start_scores(*forest_, data, binned_, scale, space)
                         : start_scores(*forest_, data, scale, space.threads());
}

std::vector<float> Booster::scores_by(const Model& model, const Dataset& data) {
  const int threads = chosen_.problem.space.threads();
  if (!forest_) return model.predict_outputs(data, {threads, 0}).values;
  // In the order of training: the forest first, then round by round.
  Matrix outputs{data.rows, ensemble_.forest.outputs, forest_scores(data)};
  predictor_of(model).add_rounds(data, 0, model.rounds(), threads, outputs);
  return std::move(outputs.values);
}

bool Booster::boost(std::size_t until) {
  const auto all = static_cast<std::size_t>(chosen_.parameters.rounds);
  std::string& why = ensemble_.log.stop_reason;
  if (!started_) progress_.start(all);
  started_ = true;
  while (round_ < std::min(until, all) && why.empty()) why = whole_round(round_++);
  if (why.empty() && round_ == all) why = fmt::format("all {} rounds done", all);
  return why.empty();
}

Model Booster::finish() {
  // What was boosted before a wish to stop is worth the short time that is left to do.
  const StopPause pause;
  std::string& why = ensemble_.log.stop_reason;
  if (why.empty()) why = fmt::format("halted after round {}", round_);
  const std::string remark = optimizer_->ending(ensemble_.forest.rounds()).remark;
  if (!remark.empty()) why += "; " + remark;
  if (valid_ && valid_->stops_early()) keep_best_round();
  final_scale_ = optimizer_->ending(ensemble_.forest.rounds()).scale;
  scale_steps(ensemble_, final_scale_);
  progress_.finish(why);
  return finished_model();
}

// Linear ones sum in another order when they predict, and statistics of training rows are others
// than the model has.
bool Booster::trees_give_scores() const {
  return ensemble_.forest.slopes.empty() && binned_.features() == data_.columns.size();
}

// Scores that a broken round has changed are those of the trees again, where these give the same
// bits.
bool Booster::save(ByteWriter& out) const {
  if (in_round_ && !broken_off_) return false;
  if (changed_ && !trees_give_scores()) return false;
  Ensemble so_far = ensemble_;
  if (so_far.log.columns.empty()) so_far.log = past_log_;
  so_far.log.stop_reason = interrupted_ ? "" : ensemble_.log.stop_reason;
  // Ranks do not bring their scores together where they need not.
  const bool parted = chosen_.problem.space.parted();
  const bool from_trees = changed_ || (parted && trees_give_scores());
  if (parted && broken_off_ && !from_trees) return false;
  out(serialize(so_far))(in_round_ ? state_ : optimizer_->state())(from_trees);
  if (from_trees) return true;
  train_.save(out);
  if (valid_) valid_->save(out);
  for (const Validation& valid : also_valid_) valid.save(out);
  return true;
}

void Booster::load(ByteReader& in) {
  std::string bytes;
  in(bytes);
  resume(Model::from_bytes(std::as_bytes(std::span(bytes))), &in);
  ensemble_.log.stop_reason = past_log_.stop_reason;
}

// What resume() has taken from the model, to the last bit. A checkpoint has the scores of all
// ranks' rows, or none.
void Booster::take_scores(const Model& before, ByteReader& checkpoint) {
  bool changed = false;
  checkpoint(changed);
  const auto take = [&](ScoreBoard& board, const Dataset& data, const RowSpace& space) {
    if (changed)
      board.set(scores_by(before, data));
    else
      board.set(scores_here(read_scores(checkpoint, space.all() * ensemble_.forest.outputs), space,
                            ensemble_.forest.outputs));
  };
  take(train_, data_, chosen_.problem.space);
  for_each_valid([&](Validation& valid) { valid.take_scores(take); });
}

void Booster::resume(const Model& model, ByteReader* checkpoint) {
  const auto past = std::make_shared<Ensemble>(ensemble_of(model));
  check_past_model(*past, ensemble_, static_cast<std::size_t>(chosen_.parameters.rounds),
                   data_.source);
  // What was scaled at the end of the past (finish) goes on as it was before.
  scale_steps(*past, past->link_scale / ensemble_.link_scale);
  const Model before = make_model(past);
  take_past_forest(past->forest);
  ensemble_.bias = past->bias;
  round_ = past->forest.rounds();
  past_log_ = past->log;
  past_log_.values.resize(std::min(past_log_.values.size(), round_ * past_log_.columns.size()));
  if (checkpoint) {
    (*checkpoint)(state_);
    take_scores(before, *checkpoint);
  } else {
    train_.set(scores_by(before, data_));
  }
  resume_optimizer(Predictor(*past), state_);
  for_each_valid([&](Validation& valid) {
    if (!checkpoint)
      valid.take_scores([&](ScoreBoard& board, const Dataset& data, const RowSpace&) {
        board.set(scores_by(before, data));
      });
    valid.resume(past_log_, round_);
  });
}

// Half precision widens without loss, and what is single stays so.
void Booster::take_past_forest(const Forest& past) {
  const LeafPrecision wanted = ensemble_.forest.leaf_values.precision();
  ensemble_.forest = past;
  if (past.leaf_cover.empty()) append_covers(ensemble_.forest, 0, {}, data_, chosen_.problem);
  LeafValues& values = ensemble_.forest.leaf_values;
  if (wanted == LeafPrecision::kFloat32) values = LeafValues(values.copy(0, values.size()));
  ensemble_.parameters["leaf-precision"] =
      values.precision() == LeafPrecision::kBfloat16 ? kHalfName : "float32";
}

void Booster::resume_optimizer(const Predictor& predictor, std::span<const std::byte> state) {
  const auto figure = [&](std::string_view name, std::size_t round) {
    const std::optional<double> value = past_log_.value(name, round);
    if (!value || std::isnan(*value))
      throw ModelError(fmt::format("the model to go on from has no '{}' in its log", name));
    return *value;
  };
  Matrix added;
  const auto round_values = [&](std::size_t round) {
    added = Matrix{data_.rows, ensemble_.forest.outputs, {}};
    added.values.assign(added.rows * added.columns, 0);
    predictor.add_rounds(data_, round, round + 1, chosen_.problem.space.threads(), added);
    return RowVectors{nullptr, added.values.data(), added.columns, 0};
  };
  optimizer_->resume({round_, train_.scores(), figure, round_values, state});
  if (round_ > 0 && optimizer_->ends_without_error() &&
      makes_no_error(chosen_.problem, round_values(round_ - 1)))
    ensemble_.log.stop_reason = kNoError;
}

void Booster::take_past_log(const std::vector<RoundMetric>& metrics, std::size_t rounds) {
  for (std::size_t r = 0; r < rounds; ++r)
    for (const RoundMetric& metric : metrics)
      ensemble_.log.values.push_back(
          past_log_.value(metric.name, r).value_or(std::numeric_limits<double>::quiet_NaN()));
}

// A round that is broken off leaves nothing behind but scores, and there is no next one to see
// them.
std::string Booster::whole_round(std::size_t round) {
  // The ranks would not stop at the same place.
  std::optional<StopPause> pause;
  if (chosen_.problem.space.parted()) pause.emplace();
  const auto break_off = [&] {
    Forest& forest = ensemble_.forest;
    if (forest.rounds() > round) forest.round_end.resize(round);
    keep_rounds(forest, forest.rounds());
    TrainingLog& log = ensemble_.log;
    log.values.resize(std::min(log.values.size(), round * log.columns.size()));
    pause_.reset();
    broken_off_ = interrupted_ = true;
    log.stop_reason = fmt::format("interrupted after round {}", round);
  };
  try {
    return one_round(round);
  } catch (const Stopped&) {
    break_off();
    throw;
  } catch (const CommunicationError&) {
    break_off();
    throw;
  }
}

std::string Booster::one_round(std::size_t round) {
  Forest& forest = ensemble_.forest;
  const std::size_t trees = forest.trees.size();
  state_ = optimizer_->state();
  in_round_ = true;
  std::string stop = take_steps(round);
  if (forest.trees.size() == trees) {
    in_round_ = false;
    return stop.empty() ? "no step lowers the risk" : stop;
  }
  forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
  if (forest.rounds() == 1)
    reserve_values(forest, static_cast<std::size_t>(chosen_.parameters.rounds));
  const std::vector<RoundMetric> metrics = log_round(round);
  in_round_ = changed_ = false;
  pause_.reset();
  const bool go_on = chosen_.problem.space.every(progress_.round(round, metrics));
  if (!stop.empty()) return stop;
  interrupted_ = !go_on;
  if (!go_on) return fmt::format("interrupted after round {}", round + 1);
  return valid_ ? valid_->stale() : std::string();
}

std::string Booster::take_steps(std::size_t round) {
  const RoundTarget first = optimizer_->target(train_.scores());
  SeveralTargets* const several = optimizer_->several();
  const std::size_t targets = several ? several->targets() : 1;
  if (targets == 0) return "nothing is left to fit";
  if (targets == 1)
    return take_step(workers_.first().fit(first, {round, 0}), round, workers_.first());
  TargetGroups* const groups = several->groups();
  looked_at_all_ = false;
  const std::size_t begin = groups ? best_group(round, targets, *groups) * groups->group() : 0;
  if (looked_at_all_)
    return take_step(workers_.first().learner->fit_output(begin), round, workers_.first());
  const std::size_t end = groups ? begin + groups->group() : targets;
  std::string stop;
  workers_.each_fit(begin, end, round, [&](const RowVectors& hypothesis, Worker& worker) {
    if (stop.empty()) stop = take_step(hypothesis, round, worker);
  });
  return stop;
}

std::size_t Booster::best_group(std::size_t round, std::size_t targets, TargetGroups& groups) {
  if (const RoundTarget all = groups.joint_target(); all.width > 0) {
    Worker& worker = workers_.first();
    const Sampler::Round seen = worker.sampler.draw(all, round, 0);
    if (worker.learner->fit_votes(seen.target, seen.sample, votes_))
      return groups.best_target(votes_);
    looked_at_all_ = worker.learner->look_at_all(seen.target, seen.sample);
    if (looked_at_all_) return best_output(targets, *worker.learner);
  }
  const std::size_t size = groups.group();
  std::size_t best = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t begin = 0; begin < targets; begin += size) {
    bool moves = false;
    double risk = 0;
    workers_.each_fit(begin, begin + size, round, [&](const RowVectors& hypothesis, Worker&) {
      const Step step = optimizer_->step(hypothesis);
      moves |= step.length > 0;
      risk = step.risk;
    });
    if (moves && risk < lowest) {
      lowest = risk;
      best = begin / size;
    }
  }
  return best;
}

std::size_t Booster::best_output(std::size_t targets, WeakLearner& learner) {
  std::size_t best = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < targets; ++j) {
    const Step step = optimizer_->step(learner.fit_output(j));
    if (!(step.length > 0) || !(step.risk < lowest)) continue;
    lowest = step.risk;
    best = j;
  }
  return best;
}

std::string Booster::take_step(RowVectors hypothesis, std::size_t round, Worker& worker) {
  Step step = optimizer_->step(hypothesis);
  while (step.again) {
    hypothesis = worker.fit(optimizer_->target(train_.scores()), {round, 0});
    step = optimizer_->step(hypothesis);
  }
  if (step.length == 0) return step.stop;
  const double length = step.length * chosen_.parameters.learning_rate;
  const LeafPrecision precision = ensemble_.forest.leaf_values.precision();
  // Where there is one step in a round a wish to stop waits for its end, and the round is whole.
  if (!optimizer_->several()) pause_.emplace();
  changed_ = true;
  train_.add(hypothesis, length, precision);
  for_each_valid(
      [&](Validation& valid) { valid.add(*worker.learner, hypothesis, length, precision); });
  append_trees(worker, hypothesis, length);
  optimizer_->advance(hypothesis, length);
  return step.stop;
}

void Booster::append_trees(const Worker& worker, const RowVectors& hypothesis, double length) {
  Forest& forest = ensemble_.forest;
  const std::size_t trees = forest.trees.size();
  std::vector<float> covers = std::exchange(forest.leaf_cover, {});
  worker.learner->append_to(forest, length);
  forest.leaf_cover = std::move(covers);
  // A rank without rows has no weights, either.
  const bool weighted =
      hypothesis.elsewhere > 0 && chosen_.problem.space.any(!data_.weights.empty());
  if (hypothesis.elsewhere > 0 && !weighted) {
    const std::vector<std::int64_t> rows = device_rounds()->leaf_rows();
    forest.leaf_cover.insert(forest.leaf_cover.end(), rows.begin(), rows.end());
  } else if (hypothesis.elsewhere > 0) {
    const std::vector<std::uint32_t> leaves = device_rounds()->scores().leaves();
    RowVectors known = hypothesis;
    known.index = leaves.data();
    append_covers(forest, trees, known, data_, chosen_.problem);
  } else {
    append_covers(forest, trees, hypothesis, data_, chosen_.problem);
  }
  if (hypothesis.minus_output != kNoOutput)
    for (std::size_t t = trees; t < forest.trees.size(); ++t)
      forest.trees[t].minus_output = hypothesis.minus_output;
  if (!hypothesis.code.empty()) spread_trees(forest, trees, hypothesis.code);
}

std::vector<RoundMetric> Booster::log_round(std::size_t round) {
  std::vector<RoundMetric> metrics{{"train_error", train_.error()}};
  for_each_valid([&](Validation& valid) { valid.judge(ensemble_, metrics); });
  for (const RoundMetric& metric : optimizer_->metrics()) metrics.push_back(metric);
  TrainingLog& log = ensemble_.log;
  if (log.columns.empty()) {
    take_past_log(metrics, round);
    for (const RoundMetric& metric : metrics) log.columns.emplace_back(metric.name);
  }
  for (const RoundMetric& metric : metrics) log.values.push_back(metric.value);
  return metrics;
}

void Booster::keep_best_round() {
  if (ensemble_.forest.rounds() == 0) return;
  // A round that was broken off may have been judged already.
  const std::size_t best = std::min(valid_->watch().best_rounds(), ensemble_.forest.rounds());
  keep_rounds(ensemble_.forest, best);
  ensemble_.log.stop_reason += fmt::format("; kept the best, round {}", best);
}

// With the margins of the training rows, jmlr2019 (9) and (14). The board knows them, but of all
// rounds and unscaled; where the last ones were dropped, or the steps scaled, the model itself
// must be asked.
Model Booster::finished_model() {
  // No new round: the log is that of the model.
  if (ensemble_.log.columns.empty()) {
    past_log_.stop_reason = ensemble_.log.stop_reason;
    ensemble_.log = std::move(past_log_);
  }
  const std::size_t boosted = ensemble_.log.rounds();
  auto ensemble = std::make_shared<Ensemble>(forest_ ? join_forest_start(*forest_, ensemble_)
                                                     : std::move(ensemble_));
  if (!data_.labels.multi_label()) {
    const bool whole =
        ensemble->forest.rounds() == boosted && final_scale_ == 1 && !broken_off_ && !forest_;
    const RowSpace& space = chosen_.problem.space;
    ensemble->log.margins =
        summarize_margins(whole ? train_.margins()
                                : make_model(ensemble).predict_margins(data_, {space.threads(), 0}),
                          space);
  }
  return make_model(std::move(ensemble));
}

}  // namespace simplexboost
