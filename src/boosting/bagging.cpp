#include "boosting/bagging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/stop.h"
#include "base/threads/parallel.h"
#include "boosting/past_model.h"
#include "boosting/setup/data_check.h"
#include "loss/margin.h"
#include "metric/estimate.h"
#include "metric/temperature.h"
#include "model/model_access.h"
#include "model/pool.h"
#include "model/serialization.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Trees to a thread that are grown before their votes are counted.
constexpr std::size_t kTreesAtOnce = 4;
// Streams of random numbers that no other part of a training uses.
constexpr std::uint64_t kForestStream = std::uint64_t{1} << 63U;

ClassTreeOptions tree_options(const Composition& chosen) {
  const Parameters& parameters = chosen.parameters;
  ClassTreeOptions options;
  options.features = static_cast<std::size_t>(parameters.node_features);
  options.drawn = parameters.thresholds == "drawn";
  options.max_depth = parameters.depth;
  options.min_rows = parameters.min_rows;
  options.min_weight = parameters.min_weight;
  options.min_gain = parameters.min_gain;
  return options;
}

}  // namespace

Bagging::Bagging(const Dataset& data, const Parameters& parameters, const TrainOptions& options,
                 const std::vector<FeatureBins>* bins)
    : data_(data),
      progress_(options.progress ? *options.progress : silent_),
      chosen_(compose(data, parameters, options)),
      binned_(data, bins_for(data, chosen_, bins), chosen_.problem.space.threads()),
      tree_options_(tree_options(chosen_)),
      ensemble_(new_ensemble(data, chosen_, options)) {
  check(options);
  const int threads = chosen_.problem.space.threads();
  const double shift = ensemble_.members[0].shift;
  if (samples()) bag_.emplace(binned_, data.labels, data.weights, shift, threads);
  if (options.valid) {
    check_validation_data(*options.valid, data, RowSpace(options.valid->rows, threads));
    valid_bins_.emplace(*options.valid, binned_.all_bins(), threads);
    valid_.emplace(*valid_bins_, options.valid->labels, options.valid->weights, shift, threads);
    watch_.emplace(make_round_watch(chosen_));
  }
  if (options.init) resume(*options.init);
}

void Bagging::check(const TrainOptions& options) const {
  const Parameters& parameters = chosen_.parameters;
  const auto reject = [](const char* what) { throw ParameterError(what); };
  if (options.make_learner) reject("learner: forest grows trees of its own; leave it out");
  if (parameters.leaves > 0)
    reject("leaves: forest grows whole trees; bound them by depth or min-rows");
  if (parameters.resample != "none") reject("resample: forest draws rows by bootstrap");
  if (parameters.early_stopping_metric != "error" && parameters.early_stopping_metric != "log-loss")
    reject("early-stopping-metric: a forest is watched by error or log-loss");
  if (!options.also_valid.empty()) reject("also_valid: a forest is judged on one set of rows");
  if (options.init && valid_) reject("init: a forest that goes on takes no validation rows");
}

// Whether some rows are left out of each tree.
bool Bagging::samples() const {
  return chosen_.parameters.bootstrap == "plain" || chosen_.parameters.row_fraction < 1;
}

// The trees that come are those that one training would have had; its votes out of the bag are not
// in the model, so the estimate is of the new ones alone.
void Bagging::resume(const Model& model) {
  const Ensemble& past = ensemble_of(model);
  check_past_model(past, ensemble_, static_cast<std::size_t>(chosen_.parameters.rounds),
                   data_.source);
  ensemble_.forest = past.forest;
  ensemble_.log = past.log;
  ensemble_.log.stop_reason.clear();
  ensemble_.log.margins.reset();
  round_ = past.forest.rounds();
}

bool Bagging::save(ByteWriter& out) const {
  Ensemble so_far = ensemble_;
  if (interrupted_) so_far.log.stop_reason.clear();
  out(serialize(so_far));
  if (bag_) bag_->save(out);
  if (valid_) valid_->save(out);
  return true;
}

void Bagging::load(ByteReader& in) {
  std::string bytes;
  in(bytes);
  const Model past = Model::from_bytes(std::as_bytes(std::span(bytes)));
  resume(past);
  ensemble_.log.stop_reason = past.log().stop_reason;
  if (bag_) bag_->load(in);
  if (valid_) valid_->load(in);
  if (!watch_) return;
  for (const double value : ensemble_.log.column(watched_column())) watch_->add(value);
}

std::string Bagging::watched_column() const {
  return chosen_.parameters.early_stopping_metric == "error" ? "valid_error" : "valid_log_loss";
}

std::vector<ClassTreeGrower::Item> Bagging::draw_rows(Random& random) const {
  const Parameters& parameters = chosen_.parameters;
  const std::size_t rows = data_.rows;
  const auto wanted = static_cast<std::size_t>(
      std::max(std::llround(parameters.row_fraction * static_cast<double>(rows)), 1LL));
  std::vector<float> counts(rows, parameters.bootstrap == "plain" ? 0 : 1);
  if (parameters.bootstrap == "plain") {
    for (std::size_t i = 0; i < wanted; ++i) ++counts[random.below(rows)];
  } else if (wanted < rows) {
    std::vector<std::uint32_t> order(rows);
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(order);
    for (std::size_t i = wanted; i < rows; ++i) counts[order[i]] = 0;
  }
  if (parameters.bootstrap == "bayesian")
    for (float& count : counts)
      if (count > 0) count = static_cast<float>(-std::log1p(-random.uniform()));
  std::vector<ClassTreeGrower::Item> items;
  items.reserve(wanted);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto weight = static_cast<float>(chosen_.problem.weights[i]) * counts[i];
    if (weight > 0) items.push_back({static_cast<std::uint32_t>(i), 0, weight});
  }
  return items;
}

ClassTree Bagging::grow(std::size_t number, std::vector<std::uint8_t>& unseen) const {
  Random random(chosen_.parameters.seed, kForestStream + number);
  std::vector<ClassTreeGrower::Item> items = draw_rows(random);
  if (bag_) {
    unseen.assign(data_.rows, 1);
    for (const ClassTreeGrower::Item& item : items) unseen[item.row] = 0;
  }
  std::vector<std::uint32_t> features;
  const double share = chosen_.parameters.feature_fraction;
  if (share < 1) {
    features.resize(data_.columns.size());
    std::iota(features.begin(), features.end(), 0U);
    random.shuffle(features);
    features.resize(static_cast<std::size_t>(
        std::max(std::llround(share * static_cast<double>(features.size())), 1LL)));
  }
  ClassTreeGrower grower(binned_, data_.labels, tree_options_);
  if (items.empty()) items.push_back({0, 0, 1});  // all that was drawn weighs next to nothing
  return grower.grow(items, features, random);
}

std::string Bagging::grow_some(std::size_t begin, std::size_t end) {
  std::vector<ClassTree> trees(end - begin);
  std::vector<std::vector<std::uint8_t>> unseen(end - begin);
  parallel_for(chosen_.problem.space.threads(), trees.size(),
               [&](std::size_t t) { trees[t] = grow(begin + t, unseen[t]); });
  const StopPause pause;  // what is left is short, and the boards must have all of it
  std::string why;
  // One by one: votes of trees that come after the last must not count.
  for (std::size_t t = 0; t < trees.size() && why.empty(); ++t) {
    const std::span tree(&trees[t], 1);
    std::vector<VoteBoard::Figures> bag;
    std::vector<VoteBoard::Figures> valid;
    if (bag_) bag = bag_->add(tree, std::span(&unseen[t], 1));
    if (valid_) valid = valid_->add(tree, {});
    why = take(trees[t], bag_ ? &bag[0] : nullptr, valid_ ? &valid[0] : nullptr);
  }
  return why;
}

std::string Bagging::take(const ClassTree& tree, const VoteBoard::Figures* bag,
                          const VoteBoard::Figures* valid) {
  Forest& forest = ensemble_.forest;
  append_class_tree(forest, tree, binned_.all_bins(), chosen_.problem.classes,
                    data_.labels.multi_label());
  forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
  std::vector<RoundMetric> metrics;
  if (bag) metrics = {{"oob_error", bag->error}, {"oob_log_loss", bag->log_loss}};
  if (valid) {
    metrics.push_back({"valid_error", valid->error});
    metrics.push_back({"valid_log_loss", valid->log_loss});
    watch_->add(watched_column() == "valid_error" ? valid->error : valid->log_loss);
  }
  TrainingLog& log = ensemble_.log;
  if (log.columns.empty())
    for (const RoundMetric& metric : metrics) log.columns.emplace_back(metric.name);
  for (const RoundMetric& metric : metrics) log.values.push_back(metric.value);
  const std::size_t round = round_++;
  interrupted_ = !progress_.round(round, metrics);
  if (interrupted_) return fmt::format("interrupted after round {}", round + 1);
  const int patience = chosen_.parameters.early_stopping;
  if (!valid || patience == 0 || watch_->rounds_since_best() < static_cast<std::size_t>(patience))
    return {};
  return fmt::format("no better validation {} in {} rounds",
                     chosen_.parameters.early_stopping_metric, patience);
}

// The rows out of the bag tell how sure the forest should be: the mean of whole trees is less sure
// than right. A single number of all rows, so the estimate may use the same rows.
void Bagging::calibrate() {
  Matrix probabilities = bag_->probabilities();
  const std::vector<std::uint8_t> seen = bag_->seen();
  const JudgedRows rows{data_.labels, data_.weights, probabilities, seen};
  ensemble_.link_scale = fit_score_scale(rows, chosen_.problem.space.threads());
  rescale(ensemble_, chosen_.problem.space.threads(), probabilities);
  ensemble_.estimate = estimate_from("out-of-bag", rows);
}

std::size_t Bagging::stride() const {
  return kTreesAtOnce * static_cast<std::size_t>(chosen_.problem.space.threads());
}

bool Bagging::boost(std::size_t until) {
  const auto all = static_cast<std::size_t>(chosen_.parameters.rounds);
  const std::size_t end = std::min(until, all);
  std::string& why = ensemble_.log.stop_reason;
  if (!started_) progress_.start(all);
  started_ = true;
  while (round_ < end && why.empty()) why = grow_some(round_, std::min(round_ + stride(), end));
  if (why.empty() && round_ == all) why = fmt::format("all {} rounds done", all);
  return why.empty();
}

Model Bagging::finish() {
  const StopPause pause;  // the trees that there are, are a model
  std::string& why = ensemble_.log.stop_reason;
  if (why.empty()) why = fmt::format("halted after round {}", round_);
  if (valid_ && chosen_.parameters.early_stopping > 0 && rounds() > 0) {
    const std::size_t best = watch_->best_rounds();
    keep_rounds(ensemble_.forest, best);
    why += fmt::format("; kept the best, round {}", best);
  }
  ensemble_.members[0].scale = 1 / static_cast<double>(std::max<std::size_t>(rounds(), 1));
  if (bag_) calibrate();
  progress_.finish(why);
  const auto ensemble = std::make_shared<Ensemble>(std::move(ensemble_));
  // All trees predict all rows, which is too long for who has asked for the end.
  if (!data_.labels.multi_label() && !interrupted_) {
    const int threads = chosen_.problem.space.threads();
    const std::vector<float> margins = make_model(ensemble).predict_margins(data_, {threads, 0});
    ensemble->log.margins = summarize_margins(margins, RowSpace(margins.size(), threads));
  }
  return make_model(ensemble);
}

}  // namespace simplexboost
