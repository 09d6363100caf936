#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/direct_bytes.h"
#include "boosting/setup/class_weights.h"
#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "cli/options/priors.h"
#include "cli/terminal/job.h"
#include "cli/text/output.h"
#include "cli/text/prediction_writer.h"
#include "cli/verb.h"
#include "data/readers/csv_field.h"
#include "data/readers/dataset_stream.h"
#include "data/readers/share_reader.h"
#include "data/rows/row_split.h"
#include "metric/evaluation.h"
#include "simplexboost/on_device.h"

namespace simplexboost::cli {
namespace predict_verb {
namespace {

struct Options {
  std::string model;
  std::string data;
  std::string output = "-";
  ReadOptions read;
  PredictOptions predict;
  std::string device = "cpu";
  bool proba = false;
  bool scores = false;
  bool outputs = false;
  bool margins = false;
  int top = 0;
  double conformal = 0;
  bool per_class = false;
  bool never_empty = false;
  std::string costs;
  double abstain_above = 0;
  bool abstains = false;
  std::string priors;
  bool uncalibrated = false;
  bool quiet = false;
};

using MatrixOf = std::function<Matrix(const Dataset&)>;

// 1 for the labels of a row, 0 for the others.
Matrix label_matrix(const Model& model, const Dataset& data, const PredictOptions& options) {
  Matrix matrix = model.predict_scores(data, options);
  for (float& value : matrix.values) value = value > 0 ? 1.0F : 0.0F;
  return matrix;
}

class ClassWriter : public PredictionWriter {
 public:
  ClassWriter(const Model& model, const PredictOptions& options)
      : model_(model), options_(options) {
    for (const std::string& name : model.schema().classes) lines_.push_back(csv_field(name) + "\n");
  }
  void begin(TextOutput& out) override { out.buffer() += "prediction\n"; }
  void write(const Dataset& data, TextOutput& out) override {
    for (const std::int32_t code : model_.predict(data, options_)) {
      out.buffer() += lines_[static_cast<std::size_t>(code)];
      out.flush_if_large();
    }
  }

 private:
  const Model& model_;
  const PredictOptions& options_;
  std::vector<std::string> lines_;
};

class MatrixWriter : public PredictionWriter {
 public:
  MatrixWriter(std::vector<std::string> columns, MatrixOf matrix_of)
      : columns_(std::move(columns)), matrix_of_(std::move(matrix_of)) {}
  void begin(TextOutput& out) override {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      out.buffer() += (k > 0 ? "," : "") + csv_field(columns_[k]);
    out.buffer() += '\n';
  }
  void write(const Dataset& data, TextOutput& out) override {
    const std::size_t block = rows_per_block(columns_.size());
    for (std::size_t first = 0; first < data.rows; first += block) {
      const Matrix matrix =
          matrix_of_(slice_features(data, first, std::min(first + block, data.rows)));
      for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t k = 0; k < matrix.columns; ++k) {
          if (k > 0) out.buffer() += ',';
          fmt::format_to(std::back_inserter(out.buffer()), "{}", matrix.row(i)[k]);
        }
        out.buffer() += '\n';
        out.flush_if_large();
      }
    }
  }

 private:
  std::vector<std::string> columns_;
  MatrixOf matrix_of_;
};

class MarginWriter : public PredictionWriter {
 public:
  MarginWriter(const Model& model, const PredictOptions& options)
      : model_(model), options_(options) {}
  void begin(TextOutput& out) override { out.buffer() += "margin\n"; }
  void write(const Dataset& data, TextOutput& out) override {
    for (const float margin : model_.predict_margins(data, options_)) {
      fmt::format_to(std::back_inserter(out.buffer()), "{}\n", margin);
      out.flush_if_large();
    }
  }

 private:
  const Model& model_;
  const PredictOptions& options_;
};

// The components of the predictor f: the classes, or numbers where the codewords have a dimension
// of their own.
std::vector<std::string> output_names(const Model& model) {
  const std::size_t outputs = model.forest().outputs;
  if (outputs == model.schema().classes.size()) return model.schema().classes;
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= outputs; ++j) names.push_back(fmt::format("f{}", j));
  return names;
}

std::unique_ptr<PredictionWriter> make_writer(const Model& model, const Options& options) {
  const PredictOptions& how = options.predict;
  const auto matrix = [&](MatrixOf of) {
    return std::make_unique<MatrixWriter>(model.schema().classes, std::move(of));
  };
  if (options.outputs)
    return std::make_unique<MatrixWriter>(
        output_names(model), [&](const Dataset& d) { return model.predict_outputs(d, how); });
  if (options.proba) return matrix([&](const Dataset& d) { return model.predict_proba(d, how); });
  if (options.scores) return matrix([&](const Dataset& d) { return model.predict_scores(d, how); });
  if (options.margins) return std::make_unique<MarginWriter>(model, how);
  if (options.top > 0) return top_writer(model, static_cast<std::size_t>(options.top), how);
  if (options.conformal > 0)
    return set_writer(model, {options.conformal, options.per_class, options.never_empty}, how);
  if (!options.costs.empty()) {
    const std::optional<double> most =
        options.abstains ? std::optional(options.abstain_above) : std::nullopt;
    return cost_writer(model, parse_costs(options.costs, model.schema().classes), most, how);
  }
  if (model.schema().multi_label)
    return matrix([&](const Dataset& d) { return label_matrix(model, d, how); });
  return std::make_unique<ClassWriter>(model, how);
}

void declare_exclusive(Arguments& arguments) {
  const std::vector<std::string> kinds{"--proba", "--scores",    "--outputs", "--margins",
                                       "--top",   "--conformal", "--costs"};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t j = i + 1; j < kinds.size(); ++j) arguments.exclusive(kinds[i], kinds[j]);
}

void declare(Arguments& arguments, Options& options) {
  declare_model_and_data(arguments, options.model, options.data);
  arguments.flag("--proba", options.proba, "Probabilities, a column for each class.");
  arguments.flag("--scores", options.scores, "Class scores, a column for each class.");
  arguments.flag("--outputs", options.outputs,
                 "The predictor itself, of which codewords make class scores: a column for each of "
                 "its components, an embedding of the rows.");
  arguments.flag("--margins", options.margins,
                 "By how much the score of each row's class exceeds the best of the others; needs "
                 "the label column.");
  arguments.option("--top", "K", options.top,
                   "The K likeliest classes, most likely first, with their probabilities.");
  arguments.option("--conformal", "P", options.conformal,
                   "A set of classes for each row that holds the true one with the probability P, "
                   "such as 0.9: its size and the names between bars (docs/certainty.md).");
  arguments.option("--costs", "FILE", options.costs,
                   "The class of least expected cost, and that cost, by costs [true class][taken "
                   "for] as in train.");
  declare_exclusive(arguments);
  arguments.flag("--per-class", options.per_class,
                 "With --conformal: P holds for the rows of each class.");
  arguments.flag("--never-empty", options.never_empty,
                 "With --conformal: the likeliest class where the set would be empty.");
  arguments.option("--abstain-above", "COST", options.abstain_above,
                   "With --costs: no class where the least expected cost is above this.");
  arguments.option("--priors", "SHARES", options.priors,
                   "Shares of the classes among these rows where they are not those of training: "
                   "a=0.2,b=0.8, a file of such lines, or estimate, by the rows themselves.");
  arguments.flag("--uncalibrated", options.uncalibrated,
                 "As the model was trained, whatever it was calibrated by since.");
  arguments.option("-o,--output", "FILE", options.output,
                   "Write to this file, which appears only when it is complete; by default "
                   "standard output.");
  declare_predict_options(arguments, options.predict);
  arguments.option(
      "--device", "NAME", options.device,
      "Where to compute: cpu, or a GPU, cuda or cuda:N (docs/gpu.md). The result is the "
      "same on any.");
  arguments.flag("--quiet", options.quiet, "No notes on standard error.");
  arguments.group("Data");
  declare_label_option(arguments, options.read);
  declare_format_options(arguments, options.read);
}

void check(const Arguments& arguments, Options& options) {
  if (arguments.given("--top") && options.top < 1)
    throw UsageError("--top: give a number of classes, 1 or more");
  if (arguments.given("--conformal") && !(options.conformal > 0 && options.conformal < 1))
    throw UsageError("--conformal: give a probability above 0 and below 1, such as 0.9");
  for (const char* name : {"--per-class", "--never-empty"})
    if (arguments.given(name) && !arguments.given("--conformal"))
      throw UsageError(fmt::format("{}: goes with --conformal", name));
  options.abstains = arguments.given("--abstain-above");
  if (options.abstains && options.costs.empty())
    throw UsageError("--abstain-above: goes with --costs");
}

// As the options say that it shall predict.
Model load_model(const Options& options, ReadOptions& read) {
  Model model = Model::load(options.model);
  check_predict_options(options.predict, model);
  if (options.uncalibrated) model = uncalibrated(model);
  read.schema = &model.schema();
  if (options.priors.empty()) return on_device(model, options.device);
  const std::vector<double> priors =
      read_priors(options.priors, model, options.data, read, options.predict);
  if (!options.quiet && options.priors == "estimate" && job_ranks().rank() == 0)
    print_note("estimated shares: " + class_weight_text(priors, model.schema().classes));
  return on_device(with_priors(model, priors), options.device);
}

// Each of several processes predicts its share of the rows; the first writes all of them.
void predict_share(const Options& options, PredictionWriter& writer) {
  Communicator& ranks = job_ranks();
  const Dataset share = read_with_notes(options.data, options.read, options.quiet);
  TextOutput here("-");
  here.hold();
  if (ranks.rank() == 0) writer.begin(here);
  if (share.rows > 0) writer.write(share, here);
  std::optional<TextOutput> out;
  if (ranks.rank() == 0) out.emplace(options.output);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    std::vector<std::byte> bytes;
    if (rank == ranks.rank()) {
      const std::span<const std::byte> text = std::as_bytes(std::span(here.buffer()));
      bytes.assign(text.begin(), text.end());
      here.buffer() = {};
    }
    bytes = pass(ranks, std::move(bytes), rank, 0);
    if (!out) continue;
    out->buffer().append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    out->flush();
  }
  if (out) out->commit();
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  check(arguments, options);
  if (options.output != "-") check_output_path(options.output, {options.model, options.data});
  options.read.require_labels = options.margins;
  options.read.threads = options.predict.threads;
  const Model model = load_model(options, options.read);
  options.read.schema = &model.schema();
  const std::unique_ptr<PredictionWriter> writer = make_writer(model, options);
  if (job_ranks().size() > 1 || is_pattern(options.data)) {
    predict_share(options, *writer);
    return kOk;
  }
  DatasetStream rows(options.data, options.read);
  std::optional<Dataset> block = rows.next();
  TextOutput out(options.output);
  writer->begin(out);
  for (; block; block = rows.next()) {
    writer->write(*block, out);
    block.reset();
    out.flush();
  }
  print_notes(rows.notes(), options.quiet);
  out.commit();
  return kOk;
}

}  // namespace
}  // namespace predict_verb

const Verb kPredictVerb{
    "predict",
    "predict the classes of new rows with a model",
    "MODEL DATA [--proba | --scores | --outputs | --margins | --top K | --conformal P | --costs "
    "FILE [--abstain-above COST]] [--priors SHARES] [-o FILE]",
    "Writes CSV with a header: the predicted class of each row, or with --proba or --scores a "
    "column for each class. A multi-label model gives a column of 0 and 1 for each label. Columns "
    "of DATA are matched with the model's by name; a label column "
    "may be there and is ignored, but for --margins, which needs it. Rows are written while rows "
    "come in, in order, and memory does not grow with their number.",
    "  simplexboost predict m.sb new.csv -o predictions.csv\n"
    "  simplexboost predict m.sb new.csv --proba | head\n"
    "  simplexboost predict m.sb new.csv --conformal 0.9\n"
    "  simplexboost predict m.sb new.csv --costs '0,1;20,0' --abstain-above 0.5\n"
    "  zcat new.csv.gz | simplexboost predict m.sb -",
    predict_verb::run,
    true,
};

}  // namespace simplexboost::cli
