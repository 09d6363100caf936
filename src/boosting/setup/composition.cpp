#include "boosting/setup/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/image/filter_taps.h"
#include "base/threads/parallel.h"
#include "boosting/setup/constraints.h"
#include "boosting/setup/cost_matrix.h"
#include "codeword/make_codebook.h"
#include "codeword/rank.h"
#include "data/integral_images.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

void check_labels(const Dataset& data, const AlgorithmRow& algorithm) {
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

// The weights are scaled already (data/weight_scale.h).
Problem make_problem(const Dataset& data, const RowSpace& space) {
  Problem problem{data.labels, data.weights, space, data.labels.classes.size(),
                  data.columns.size()};
  const bool counts = data.weights.empty() ? data.rows > 0
                                           : std::any_of(data.weights.begin(), data.weights.end(),
                                                         [](double weight) { return weight > 0; });
  if (!space.any(counts))
    throw DataError(Place{data.source}, "all weights are zero; expected one above zero at least");
  return problem;
}

// What sees all rows at once, and so works in one process only.
void check_parted(const AlgorithmRow& algorithm) {
  if (algorithm.sorts_rows)
    throw ParameterError(fmt::format(
        "algorithm: {} sorts all rows in one process, and the rows of this training are parted "
        "among several; use another one",
        algorithm.name));
}

// A user's learner stands in for the most general of ours that the algorithm takes, and is told
// all of the pulls.
const LearnerRow& stand_in(const AlgorithmRow& algorithm, Parameters& parameters) {
  const auto& families = algorithm.families;
  if (families.front() == LearnerFamily::kScalar || families.front() == LearnerFamily::kDirect)
    throw ParameterError(
        fmt::format("{} takes no learner of one's own; use gd-mcboost", algorithm.name));
  const bool real =
      std::find(families.begin(), families.end(), LearnerFamily::kReal) != families.end();
  parameters.sketch = 0;
  if (families.back() == LearnerFamily::kPlausibility)
    return find_learner(algorithm.learner, "subset", families);
  return find_learner(real ? "tree" : algorithm.learner, real ? "vector" : "auto", families);
}

Codebook own_codebook(const std::vector<float>& matrix, std::size_t classes) {
  const auto require = [](bool condition, const std::string& what) {
    if (!condition) throw ParameterError("codewords: " + what);
  };
  require(matrix.size() % classes == 0,
          fmt::format("{} numbers are no lines for {} classes", matrix.size(), classes));
  require(std::all_of(matrix.begin(), matrix.end(), [](float x) { return std::isfinite(x); }),
          "a number of the matrix is not finite");
  const auto width = static_cast<std::ptrdiff_t>(matrix.size() / classes);
  std::set<std::vector<float>> lines;
  for (auto line = matrix.begin(); line != matrix.end(); line += width)
    require(lines.emplace(line, line + width).second, "two classes have the same");
  return Codebook::dense(CodebookKind::kFile, classes, matrix);
}

Codebook named_codebook(const Parameters& parameters, const Problem& problem) {
  CodebookSpec spec;
  spec.kind = parameters.codewords;
  spec.classes = problem.classes;
  if (parameters.dimension > 0) spec.dimension = static_cast<std::size_t>(parameters.dimension);
  spec.seed = parameters.seed;
  spec.threads = problem.space.threads();
  return make_codebook(spec);
}

bool needs_probabilities(const std::string& metric) {
  return (find_metric(metric, false).parts() & (kTallyProbabilities | kTallyAreas)) != 0;
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
  if (metric != "auto" && metric != "risk" && needs_probabilities(metric))
    throw ParameterError(
        fmt::format("early-stopping-metric: models of one's own losses give no probabilities, so "
                    "there is no {}; use 'risk' or 'error'",
                    metric));
}

std::optional<Metric> choose_metric(const std::string& name, bool multi_label) {
  if (name == "risk") return std::nullopt;
  try {
    return find_metric(name, multi_label);
  } catch (const ParameterError& error) {
    throw ParameterError(std::string("early-stopping-metric: ") + error.what());
  }
}

// Makes the choices one after the other, since each may depend on those before it.
class Composer {
 public:
  Composer(const Dataset& data, const Parameters& wanted, const TrainOptions& options,
           Communicator& ranks)
      : data_(data),
        wanted_(wanted),
        options_(options),
        algorithm_(find_algorithm(wanted.algorithm, data.labels.multi_label())),
        problem_((check_labels(data, algorithm_),
                  make_problem(data, {data.rows, resolve_threads(wanted.threads), ranks}))),
        parameters_(resolve_parameters(algorithm_, wanted, problem_)) {}

  Composition compose() {
    if (problem_.space.parted()) check_parted(algorithm_);
    if (!algorithm_.make_optimizer && !(options_.metrics.empty() && options_.figures.empty()))
      throw ParameterError(
          "metrics: a forest is watched by error and log-loss; more can be had from the model");
    const LearnerRow& learner = choose_learner();
    check_chance(learner);
    choose_costs();
    std::optional<Codebook> codebook = choose_codebook();
    std::shared_ptr<const Loss> loss = choose_loss(codebook);
    check_posterior(codebook);
    choose_patience();
    choose_precision(learner, codebook ? codebook->dimension() : problem_.classes);
    const std::optional<Metric> watched =
        choose_metric(parameters_.early_stopping_metric, data_.labels.multi_label());
    std::shared_ptr<const TreeConstraints> constraints = choose_constraints(learner);
    const bool own_learner = options_.make_learner != nullptr;
    return {algorithm_,
            std::move(problem_),
            std::move(parameters_),
            learner,
            own_learner,
            std::move(codebook),
            std::move(loss),
            watched,
            choose_image(learner),
            std::move(constraints)};
  }

 private:
  const LearnerRow& choose_learner() {
    if (!options_.make_learner)
      return find_learner(parameters_.learner, parameters_.leaf_values, algorithm_.families);
    if (wanted_.learner != "auto")
      throw ParameterError("learner: it must be 'auto' where make_learner is given");
    return stand_in(algorithm_, parameters_);
  }

  // A forest has trees of its own.
  void check_chance(const LearnerRow& learner) const {
    if (!algorithm_.make_optimizer) return;
    const bool grown = learner.name != "linear" && learner.family != LearnerFamily::kDirect &&
                       !options_.make_learner;
    const bool least_squares = grown && learner.criterion == CriterionKind::kLeastSquares &&
                               learner.family != LearnerFamily::kPair;
    if (parameters_.split_noise > 0 && !least_squares)
      throw ParameterError(
          "split-noise: it is for trees that fit pulls by least squares, such as newton's; leave "
          "it "
          "out");
    const char* const chance = wanted_.node_features > 0       ? "node-features"
                               : wanted_.thresholds == "drawn" ? "thresholds"
                                                               : nullptr;
    if (chance && !grown)
      throw ParameterError(
          fmt::format("{}: this learner grows no trees by it; leave it out", chance));
  }

  // Trees that go on from others see images at the scale of these.
  ImageShape choose_image(const LearnerRow& learner) const {
    if (wanted_.image == "none") {
      if (wanted_.filters > 0)
        throw ParameterError("filters: there are no images; give image WIDTHxHEIGHT");
      return {};
    }
    const ImageShape wanted = parse_image_shape(wanted_.image);
    if (learner.name == "linear" || options_.make_learner)
      throw ParameterError(fmt::format(
          "image: filters are for trees, and not for {} with the learner {}; leave it out",
          algorithm_.name, options_.make_learner ? "of one's own" : learner.name));
    if (learner.family == LearnerFamily::kDirect && wanted_.tree_search == "exact")
      throw ParameterError(
          "image: filters are drawn for each node where trees are searched by curves, and not by "
          "tree-search exact, which has the cuts of the paper; leave it out");
    ImageShape shape = fit_image_shape(data_, wanted, problem_.space.ranks());
    const ImageShape past = options_.init ? options_.init->forest().image : ImageShape{};
    if (!past.empty()) shape.scale = past.scale;
    return shape;
  }

  // Scores can be bounded where a leaf holds the score of each class, and is not scaled by what
  // may be negative; paths can be kept to groups where trees are grown feature by feature.
  std::shared_ptr<const TreeConstraints> choose_constraints(const LearnerRow& learner) const {
    const bool trees = algorithm_.make_optimizer && !options_.make_learner &&
                       learner.name != "linear" && learner.name != "hamming-product" &&
                       !learner.name.starts_with("augmented") &&
                       learner.family != LearnerFamily::kDirect;
    const bool bounds = trees && algorithm_.rated_steps && !data_.labels.multi_label() &&
                        parameters_.codewords == "canonical" && !options_.objective;
    if (wanted_.monotone != "none" && !bounds)
      throw ParameterError(fmt::format(
          "monotone: it is for newton's trees with a score for each class, and not for {}{}; leave "
          "it out",
          algorithm_.name, algorithm_.rated_steps ? " with these settings" : ""));
    if (wanted_.monotone != "none" && wanted_.image != "none")
      throw ParameterError(
          "monotone: filters see several pixels at once, so that a score could not be kept to one "
          "way; leave out image");
    if (wanted_.interactions != "none" && (!trees || wanted_.image != "none"))
      throw ParameterError(
          fmt::format("interactions: it is for trees that are grown feature by feature, and not "
                      "for {} with the learner {}{}; leave it out",
                      algorithm_.name, options_.make_learner ? "of one's own" : learner.name,
                      wanted_.image != "none" ? " and image filters" : ""));
    if (wanted_.monotone != "none" && options_.init)
      throw ParameterError(
          "monotone: rounds of another model come first, which need not obey; leave out init");
    return read_constraints(wanted_, data_);
  }

  // The algorithms of the papers run as they say.
  void choose_patience() {
    constexpr int kPatience = 50;
    int& patience = parameters_.early_stopping;
    const bool stops = options_.valid && !options_.objective && algorithm_.rated_steps;
    if (patience < 0) patience = stops ? kPatience : 0;
  }

  // Rounded values suit a descent that sees them; the bounds of the other algorithms are about
  // the very steps that were searched for, and lines are no leaves.
  void choose_precision(const LearnerRow& learner, std::size_t outputs) {
    constexpr std::size_t kManyOutputs = 64;
    std::string& precision = parameters_.leaf_precision;
    const bool trees = algorithm_.rated_steps && learner.name != "linear" && !options_.make_learner;
    if (precision == "bfloat16" && !trees)
      throw ParameterError("leaf-precision: bfloat16 is for newton's own trees; leave it out");
    if (precision == "auto") precision = trees && outputs >= kManyOutputs ? "bfloat16" : "float32";
  }

  // The model keeps the costs themselves, unless there are very many: then the file's name.
  void choose_costs() {
    constexpr std::size_t kKeptClasses = 100;
    if (parameters_.costs == "none") return;
    if (!algorithm_.composed || options_.objective)
      throw ParameterError(
          fmt::format("costs: {} has no place for them; use newton, gd-mcboost, cd-mcboost or "
                      "cd-mcboost-cyclic with a gamma-phi loss, or class-weight",
                      options_.objective ? "an objective of one's own" : algorithm_.name));
    problem_.costs = read_costs(parameters_.costs, data_.labels.classes);
    if (problem_.classes <= kKeptClasses)
      parameters_.costs = costs_text(problem_.costs, problem_.classes);
  }

  std::optional<Codebook> choose_codebook() {
    if (options_.codewords.empty() && algorithm_.output_code) {
      Parameters own = parameters_;
      own.codewords = algorithm_.codewords;
      return named_codebook(own, problem_);
    }
    if (options_.codewords.empty())
      return algorithm_.composed ? std::optional(named_codebook(parameters_, problem_))
                                 : std::nullopt;
    if (!algorithm_.composed)
      throw ParameterError(fmt::format("codewords: {} has its own", algorithm_.name));
    if (wanted_.codewords != "auto")
      throw ParameterError("codewords: it must be 'auto' where a matrix is given");
    parameters_.codewords = "custom";
    return own_codebook(options_.codewords, problem_.classes);
  }

  std::shared_ptr<const Loss> choose_loss(const std::optional<Codebook>& codebook) {
    if (!options_.loss && !options_.objective)
      return algorithm_.composed ? make_loss(parameters_.loss) : nullptr;
    check_own_loss(algorithm_, wanted_, options_);
    std::shared_ptr<const Loss> loss =
        options_.loss ? make_loss(options_.loss)
                      : make_loss(options_.objective, 2 / class_score_scale(*codebook),
                                  problem_.space.ranks());
    if (wanted_.early_stopping_metric == "auto")
      parameters_.early_stopping_metric = loss->facts().knows_risk ? "risk" : "error";
    return loss;
  }

  // Codewords of too low a rank tell no probabilities, so that the loss itself is watched.
  void check_posterior(const std::optional<Codebook>& codebook) {
    const bool low = algorithm_.composed && !tells_posterior(*codebook);
    if (!low && parameters_.posterior == "approximate")
      throw ParameterError(
          "posterior: approximate is for codewords that tell no probabilities, such as maxmin of "
          "less than K - 1 dimensions; leave it out");
    if (!low || parameters_.posterior == "approximate" || options_.loss || options_.objective)
      return;
    std::string& metric = parameters_.early_stopping_metric;
    if (wanted_.early_stopping_metric == "auto") metric = "risk";
    if (metric != "risk" && needs_probabilities(metric))
      throw ParameterError(
          fmt::format("early-stopping-metric: codewords of dimension {} tell no probabilities of "
                      "{} classes (jmlr2019, Lemma 3), so there is no {}; use 'risk' or 'error', "
                      "or posterior approximate",
                      codebook->dimension(), codebook->classes(), metric));
  }

  const Dataset& data_;
  const Parameters& wanted_;
  const TrainOptions& options_;
  const AlgorithmRow& algorithm_;
  Problem problem_;
  Parameters parameters_;
};

}  // namespace

Composition compose(const Dataset& data, const Parameters& wanted, const TrainOptions& options,
                    Communicator& ranks) {
  return Composer(data, wanted, options, ranks).compose();
}

Parameters resolve_parameters(const Dataset& data, const Parameters& wanted) {
  const AlgorithmRow& algorithm = find_algorithm(wanted.algorithm, data.labels.multi_label());
  return resolve_parameters(algorithm, wanted,
                            make_problem(data, {data.rows, resolve_threads(wanted.threads)}));
}

}  // namespace simplexboost
