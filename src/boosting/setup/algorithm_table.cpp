#include "boosting/setup/algorithm_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/text/nearest_name.h"
#include "codeword/rank.h"
#include "optimizer/colour_boosting.h"
#include "optimizer/coordinate_boosting.h"
#include "optimizer/direct_boosting.h"
#include "optimizer/gradient_boosting.h"
#include "optimizer/hamming_boosting.h"
#include "optimizer/logit_boosting.h"
#include "optimizer/mislabel_boosting.h"
#include "optimizer/newton_boosting.h"
#include "optimizer/one_vs_all.h"
#include "optimizer/share_boosting.h"
#include "optimizer/vote_boosting.h"
#include "simplexboost/algorithms.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::array kClassifiers{LearnerFamily::kClassifier};
constexpr std::array kPicks{LearnerFamily::kPick};
constexpr std::array kDirectTrees{LearnerFamily::kDirect};
constexpr std::array kSubsetsOrShares{LearnerFamily::kSubset, LearnerFamily::kShare};
constexpr std::array kShares{LearnerFamily::kProportion};
constexpr std::array kSharesOrSets{LearnerFamily::kProportion, LearnerFamily::kPlausibility};
constexpr std::array kVotes{LearnerFamily::kVote};
constexpr std::array kVotesOrOdds{LearnerFamily::kVote, LearnerFamily::kTernaryVote,
                                  LearnerFamily::kClassVote, LearnerFamily::kConfidence};
constexpr std::array kOneOutput{LearnerFamily::kVote, LearnerFamily::kConfidence,
                                LearnerFamily::kScalar};
constexpr std::array kVectors{LearnerFamily::kReal};
constexpr std::array kPairs{LearnerFamily::kPair};
constexpr std::array kScalars{LearnerFamily::kScalar};
constexpr std::array kAnyVector{LearnerFamily::kCodeword, LearnerFamily::kVote,
                                LearnerFamily::kReal};

template <VoteStep kStep>
std::unique_ptr<Optimizer> make_vote(const Problem& problem, const Parts& parts) {
  return std::make_unique<VoteBoosting>(problem, kStep, parts.vote_rows);
}

std::unique_ptr<Optimizer> make_hamming(const Problem& problem, const Parts& parts) {
  HammingOptions options;
  options.confident = parts.family == LearnerFamily::kConfidence;
  options.ternary = parts.family == LearnerFamily::kTernaryVote;
  options.class_pulls = parts.family == LearnerFamily::kClassVote &&
                        parts.parameters.criterion != "error" && !problem.labels.multi_label();
  return std::make_unique<HammingBoosting>(problem, options);
}

template <Colouring kColouring>
std::unique_ptr<Optimizer> make_ecc(const Problem& problem, const Parts& parts) {
  return std::make_unique<ColourBoosting>(problem, kColouring, parts.parameters.seed);
}

std::unique_ptr<Optimizer> make_one_vs_all(const Problem& problem, const Parts& parts) {
  const VoteKind kind = parts.family == LearnerFamily::kVote         ? VoteKind::kSign
                        : parts.family == LearnerFamily::kConfidence ? VoteKind::kConfidence
                                                                     : VoteKind::kNumber;
  return std::make_unique<OneVsAllBoosting>(problem, kind, parts.codebook);
}

template <ShareStep kStep>
std::unique_ptr<Optimizer> make_share(const Problem& problem, const Parts& parts) {
  ShareOptions options;
  options.c = parts.parameters.uninformed_share;
  options.sets = parts.family == LearnerFamily::kPlausibility && !parts.own_learner;
  options.full_steps = parts.parameters.learning_rate == 1;
  return std::make_unique<ShareBoosting>(problem, kStep, options);
}

std::unique_ptr<Optimizer> make_mm(const Problem& problem, const Parts&) {
  return std::make_unique<MislabelBoosting>(problem, MislabelOptions{.rate = 1});
}

std::unique_ptr<Optimizer> make_m2(const Problem& problem, const Parts& parts) {
  MislabelOptions options;
  options.shares = parts.family == LearnerFamily::kShare;
  options.pseudo_loss = true;
  return std::make_unique<MislabelBoosting>(problem, options);
}

std::unique_ptr<Optimizer> make_mr(const Problem& problem, const Parts&) {
  return std::make_unique<MislabelBoosting>(problem, MislabelOptions{.lowest = -1});
}

// ln |H| of the trees that may be grown, as if every feature had as many cuts as bins.
double direct_hypotheses(const Problem& problem, const Parameters& parameters) {
  const int depth = parameters.learner == "stump" ? 1 : parameters.depth > 0 ? parameters.depth : 3;
  const double leaves = parameters.leaves > 0 ? parameters.leaves : std::exp2(depth);
  const double bins = std::min<double>(parameters.max_bins, static_cast<double>(problem.rows()));
  return log_tree_count(std::min(leaves, static_cast<double>(problem.rows())),
                        static_cast<double>(problem.features) * bins,
                        static_cast<double>(problem.classes));
}

std::unique_ptr<Optimizer> make_direct(const Problem& problem, const Parts& parts) {
  const Parameters& parameters = parts.parameters;
  DirectOptions options;
  options.bottom = parameters.margin_rows;
  options.relaxation = parameters.relaxation;
  options.smoothing = parameters.margin_smoothing;
  options.patience = parameters.phase_patience;
  options.steps = static_cast<std::size_t>(parameters.search_steps);
  options.exact = parameters.tree_search == "exact";
  options.learning_rate = parameters.learning_rate;
  options.phases = parameters.phases;
  options.log_hypotheses = direct_hypotheses(problem, parameters);
  return std::make_unique<DirectBoosting>(problem, options);
}

std::unique_ptr<Optimizer> make_gradient(const Problem& problem, const Parts& parts) {
  return std::make_unique<GradientBoosting>(
      problem, *parts.codebook, parts.loss,
      pulls_by_class(parts) ? PullSpace::kClasses : PullSpace::kOutputs, parts.gradient_rows);
}

template <CoordinateOrder kOrder>
std::unique_ptr<Optimizer> make_coordinate(const Problem& problem, const Parts& parts) {
  return std::make_unique<CoordinateBoosting>(problem, *parts.codebook, parts.loss, kOrder);
}

std::unique_ptr<Optimizer> make_newton(const Problem& problem, const Parts& parts) {
  NewtonOptions options;
  options.sketch = static_cast<std::size_t>(parts.parameters.sketch);
  options.sketch_kind = sketch_kind(parts.parameters.sketch_kind);
  options.seed = parts.parameters.seed;
  options.learning_rate = parts.parameters.learning_rate;
  options.rows = parts.newton_rows;
  options.guarded = parts.own_learner || parts.parameters.learner == "linear";
  return std::make_unique<NewtonBoosting>(problem, *parts.codebook, parts.loss, options);
}

// Lines have no leaves whose values could be bounded, and bounds on z alone do them harm: rows far
// on the wrong side would pull no more. Their steps are guarded instead, and so are those of users'
// learners, of which nothing is known.
std::unique_ptr<Optimizer> make_logit(const Problem& problem, const Parts& parts,
                                      LogitOptions options) {
  const bool linear = parts.parameters.learner == "linear";
  options.guarded = linear || parts.own_learner;
  if (linear) options.bounded = false;
  options.learning_rate = parts.parameters.learning_rate;
  return std::make_unique<LogitBoosting>(problem, options);
}

std::unique_ptr<Optimizer> make_logitboost(const Problem& problem, const Parts& parts) {
  return make_logit(problem, parts, {.bounded = true});
}

std::unique_ptr<Optimizer> make_robust_logitboost(const Problem& problem, const Parts& parts) {
  return make_logit(problem, parts, {});
}

template <bool kSecondOrder>
std::unique_ptr<Optimizer> make_abc(const Problem& problem, const Parts& parts) {
  LogitOptions options{.second_order = kSecondOrder, .moves = LogitMoves::kBase};
  const auto candidates = static_cast<std::size_t>(parts.parameters.base_candidates);
  options.candidates = candidates == 0 ? problem.classes : candidates;
  options.gap = static_cast<std::size_t>(parts.parameters.base_gap);
  return make_logit(problem, parts, options);
}

std::unique_ptr<Optimizer> make_aoso(const Problem& problem, const Parts& parts) {
  return make_logit(problem, parts, {.moves = LogitMoves::kVector});
}

std::unique_ptr<Optimizer> make_mart(const Problem& problem, const Parts& parts) {
  return make_logit(problem, parts, {.second_order = false});
}

void full_steps(Parameters& parameters, const Problem&) {
  if (parameters.learning_rate == 0) parameters.learning_rate = 1;
  if (parameters.l2 < 0) parameters.l2 = 0;
}

void direct_defaults(Parameters& parameters, const Problem& problem) {
  if (parameters.resample != "none")
    throw ParameterError("resample: dmcboost weighs no rows to draw them by; use row-fraction");
  if (parameters.weight_floor > 0)
    throw ParameterError("weight-floor: dmcboost gives no row a weight of its own, leave it out");
  full_steps(parameters, problem);
}

// As in jmlr2005, section 4.1.
void share_defaults(Parameters& parameters, const Problem& problem) {
  if (parameters.weight_floor < 0) parameters.weight_floor = 1e-10;
  full_steps(parameters, problem);
}

// With many classes a sketch of the pulls shapes a tree faster and no worse: six channels, the
// weight and the count fill one vector of the histogram kernels. With few classes it does better
// than all pulls, since trees of other sketches differ more.
int default_sketch(std::size_t classes) {
  constexpr std::size_t kManyClasses = 8;
  if (classes > kManyClasses) return 6;
  return classes > 2 ? std::min(3, static_cast<int>(classes) - 1) : 0;
}

// Trees need not see most of very many features where there are many rows. Few rows say so little
// of each that it takes all of them, as long as that is soon done.
double share_of_many_features(std::size_t features, std::size_t rows) {
  constexpr std::size_t kManyRows = 12'000;
  constexpr double kMuchWork = 1e7;
  if (rows >= kManyRows) return 0.25;
  const double values = static_cast<double>(features) * static_cast<double>(rows);
  return features >= 4 * rows && values <= kMuchWork ? 1 : 0.5;
}

// Measured by cross-validation on training sets (docs/performance.md, bench/results/ablation.md):
// places to cut that are drawn make trees that differ, which is worth more than the best places;
// with many rows trees of the best places learn faster. One tree for all classes wants to be
// larger than a tree for one class, the more so the more rows there are. Few rows need few bins,
// and trees of few rows do better if each sees some of the features only; of very many features it
// need not see most. With very many classes there is no gain, and the time goes elsewhere.
void newton_defaults(Parameters& parameters, const Problem& problem) {
  constexpr std::size_t kVeryManyClasses = 100;
  constexpr std::size_t kManyRows = 12'000;
  constexpr std::size_t kVeryManyRows = 30'000;
  constexpr std::size_t kRowsToALeaf = 100;
  constexpr std::size_t kSomeFeatures = 16;
  constexpr std::size_t kFeaturesForFewBins = 32;
  constexpr std::size_t kManyFeatures = 256;
  if (parameters.learning_rate == 0)
    parameters.learning_rate = problem.space.all() < kManyRows ? 0.1 : 0.2;
  const bool lines = parameters.learner == "linear";
  if (parameters.l2 < 0) parameters.l2 = lines ? 1 : 0.3;
  if (parameters.thresholds == "auto" && !lines && problem.space.all() < kManyRows)
    parameters.thresholds = "drawn";
  if (lines && parameters.sketch > 0)
    throw ParameterError(
        "sketch: it shapes trees, and the learner linear grows none; leave it out");
  // A sketch does not see which outputs would be out of order.
  const bool whole = lines || parameters.monotone != "none";
  if (parameters.sketch < 0) parameters.sketch = whole ? 0 : default_sketch(problem.classes);
  if (parameters.max_bins == 0 && problem.space.all() < kVeryManyRows &&
      problem.features >= kFeaturesForFewBins)
    parameters.max_bins = 64;
  if (parameters.feature_fraction == 0 && problem.classes < kVeryManyClasses) {
    if (problem.features >= kManyFeatures)
      parameters.feature_fraction = share_of_many_features(problem.features, problem.space.all());
    else if (problem.features >= kSomeFeatures && problem.space.all() < kVeryManyRows)
      parameters.feature_fraction = 0.7;
  }
  if (parameters.depth == 0 && parameters.leaves == 0 && parameters.learner == "tree") {
    const std::size_t least = std::clamp<std::size_t>(3 * problem.classes / 2, 8, 16);
    parameters.leaves =
        static_cast<int>(std::clamp<std::size_t>(problem.space.all() / kRowsToALeaf, least, 128));
  }
}

// As in the tables of Li (2010).
void logit_defaults(Parameters& parameters, const Problem&) {
  if (parameters.learning_rate == 0) parameters.learning_rate = 0.1;
  if (parameters.l2 < 0) parameters.l2 = 0;
  if (parameters.depth == 0 && parameters.leaves == 0 && parameters.learner == "tree")
    parameters.leaves = 20;
  if (parameters.early_stopping_metric == "auto") parameters.early_stopping_metric = "log-loss";
}

// Extra trees on bootstrap samples: rows out of the bag give the estimate (docs/quality.md).
void forest_defaults(Parameters& parameters, const Problem& problem) {
  if (parameters.learning_rate != 0 && parameters.learning_rate != 1)
    throw ParameterError("learning-rate: a forest takes no steps; leave it out");
  parameters.learning_rate = 1;
  if (parameters.l2 > 0) throw ParameterError("l2: a forest has no such penalty; leave it out");
  parameters.l2 = 0;
  if (parameters.split_noise > 0)
    throw ParameterError("split-noise: a forest draws enough without it; leave it out");
  if (parameters.thresholds == "auto") parameters.thresholds = "drawn";
  if (parameters.bootstrap == "auto") parameters.bootstrap = "plain";
  if (parameters.node_features == 0)
    parameters.node_features =
        std::max(1.0, std::round(std::sqrt(static_cast<double>(problem.features))));
}

// Votes f_k are, up to a constant, (K-1)/K of the scores of Zhu et al. (2009), whose posterior is
// exp(f_k / (K-1)).
void link_votes(Ensemble& ensemble, const Parts&) {
  const auto classes = static_cast<double>(ensemble.classes());
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = classes / ((classes - 1) * (classes - 1));
}

void link_hamming(Ensemble& ensemble, const Parts&) {
  ensemble.link = Link::kLogistic;
  ensemble.link_scale = 2;
}

// The same, but that the class of a row weighs more than the others: 2 f = ln(odds p / (1 - p)). As
// a float, for sums of weights in another order to give the same model.
void link_mh(Ensemble& ensemble, const Parts& parts) {
  link_hamming(ensemble, parts);
  ensemble.link_shift =
      static_cast<double>(static_cast<float>(std::log(first_odds(parts.problem))));
}

// The f that minimises the mean of exp(rate (f_l - f_c)) over mislabels has p_k ~ exp(2 rate f_k).
void link_mm(Ensemble& ensemble, const Parts&) {
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = 2;
}

void link_m2(Ensemble& ensemble, const Parts&) {
  ensemble.link = ensemble.schema.multi_label ? Link::kLogistic : Link::kSoftmax;
  ensemble.link_scale = 1;
}

// Where the f(x, y) of a row have a given sum, the mean of exp(-f_c) is least for p_k ~ exp(f_k);
// Figure 3 of jmlr2005 has f K / (2 (K - 1)) in its place.
template <ShareStep kStep>
void link_share(Ensemble& ensemble, const Parts&) {
  const auto classes = static_cast<double>(ensemble.classes());
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = kStep == ShareStep::kGeneral ? classes / (2 * (classes - 1)) : 1;
}

void link_logit(Ensemble& ensemble, const Parts&) {
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = 1;
}

// What trees say is shares already. A class that no tree names keeps a little, so that one sure
// mistake does not cost everything.
void link_forest(Ensemble& ensemble, const Parts&) {
  constexpr double kLeastShares = 0.01;  // of all classes together
  const bool sets = ensemble.schema.multi_label;
  ensemble.link = sets ? Link::kLogistic : Link::kSoftmax;
  ensemble.link_scale = 1;
  ensemble.members = {{"forest", Link::kShares, 1,
                       sets ? 0 : kLeastShares / static_cast<double>(ensemble.classes()), 1}};
}

// Where f_kl is half the log of the odds of k against l, u_k = <y_k, f> / 2 is K / 4 of what ln p_k
// is above its mean.
void link_all_pairs(Ensemble& ensemble, const Parts& parts) {
  ensemble.codewords = parts.codebook->matrix();
  ensemble.link = Link::kSoftmax;
  ensemble.link_scale = 4 / static_cast<double>(ensemble.classes());
}

// Sides of many classes each say nothing of single ones.
void link_ecoc(Ensemble& ensemble, const Parts& parts) {
  ensemble.codewords = parts.codebook->matrix();
  ensemble.link = Link::kNone;
}

bool gives_posterior(const Parts& parts) {
  return parts.parameters.posterior == "approximate" || tells_posterior(*parts.codebook);
}

// u is link_scale / 2 times the scores of the model.
void link_codewords(Ensemble& ensemble, const Parts& parts) {
  const CodebookKind kind = parts.codebook->kind();
  ensemble.simplex = kind == CodebookKind::kSimplex;
  if (!ensemble.simplex && kind != CodebookKind::kCanonical)
    ensemble.codewords = parts.codebook->matrix();
  ensemble.link_scale = class_score_scale(*parts.codebook);
  if (!gives_posterior(parts)) {
    ensemble.link = Link::kNone;
    return;
  }
  switch (parts.loss->facts().posterior) {
    case Posterior::kNone: ensemble.link = Link::kNone; break;
    case Posterior::kSoftmax: ensemble.link = Link::kSoftmax; break;
    case Posterior::kFormula:
      ensemble.link = Link::kLoss;
      ensemble.link_loss = find_loss(parts.loss->name());
  }
}

}  // namespace

double class_score_scale(const Codebook& codebook) {
  return codebook.kind() == CodebookKind::kCanonical ? 1 : 2;
}

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const AlgorithmRow> algorithm_table() {
  static constexpr auto kRows = std::to_array<AlgorithmRow>({
      {"newton", "second order", "canonical", "tree", "logistic", "jmlr2019, with Newton steps",
       "The default: one vector tree a round for all classes", true, false, kVectors, 0, true,
       make_newton, newton_defaults, link_codewords, false, false, false, true},
      {"gd-mcboost", "gradient", "simplex", "tree", "exponential", "jmlr2019, nips2011",
       "GD-MCBoost: all components of the predictor at once, exact steps", true, false, kAnyVector,
       3, true, make_gradient, full_steps, link_codewords},
      {"cd-mcboost", "coordinate", "simplex", "stump", "exponential", "jmlr2019",
       "CD-MCBoost: the component whose step lowers the risk most", true, false, kScalars, 7, true,
       make_coordinate<CoordinateOrder::kGreedy>, full_steps, link_codewords},
      {"cd-mcboost-cyclic", "coordinate", "simplex", "stump", "exponential", "nips2011",
       "CD-MCBoost: one component after the other", true, false, kScalars, 4, false,
       make_coordinate<CoordinateOrder::kCyclic>, full_steps, link_codewords},
      {"adaboost-mh", "example-class weights", "one-vs-all", "hamming-tree", "exponential",
       "icml2014", "AdaBoost.MH: trees that vote for or against every class", false, true,
       kVotesOrOdds, 2, true, make_hamming, full_steps, link_mh, true},
      {"one-vs-all", "example-class weights", "one-vs-all", "stump", "exponential",
       "jmlr2019 (225)", "One-vs-all: an AdaBoost of its own for every class", false, true,
       kOneOutput, 1, false, make_one_vs_all, full_steps, link_hamming, true},
      {"all-pairs", "example weights, pair by pair", "all-pairs", "stump", "exponential",
       "Allwein, Schapire, Singer 2000", "All pairs: an AdaBoost of its own for every two classes",
       false, false, kOneOutput, 1, false, make_one_vs_all, full_steps, link_all_pairs, false,
       false, true},
      {"ecoc", "example weights, column by column", "random", "stump", "exponential",
       "Dietterich and Bakiri 1995",
       "Error-correcting output codes: an AdaBoost for every column of a random code", false, false,
       kOneOutput, 1, false, make_one_vs_all, full_steps, link_ecoc, false, false, true},
      {"samme", "example weights", "canonical", "tree", "exponential", "Zhu et al. 2009",
       "AdaBoost for K classes; needs learners better than guessing (= AdaBoost.M1W)", false, false,
       kClassifiers, 2, true, make_vote<VoteStep::kSamme>, full_steps, link_votes},
      {"adaboost-m1", "example weights", "canonical", "tree", "exponential",
       "Freund and Schapire 1997", "AdaBoost.M1: needs learners with less than 50 % error", false,
       false, kClassifiers, 2, true, make_vote<VoteStep::kM1>, full_steps, link_votes},
      {"dmcboost", "direct", "canonical", "tree", "0-1 loss, then margins", "kdd2014",
       "DMCBoost: the error itself, then the smallest margins; for noisy labels", false, false,
       kDirectTrees, 2, false, make_direct, direct_defaults, link_votes, false, true},
      {"grploss", "example weights", "canonical", "stump", "exponential", "jmlr2005",
       "GrPloss: shares of the classes, that of the right one against the mean of the others",
       false, false, kShares, 2, true, make_share<ShareStep::kNormalised>, share_defaults,
       link_share<ShareStep::kNormalised>},
      {"grploss-general", "example weights", "canonical", "stump", "exponential", "jmlr2005",
       "GrPloss with the shorter steps that hypotheses without a sum of 1 need", false, false,
       kSharesOrSets, 2, true, make_share<ShareStep::kGeneral>, share_defaults,
       link_share<ShareStep::kGeneral>},
      {"boostma", "example weights", "canonical", "stump", "exponential", "jmlr2005",
       "BoostMA: shares of the classes, that of the right one against the uninformed share", false,
       false, kSharesOrSets, 2, true, make_share<ShareStep::kMaxLabel>, share_defaults,
       link_share<ShareStep::kMaxLabel>},
      {"adaboost-mm", "mislabel weights", "canonical", "tree", "exponential",
       "nips2011 (AdaBoost-Cost)",
       "AdaBoost.MM: the class of least cost; needs no more than an edge over guessing", false,
       false, kPicks, 2, true, make_mm, full_steps, link_mm},
      {"adaboost-m2", "mislabel weights", "canonical", "tree", "exponential",
       "Freund and Schapire 1997", "AdaBoost.M2: sets of plausible classes, by their pseudo-loss",
       false, false, kSubsetsOrShares, 2, true, make_m2, full_steps, link_m2},
      {"adaboost-mr", "mislabel weights", "one-vs-all", "hamming-tree", "exponential",
       "Schapire and Singer 1999", "AdaBoost.MR: ranks the labels that hold above the others",
       false, true, kVotes, 2, true, make_mr, full_steps, link_m2},
      {"adaboost-ecc", "mislabel weights", "two colours a round", "tree", "exponential",
       "Guruswami and Sahai 1999",
       "AdaBoost.ECC: each round parts the classes in two, where they are mixed most", false, false,
       kVotes, 2, false, make_ecc<Colouring::kMaxCut>, full_steps, link_m2},
      {"adaboost-ecc-random", "mislabel weights", "two colours a round", "tree", "exponential",
       "Guruswami and Sahai 1999", "AdaBoost.ECC with halves of the classes drawn at random", false,
       false, kVotes, 2, false, make_ecc<Colouring::kRandom>, full_steps, link_m2},
      {"logitboost", "second order, class by class", "canonical", "tree", "logistic",
       "Friedman, Hastie, Tibshirani 2000",
       "LogitBoost: a regression tree (or line) for each class and round, Newton steps", false,
       false, kVectors, 7, false, make_logitboost, logit_defaults, link_logit},
      {"robust-logitboost", "second order, class by class", "canonical", "tree", "logistic",
       "Li 2010", "Robust LogitBoost: the same without bounds on single rows", false, false,
       kVectors, 7, false, make_robust_logitboost, logit_defaults, link_logit},
      {"mart", "first order, class by class", "canonical", "tree", "logistic", "Friedman 2001",
       "MART: cuts by the slopes of the loss alone, values by Newton steps", false, false, kVectors,
       7, false, make_mart, logit_defaults, link_logit},
      {"abc-logitboost", "second order, against a base class", "canonical", "tree", "logistic",
       "Li 2010", "ABC-LogitBoost: each tree moves its class against an adaptive base class", false,
       false, kVectors, 9, false, make_abc<true>, logit_defaults, link_logit},
      {"abc-mart", "first order, against a base class", "canonical", "tree", "logistic", "Li 2009",
       "ABC-MART: the same with the cuts of MART", false, false, kVectors, 9, false,
       make_abc<false>, logit_defaults, link_logit},
      {"aoso-logitboost", "second order, pairs of classes", "canonical", "tree", "logistic",
       "Sun, Reid, Zhou 2012",
       "AOSO-LogitBoost: one tree a round, each leaf moves one pair of classes", false, false,
       kPairs, 3, true, make_aoso, logit_defaults, link_logit},
      {"forest", "none: trees know nothing of each other", "canonical", "tree", "Gini index",
       "Breiman 2001; Geurts et al. 2006",
       "A random forest or extra trees: shares of the classes, averaged; for noisy labels", false,
       true, kShares, 4, false, nullptr, forest_defaults, link_forest},
  });
  return kRows;
}

// Seen from the classes, the pulls of simplex and canonical codewords need no products; other
// codewords are cheaper in their own, smaller dimension.
bool pulls_by_class(const Parts& parts) {
  const CodebookKind kind = parts.codebook->kind();
  return parts.family == LearnerFamily::kCodeword &&
         (kind == CodebookKind::kSimplex || kind == CodebookKind::kCanonical);
}

const AlgorithmRow& find_algorithm(std::string_view name, bool multi_label) {
  if (name == "auto") name = multi_label ? "adaboost-mh" : "newton";
  std::vector<std::string_view> names{"auto"};
  for (const AlgorithmRow& row : algorithm_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw ParameterError(unknown_name_message("algorithm", name, names));
}

namespace {

// Those of boosting; forest_defaults() has set its own.
void set_chance(Parameters& parameters, const Problem& problem) {
  if (parameters.thresholds == "auto") parameters.thresholds = "best";
  if (parameters.bootstrap == "auto") parameters.bootstrap = "none";
  if (parameters.bootstrap != "none" && parameters.resample != "none")
    throw ParameterError("bootstrap: resample draws the rows already; leave one of them out");
  const auto all = static_cast<double>(std::max<std::size_t>(problem.features, 1));
  const double wanted = parameters.node_features;
  if (wanted > 0)
    parameters.node_features = std::clamp(wanted < 1 ? std::round(wanted * all) : wanted, 1.0, all);
}

}  // namespace

Parameters resolve_parameters(const AlgorithmRow& row, Parameters parameters,
                              const Problem& problem) {
  const auto choose = [&](std::string_view name, std::string& value, std::string_view own) {
    if (value == "auto") {
      value = row.composed ? own : "auto";
    } else if (!row.composed) {
      throw ParameterError(
          fmt::format("{}: {} has its own; leave it out, or use an algorithm that "
                      "lets you choose, such as gd-mcboost",
                      name, row.name));
    }
  };
  // A dimension of one's own asks for the codewords that are best in it.
  const bool max_min = parameters.dimension > 0;
  choose("codewords", parameters.codewords, max_min ? "maxmin" : row.codewords);
  choose("loss", parameters.loss, row.loss);
  if (parameters.early_stopping_metric == "risk" && !row.composed)
    throw ParameterError(fmt::format(
        "early-stopping-metric: {} minimises no loss of margins; use error or log-loss", row.name));
  if (max_min && !row.composed)
    throw ParameterError(fmt::format("dimension: {} has no codewords to choose", row.name));
  if (parameters.max_bins == 1) throw ParameterError("max-bins: '1' is too few; give 2 or more");
  parameters.algorithm = row.name;
  if (parameters.learner == "auto") parameters.learner = row.learner;
  row.set_defaults(parameters, problem);
  if (parameters.early_stopping_metric == "auto")
    parameters.early_stopping_metric = row.composed ? "log-loss" : "error";
  if (parameters.weight_floor < 0) parameters.weight_floor = 0;
  if (parameters.max_bins == 0) parameters.max_bins = 256;
  if (parameters.feature_fraction == 0) parameters.feature_fraction = 1;
  set_chance(parameters, problem);
  return parameters;
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> result;
  for (const AlgorithmRow& row : algorithm_table())
    result.push_back({row.name, row.optimiser, row.codewords, row.learner, row.loss, row.paper,
                      row.summary, row.composed, row.multi_label});
  return result;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
