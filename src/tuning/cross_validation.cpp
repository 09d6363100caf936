#include "tuning/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>

#include "base/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/parallel_jobs.h"
#include "boosting/jobs_at_once.h"
#include "boosting/shared_progress.h"
#include "boosting/training.h"
#include "data/labels/label_noise.h"
#include "data/rows/folds.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

std::vector<std::uint32_t> part_of(const std::vector<std::uint32_t>& values,
                                   const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> part;
  if (values.empty()) return part;
  for (const std::uint32_t row : rows) part.push_back(values[row]);
  return part;
}

// Moves a share of the training rows to the validation rows: whole groups where there are groups.
void set_aside(const Dataset& data, const CrossValidationOptions& options, std::uint64_t seed,
               ThreeWaySplit& split) {
  const Labels labels = select_rows(data, split.train).labels;
  const std::vector<std::uint32_t> groups = part_of(options.groups, split.train);
  RowSplit inner;
  if (groups.empty()) {
    inner = stratified_split(labels, split.train.size(), options.valid_fraction, seed);
  } else {
    const auto parts = static_cast<int>(
        std::clamp(std::round(1 / options.valid_fraction), 2.0, static_cast<double>(kMostFolds)));
    inner = hold_out_fold(make_folds(labels, split.train.size(), {parts, seed, true, groups}), 0);
  }
  const std::vector<std::uint32_t> rows = std::move(split.train);
  split.train.clear();
  for (const std::uint32_t i : inner.train) split.train.push_back(rows[i]);
  for (const std::uint32_t i : inner.valid) split.valid.push_back(rows[i]);
}

std::size_t classes_in(const Labels& labels) {
  return std::set<std::int32_t>(labels.codes.begin(), labels.codes.end()).size();
}

class Runner {
 public:
  Runner(const Dataset& data, const Parameters& parameters, const CrossValidationOptions& options)
      : data_(data), parameters_(parameters), options_(options) {
    for (int r = 0; r < options.repeats; ++r) start_repeat(r);
    const int threads = resolve_threads(parameters.threads);
    const std::size_t jobs = job_count();
    workers_ = jobs_at_once(threads, jobs, data.rows, data.labels.classes.size());
    if (workers_ > 1) parameters_.threads = 1;
    if (!options.exact_bins) bins_ = choose_training_bins(data, parameters);
  }

  CrossValidation run() {
    const std::size_t jobs = job_count();
    const auto rounds = static_cast<std::size_t>(parameters_.rounds);
    if (options_.progress) options_.progress->start(jobs * rounds);
    SharedProgress progress(options_.progress);
    std::vector<std::optional<FoldResult>> results(jobs);
    parallel_jobs(workers_, jobs, [&](std::size_t job) {
      try {
        if (!progress.stopped()) results[job] = run_fold(job, progress);
      } catch (const Stopped&) {
        progress.stop();
      }
    });
    CrossValidation whole;
    for (const auto& result : results) {
      if (result) whole.folds.push_back(*result);
    }
    whole.whole = whole.folds.size() == jobs;
    whole.scores = std::move(scores_);
    if (options_.progress) options_.progress->finish("");
    return whole;
  }

 private:
  std::size_t job_count() const {
    return static_cast<std::size_t>(options_.repeats) * static_cast<std::size_t>(options_.folds);
  }
  std::uint64_t seed_of(int repeat) const {
    return parameters_.seed + static_cast<std::uint64_t>(repeat);
  }

  void start_repeat(int repeat) {
    const std::uint64_t seed = seed_of(repeat);
    try {
      fold_of_row_.push_back(
          make_folds(data_.labels, data_.rows, {options_.folds, seed, true, options_.groups}));
    } catch (const DataError& error) {
      throw DataError({data_.source}, error.what());
    }
    Labels labels = data_.labels;
    if (options_.label_noise > 0) flip_labels(labels, options_.label_noise, seed);
    labels_.push_back(std::move(labels));
    if (!options_.keep_scores) return;
    RepeatScores& kept = scores_.emplace_back();
    kept.fold_of_row = fold_of_row_.back();
    const std::size_t classes = data_.labels.classes.size();
    kept.scores = {data_.rows, classes, std::vector<float>(data_.rows * classes)};
  }

  ThreeWaySplit split_of(int repeat, int fold) const {
    const auto& folds = fold_of_row_[static_cast<std::size_t>(repeat)];
    if (options_.valid_fold) return hold_out_two_folds(folds, options_.folds, fold);
    RowSplit rows = hold_out_fold(folds, fold);
    ThreeWaySplit split{std::move(rows.train), {}, std::move(rows.valid)};
    if (options_.valid_fraction > 0) set_aside(data_, options_, seed_of(repeat), split);
    return split;
  }

  // Nothing if it was stopped.
  std::optional<FoldResult> run_fold(std::size_t job, SharedProgress& progress) {
    const auto folds = static_cast<std::size_t>(options_.folds);
    FoldResult result;
    result.repeat = static_cast<int>(job / folds);
    result.fold = static_cast<int>(job % folds);
    const ThreeWaySplit split = split_of(result.repeat, result.fold);
    Dataset noisy = data_;
    noisy.labels = labels_[static_cast<std::size_t>(result.repeat)];
    const Dataset train_rows = select_rows(noisy, split.train);
    const Dataset valid_rows = select_rows(noisy, split.valid);
    const Dataset test_rows = select_rows(data_, split.test);
    result.train_rows = train_rows.rows;
    result.valid_rows = valid_rows.rows;
    result.test_rows = test_rows.rows;
    result.absent_classes = classes_in(data_.labels) -
                            std::min(classes_in(data_.labels), classes_in(train_rows.labels));
    Parameters parameters = parameters_;
    parameters.seed = seed_of(result.repeat);
    PartProgress rounds(progress);
    TrainOptions training;
    training.valid = valid_rows.rows > 0 ? &valid_rows : nullptr;
    training.progress = &rounds;
    TrainingContext context;
    if (!options_.exact_bins) context.bins = &bins_;
    const auto begin = std::chrono::steady_clock::now();
    const Model model = train(train_rows, parameters, training, context);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (progress.stopped()) return std::nullopt;
    result.rounds = model.rounds();
    result.seconds = seconds.count();
    result.stop_reason = model.log().stop_reason;
    rounds.end(static_cast<std::size_t>(parameters_.rounds));
    judge(model, test_rows, split.test, result);
    return result;
  }

  void judge(const Model& model, const Dataset& test, const std::vector<std::uint32_t>& rows,
             FoldResult& result) {
    const PredictOptions predict{parameters_.threads, 0};
    const Evaluation evaluation = tally_model(model, test, predict, parts_of(options_.metrics));
    for (const Metric& metric : options_.metrics) result.values.push_back(metric.value(evaluation));
    if (!options_.keep_scores) return;
    // Each row is in one fold: no two jobs write the same.
    RepeatScores& kept = scores_[static_cast<std::size_t>(result.repeat)];
    const Matrix scores = model.predict_scores(test, predict);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(scores.row(i), scores.columns, kept.scores.row(rows[i]));
    if (!model.has_proba()) return;
    const Matrix proba = model.predict_proba(test, predict);
    {
      const std::lock_guard lock(mutex_);
      if (kept.proba.values.empty())
        kept.proba = {data_.rows, proba.columns, std::vector<float>(data_.rows * proba.columns)};
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(proba.row(i), proba.columns, kept.proba.row(rows[i]));
  }

  const Dataset& data_;
  Parameters parameters_;
  const CrossValidationOptions& options_;
  int workers_ = 1;
  std::vector<FeatureBins> bins_;
  std::vector<std::vector<std::uint16_t>> fold_of_row_;  // of each repeat
  std::vector<Labels> labels_;                           // of each repeat, with the noise
  std::vector<RepeatScores> scores_;
  std::mutex mutex_;
};

void check(const CrossValidationOptions& options) {
  if (options.repeats < 1) throw ParameterError("repeats: give 1 or more");
  if (options.valid_fold && options.folds < 3)
    throw ParameterError("folds: with a fold for validation there must be 3 or more");
  if (options.valid_fold && options.valid_fraction > 0)
    throw ParameterError("validation rows are a fold or a share of the others, not both");
}

}  // namespace

CrossValidation cross_validate(const Dataset& data, const Parameters& parameters,
                               const CrossValidationOptions& options) {
  check(options);
  return Runner(data, parameters, options).run();
}

MeanAndDeviation summarize(const std::vector<FoldResult>& folds, std::size_t metric) {
  double sum = 0;
  double count = 0;
  for (const FoldResult& fold : folds) {
    if (std::isnan(fold.values[metric])) continue;
    sum += fold.values[metric];
    count += 1;
  }
  const double mean = sum / count;
  double squares = 0;
  for (const FoldResult& fold : folds) {
    const double gap = fold.values[metric] - mean;
    if (!std::isnan(gap)) squares += gap * gap;
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) : none};
}

}  // namespace simplexboost
