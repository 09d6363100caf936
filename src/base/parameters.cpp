#include "simplexboost/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "base/text/nearest_name.h"
#include "simplexboost/error.h"
#include "simplexboost/loss.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr double kMillion = 1e6;
constexpr double kEndless = 1e9;  // from here on a maximum is one only for the sake of safety
constexpr double kLarge = 1e12;
constexpr std::string_view kAlgorithm = "Algorithm";
constexpr std::string_view kTrees = "Weak learner";
constexpr std::string_view kSampling = "Sampling";
constexpr std::string_view kRunning = "Running";

using P = Parameters;

std::vector<std::string_view> auto_or(std::span<const std::string_view> names) {
  std::vector<std::string_view> choices{"auto"};
  choices.insert(choices.end(), names.begin(), names.end());
  return choices;
}

using Specs = std::vector<ParameterSpec>;

template <class Member>
ParameterSpec number(std::string_view name, Member member, double minimum, double maximum,
                     std::string_view help) {
  return {name, {}, member, minimum, maximum, {}, help, false};
}

ParameterSpec choice(std::string_view name, std::string P::*member,
                     std::vector<std::string_view> choices, std::string_view help) {
  return {name, {}, member, 0, 0, std::move(choices), help, false};
}

ParameterSpec text(std::string_view name, std::string P::*member, std::string_view help) {
  return choice(name, member, {}, help);
}

ParameterSpec of_machine(ParameterSpec spec) {
  spec.of_machine = true;
  return spec;
}

void add(Specs& specs, std::string_view group, std::initializer_list<ParameterSpec> members) {
  for (ParameterSpec spec : members) {
    spec.group = group;
    specs.push_back(std::move(spec));
  }
}

// Of every algorithm, or many.
void add_algorithm(Specs& specs) {
  add(specs, kAlgorithm,
      {
          text("algorithm", &P::algorithm,
               "The boosting algorithm, by name; auto: newton, or adaboost-mh for several labels a "
               "row."),
          choice("loss", &P::loss, auto_or(loss_names()),
                 "The gamma-phi loss, where the algorithm has a choice."),
          text("codewords", &P::codewords,
               "Codewords, where the algorithm has a choice: simplex, canonical, maxmin, "
               "one-vs-all, all-pairs, random, random-sparse or a file (see simplexboost "
               "codewords)."),
          number("dimension", &P::dimension, 0, kMillion,
                 "Dimension of the codewords; fewer than the classes make large problems cheaper; "
                 "0: as the kind has it."),
          choice("posterior", &P::posterior, {"exact", "approximate"},
                 "Probabilities where the codewords have too low a rank to tell them (maxmin of "
                 "less than K - 1 dimensions): none (exact), or those of a softmax (approximate)."),
          number("rounds", &P::rounds, 1, kMillion,
                 "Boosting rounds of one training; a cross-fitted one chooses its own."),
          number("learning-rate", &P::learning_rate, 0, 10,
                 "Every step is multiplied by this; less than 1 learns slower and often better; 0: "
                 "the algorithm's default."),
          number("early-stopping", &P::early_stopping, -1, kMillion,
                 "Stop after so many rounds that are no better on the validation data and keep the "
                 "best round; 0: never, -1: after 50 for newton, never for the others."),
          text("early-stopping-metric", &P::early_stopping_metric,
               "What better means: any metric that evaluate knows, or risk, the mean of the loss "
               "itself; auto: the log loss where the algorithm minimises a loss of margins "
               "(newton, gd-mcboost, ...), else the error."),
          choice("early-stopping-rule", &P::early_stopping_rule, {"best", "smoothed"},
                 "Which round is kept: the best one, or that of the best mean over the rounds from "
                 "0.8 T to T (icml2014 (15)), so that a lucky one does not win."),
          number("early-stopping-start", &P::early_stopping_start, -1, kMillion,
                 "Rounds up to this one are not kept as the best; -1: 0, or 50 where smoothed."),
          number("uninformed-share", &P::uninformed_share, 0, 0.999,
                 "boostma: the share c of the right class that counts as knowing nothing; 0: that "
                 "of the classes' own shares (jmlr2005 (21))."),
          text("class-weight", &P::class_weight,
               "Weights of the classes, multiplied into those of the rows: none, balanced (all "
               "classes weigh the same), a=2,b=0.5 (others 1) or a file with a line class=weight "
               "for each."),
          text("costs", &P::costs,
               "What it costs to take a row of one class (line) for another (column), inside the "
               "loss, for algorithms with a choice of losses: none, a CSV file with or without "
               "class names, or the numbers in the order of the classes: 0,1;5,0."),
      });
}

// Of single families of algorithms.
void add_families(Specs& specs) {
  add(specs, kAlgorithm,
      {
          number("margin-rows", &P::margin_rows, 1e-6, kLarge,
                 "dmcboost: how many of the smallest margins phase II cares for (n'): a share of "
                 "the rows below 1, else a number of them; more for noisier labels, 1: the "
                 "smallest margin, as many as there are rows or more: the mean margin."),
          number("relaxation", &P::relaxation, 0, 1,
                 "dmcboost: phase II goes so much beyond the best step (epsilon, in units of the "
                 "first one), to get out of corners; 0: not."),
          number("margin-smoothing", &P::margin_smoothing, 0.001, 1000,
                 "dmcboost: trees of phase II are chosen as if the corners of the margins were "
                 "rounded off over so many votes, in units of the first step."),
          number("phase-patience", &P::phase_patience, 0, kMillion,
                 "dmcboost: rounds in a row without gain before phase I, or phase II with "
                 "relaxation, ends."),
          number("phases", &P::phases, 1, 2,
                 "dmcboost: 1: end where the error has reached its local minimum; 2: go on to the "
                 "margins."),
          choice("tree-search", &P::tree_search, {"curves", "exact"},
                 "dmcboost: judge cuts by curves of the objective over some steps, or each by a "
                 "line search of its own (exact: slow, for small data)."),
          number("search-steps", &P::search_steps, 2, 4096,
                 "dmcboost: steps at which cuts are judged in phase I."),
          number("base-candidates", &P::base_candidates, 0, kMillion,
                 "abc-logitboost, abc-mart: try so many classes of the largest training loss as "
                 "the base and take the one with which the loss falls most; 1: the worst class at "
                 "once, 0: all classes (exhaustive search)."),
          number("base-gap", &P::base_gap, 1, kMillion,
                 "abc-logitboost, abc-mart: choose the base class anew every so many rounds."),
      });
}

// What the weak learner is.
void add_learner(Specs& specs) {
  add(specs, kTrees,
      {
          choice("learner", &P::learner,
                 {"auto", "stump", "tree", "hamming-stump", "hamming-tree", "hamming-product",
                  "augmented-stump", "augmented-tree", "linear"},
                 "The weak learner; auto: the algorithm's own."),
          number("depth", &P::depth, 0, 64, "Depth of a tree; 0: the learner's default."),
          number(
              "leaves", &P::leaves, 0, kMillion,
              "Grow the best leaf first, up to so many leaves; 0: level by level, as depth says."),
          number("factors", &P::factors, 1, 12, "Cuts in a hamming-product."),
          number("linear-features", &P::linear_features, 1, 1000,
                 "Most features in one hypothesis of the learner linear."),
          choice("leaf-values", &P::leaf_values,
                 {"auto", "class", "subset", "proportion", "codeword", "vote", "ternary",
                  "confidence", "vector", "scalar", "pair"},
                 "What a leaf says, where the algorithm has a choice; auto: the first that the "
                 "learner has."),
          choice("leaf-precision", &P::leaf_precision, {"auto", "float32", "bfloat16"},
                 "How newton's trees store what their leaves say; auto: bfloat16, half the memory, "
                 "for 64 outputs and more."),
          choice("criterion", &P::criterion, {"auto", "gini", "error"},
                 "What cuts of trees with a class in each leaf are judged by: the weighted Gini "
                 "index (auto) or the weighted error."),
          choice("categorical-splits", &P::categorical_splits, {"subset", "one-vs-rest"},
                 "How categories are parted: any subset of them, or one against the rest."),
          number("subset-values", &P::subset_values, 0, kEndless,
                 "Categories of up to so many values are parted as categorical-splits says; those "
                 "of more by ordered target statistics: the shares of the classes among the rows "
                 "of the same value that come before in a random order."),
          number("sketch", &P::sketch, -1, kMillion,
                 "newton: shape each tree by a sketch of so many channels, its values still by all "
                 "outputs; 0: by all, -1: as the number of classes suggests."),
          choice("sketch-kind", &P::sketch_kind, {"projection", "top", "sample"},
                 "newton: what the channels are: random projections of all outputs, the outputs of "
                 "largest pulls, or outputs drawn in proportion to these."),
          number("min-rows", &P::min_rows, 1, kEndless, "Fewest training rows in a leaf."),
          number("min-weight", &P::min_weight, 0, kLarge, "Least weight in a leaf."),
          number("min-gain", &P::min_gain, 0, kLarge, "Least gain of a split."),
          number("l2", &P::l2, -1, kLarge,
                 "Penalty on the squares of the leaf values; -1: the algorithm's default."),
      });
}

// What trees may cut by beside columns.
void add_image(Specs& specs) {
  add(specs, kTrees,
      {
          text("image", &P::image,
               "The columns are the pixels of images, WIDTHxHEIGHT or WIDTHxHEIGHTxCHANNELS, line "
               "by line, the channels of a pixel side by side: trees may cut by Haar-like filters, "
               "too, differences of neighbouring rectangles; none: no images."),
          number("filters", &P::filters, 0, kMillion,
                 "With image: filters of two, three and four rectangles that are drawn anew for "
                 "each node; 0: 64."),
      });
}

// What trees must obey.
void add_constraints(Specs& specs) {
  add(specs, kTrees,
      {
          text("monotone", &P::monotone,
               "newton: scores that must go one way as a feature grows, FEATURE:+CLASS or "
               "FEATURE:-CLASS, between commas: the score of the class never falls (-: rises), "
               "those of the other classes never rise (-: fall), and so its log-odds against each "
               "of them. Features and classes by name or number (#3); of two classes the second "
               "need not be named; none: no such."),
          text(
              "interactions", &P::interactions,
              "Features that may come together on a path of a tree: groups between semicolons, "
              "names or numbers (#3) between commas, as in a,b;b,c,d; a feature of no group stands "
              "alone; none: any may."),
      });
}

// What a round sees.
void add_sampling(Specs& specs) {
  add(specs, kSampling,
      {
          number("row-fraction", &P::row_fraction, 1e-4, 1,
                 "Share of the rows that each round sees."),
          number("feature-fraction", &P::feature_fraction, 0, 1,
                 "Share of the features that each tree sees; 0: the algorithm's default, 1, or for "
                 "newton below 100 classes 0.25 of 256 features and more (0.5 on less than 12,000 "
                 "rows, 1 on few rows of very many features), 0.7 of 16 and more on less than "
                 "30,000 rows."),
          number("node-features", &P::node_features, 0, kMillion,
                 "Features drawn anew for each node: a share of them below 1, else a number of "
                 "them; 0: all, or for forest the square root of their number."),
          choice("thresholds", &P::thresholds, {"auto", "best", "drawn"},
                 "Cut each numeric feature at its best place, or at a place drawn at random: "
                 "faster, and trees differ more; auto: drawn for newton on less than 12,000 rows "
                 "and for forest (extra trees; best makes it a random forest), else best."),
          number("split-noise", &P::split_noise, 0, 100,
                 "newton and others that fit pulls by least squares: add noise to the gains of "
                 "splits, whose roots it moves by so many standard deviations of what chance alone "
                 "would give; it fades as the rounds go on."),
          choice("bootstrap", &P::bootstrap, {"auto", "none", "plain", "bayesian"},
                 "The rows of each tree: all of them, as many as there are drawn with replacement "
                 "(plain), or all with random weights (bayesian); times row-fraction; auto: none, "
                 "but plain for forest."),
          choice("resample", &P::resample, {"none", "weights"},
                 "weights: draw each round's rows by their weights, with replacement, instead of "
                 "weighting them."),
          number("weight-floor", &P::weight_floor, -1, 1,
                 "Least share of all the weight that a row has in the eyes of the weak learner; "
                 "-1: the algorithm's default."),
      });
}

// How it runs.
void add_running(Specs& specs) {
  add(specs, kRunning,
      {
          number("max-bins", &P::max_bins, 0, 65536,
                 "Most bins of a feature, 2 or more; above 256 they take two bytes each; 0: the "
                 "algorithm's default, 256, or 64 for newton on less than 30,000 rows of 32 "
                 "features or more."),
          number(
              "histogram-memory", &P::histogram_memory, 0, kMillion,
              "Memory for histograms that are kept, in MB; 0: for eight of them, 2 MB at least."),
          of_machine(number("threads", &P::threads, 0, 4096,
                            "Threads; 0: all cores. The result is the same for any number.")),
          of_machine(text("device", &P::device,
                          "Where training computes: cpu, or a GPU, cuda or cuda:N (docs/gpu.md). "
                          "The result is the same on any.")),
          number("seed", &P::seed, 0, 0x1.0p64, "Seed of everything random."),
      });
}

Specs make_specs() {
  Specs specs;
  for (const auto add_some : {add_algorithm, add_families, add_learner, add_image, add_constraints,
                              add_sampling, add_running})
    add_some(specs);
  return specs;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto dashed = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return dashed(x) == dashed(y); });
}

const ParameterSpec& find_spec(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : parameter_specs()) {
    if (same_name(spec.name, name)) return spec;
    names.push_back(spec.name);
  }
  throw ParameterError(unknown_name_message("parameter", name, names));
}

template <class Value>
[[noreturn]] void reject(const ParameterSpec& spec, const Value& value, std::string_view why) {
  throw ParameterError(
      fmt::format("{}: '{}' is {}; give {}, {}", spec.name, value, why,
                  std::holds_alternative<double P::*>(spec.member) ? "a number" : "a whole number",
                  parameter_range(spec)));
}

template <class Number>
void check_value(const ParameterSpec& spec, Number value) {
  // Written so that NaN fails.
  const auto number = static_cast<double>(value);
  if (number > spec.maximum && spec.maximum >= kEndless)
    throw ParameterError(
        fmt::format("{}: '{}' is too large; give {:.0e} or less", spec.name, value, spec.maximum));
  if (!(number >= spec.minimum && number <= spec.maximum)) reject(spec, value, "out of range");
}

void check_value(const ParameterSpec& spec, const std::string& value) {
  if (spec.choices.empty() || std::count(spec.choices.begin(), spec.choices.end(), value) > 0) {
    return;
  }
  throw ParameterError(
      fmt::format("{}: {}", spec.name, unknown_name_message(spec.name, value, spec.choices)));
}

template <class Number>
Number parse(const ParameterSpec& spec, std::string_view text, Number) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) reject(spec, text, "out of range");
  if (error != std::errc() || stop != end) reject(spec, text, "not a number of the right kind");
  return value;
}

std::string parse(const ParameterSpec&, std::string_view text, const std::string&) {
  return std::string(text);
}

}  // namespace

std::span<const ParameterSpec> parameter_specs() {
  static const Specs kSpecs = make_specs();
  return kSpecs;
}

std::string parameter_range(const ParameterSpec& spec) {
  if (std::holds_alternative<std::string P::*>(spec.member)) {
    return fmt::format("{}", fmt::join(spec.choices, ", "));
  }
  if (spec.maximum >= kEndless) return fmt::format("{} or more", spec.minimum);
  return fmt::format("{} to {}", spec.minimum, spec.maximum);
}

void set_parameter(Parameters& parameters, std::string_view name, std::string_view value) {
  const ParameterSpec& spec = find_spec(name);
  std::visit(
      [&](auto member) {
        const auto parsed = parse(spec, value, parameters.*member);
        check_value(spec, parsed);
        parameters.*member = parsed;
      },
      spec.member);
}

std::string get_parameter(const Parameters& parameters, std::string_view name) {
  return std::visit([&](auto member) { return fmt::format("{}", parameters.*member); },
                    find_spec(name).member);
}

void check_parameters(const Parameters& parameters) {
  for (const ParameterSpec& spec : parameter_specs()) {
    std::visit([&](auto member) { check_value(spec, parameters.*member); }, spec.member);
  }
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
