#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/nearest_name.h"
#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/readers/csv_field.h"
#include "data/readers/dataset_stream.h"
#include "simplexboost/effects.h"
#include "simplexboost/explain.h"

namespace simplexboost::cli {
namespace explain_verb {
namespace {

constexpr std::size_t kExplainBlockBytes = std::size_t{64} << 20;

struct Options {
  std::string model;
  std::string data;
  std::string output = "-";
  std::string background;
  std::uint64_t background_rows = 100;
  std::vector<std::string> classes;
  std::vector<std::string> contrast;
  std::uint64_t top = 0;
  bool why = false;
  bool importance = false;
  std::string effect;
  bool accumulated = false;
  bool permutation = false;
  std::string metric;
  std::uint64_t seed = 0;
  ReadOptions read;
  PredictOptions predict;
  bool quiet = false;
};

void declare(Arguments& arguments, Options& options) {
  declare_model_and_data(arguments, options.model, options.data);
  arguments.group("What");
  arguments.flag("--importance", options.importance,
                 "The mean magnitude of the values over all rows: a line for each feature, a "
                 "column for each class.");
  arguments.option("--effect", "FEATURE", options.effect,
                   "What the values of a feature do to the probabilities: partial dependence, a "
                   "line for each value, a column for each class.");
  arguments.flag("--accumulated", options.accumulated,
                 "With --effect: accumulated local effects, for features that hang together.");
  arguments.flag("--permutation", options.permutation,
                 "How much worse a metric is where a feature is shuffled, with intervals of 95 %; "
                 "needs the label column.");
  arguments.option("--metric", "NAME", options.metric,
                   "With --permutation: this metric (evaluate --help lists them).");
  arguments.option("--seed", "N", options.seed, "Of the rows that are drawn.");
  arguments.group("Which classes");
  arguments.list("--classes", "NAME", options.classes, "Only these; by default all.");
  arguments.option("--top", "N", options.top, "Of each row, the so many of highest score.");
  arguments.list("--contrast", "A,B", options.contrast, "Why A and not B: one line a row.");
  arguments.flag("--why", options.why,
                 "Why the predicted class and not the best of the others: one line a row.");
  arguments.exclusive("--classes", "--top");
  arguments.exclusive("--classes", "--contrast");
  arguments.exclusive("--classes", "--why");
  arguments.exclusive("--top", "--contrast");
  arguments.exclusive("--top", "--why");
  arguments.exclusive("--contrast", "--why");
  arguments.exclusive("--importance", "--effect");
  arguments.exclusive("--importance", "--permutation");
  arguments.exclusive("--effect", "--permutation");
  arguments.group("How");
  arguments.option("--background", "FILE", options.background,
                   "Rows to compare with, a feature that is not known having their values whatever "
                   "the others are (interventional). By default what training rows have in each "
                   "node (path-dependent).");
  arguments.option("--background-rows", "N", options.background_rows,
                   "Take so many of them at most, evenly spread (100).");
  arguments.option("-o,--output", "FILE", options.output,
                   "Write to this file, which appears only when it is complete; by default "
                   "standard output.");
  declare_predict_options(arguments, options.predict);
  arguments.flag("--quiet", options.quiet, "No notes on standard error.");
  arguments.group("Data");
  declare_label_option(arguments, options.read);
  declare_format_options(arguments, options.read);
}

std::int32_t class_code(const Model& model, const std::string& name, const char* option) {
  const std::vector<std::string>& classes = model.schema().classes;
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found == classes.end()) {
    const std::vector<std::string_view> names(classes.begin(), classes.end());
    throw UsageError(fmt::format("{}: {}", option, unknown_name_message("class", name, names)));
  }
  return static_cast<std::int32_t>(found - classes.begin());
}

ShapRequest request_of(const Model& model, const Options& options) {
  ShapRequest request;
  for (const std::string& name : options.classes)
    request.classes.push_back(class_code(model, name, "--classes"));
  request.top = options.top;
  if (options.why) request.contrast = Contrast{};
  if (options.contrast.empty()) return request;
  if (options.contrast.size() != 2)
    throw UsageError("--contrast: give two classes, as in --contrast A,B");
  request.contrast = Contrast{class_code(model, options.contrast[0], "--contrast"),
                              class_code(model, options.contrast[1], "--contrast")};
  return request;
}

Dataset spread_rows(const Dataset& data, std::size_t most) {
  if (most == 0) throw UsageError("--background-rows: give 1 or more");
  const std::size_t count = std::min(most, data.rows);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(static_cast<std::uint32_t>(i * data.rows / count));
  return select_rows(data, rows);
}

Explainer make_explainer(const Model& model, const Options& options) {
  ExplainOptions how{options.predict.threads, options.predict.rounds, nullptr};
  if (options.background.empty()) return Explainer(model, how);
  const Dataset rows = spread_rows(read_with_notes(options.background, options.read, options.quiet),
                                   options.background_rows);
  how.background = &rows;
  return Explainer(model, how);
}

void add_number(std::string& line, double value) {
  fmt::format_to(std::back_inserter(line), ",{}", value);
}

// A line for each row and column: its number in DATA, from 1, its class or classes, what it begins
// with and the values of all features.
void write_values(const Explainer& explainer, const ShapRequest& request, DatasetStream& rows,
                  std::optional<Dataset> block, TextOutput& out) {
  const Schema& schema = explainer.model().schema();
  out.buffer() += request.contrast ? "row,class,against,base" : "row,class,base";
  for (const FeatureSchema& feature : schema.features)
    out.buffer() += "," + csv_field(feature.name);
  out.buffer() += '\n';
  std::size_t number = 0;
  const auto name = [&](std::int32_t label) {
    return "," + csv_field(schema.classes[static_cast<std::size_t>(label)]);
  };
  const std::size_t step = explainer.rows_for(request, kExplainBlockBytes);
  for (; block; block = rows.next()) {
    for (std::size_t begin = 0; begin < block->rows; begin += step) {
      const ShapValues found =
          explainer.values(*block, begin, std::min(begin + step, block->rows), request);
      const std::size_t named = found.classes.size() / std::max<std::size_t>(found.rows, 1);
      for (std::size_t i = 0; i < found.rows; ++i) {
        ++number;
        for (std::size_t c = 0; c < found.columns; ++c) {
          std::string& line = out.buffer();
          line += std::to_string(number) + name(found.classes[i * named + c]);
          if (request.contrast) line += name(found.classes[i * named + 1]);
          add_number(line, found.base[i * found.columns + c]);
          for (std::size_t f = 0; f < found.features; ++f)
            add_number(line, found.row(i)[f * found.columns + c]);
          line += '\n';
          out.flush_if_large();
        }
      }
    }
    out.flush();
  }
}

// The names of columns of classes, as a header goes on.
std::string class_header(const Schema& schema, const ShapRequest& request) {
  if (request.contrast) return ",value\n";
  std::string line;
  std::vector<std::string> names;
  if (request.classes.empty()) names = schema.classes;
  for (const std::int32_t label : request.classes)
    names.push_back(schema.classes[static_cast<std::size_t>(label)]);
  for (const std::string& one : names) line += "," + csv_field(one);
  return line + '\n';
}

void write_importance(const Explainer& explainer, const ShapRequest& request, DatasetStream& rows,
                      std::optional<Dataset> block, TextOutput& out) {
  const Schema& schema = explainer.model().schema();
  std::vector<double> sums;
  double total = 0;
  for (; block; block = rows.next()) {
    const std::vector<double> some = explainer.mean_magnitudes(*block, request);
    sums.resize(some.size());
    const auto count = static_cast<double>(block->rows);
    for (std::size_t i = 0; i < some.size(); ++i) sums[i] += some[i] * count;
    total += count;
  }
  if (total == 0) throw DataError({}, "no rows to explain");
  out.buffer() += "feature" + class_header(schema, request);
  const std::size_t columns = sums.size() / std::max<std::size_t>(schema.features.size(), 1);
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    out.buffer() += csv_field(schema.features[f].name);
    for (std::size_t c = 0; c < columns; ++c)
      add_number(out.buffer(), sums[f * columns + c] / total);
    out.buffer() += '\n';
  }
}

void write_effect(const Model& model, const Options& options, const ShapRequest& request,
                  TextOutput& out) {
  const Schema& schema = model.schema();
  std::vector<std::string_view> names;
  for (const FeatureSchema& feature : schema.features) names.push_back(feature.name);
  const auto found = std::find(names.begin(), names.end(), options.effect);
  if (found == names.end())
    throw UsageError("--effect: " + unknown_name_message("feature", options.effect, names));
  if (request.top > 0 || request.contrast)
    throw UsageError("--effect: choose classes by --classes");
  EffectOptions how;
  how.threads = options.predict.threads;
  how.seed = options.seed;
  how.classes = request.classes;
  how.scores = !model.has_proba();
  const auto feature = static_cast<std::size_t>(found - names.begin());
  const Dataset data = read_with_notes(options.data, options.read, options.quiet);
  const Effect effect = options.accumulated ? accumulated_effect(model, data, feature, how)
                                            : partial_dependence(model, data, feature, how);
  out.buffer() += csv_field(options.effect) + class_header(schema, request);
  for (std::size_t g = 0; g < effect.grid.size(); ++g) {
    const double x = effect.grid[g];
    const std::vector<std::string>& categories = schema.features[feature].categories;
    if (!std::isnan(x))
      out.buffer() += categories.empty() ? fmt::format("{}", x)
                                         : csv_field(categories[static_cast<std::size_t>(x)]);
    for (std::size_t c = 0; c < effect.classes.size(); ++c)
      add_number(out.buffer(), effect.values[g * effect.classes.size() + c]);
    out.buffer() += '\n';
  }
}

void write_permutation(const Model& model, const Options& options, TextOutput& out) {
  PermutationOptions how;
  how.threads = options.predict.threads;
  how.metric = options.metric;
  how.seed = options.seed;
  const PermutationImportance found = permutation_importance(
      model, read_with_notes(options.data, options.read, options.quiet), how);
  out.buffer() += fmt::format("feature,{},low,high\n", csv_field(found.metric));
  for (const FeatureLoss& loss : found.features)
    out.buffer() +=
        fmt::format("{},{},{},{}\n", csv_field(model.schema().features[loss.feature].name),
                    loss.mean, loss.low, loss.high);
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  if (options.output != "-")
    check_output_path(options.output, {options.model, options.data, options.background});
  if (options.accumulated && options.effect.empty())
    throw UsageError("--accumulated: it is for --effect FEATURE");
  if (!options.metric.empty() && !options.permutation)
    throw UsageError("--metric: it is for --permutation");
  const Model model = Model::load(options.model);
  check_predict_options(options.predict, model);
  options.read.schema = &model.schema();
  options.read.threads = options.predict.threads;
  options.read.require_labels = options.permutation;
  const ShapRequest request = request_of(model, options);
  TextOutput out(options.output);
  if (!options.effect.empty()) {
    write_effect(model, options, request, out);
  } else if (options.permutation) {
    write_permutation(model, options, out);
  } else {
    const Explainer explainer = make_explainer(model, options);
    DatasetStream rows(options.data, options.read);
    std::optional<Dataset> block = rows.next();
    if (options.importance)
      write_importance(explainer, request, rows, std::move(block), out);
    else
      write_values(explainer, request, rows, std::move(block), out);
    print_notes(rows.notes(), options.quiet);
  }
  out.commit();
  return kOk;
}

}  // namespace
}  // namespace explain_verb

const Verb kExplainVerb{
    "explain",
    "tell why a model says what it says",
    "MODEL DATA [--top N | --contrast A,B | --why] [--importance] [-o FILE]",
    "Writes CSV with a header: for each row of DATA and each class the Shapley values of all "
    "features, which with the column 'base' sum to the class's score; or, with --importance, "
    "--effect or --permutation, what features do to all rows together. Rows are written while rows "
    "come in, and memory does not grow with their number.",
    "  simplexboost explain m.sb new.csv --why | head\n"
    "  simplexboost explain m.sb new.csv --contrast O,Q -o why.csv\n"
    "  simplexboost explain m.sb data.csv --importance\n"
    "  simplexboost explain m.sb data.csv --effect petal_width",
    explain_verb::run,
};

}  // namespace simplexboost::cli
