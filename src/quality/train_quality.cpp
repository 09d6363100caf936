#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/files/checkpoint_file.h"
#include "base/files/record_file.h"
#include "base/stop.h"
#include "base/text/nearest_name.h"
#include "base/threads/parallel.h"
#include "boosting/checkpoint.h"
#include "boosting/setup/class_weights.h"
#include "boosting/setup/data_check.h"
#include "boosting/training.h"
#include "data/labels/class_shares.h"
#include "data/rows/folds.h"
#include "data/rows/row_hashes.h"
#include "data/weight_scale.h"
#include "metric/estimate.h"
#include "model/model_access.h"
#include "model/predict/pool.h"
#include "quality/choices.h"
#include "quality/cross_fit.h"
#include "quality/distil.h"
#include "quality/ensemble_watch.h"
#include "quality/label_noise.h"
#include "quality/linear/linear_member.h"
#include "quality/pool_members.h"
#include "quality/ranked_quality.h"
#include "quality/shared_fit.h"
#include "simplexboost/error.h"
#include "simplexboost/quality.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

constexpr std::array<std::pair<Quality, std::string_view>, 3> kQualities{
    {{Quality::kFast, "fast"}, {Quality::kDefault, "default"}, {Quality::kBest, "best"}}};

std::size_t count_groups(const Dataset& data, const std::vector<std::uint32_t>& groups) {
  if (groups.empty()) return data.rows;
  if (groups.size() != data.rows)
    throw ParameterError(
        fmt::format("groups: {} numbers for {} rows; give one a row", groups.size(), data.rows));
  return std::set<std::uint32_t>(groups.begin(), groups.end()).size();
}

double figure_of(const Estimate& estimate, std::string_view name) {
  for (const EstimateFigure& figure : estimate.figures)
    if (figure.label < 0 && figure.name == name) return figure.value;
  return std::numeric_limits<double>::quiet_NaN();
}

// With weights that can be summed, those of classes among them.
Dataset weighted(Dataset data, Parameters& parameters) {
  const RowSpace space(data.rows, 1);
  data.weights = summable_weights(data.weights, space);
  if (parameters.class_weight == "none") return data;
  const std::vector<double> weights = class_weights(parameters.class_weight, data, space);
  parameters.class_weight = "none";
  data = weight_classes(data, summable_weights(weights, RowSpace(weights.size(), 1)));
  data.weights = summable_weights(data.weights, space);
  return data;
}

class EnsembleTrainer {
 public:
  EnsembleTrainer(const Dataset& data, const Parameters& wanted, const QualityOptions& options,
                  Communicator& ranks)
      : wanted_(wanted),
        options_(options),
        ranks_(ranks),
        inner_(wanted),
        data_(weighted(data, inner_)),
        records_(inner_) {
    portfolio_ = make_portfolio(data_, inner_, options.quality);
    // Rows out of a bag have others of their group in it.
    for (MemberSetting& member : portfolio_.members) member.bagged &= options.groups.empty();
    add_members();
    threads_ = resolve_threads(wanted.threads);
    const std::size_t groups = count_groups(data_, options.groups);
    if (groups < 2) throw DataError(Place{data.source}, "two groups of rows are needed, or more");
    const int wish = options.folds > 0 ? options.folds : portfolio_.folds;
    folds_ = static_cast<int>(std::min<std::size_t>(groups, static_cast<std::size_t>(wish)));
    fold_of_row_ =
        make_folds(data_.labels, data_.rows, {folds_, wanted.seed, true, options.groups});
    check_folds();
    if (options.checkpoint.file.empty()) return;
    CheckpointOptions here = options.checkpoint;
    if (ranks.rank() > 0) here.file.clear();  // the first rank has the file
    checkpoint_.emplace(here, facts(data));
  }

  QualityResult run() {
    fit_members();
    if (members_.fits.empty()) return {part()};
    find_repeats();
    QualityResult result{assemble()};
    result.repeats = repeats_;
    result.oof_proba = std::move(oof_);
    if (options_.distil && !anywhere(ranks_, stop_requested())) teach(result);
    const StopPause pause;  // what is left is short
    result.oof_scores = result.oof_proba;
    to_pooled_scores(data_.labels.multi_label(), result.oof_scores);
    if (checkpoint_ && !options_.checkpoint.keep && !stop_requested()) checkpoint_->remove();
    return result;
  }

 private:
  // Trainings without a fold need rows that count, too.
  void check_folds() const {
    std::set<std::uint16_t> weighed;
    for (std::size_t i = 0; i < data_.rows; ++i)
      if (data_.weights.empty() || data_.weights[i] > 0) weighed.insert(fold_of_row_[i]);
    if (weighed.size() == 1)
      throw DataError(Place{data_.source},
                      fmt::format("all rows of a weight above zero are in one of the {} folds, so "
                                  "that none would be left to train without it; weigh more rows, "
                                  "or train once (quality fast)",
                                  folds_));
  }

  WorkFacts facts(const Dataset& data) const {
    WorkFacts facts{fmt::format("work: quality {}", quality_name(options_.quality)),
                    fmt::format("folds: {}", folds_), fmt::format("distil: {}", options_.distil)};
    add_parameter_facts(wanted_, facts);
    add_data_facts("training", data, facts);
    std::string groups;
    for (const std::uint32_t group : options_.groups) groups += std::to_string(group) + " ";
    facts.push_back("groups: " + short_hash(groups));
    for (const Parameters& member : options_.members) add_parameter_facts(member, facts);
    return facts;
  }

  // What repeats by nature is fair to judge: only who knows the rows can say.
  void find_repeats() {
    constexpr double kMany = 0.2;
    if (!options_.groups.empty()) return;
    const double share = share_of_repeats(data_);
    if (share >= kMany) repeats_ = share;
  }

  // Those that were given, before those of the portfolio.
  void add_members() {
    std::vector<MemberSetting> given;
    for (Parameters member : options_.members) {
      check_parameters(member);
      member.class_weight = inner_.class_weight;
      given.push_back({"given: " + member.algorithm, std::move(member)});
      given.back().purpose = "given, as the winner of a search is";
    }
    portfolio_.members.insert(portfolio_.members.begin(), given.begin(), given.end());
  }

  // Of all its trainings together that are done here.
  std::size_t rounds_of(const MemberSetting& member) const {
    std::size_t trainings = 0;
    for (std::size_t f = 0; f < static_cast<std::size_t>(folds_); ++f)
      if (rank_of_job(f, ranks_) == ranks_.rank()) ++trainings;
    if (member.bagged || member.linear) trainings = 1;
    return static_cast<std::size_t>(member.parameters.rounds) * trainings;
  }

  std::size_t rounds_to(std::size_t members) const {
    std::size_t sum = 0;
    for (std::size_t m = 0; m < members; ++m) sum += rounds_of(portfolio_.members[m]);
    return sum;
  }

  void fit_members() {
    EnsembleWatch watch(options_.progress, options_.budget, rounds_to(portfolio_.members.size()));
    const std::vector<FeatureBins> bins = choose_training_bins(data_, inner_);
    for (std::size_t m = 0; m < portfolio_.members.size(); ++m) {
      const bool first = m == 0;
      const auto halted = [&] { return watch.interrupted() || stop_requested(); };
      if (!first && anywhere(ranks_, watch.late() || halted())) {
        leave_out_from(m);
        break;
      }
      const bool shares_bins = first || portfolio_.members[m].bagged;
      std::optional<CrossFit> fit = ready_fit(m);
      if (!fit) fit = fit_member(m, shares_bins ? &bins : nullptr, watch);
      watch.skip_to(rounds_to(m + 1));
      if (first) part_ = fit->part;
      if (!first && anywhere(ranks_, halted())) {
        leave_out_from(m);
        break;
      }
      if (!fit->left_out.empty()) {
        records_.left_out(portfolio_.members[m], fit->left_out);
        portfolio_.members.erase(portfolio_.members.begin() + static_cast<std::ptrdiff_t>(m--));
        continue;
      }
      if (!fit->whole) {
        leave_out_from(m);
        break;
      }
      records_.trained(portfolio_.members[m], *fit);
      if (first) doubt(fit->proba);
      members_.proba.push_back(std::move(fit->proba));
      fit->proba = {};
      members_.names.push_back(portfolio_.members[m].name);
      members_.fits.push_back(std::move(*fit));
    }
    if (trust_) add_guess();
    if (options_.progress) options_.progress->finish(stop_reason());
  }

  void leave_out_from(std::size_t m) {
    for (; m < portfolio_.members.size(); ++m)
      records_.left_out(portfolio_.members[m], "training was ended before it was done");
  }

  std::optional<CrossFit> fit_member(std::size_t m, const std::vector<FeatureBins>* bins,
                                     FitWatch& watch) {
    if (portfolio_.members[m].linear) {
      // Beside all else that Quality::kBest does it takes little time: there is no trial.
      const Matrix* const first = options_.quality == Quality::kBest ? nullptr : &members_.proba[0];
      return fit_once(m, [&] { return linear_fit(data_, fold_of_row_, folds_, threads_, first); });
    }
    CrossFitOptions how;
    how.ranks = &ranks_;
    how.bins = bins;
    how.needed = m == 0;
    if (wanted_.algorithm == "auto") how.kept_trees = kKeptTrees;
    if (checkpoint_) how.keeper = {&*checkpoint_, fmt::format("member {}", m)};
    if (portfolio_.members[m].doubts) how.trust = &trust_->of_rows;
    if (portfolio_.members[m].doubts && !portfolio_.members[m].bagged) {
      how.prepare = [&](Dataset train, const TrainedFold& fold) {
        return doubted(std::move(train), fold, watch);
      };
    }
    if (portfolio_.members[m].bagged)
      return fit_once(m, [&] { return bag_fit(data_, portfolio_.members[m], watch, how); });
    if (m == 0) how.beside = beside_first(bins, watch);
    CrossFit fit = cross_fit(data_, portfolio_.members[m], fold_of_row_, folds_, watch, how);
    if (m == 0) share_ready();
    return fit;
  }

  // By one rank, for all.
  template <class Fit>
  std::optional<CrossFit> fit_once(std::size_t m, const Fit& make) {
    std::optional<CrossFit> fit;
    const int root = rank_of_job(m, ranks_);
    if (ranks_.rank() == root) fit = make();
    share_fit(ranks_, root, fit);
    return fit;
  }

  // In the order of beside_first().
  void share_ready() {
    auto job = static_cast<std::size_t>(folds_);
    for (const MemberSetting& member : portfolio_.members)
      if (const auto found = ready_.find(member.name); found != ready_.end())
        share_fit(ranks_, rank_of_job(job++, ranks_), found->second);
  }

  // The members of one training that need not wait for the first one. Where that finds wrong labels
  // they are not what is wanted: the forest is grown again.
  std::vector<std::function<void(int)>> beside_first(const std::vector<FeatureBins>* bins,
                                                     FitWatch& watch) {
    std::vector<std::function<void(int)>> jobs;
    for (std::size_t m = 1; m < portfolio_.members.size(); ++m) {
      const MemberSetting& member = portfolio_.members[m];
      if (!member.bagged && !(member.linear && linear_fit_is_cheap(data_))) continue;
      jobs.emplace_back([this, m, &member, bins, &watch](int threads) {
        if (!watch.may_go_on()) return;
        std::optional<CrossFit>& fit = ready_[member.name];
        if (member.linear) {
          fit = linear_fit(data_, fold_of_row_, folds_, threads, nullptr);
          return;
        }
        MemberSetting setting = member;
        setting.parameters.threads = threads;
        CrossFitOptions how;
        how.bins = bins;
        if (checkpoint_) how.keeper = {&*checkpoint_, fmt::format("member {}", m)};
        fit = bag_fit(data_, setting, watch, how);
      });
      ready_[member.name];  // so that jobs find a place and make none
    }
    return jobs;
  }

  std::optional<CrossFit> ready_fit(std::size_t m) {
    const auto found = ready_.find(portfolio_.members[m].name);
    return found == ready_.end() ? std::nullopt : std::exchange(found->second, std::nullopt);
  }

  // Where the first member finds wrong labels, the others are to doubt them.
  void doubt(const Matrix& proba) {
    if (wanted_.algorithm != "auto") return;
    const StopPause pause;  // it is short
    trust_ = judge_labels(proba, data_.labels, data_.weights, threads_);
    if (!trust_) return;
    doubt_labels(portfolio_);
    trust_of_fold_.resize(static_cast<std::size_t>(folds_));
  }

  // Labels are judged by trainings on the rows of this one alone: had they seen the fold that is
  // held out, its labels would have a say in what is said of them.
  Dataset doubted(Dataset train, const TrainedFold& fold, const FitWatch& watch) {
    std::optional<std::vector<double>>& trust = trust_of_fold_[fold.number];
    if (!trust) trust = inner_trust(train, fold, watch);
    return trust->empty() ? train : weigh_by_trust(std::move(train), *trust);
  }

  // Empty: all labels are to be trusted.
  std::vector<double> inner_trust(const Dataset& train, const TrainedFold& fold,
                                  const FitWatch& watch) const {
    constexpr std::size_t kInnerFolds = 4;
    const std::vector<std::uint32_t> groups = groups_of(fold);
    const auto folds = static_cast<int>(std::min(kInnerFolds, count_groups(train, groups)));
    if (folds < 2) return {};
    MemberSetting setting = make_portfolio(train, inner_, Quality::kDefault).members[0];
    setting.parameters.threads = fold.threads;
    QuietWatch quiet(watch);
    const CrossFit fit = cross_fit(
        train, setting, make_folds(train.labels, train.rows, {folds, wanted_.seed, true, groups}),
        folds, quiet, {});
    if (!fit.whole) return {};
    std::optional<LabelTrust> trust =
        judge_labels(fit.proba, train.labels, train.weights, fold.threads);
    return trust ? std::move(trust->of_rows) : std::vector<double>();
  }

  // One who says that all classes are as likely: what is left for wrong labels.
  void add_guess() {
    const std::size_t classes = data_.labels.classes.size();
    const std::size_t count = data_.rows * classes;
    members_.proba.push_back(
        {data_.rows, classes, std::vector<float>(count, 1 / static_cast<float>(classes))});
    records_.guessed();
  }

  // Where not even the first member is there: what one of its folds has come to is a model, too.
  Model part() const {
    if (!part_) throw Stopped();
    return *part_;
  }

  std::string stop_reason() const {
    const std::size_t wanted = portfolio_.members.size();
    const std::string cut =
        members_.fits.size() < wanted ? fmt::format(", of {} that were planned", wanted) : "";
    return fmt::format("{} {} on {} folds{}", members_.fits.size(),
                       members_.fits.size() == 1 ? "member" : "members", folds_, cut);
  }

  std::vector<std::uint32_t> groups_of(const TrainedFold& fold) const {
    std::vector<std::uint32_t> groups;
    for (const std::uint32_t row : fold.rows)
      if (!options_.groups.empty()) groups.push_back(options_.groups[row]);
    return groups;
  }

  // The ensemble of Quality::kDefault, on these rows alone.
  Matrix teach_fold(const Dataset& train, const TrainedFold& fold) const {
    QualityOptions options;
    options.quality = Quality::kDefault;
    options.groups = groups_of(fold);
    if (count_groups(train, options.groups) < 2) return {};
    Parameters parameters = inner_;
    parameters.threads = fold.threads;
    return train_quality(train, parameters, options).oof_proba;
  }

  // Puts one model in the place of the ensemble; where that is stopped, the ensemble stays.
  void teach(QualityResult& result) {
    Parameters any = inner_;
    any.algorithm = "auto";
    MemberSetting setting = make_portfolio(data_, any, Quality::kBest).members[0];
    setting.parameters.threads = wanted_.threads;
    std::optional<Distilled> one = distil(
        {data_, result.oof_proba, fold_of_row_, folds_, checkpoint_ ? &*checkpoint_ : nullptr,
         ranks_,
         [&](const Dataset& train, const TrainedFold& fold) { return teach_fold(train, fold); }},
        setting);
    if (!one) return;
    auto ensemble = std::make_shared<Ensemble>(ensemble_of(one->model));
    describe(*ensemble);
    ensemble->records = std::move(one->records);
    ensemble->parameters["distil"] = fmt::format("{}", one->share);
    ensemble->log.stop_reason =
        fmt::format("distilled from {}", ensemble_of(result.model).log.stop_reason);
    Model model = make_model(std::move(ensemble));
    result.distilled = cost_of(result.model, model);
    result.model = std::move(model);
    result.oof_proba = std::move(one->proba);
  }

  DistilCost cost_of(const Model& ensemble, const Model& distilled) const {
    constexpr std::size_t kTimedRows = 1000;
    std::vector<std::uint32_t> rows(std::min(data_.rows, kTimedRows));
    std::iota(rows.begin(), rows.end(), 0U);
    const Dataset some = select_rows(data_, rows);
    DistilCost cost;
    for (const std::size_t m : {0U, 1U}) {
      const Model& model = m == 0 ? ensemble : distilled;
      const StopPause pause;
      const auto begin = std::chrono::steady_clock::now();
      model.predict_proba(some, {1, 0});
      cost.seconds[m] = seconds_since(begin) * kTimedRows / static_cast<double>(some.rows);
      cost.bytes[m] = model.to_bytes().size();
      cost.error[m] = figure_of(*model.estimate(), "error");
      cost.log_loss[m] = figure_of(*model.estimate(), "log-loss");
    }
    return cost;
  }

  Model assemble() {
    const StopPause pause;  // the trainings are done, and this is short
    PoolingOptions how;
    how.wrong_labels = trust_.has_value();
    // Where errors have costs, classes are told more often than they come: that shall stay.
    how.try_class_scales = options_.quality == Quality::kBest && wanted_.costs == "none";
    PooledMembers pooled = pool_members(members_, {data_, fold_of_row_, folds_, threads_}, how);
    oof_ = std::move(pooled.proba);
    auto ensemble = std::make_shared<Ensemble>(std::move(pooled.ensemble));
    describe(*ensemble);
    std::vector<Choice> pool = first_choices();
    pool.insert(pool.end(), pooled.choices.begin(), pooled.choices.end());
    ensemble->records = records_.finish(pooled.weights, std::move(pool));
    ensemble->log.stop_reason = stop_reason();
    return make_model(std::move(ensemble));
  }

  std::vector<Choice> first_choices() const {
    const char* why = options_.folds > 0 ? "asked for" : "as many as there are groups of rows";
    const bool by_size = options_.folds == 0 && folds_ == portfolio_.folds;
    std::vector<Choice> choices{
        {"folds", fmt::format("{}", folds_), by_size ? "by " + portfolio_.by_size : why}};
    if (repeats_ > 0)
      choices.push_back({"repeated rows", fmt::format("{:.1f} %", 100 * repeats_),
                         "they equal another in every feature; if those are the same case, the "
                         "estimate is too good without groups"});
    if (trust_)
      choices.push_back({"wrong labels", fmt::format("{:.1f} %", 100 * trust_->wrong),
                         "what the first member says of rows that it has not seen"});
    if (options_.budget > 0)
      choices.push_back({"budget", fmt::format("{} s", options_.budget),
                         "asked for; it may end rounds and leave members out"});
    return choices;
  }

  void describe(Ensemble& ensemble) const {
    for (const ParameterSpec& spec : parameter_specs())
      if (!spec.of_machine)
        ensemble.parameters[std::string(spec.name)] = get_parameter(wanted_, spec.name);
    ensemble.parameters["quality"] = quality_name(options_.quality);
    ensemble.parameters["folds"] = std::to_string(folds_);
    ensemble.class_shares =
        shares_of_classes(data_.labels, data_.weights, RowSpace(data_.rows, threads_));
  }

  const Parameters& wanted_;
  const QualityOptions& options_;
  Communicator& ranks_;  // each has all rows
  Parameters inner_;     // without what the weights of the rows say already
  Dataset data_;
  Portfolio portfolio_;
  int threads_ = 1;
  int folds_ = 0;
  std::vector<std::uint16_t> fold_of_row_;
  std::optional<CheckpointFile> checkpoint_;
  std::optional<Model> part_;
  double repeats_ = 0;  // as QualityResult has it
  std::optional<LabelTrust> trust_;
  std::vector<std::optional<std::vector<double>>> trust_of_fold_;
  std::map<std::string, std::optional<CrossFit>> ready_;  // done beside the first member
  TrainedMembers members_;
  ChoiceRecords records_;
  Matrix oof_;
};

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

Quality find_quality(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [quality, own] : kQualities) {
    if (own == name) return quality;
    names.push_back(own);
  }
  throw ParameterError("quality: " + unknown_name_message("quality", name, names));
}

bool cross_fits_by_itself(const Dataset& data) {
  return plain_training(data, no_others()) == PlainTraining::kCrossFitted;
}

std::string_view quality_name(Quality quality) {
  return kQualities[static_cast<std::size_t>(quality)].second;
}

QualityResult train_quality(const Dataset& data, const Parameters& parameters,
                            const QualityOptions& options) {
  return train_quality(data, parameters, options, no_others());
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI

namespace simplexboost {

QualityResult train_quality(const Dataset& data, const Parameters& parameters,
                            const QualityOptions& options, Communicator& ranks) {
  check_parameters(parameters);
  check_training_data(data, RowSpace(data.rows, 1));
  // Two rows leave one to train on, which is not enough.
  constexpr std::size_t kFewestRows = 3;
  if (options.distil && (options.quality == Quality::kFast || data.labels.multi_label()))
    throw ParameterError(
        "distil: it takes an ensemble (quality default or best) and one label a row");
  if (options.quality == Quality::kFast || data.rows < kFewestRows) {
    TrainOptions plain;
    plain.progress = options.progress;
    plain.checkpoint = options.checkpoint;
    return {train(data, parameters, plain)};
  }
  for (const char* name : {"monotone", "interactions"})
    if (get_parameter(parameters, name) != "none")
      throw ParameterError(
          fmt::format("{}: a pool of models need not obey what each of them does; train one "
                      "(quality fast)",
                      name));
  if (parameters.algorithm == "auto" &&
      (parameters.codewords != "auto" || parameters.dimension > 0))
    throw ParameterError(fmt::format(
        "{}: of the algorithms of an ensemble some have no codewords to choose; name one "
        "that has, such as gd-mcboost, or train once (quality fast)",
        parameters.dimension > 0 ? "dimension" : "codewords"));
  return EnsembleTrainer(data, parameters, options, ranks).run();
}

}  // namespace simplexboost
