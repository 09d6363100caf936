#include "simplexboost/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "boosting/algorithm_table.h"
#include "boosting/class_weights.h"
#include "boosting/cost_matrix.h"
#include "boosting/custom_learner.h"
#include "boosting/data_check.h"
#include "boosting/past_model.h"
#include "boosting/round_watch.h"
#include "boosting/sampling.h"
#include "boosting/score_board.h"
#include "boosting/training.h"
#include "codeword/make_codebook.h"
#include "data/binned_dataset.h"
#include "metric/metric_table.h"
#include "model/ensemble.h"
#include "model/predictor.h"
#include "optimizer/pulls.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

void check_data(const Dataset& data, const AlgorithmRow& algorithm) {
  check_training_data(data);
  if (data.labels.multi_label() && !algorithm.multi_label)
    throw DataError(
        Place{data.source},
        fmt::format("{} takes one label a row; use adaboost-mh for several", algorithm.name));
  // Algorithms of several labels can leave out those that are unknown.
  const std::vector<float>& weights = data.labels.weights;
  const bool only_unknown =
      algorithm.multi_label && data.labels.multi_label() &&
      std::all_of(weights.begin(), weights.end(), [](float w) { return w == 0 || w == 1; });
  if (!weights.empty() && !algorithm.label_weights && !only_unknown)
    throw DataError(Place{data.source},
                    fmt::format("{} has no place for weights of labels; use adaboost-mh or "
                                "one-vs-all, or weights of rows",
                                algorithm.name));
}

// Weights count as given: a row of weight 2 is the same as that row twice.
Problem make_problem(const Dataset& data, int threads) {
  Problem problem{data.labels, std::vector<double>(data.rows, 1.0), data.rows,
                  data.labels.classes.size(), threads};
  problem.features = data.columns.size();
  if (data.weights.empty()) return problem;
  const double sum = std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum))
    throw DataError(Place{data.source}, "the weights must have a positive, finite sum");
  problem.weights = data.weights;
  return problem;
}

// The rows that count. Rows of weight zero, or of no known label, must not even break a tie.
std::vector<std::uint32_t> weighted_rows(const Dataset& data) {
  const std::size_t classes = data.labels.classes.size();
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const bool counts = data.weights.empty() || data.weights[i] > 0;
    const float* const said = data.labels.row_weights(i);
    if (counts && (!said || std::any_of(said, said + classes, [](float w) { return w > 0; })))
      rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

void check_own_loss(const AlgorithmRow& algorithm, const Parameters& wanted,
                    const TrainOptions& options) {
  if (options.loss && options.objective)
    throw ParameterError("loss: give a gamma-phi pair or an objective, not both");
  if (wanted.loss != "auto")
    throw ParameterError("loss: it must be 'auto' where a loss of one's own is given");
  if (!algorithm.composed)
    throw ParameterError(
        fmt::format("loss: {} has its own; give yours to newton, gd-mcboost, cd-mcboost or "
                    "cd-mcboost-cyclic",
                    algorithm.name));
  const std::string name = options.loss ? options.loss->name() : options.objective->name();
  for (const std::string_view taken : loss_names())
    if (name == taken)
      throw ParameterError(
          fmt::format("loss: '{}' is the name of a built-in one; call yours otherwise", name));
  const std::string& metric = wanted.early_stopping_metric;
  if (metric != "auto" && metric != "risk" &&
      (find_metric(metric, false).parts() & (kTallyProbabilities | kTallyAreas)) != 0)
    throw ParameterError(
        fmt::format("early-stopping-metric: models of one's own losses give no probabilities, so "
                    "there is no {}; use 'risk' or 'error'",
                    metric));
}

}  // namespace

class Booster {
 public:
  Booster(const Dataset& data, const Parameters& parameters, const TrainOptions& options)
      : data_(data),
        algorithm_(find_algorithm(parameters.algorithm, data.labels.multi_label())),
        progress_(options.progress ? *options.progress : silent_),
        threads_(resolve_threads(parameters.threads)),
        given_codewords_(parameters.codewords),
        problem_((check_data(data, algorithm_), make_problem(data, threads_))),
        parameters_(resolve_parameters(algorithm_, parameters, problem_)),
        learner_row_(choose_learner(parameters, options)),
        codebook_((choose_costs(options), choose_codebook(options))),
        loss_(choose_loss(parameters, options)),
        binned_(data, bins_for(data, options), threads_),
        optimizer_(algorithm_.make_optimizer(problem_, parts())),
        train_(data.labels, data.weights, data.rows, codebook(), problem_.classes, threads_),
        metric_(choose_metric()),
        watch_(make_watch()) {
    make_workers(options);
    if (options.valid) start_validation(*options.valid, data);
    ensemble_.algorithm = algorithm_.name;
    for (const ParameterSpec& spec : parameter_specs())
      ensemble_.parameters[std::string(spec.name)] = get_parameter(parameters_, spec.name);
    // The model does not depend on how many threads made it, nor should its bytes.
    ensemble_.parameters.erase("threads");
    if (options.make_learner) ensemble_.parameters["learner"] = "custom";
    if (loss_) ensemble_.parameters["loss"] = loss_->name();
    ensemble_.schema = data.schema();
    const std::size_t outputs = codebook_ ? codebook_->dimension() : problem_.classes;
    ensemble_.forest.outputs = static_cast<std::uint32_t>(outputs);
    ensemble_.bias.assign(outputs, 0);
    algorithm_.set_link(ensemble_, parts());
    if (options.init) resume(*options.init);
  }

  // Until so many rounds are done; false where training is over.
  bool boost(std::size_t until) {
    const auto all = static_cast<std::size_t>(parameters_.rounds);
    std::string& why = ensemble_.log.stop_reason;
    if (!started_) progress_.start(all);
    started_ = true;
    while (round_ < std::min(until, all) && why.empty()) why = one_round(round_++);
    if (why.empty() && round_ == all) why = fmt::format("all {} rounds done", all);
    return why.empty();
  }

  std::size_t rounds() const { return ensemble_.forest.rounds(); }
  const RoundWatch& watch() const { return watch_; }

  Model finish() {
    std::string& why = ensemble_.log.stop_reason;
    if (why.empty()) why = fmt::format("halted after round {}", round_);
    if (const std::string remark = optimizer_->remark(); !remark.empty()) why += "; " + remark;
    if (valid_ && parameters_.early_stopping > 0) keep_best_round();
    final_scale_ = optimizer_->final_scale(ensemble_.forest.rounds());
    scale_steps(ensemble_, final_scale_);
    progress_.finish(why);
    return finished_model();
  }

 private:
  // A user's learner stands in for the most general of ours that the algorithm takes, and is told
  // all of the pulls.
  const LearnerRow& choose_learner(const Parameters& wanted, const TrainOptions& options) {
    if (!options.make_learner)
      return find_learner(parameters_.learner, parameters_.leaf_values, algorithm_.families);
    if (wanted.learner != "auto")
      throw ParameterError("learner: it must be 'auto' where make_learner is given");
    const auto& families = algorithm_.families;
    if (families.front() == LearnerFamily::kScalar || families.front() == LearnerFamily::kDirect)
      throw ParameterError(
          fmt::format("{} takes no learner of one's own; use gd-mcboost", algorithm_.name));
    const bool real =
        std::find(families.begin(), families.end(), LearnerFamily::kReal) != families.end();
    parameters_.sketch = 0;
    return find_learner(real ? "tree" : algorithm_.learner, real ? "vector" : "auto", families);
  }

  // Who fits a target.
  struct Worker {
    std::unique_ptr<WeakLearner> learner;
    Sampler sampler;
  };

  // One, which uses all threads; or, where a round has a target for every thread, several that fit
  // one each. A few for each thread, since some targets take longer than others.
  void make_workers(const TrainOptions& options) {
    constexpr std::size_t kForAThread = 4;
    const auto threads = static_cast<std::size_t>(threads_);
    const bool many = !options.make_learner && optimizer_->at_once() && threads > 1 &&
                      optimizer_->targets() >= threads;
    const std::size_t count = many ? std::min(optimizer_->targets(), kForAThread * threads) : 1;
    for (std::size_t i = 0; i < count; ++i)
      workers_.push_back(
          {make_weak_learner(options), Sampler(parameters_, data_.rows, data_.columns.size())});
  }

  std::unique_ptr<WeakLearner> make_weak_learner(const TrainOptions& options) const {
    if (!options.make_learner)
      return make_learner(learner_row_, {data_, binned_, codebook()}, parameters_);
    return std::make_unique<CustomLearnerAdapter>(
        options.make_learner, LearnerContext{data_, parameters_}, learner_row_.family, threads_);
  }

  // The model keeps the costs themselves, unless there are very many: then the file's name.
  void choose_costs(const TrainOptions& options) {
    constexpr std::size_t kKeptClasses = 100;
    if (parameters_.costs == "none") return;
    if (!algorithm_.composed || options.objective)
      throw ParameterError(
          fmt::format("costs: {} has no place for them; use newton, gd-mcboost, cd-mcboost or "
                      "cd-mcboost-cyclic with a gamma-phi loss, or class-weight",
                      options.objective ? "an objective of one's own" : algorithm_.name));
    problem_.costs = read_costs(parameters_.costs, data_.labels.classes);
    if (problem_.classes <= kKeptClasses)
      parameters_.costs = costs_text(problem_.costs, problem_.classes);
  }

  std::optional<Codebook> choose_codebook(const TrainOptions& options) {
    if (!options.codewords.empty()) return own_codebook(options.codewords);
    if (!algorithm_.composed) return std::nullopt;
    CodebookSpec spec;
    spec.kind = parameters_.codewords;
    spec.classes = problem_.classes;
    if (parameters_.dimension > 0) spec.dimension = static_cast<std::size_t>(parameters_.dimension);
    spec.seed = parameters_.seed;
    spec.threads = threads_;
    return make_codebook(spec);
  }
  Codebook own_codebook(const std::vector<float>& matrix) {
    const std::size_t classes = problem_.classes;
    const auto require = [](bool condition, const std::string& what) {
      if (!condition) throw ParameterError("codewords: " + what);
    };
    require(algorithm_.composed, fmt::format("{} has its own", algorithm_.name));
    require(given_codewords_ == "auto", "it must be 'auto' where a matrix is given");
    require(matrix.size() % classes == 0,
            fmt::format("{} numbers are no lines for {} classes", matrix.size(), classes));
    require(std::all_of(matrix.begin(), matrix.end(), [](float x) { return std::isfinite(x); }),
            "a number of the matrix is not finite");
    const auto width = static_cast<std::ptrdiff_t>(matrix.size() / classes);
    std::set<std::vector<float>> lines;
    for (auto line = matrix.begin(); line != matrix.end(); line += width)
      require(lines.emplace(line, line + width).second, "two classes have the same");
    parameters_.codewords = "custom";
    return Codebook::dense(CodebookKind::kFile, classes, matrix);
  }
  const Codebook* codebook() const { return codebook_ ? &*codebook_ : nullptr; }
  Parts parts() const { return {parameters_, learner_row_.family, codebook(), loss_, problem_}; }

  // Null where the algorithm has no choice.
  std::shared_ptr<const Loss> choose_loss(const Parameters& wanted, const TrainOptions& options) {
    if (!options.loss && !options.objective)
      return algorithm_.composed ? make_loss(parameters_.loss) : nullptr;
    check_own_loss(algorithm_, wanted, options);
    std::shared_ptr<const Loss> loss =
        options.loss ? make_loss(options.loss)
                     : make_loss(options.objective, 2 / class_score_scale(*codebook_));
    if (wanted.early_stopping_metric == "auto")
      parameters_.early_stopping_metric = loss->knows_risk() ? "risk" : "error";
    return loss;
  }

  // Takes over the rounds of a model: its trees, its log, and the scores that they give the rows.
  void resume(const Model& model) {
    const auto past = std::make_shared<Ensemble>(model.ensemble());
    check_past_model(*past, ensemble_, static_cast<std::size_t>(parameters_.rounds), data_.source);
    // What was scaled at the end of the past (finish) goes on as it was before.
    scale_steps(*past, past->link_scale / ensemble_.link_scale);
    const Model before(past);
    ensemble_.forest = past->forest;
    ensemble_.bias = past->bias;
    round_ = past->forest.rounds();
    past_log_ = past->log;
    past_log_.values.resize(std::min(past_log_.values.size(), round_ * past_log_.columns.size()));
    train_.set(before.predict_outputs(data_, {threads_, 0}).values);
    resume_optimizer(Predictor(*past));
    if (!valid_) return;
    valid_->set(before.predict_outputs(*valid_data_, {threads_, 0}).values);
    watch_past();
  }

  void resume_optimizer(const Predictor& predictor) {
    const auto figure = [&](std::string_view name, std::size_t round) {
      const std::optional<double> value = logged_value(past_log_, name, round);
      if (!value || std::isnan(*value))
        throw ModelError(fmt::format("the model to go on from has no '{}' in its log", name));
      return *value;
    };
    Matrix added;
    const auto round_values = [&](std::size_t round) {
      added = Matrix{data_.rows, ensemble_.forest.outputs, {}};
      added.values.assign(added.rows * added.columns, 0);
      predictor.add_rounds(data_, round, round + 1, threads_, added);
      return RowVectors{nullptr, added.values.data(), added.columns, 0};
    };
    optimizer_->resume({round_, train_.scores(), figure, round_values});
    if (round_ > 0 && optimizer_->ends_without_error() &&
        makes_no_error(problem_, round_values(round_ - 1)))
      ensemble_.log.stop_reason = kNoError;
  }

  // The figures of the rounds that are there; what was not logged cannot be the best.
  void watch_past() {
    for (std::size_t r = 0; r < round_; ++r)
      watch_.add(logged_value(past_log_, watched_column_, r)
                     .value_or(std::numeric_limits<double>::quiet_NaN()));
  }

  // The log of the model that training goes on from: not a number where it lacks a figure.
  void take_past_log(const std::vector<RoundMetric>& metrics, std::size_t rounds) {
    for (std::size_t r = 0; r < rounds; ++r)
      for (const RoundMetric& metric : metrics)
        ensemble_.log.values.push_back(logged_value(past_log_, metric.name, r)
                                           .value_or(std::numeric_limits<double>::quiet_NaN()));
  }

  std::vector<FeatureBins> bins_for(const Dataset& data, const TrainOptions& options) const {
    if (!options.bins) return choose_bins(data, {parameters_.max_bins, threads_});
    if (options.bins->size() != data.columns.size())
      throw DataError(Place{data.source}, "the bins given are of other columns");
    return *options.bins;
  }

  // What the validation data is watched by; nothing where it is the risk.
  std::optional<Metric> choose_metric() const {
    const std::string& name = parameters_.early_stopping_metric;
    if (name == "risk") return std::nullopt;
    try {
      return find_metric(name, data_.labels.multi_label());
    } catch (const ParameterError& error) {
      throw ParameterError(std::string("early-stopping-metric: ") + error.what());
    }
  }

  RoundWatch make_watch() const {
    const BestRoundRule rule = best_round_rule(parameters_.early_stopping_rule);
    const int start = parameters_.early_stopping_start;
    const std::size_t usual = rule == BestRoundRule::kSmoothed ? RoundWatch::kSmoothedStart : 0;
    return {rule, metric_ && metric_->higher_is_better(),
            start < 0 ? usual : static_cast<std::size_t>(start)};
  }

  void start_validation(const Dataset& valid, const Dataset& data) {
    check_validation_data(valid, data);
    valid_data_ = &valid;
    // The log calls the Hamming loss of sets an error too.
    const std::string error = find_metric("error", data.labels.multi_label()).json_name();
    const std::string watched = metric_ ? metric_->json_name() : "risk";
    watched_column_ = "valid_" + (watched == error ? "error" : watched);
    valid_bins_.emplace(valid, binned_.all_bins(), threads_);
    valid_.emplace(valid.labels, valid.weights, valid.rows, codebook(), problem_.classes, threads_);
  }

  // Which hypothesis of which round: what is random depends on it.
  struct Draw {
    std::size_t round;
    std::size_t target;
  };

  // Returns why training ends with it, or nothing.
  std::string one_round(std::size_t round) {
    Forest& forest = ensemble_.forest;
    const std::size_t trees = forest.trees.size();
    const std::string stop = take_steps(round);
    if (forest.trees.size() == trees) return stop.empty() ? "no step lowers the risk" : stop;
    forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
    const bool go_on = log_round(round);
    if (!stop.empty()) return stop;
    if (!go_on) return fmt::format("interrupted after round {}", round + 1);
    if (stale())
      return fmt::format("no better validation {} in {} rounds", watched_name(),
                         parameters_.early_stopping);
    return {};
  }

  // The steps of a round; returns why training ends with them, or nothing.
  std::string take_steps(std::size_t round) {
    const FitTarget first = optimizer_->target(train_.scores());
    const std::size_t targets = optimizer_->targets();
    if (targets == 0) return "nothing is left to fit";
    if (targets == 1) return take_step(fit(first, {round, 0}, workers_[0]), round, workers_[0]);
    const bool best = optimizer_->target_use() == TargetUse::kBest;
    const std::size_t begin = best ? best_group(round) * optimizer_->group() : 0;
    const std::size_t end = best ? begin + optimizer_->group() : targets;
    std::string stop;
    each_fit(begin, end, round, [&](const RowVectors& hypothesis, Worker& worker) {
      if (stop.empty()) stop = take_step(hypothesis, round, worker);
    });
    return stop;
  }

  // The group of targets whose steps lead to the lowest risk; the first if none lowers it. All see
  // the same samples of the rows and features.
  std::size_t best_group(std::size_t round) {
    if (const FitTarget all = optimizer_->joint_target(); all.width > 0) {
      const Sampler::Round seen = workers_[0].sampler.draw(all, round, 0);
      if (workers_[0].learner->fit_votes(seen.target, seen.sample, votes_))
        return optimizer_->best_target(votes_);
    }
    const std::size_t size = optimizer_->group();
    std::size_t best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t begin = 0; begin < optimizer_->targets(); begin += size) {
      bool moves = false;
      double risk = 0;
      each_fit(begin, begin + size, round, [&](const RowVectors& hypothesis, Worker&) {
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

  // Calls use(hypothesis, its worker) for the targets [begin, end), in their order.
  template <class Use>
  void each_fit(std::size_t begin, std::size_t end, std::size_t round, const Use& use) {
    for (; begin < end; begin += workers_.size()) {
      const std::vector<RowVectors> fitted =
          fit_several(begin, std::min(begin + workers_.size(), end), round);
      for (std::size_t i = 0; i < fitted.size(); ++i) use(fitted[i], workers_[i]);
    }
  }

  // The hypotheses for the targets [begin, end), one to a worker.
  std::vector<RowVectors> fit_several(std::size_t begin, std::size_t end, std::size_t round) {
    std::vector<FitTarget> targets;
    for (std::size_t i = begin; i < end; ++i) targets.push_back(optimizer_->target_at(i));
    const bool best = optimizer_->target_use() == TargetUse::kBest;
    std::vector<RowVectors> fitted(targets.size());
    parallel_for(workers_.size() > 1 ? threads_ : 1, targets.size(), [&](std::size_t i) {
      const std::size_t index = best ? (begin + i) % optimizer_->group() : begin + i;
      fitted[i] = fit(targets[i], {round, index}, workers_[i]);
    });
    return fitted;
  }

  static RowVectors fit(const FitTarget& target, const Draw& draw, Worker& worker) {
    const Sampler::Round seen = worker.sampler.draw(target, draw.round, draw.target);
    RowVectors hypothesis = worker.learner->fit(seen.target, seen.sample);
    hypothesis.code = target.code;
    hypothesis.counter = target.counter;
    return hypothesis;
  }

  std::string take_step(RowVectors hypothesis, std::size_t round, Worker& worker) {
    Step step = optimizer_->step(hypothesis);
    while (step.again) {
      hypothesis = fit(optimizer_->target(train_.scores()), {round, 0}, worker);
      step = optimizer_->step(hypothesis);
    }
    if (step.length == 0) return step.stop;
    const double length = step.length * parameters_.learning_rate;
    train_.add(hypothesis, length);
    if (valid_) {
      RowVectors elsewhere = worker.learner->apply({*valid_data_, *valid_bins_});
      elsewhere.code = hypothesis.code;
      elsewhere.counter = hypothesis.counter;
      valid_->add(elsewhere, length);
    }
    Forest& forest = ensemble_.forest;
    const std::size_t trees = forest.trees.size();
    worker.learner->append_to(forest, length);
    if (hypothesis.counter != kNoOutput)
      for (std::size_t t = trees; t < forest.trees.size(); ++t)
        forest.trees[t].counter = hypothesis.counter;
    if (!hypothesis.code.empty()) spread_trees(forest, trees, hypothesis.code);
    optimizer_->advance(hypothesis, length);
    return step.stop;
  }

  std::string watched_name() const { return metric_ ? metric_->name() : "risk"; }

  // The figures of the validation data; the watched one comes last if it is none of the usual.
  void judge_validation(std::vector<RoundMetric>& metrics) {
    metrics.push_back({"valid_error", valid_->error()});
    if (!ensemble_.schema.multi_label && ensemble_.link != Link::kNone)
      metrics.push_back({"valid_log_loss", valid_->log_loss(ensemble_)});
    for (const RoundMetric& metric : metrics)
      if (metric.name == watched_column_) return watch_.add(metric.value);
    const double value = metric_ ? metric_->value(valid_->evaluate(ensemble_, metric_->parts()))
                                 : valid_->risk(*loss_, *codebook_, problem_.costs);
    metrics.push_back({watched_column_, value});
    watch_.add(value);
  }

  bool log_round(std::size_t round) {
    std::vector<RoundMetric> metrics{{"train_error", train_.error()}};
    if (valid_) judge_validation(metrics);
    for (const RoundMetric& metric : optimizer_->metrics()) metrics.push_back(metric);
    TrainingLog& log = ensemble_.log;
    if (log.columns.empty()) {
      take_past_log(metrics, round);
      for (const RoundMetric& metric : metrics) log.columns.emplace_back(metric.name);
    }
    for (const RoundMetric& metric : metrics) log.values.push_back(metric.value);
    return progress_.round(round, metrics);
  }

  bool stale() const {
    return valid_ && parameters_.early_stopping > 0 &&
           watch_.rounds_since_best() >= static_cast<std::size_t>(parameters_.early_stopping);
  }

  // Scores shrink and the probabilities stay.
  static void scale_steps(Ensemble& ensemble, double factor) {
    if (factor == 1) return;
    for (std::vector<float>* values : {&ensemble.forest.leaf_values, &ensemble.forest.slopes})
      for (float& value : *values) value = static_cast<float>(value * factor);
    ensemble.link_scale /= factor;
  }

  void keep_best_round() {
    if (ensemble_.forest.rounds() == 0) return;
    keep_rounds(ensemble_.forest, watch_.best_rounds());
    ensemble_.log.stop_reason += fmt::format("; kept the best, round {}", watch_.best_rounds());
  }

  // With the margins of the training rows, jmlr2019 (9) and (14). The board knows them, but of all
  // rounds and unscaled; where the last ones were dropped, or the steps scaled, the model itself
  // must be asked.
  Model finished_model() {
    // No new round: the log is that of the model.
    if (ensemble_.log.columns.empty()) {
      past_log_.stop_reason = ensemble_.log.stop_reason;
      ensemble_.log = std::move(past_log_);
    }
    const std::size_t boosted = ensemble_.log.columns.empty()
                                    ? 0
                                    : ensemble_.log.values.size() / ensemble_.log.columns.size();
    auto ensemble = std::make_shared<Ensemble>(std::move(ensemble_));
    if (!data_.labels.multi_label()) {
      const bool whole = ensemble->forest.rounds() == boosted && final_scale_ == 1;
      ensemble->log.margins = summarize_margins(
          whole ? train_.margins() : Model(ensemble).predict_margins(data_, {threads_, 0}));
    }
    return Model(std::move(ensemble));
  }

  const Dataset& data_;
  const AlgorithmRow& algorithm_;
  Progress silent_;
  Progress& progress_;
  int threads_;
  std::string given_codewords_;
  Problem problem_;
  Parameters parameters_;
  const LearnerRow& learner_row_;
  std::optional<Codebook> codebook_;
  std::shared_ptr<const Loss> loss_;
  BinnedDataset binned_;
  std::unique_ptr<Optimizer> optimizer_;
  ScoreBoard train_;
  std::vector<Worker> workers_;
  std::optional<Metric> metric_;
  RoundWatch watch_;
  std::string watched_column_;  // of the log
  const Dataset* valid_data_ = nullptr;
  std::optional<BinnedDataset> valid_bins_;
  std::optional<ScoreBoard> valid_;
  std::vector<std::int8_t> votes_;
  std::size_t round_ = 0;  // that comes next
  bool started_ = false;
  double final_scale_ = 1;
  TrainingLog past_log_;
  Ensemble ensemble_;
};

namespace {

// The model keeps the weights of the classes, not the name of a file of them.
Dataset weigh_classes(const Dataset& data, Parameters& parameters) {
  const std::vector<double> weights = class_weights(parameters.class_weight, data);
  if (parameters.class_weight != "balanced")
    parameters.class_weight = class_weight_text(weights, data.labels.classes);
  return weight_classes(data, weights);
}

}  // namespace

Training::Training(const Dataset& data, const Parameters& wanted, const TrainOptions& options) {
  check_parameters(wanted);
  check_training_data(data);
  Parameters parameters = wanted;
  if (parameters.class_weight != "none")
    own_data_ = std::make_unique<Dataset>(weigh_classes(data, parameters));
  const Dataset& weighted = own_data_ ? *own_data_ : data;
  const std::vector<std::uint32_t> rows = weighted_rows(weighted);
  if (!rows.empty() && rows.size() < weighted.rows)
    own_data_ = std::make_unique<Dataset>(select_rows(weighted, rows));
  booster_ = std::make_unique<Booster>(own_data_ ? *own_data_ : data, parameters, options);
}

std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& wanted) {
  check_training_data(data);
  const int threads = resolve_threads(wanted.threads);
  const AlgorithmRow& algorithm = find_algorithm(wanted.algorithm, data.labels.multi_label());
  const Parameters parameters = resolve_parameters(algorithm, wanted, make_problem(data, threads));
  return choose_bins(data, {parameters.max_bins, threads});
}

Training::~Training() = default;
Training::Training(Training&&) noexcept = default;

bool Training::boost(std::size_t rounds) { return booster_->boost(rounds); }
std::size_t Training::rounds() const { return booster_->rounds(); }
std::size_t Training::best_rounds() const {
  return std::min(booster_->rounds(), booster_->watch().rounds() > 0
                                          ? booster_->watch().best_rounds()
                                          : booster_->rounds());
}
double Training::best_value() const { return booster_->watch().best_value(); }
std::span<const double> Training::validation_values() const { return booster_->watch().values(); }
Model Training::finish() { return booster_->finish(); }

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options) {
  Training training(data, parameters, options);
  training.boost(std::numeric_limits<std::size_t>::max());
  return training.finish();
}

}  // namespace simplexboost
