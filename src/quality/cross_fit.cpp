#include "quality/cross_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/byte_stream.h"
#include "base/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/parallel_jobs.h"
#include "boosting/checkpoint.h"
#include "boosting/jobs_at_once.h"
#include "boosting/training.h"
#include "data/rows/folds.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "quality/label_noise.h"

namespace simplexboost {
namespace {

// Rounds without gain before a training ends.
int patience_of(int rounds) { return std::max(30, rounds / 10); }

class WatchedProgress : public Progress {
 public:
  explicit WatchedProgress(FitWatch& watch) : watch_(watch) {}
  bool round(std::size_t, std::span<const RoundMetric>) override { return watch_.go_on(); }

 private:
  FitWatch& watch_;
};

struct Fold {
  RowSplit rows;
  Dataset train;
  Dataset valid;
  std::vector<double> curve;  // of the watched metric on the held-out rows, round by round
  double weight = 0;          // of the held-out rows
  std::optional<Model> model;
};

// The round of the least weighted mean of the folds' curves, one of them left out or none (-1).
// Beyond its end a curve goes on level: that training had seen enough.
std::size_t best_round(const std::vector<Fold>& folds, std::ptrdiff_t left_out) {
  std::size_t longest = 0;
  for (const Fold& fold : folds) longest = std::max(longest, fold.curve.size());
  std::size_t best = longest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < longest; ++r) {
    double sum = 0;
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const std::vector<double>& curve = folds[f].curve;
      if (static_cast<std::ptrdiff_t>(f) == left_out || curve.empty() || !(folds[f].weight > 0))
        continue;
      sum += folds[f].weight * curve[std::min(r, curve.size() - 1)];
    }
    if (!(sum < least)) continue;
    least = sum;
    best = r + 1;
  }
  return best;
}

double total_weight(const Dataset& data) {
  if (data.weights.empty()) return static_cast<double>(data.rows);
  double sum = 0;
  for (const double weight : data.weights) sum += weight;
  return sum;
}

class CrossFitter {
 public:
  CrossFitter(const Dataset& data, const MemberSetting& setting, FitWatch& watch,
              const CrossFitOptions& options)
      : data_(data), parameters_(setting.parameters), watch_(watch), options_(options) {
    stops_ = parameters_.algorithm != "forest" && parameters_.early_stopping != 0;
    if (parameters_.early_stopping <= 0)
      parameters_.early_stopping = patience_of(parameters_.rounds);
    if (!stops_) parameters_.early_stopping = 0;
  }

  CrossFit run(std::span<const std::uint16_t> fold_of_row, int folds) {
    const auto begin = std::chrono::steady_clock::now();
    const auto count = static_cast<std::size_t>(folds);
    folds_.resize(count);
    const int threads = resolve_threads(parameters_.threads);
    std::vector<std::size_t> jobs;
    std::size_t own_folds = 0;
    for (std::size_t job = 0; job < count + options_.beside.size(); ++job) {
      if (job < count) folds_[job].rows = hold_out_fold(fold_of_row, static_cast<int>(job));
      if (!is_mine(job)) continue;
      jobs.push_back(job);
      if (job < count) ++own_folds;
    }
    share_past();
    const int workers = jobs_at_once(threads, own_folds, data_.rows, data_.labels.classes.size());
    if (workers > 1) parameters_.threads = 1;
    parallel_jobs(workers, jobs.size(), [&](std::size_t j) {
      if (jobs[j] < count)
        fit(jobs[j]);
      else
        options_.beside[jobs[j] - count](parameters_.threads);
    });
    share_folds();
    CrossFit result;
    result.whole = std::all_of(folds_.begin(), folds_.end(),
                               [](const Fold& fold) { return fold.model.has_value(); });
    const StopPause pause;  // what the trainings have done is worth the rest
    if (result.whole) finish(threads, result);
    if (!result.whole)
      for (const Fold& fold : folds_)
        if (fold.model && fold.model->rounds() > (result.part ? result.part->rounds() : 0))
          result.part = fold.model;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }

 private:
  bool is_mine(std::size_t job) const { return rank_of_job(job, ranks_) == ranks_.rank(); }
  std::string part_name(std::size_t f) const {
    return fmt::format("{} fold {}", options_.keeper.name, f);
  }

  // What the checkpoint of rank 0 has of a fold goes to the rank that goes on from it, ...
  void share_past() {
    if (ranks_.size() == 1 || !options_.keeper.file) return;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      ByteWriter writer;
      if (ranks_.rank() == 0) writer(options_.keeper.file->find(part_name(f)).value_or(""));
      std::vector<std::byte> bytes = writer.bytes();
      broadcast_all(ranks_, bytes, 0);
      std::string past;
      ByteReader reader(bytes);
      reader(past);
      if (is_mine(f) && !past.empty()) options_.keeper.file->keep(part_name(f), std::move(past));
    }
  }

  // ... and what came of it to all, for rank 0 to keep.
  void share_folds() {
    if (ranks_.size() == 1) return;
    CheckpointFile* const file = options_.keeper.file;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      Fold& fold = folds_[f];
      ByteWriter writer;
      if (is_mine(f))
        writer(fold.curve)(fold.weight)(fold.model ? serialize(ensemble_of(*fold.model)) : "")(
            file ? file->find(part_name(f)).value_or("") : "");
      std::vector<std::byte> bytes = writer.bytes();
      broadcast_all(ranks_, bytes, rank_of_job(f, ranks_));
      if (is_mine(f)) continue;
      std::string model;
      std::string part;
      ByteReader reader(bytes);
      reader(fold.curve)(fold.weight)(model)(part);
      if (!model.empty()) fold.model = make_model(deserialize(std::as_bytes(std::span(model))));
      if (file && !part.empty()) file->keep(part_name(f), std::move(part));
    }
    if (file) file->write();
  }

  // Training keeps all rounds: which are kept is known when all folds are done.
  void fit(std::size_t f) {
    try {
      fit_fold(f);
    } catch (const Stopped&) {
      // Not one round of this fold; others may have some.
    }
  }

  void fit_fold(std::size_t f) {
    Fold& fold = folds_[f];
    fold.train = select_rows(data_, fold.rows.train);
    if (options_.prepare)
      fold.train =
          options_.prepare(std::move(fold.train), {f, fold.rows.train, parameters_.threads});
    fold.valid = select_rows(data_, fold.rows.valid);
    if (options_.trust) {
      std::vector<double> trust;
      for (const std::uint32_t row : fold.rows.valid) trust.push_back((*options_.trust)[row]);
      fold.valid = weigh_by_trust(std::move(fold.valid), trust);
    }
    fold.weight = total_weight(fold.valid);
    std::optional<TrainingPart> part;
    if (options_.keeper.file) part.emplace(*options_.keeper.file, part_name(f), WorkFacts{});
    if (!options_.needed && !watch_.go_on()) return;
    WatchedProgress progress(watch_);
    TrainOptions options;
    options.valid = &fold.valid;
    options.progress = &progress;
    TrainingContext context;
    if (parameters_.max_bins == 0) context.bins = options_.bins;
    if (part) context.past = part->past();
    Parameters parameters = parameters_;
    parameters.early_stopping = 0;
    Training training = make_training(fold.train, parameters, options, context);
    const bool whole = (part && part->ended()) || boost(training, part ? &*part : nullptr);
    if (stops_) {
      const std::span<const double> values = training.validation_values();
      fold.curve.assign(values.begin(), values.end());
    }
    // Where no tree lowers the risk, the start is all that the rows say.
    if (whole || training.rounds() > 0) fold.model = training.finish();
  }

  // A wish to stop leaves the rounds before it: false.
  bool boost(Training& training, TrainingPart* part) {
    bool whole = true;
    const auto patience = static_cast<std::size_t>(parameters_.early_stopping);
    constexpr std::size_t kStep = 10;
    std::size_t until = training.rounds() / kStep * kStep + kStep;
    try {
      while (training.boost(until)) {
        until += kStep;
        if (stops_ && training.rounds() - training.best_rounds() >= patience) break;
        if (part) part->after_round(training);
      }
    } catch (const Stopped&) {
      whole = false;  // what is there may be enough
    }
    if (part) part->save(training, !stop_requested());
    return whole;
  }

  // Of each fold.
  std::size_t kept_trees() const {
    const bool bounded = options_.kept_trees > 0 && parameters_.algorithm == "forest";
    return bounded ? (options_.kept_trees + folds_.size() - 1) / folds_.size()
                   : std::numeric_limits<std::size_t>::max();
  }

  // At least one, where there are any.
  static std::size_t rounds_near(std::size_t wanted, std::size_t rounds) {
    return std::min(std::max<std::size_t>(wanted, 1), rounds);
  }

  void finish(int threads, CrossFit& result) {
    const std::size_t classes = data_.labels.classes.size();
    result.proba = Matrix{data_.rows, classes, std::vector<float>(data_.rows * classes)};
    std::vector<std::size_t> kept;
    const std::size_t all = stops_ ? best_round(folds_, -1) : 0;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const Fold& fold = folds_[f];
      const std::size_t rounds = fold.model->rounds();
      const std::size_t honest =
          stops_ ? best_round(folds_, static_cast<std::ptrdiff_t>(f)) : rounds;
      Matrix proba{fold.rows.valid.size(), classes, {}};
      if (is_mine(f))
        proba = fold.model->predict_proba(fold.valid, {threads, rounds_near(honest, rounds)});
      else
        proba.values.resize(proba.rows * classes);
      ranks_.broadcast(std::as_writable_bytes(std::span(proba.values)), rank_of_job(f, ranks_));
      for (std::size_t i = 0; i < fold.rows.valid.size(); ++i)
        std::copy_n(proba.row(i), classes, result.proba.row(fold.rows.valid[i]));
      result.trained = std::max(result.trained, rounds);
      kept.push_back(stops_ ? rounds_near(all, rounds) : std::min(rounds, kept_trees()));
    }
    result.rounds = *std::max_element(kept.begin(), kept.end());
    merge(kept, result.ensemble);
  }

  // Trees of the same number have the same random numbers in all folds, and are much alike: where
  // some are kept, of each fold others.
  std::size_t other_tree(std::size_t fold, std::size_t number, std::size_t kept) const {
    const std::size_t trees = folds_[fold].model->rounds();
    return kept == trees ? number : (fold * kept + number) % trees;
  }

  void merge(const std::vector<std::size_t>& kept, Ensemble& merged) const {
    const auto count = static_cast<double>(folds_.size());
    // A training without rounds has no link scale of its own.
    const auto trained = std::find_if(folds_.begin(), folds_.end(),
                                      [](const Fold& fold) { return fold.model->rounds() > 0; });
    const Ensemble& first =
        ensemble_of(*(trained == folds_.end() ? folds_.front() : *trained).model);
    merged.algorithm = first.algorithm;
    merged.parameters = first.parameters;
    // Trainings of folds were ended from here.
    merged.parameters["early-stopping"] = fmt::format("{}", parameters_.early_stopping);
    merged.schema = first.schema;
    merged.codewords = first.codewords;  // by seed and classes: those of all folds
    merged.simplex = first.simplex;
    merged.link = first.link;
    merged.link_loss = first.link_loss;
    merged.link_scale = first.link_scale;
    merged.members = first.members;
    merged.pool = first.pool;
    merged.forest.outputs = first.forest.outputs;
    merged.bias.assign(first.bias.size(), 0);
    for (const auto& fold : folds_) {
      const Ensemble& one = ensemble_of(*fold.model);
      merged.link_shift += one.link_shift / count;
      for (std::size_t j = 0; j < merged.bias.size(); ++j)
        merged.bias[j] += static_cast<float>(static_cast<double>(one.bias[j]) / count);
    }
    // The mean of forests is the mean of all their trees.
    const bool shares = !merged.members.empty();
    if (shares)
      merged.members[0].scale =
          1 / static_cast<double>(std::accumulate(kept.begin(), kept.end(), std::size_t{0}));
    for (std::size_t r = 0; r < *std::max_element(kept.begin(), kept.end()); ++r) {
      for (std::size_t f = 0; f < folds_.size(); ++f)
        if (r < kept[f])
          append_round(merged.forest, ensemble_of(*folds_[f].model).forest,
                       shares ? other_tree(f, r, kept[f]) : r, shares ? 1 : 1 / count, 0);
      merged.forest.round_end.push_back(static_cast<std::uint32_t>(merged.forest.trees.size()));
    }
  }

  const Dataset& data_;
  Parameters parameters_;
  FitWatch& watch_;
  const CrossFitOptions& options_;
  Communicator& ranks_ = *options_.ranks;
  bool stops_ = true;
  std::vector<Fold> folds_;
};

// A class that no tree voted for is not impossible: where probabilities are multiplied, it would
// be for all members.
void leave_a_chance(CrossFit& forest) {
  constexpr double kChance = 0.02;  // of all classes together
  const double each = kChance / static_cast<double>(forest.proba.columns);
  forest.ensemble.members[0].shift = each;
  for (float& p : forest.proba.values)
    p = static_cast<float>((static_cast<double>(p) + each) / (1 + kChance));
}

}  // namespace

CrossFit bag_fit(const Dataset& data, const MemberSetting& setting, FitWatch& watch,
                 const CrossFitOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<TrainingPart> part;
  if (options.keeper.file) part.emplace(*options.keeper.file, options.keeper.name, WorkFacts{});
  WatchedProgress progress(watch);
  TrainOptions how;
  how.progress = &progress;
  TrainingContext context;
  if (setting.parameters.max_bins == 0) context.bins = options.bins;
  if (part) context.past = part->past();
  const std::optional<Dataset> doubted =
      options.trust ? std::optional(weigh_by_trust(data, *options.trust)) : std::nullopt;
  Training training = make_training(doubted ? *doubted : data, setting.parameters, how, context);
  try {
    constexpr std::size_t kStep = 10;
    while ((!part || !part->ended()) && training.boost(training.rounds() + kStep))
      if (part) part->after_round(training);
  } catch (const Stopped&) {
    // The trees so far are a forest.
  }
  if (part) part->save(training, !stop_requested());
  CrossFit result;
  const StopPause pause;
  std::optional<Matrix> proba = out_of_bag(training);
  result.whole = training.rounds() > 0 && proba && proba->rows == data.rows;
  if (!result.whole) return result;
  result.proba = std::move(*proba);
  result.rounds = training.rounds();
  result.ensemble = ensemble_of(training.finish());
  if (!data.labels.multi_label()) leave_a_chance(result);
  // Its temperature and estimate are those of a forest alone.
  result.ensemble.link_scale = 1;
  result.ensemble.estimate.reset();
  result.ensemble.log = {};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

CrossFit cross_fit(const Dataset& data, const MemberSetting& setting,
                   std::span<const std::uint16_t> fold_of_row, int folds, FitWatch& watch,
                   const CrossFitOptions& options) {
  return CrossFitter(data, setting, watch, options).run(fold_of_row, folds);
}

}  // namespace simplexboost
