#include "boosting/bagging/bagging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/image/filter_count.h"
#include "base/stop.h"
#include "base/threads/parallel.h"
#include "boosting/bagging/bag.h"
#include "boosting/bagging/past_votes.h"
#include "boosting/past_model.h"
#include "boosting/setup/data_check.h"
#include "certainty/set_scores.h"
#include "loss/margin.h"
#include "metric/estimate.h"
#include "metric/temperature.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/predict/pool.h"
#include "simplexboost/error.h"
#include "simplexboost/memory.h"

namespace simplexboost {
namespace {

// Trees to a thread that are grown before their votes are counted.
constexpr std::size_t kTreesAtOnce = 4;

ClassTreeOptions tree_options(const Composition& chosen) {
  const Parameters& parameters = chosen.parameters;
  ClassTreeOptions options;
  options.features = static_cast<std::size_t>(parameters.node_features);
  options.drawn = parameters.thresholds == "drawn";
  options.max_depth = parameters.depth;
  options.min_rows = parameters.min_rows;
  options.min_weight = parameters.min_weight;
  options.min_gain = parameters.min_gain;
  options.filters = filters_of_a_node(parameters);
  return options;
}

const BinnedDataset& with_images(const Dataset& data, const Composition& chosen,
                                 BinnedDataset& bins) {
  set_images(data, chosen, bins);
  return bins;
}

}  // namespace

Bagging::Bagging(const Dataset& data, Composition chosen, const TrainOptions& options,
                 const std::vector<FeatureBins>* bins)
    : data_(data),
      progress_(options.progress ? *options.progress : silent_),
      chosen_(std::move(chosen)),
      binned_(bin_rows(data, chosen_, options, bins)),
      rows_(data, with_images(data, chosen_, binned_), chosen_.problem.space),
      deal_(chosen_.problem.space),
      tree_options_(tree_options(chosen_)),
      ensemble_(new_ensemble(data, chosen_, options)) {
  check(options);
  const RowSpace& space = chosen_.problem.space;
  const double shift = ensemble_.members[0].shift;
  if (leaves_rows_out(chosen_.parameters)) empty_bag();
  if (options.valid) {
    const RowSpace there(options.valid->rows, space.threads(), space.ranks());
    check_validation_data(*options.valid, data, there);
    valid_bins_.emplace(*options.valid, binned_.all_bins(), space.threads(),
                        StoreChoice{memory_rules().bins_folder});
    set_images(*options.valid, chosen_, *valid_bins_);
    valid_.emplace(*valid_bins_, options.valid->labels, options.valid->weights, shift, there);
    watch_.emplace(make_round_watch(chosen_));
  }
  if (!options.init) return;
  check_past_statistics(data, chosen_.parameters);
  resume(*options.init);
  if (bag_ && !add_past_votes(ensemble_of(*options.init), data_, rows_.weights(), space, *bag_))
    empty_bag();  // the estimate is of the new trees alone
}

void Bagging::empty_bag() {
  bag_.emplace(binned_, data_.labels, data_.weights, ensemble_.members[0].shift,
               chosen_.problem.space);
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

// The trees that come are those that one training would have had.
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
  if (broken_off_) return false;
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

Bagging::Grown Bagging::grow(std::size_t number) const {
  Random random = tree_random(chosen_.parameters, number);
  std::vector<ClassItem> items =
      draw_bag(chosen_.parameters, rows_.rows(), rows_.weights(), random);
  Grown grown;
  const RowSpace& space = chosen_.problem.space;
  if (bag_ && !space.parted()) grown.unseen = rows_left_out(items, space);
  std::vector<std::uint32_t> features;
  const double share = chosen_.parameters.feature_fraction;
  if (share < 1) {
    features.resize(binned_.features());
    std::iota(features.begin(), features.end(), 0U);
    random.shuffle(features);
    features.resize(static_cast<std::size_t>(
        std::max(std::llround(share * static_cast<double>(features.size())), 1LL)));
  }
  if (items.empty()) items.push_back({0, 0, 1});  // all that was drawn weighs next to nothing
  grown.tree = grow_class_tree(rows_.columns(), rows_.labels(), tree_options_, items, features,
                               random, grown.unseen);
  return grown;
}

void Bagging::find_unseen(std::size_t number, Grown& grown) const {
  Random random = tree_random(chosen_.parameters, number);
  grown.unseen = rows_left_out(draw_bag(chosen_.parameters, rows_.rows(), rows_.weights(), random),
                               chosen_.problem.space);
  for (std::size_t i = 0; i < grown.unseen.size(); ++i)
    if (grown.unseen[i] != kNoLeaf)
      grown.unseen[i] = static_cast<std::uint32_t>(leaf_of(grown.tree, binned_, i));
}

std::vector<Bagging::Grown> Bagging::grow_all(std::size_t begin, std::size_t end) const {
  const RowSpace& space = chosen_.problem.space;
  const auto [first, last] = deal_.mine(end - begin);
  std::vector<Grown> mine(last - first);
  parallel_for(space.threads(), mine.size(),
               [&, first = first](std::size_t t) { mine[t] = grow(begin + first + t); });
  if (!space.parted()) return mine;
  std::vector<ClassTree> trees;
  trees.reserve(mine.size());
  for (Grown& grown : mine) trees.push_back(std::move(grown.tree));
  trees = gather_trees(std::move(trees), space.ranks());
  std::vector<Grown> all(trees.size());
  parallel_for(space.threads(), all.size(), [&](std::size_t t) {
    all[t].tree = std::move(trees[t]);
    if (bag_) find_unseen(begin + t, all[t]);
  });
  return all;
}

std::string Bagging::grow_some(std::size_t begin, std::size_t end) {
  std::optional<StopPause> pause;
  // The ranks would not stop at the same place.
  if (chosen_.problem.space.parted()) pause.emplace();
  const std::vector<Grown> all = grow_all(begin, end);
  if (!pause) pause.emplace();  // what is left is short, and the boards must have all of it
  std::string why;
  // One by one: votes of trees that come after the last must not count.
  for (std::size_t t = 0; t < all.size() && why.empty(); ++t) {
    std::optional<VoteBoard::Figures> bag;
    std::optional<VoteBoard::Figures> valid;
    if (bag_) bag = bag_->add(all[t].tree, all[t].unseen);
    if (valid_) valid = valid_->add(all[t].tree, {});
    why = take(all[t].tree, bag, valid);
  }
  return why;
}

std::string Bagging::take(const ClassTree& tree, const std::optional<VoteBoard::Figures>& bag,
                          const std::optional<VoteBoard::Figures>& valid) {
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
  interrupted_ = !chosen_.problem.space.every(progress_.round(round, metrics));
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
  const RowSpace& space = chosen_.problem.space;
  Matrix probabilities = bag_->probabilities();
  std::vector<std::uint8_t> seen = bag_->seen();
  if (space.parted()) {
    probabilities.rows = space.all();
    probabilities.values = gather_values<float>(space.ranks(), probabilities.values);
    seen = gather_values<std::uint8_t>(space.ranks(), seen);
  }
  const JudgedRows rows{rows_.labels(), rows_.weights(), probabilities, seen};
  if (!data_.labels.multi_label()) keep_margins(probabilities, seen);
  ensemble_.link_scale = fit_score_scale(rows, space.threads());
  rescale(ensemble_, space.threads(), probabilities);
  ensemble_.estimate = estimate_from("out-of-bag", rows);
  if (!data_.labels.multi_label())
    ensemble_.sets = set_scores_from("out-of-bag", rows, space.threads());
}

// As Breiman (2001) has them: by the trees that did not see a row, for all others know it by heart.
void Bagging::keep_margins(Matrix probabilities, const std::vector<std::uint8_t>& seen) {
  to_pooled_scores(false, probabilities);
  std::vector<float> margins;
  for (std::size_t i = 0; i < probabilities.rows; ++i) {
    if (seen[i] == 0) continue;
    LossBlock block;
    block.rows = 1;
    block.classes = probabilities.columns;
    block.scores = probabilities.row(i);
    block.labels = rows_.labels().codes.data() + i;
    row_margins(block, &margins.emplace_back());
  }
  if (!margins.empty())
    ensemble_.log.margins =
        summarize_margins(margins, RowSpace(margins.size(), chosen_.problem.space.threads()));
}

std::size_t Bagging::stride() const { return kTreesAtOnce * deal_.threads(); }

std::optional<Matrix> Bagging::out_of_bag() const {
  return bag_ ? std::optional(bag_->probabilities()) : std::nullopt;
}

bool Bagging::boost(std::size_t until) {
  const auto all = static_cast<std::size_t>(chosen_.parameters.rounds);
  const std::size_t end = std::min(until, all);
  std::string& why = ensemble_.log.stop_reason;
  if (!started_) progress_.start(all);
  started_ = true;
  while (round_ < end && why.empty()) {
    broken_off_ = chosen_.problem.space.parted();
    why = grow_some(round_, std::min(round_ + stride(), end));
    broken_off_ = false;
  }
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
  return make_model(ensemble);
}

}  // namespace simplexboost
