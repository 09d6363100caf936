#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/readers/csv_field.h"
#include "data/readers/dataset_stream.h"
#include "data/row_split.h"
#include "metric/evaluation.h"

namespace simplexboost::cli {
namespace predict_verb {
namespace {

struct Options {
  std::string model;
  std::string data;
  std::string output = "-";
  ReadOptions read;
  PredictOptions predict;
  bool proba = false;
  bool scores = false;
  bool margins = false;
  bool quiet = false;
};

using MatrixOf = std::function<Matrix(const Dataset&)>;

// 1 for the labels of a row, 0 for the others.
Matrix label_matrix(const Model& model, const Dataset& data, const PredictOptions& options) {
  Matrix matrix = model.predict_scores(data, options);
  for (float& value : matrix.values) value = value > 0 ? 1.0F : 0.0F;
  return matrix;
}

// Writes a header, and then a line a row as the rows come in.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin(TextOutput& out) = 0;
  virtual void write(const Dataset& data, TextOutput& out) = 0;
};

class ClassWriter : public Writer {
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

class MatrixWriter : public Writer {
 public:
  MatrixWriter(const Model& model, MatrixOf matrix_of)
      : classes_(model.schema().classes), matrix_of_(std::move(matrix_of)) {}
  void begin(TextOutput& out) override {
    for (std::size_t k = 0; k < classes_.size(); ++k)
      out.buffer() += (k > 0 ? "," : "") + csv_field(classes_[k]);
    out.buffer() += '\n';
  }
  void write(const Dataset& data, TextOutput& out) override {
    const std::size_t block = rows_per_block(classes_.size());
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
  const std::vector<std::string>& classes_;
  MatrixOf matrix_of_;
};

class MarginWriter : public Writer {
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

std::unique_ptr<Writer> make_writer(const Model& model, const Options& options) {
  const PredictOptions& how = options.predict;
  const auto matrix = [&](MatrixOf of) {
    return std::make_unique<MatrixWriter>(model, std::move(of));
  };
  if (options.proba) return matrix([&](const Dataset& d) { return model.predict_proba(d, how); });
  if (options.scores) return matrix([&](const Dataset& d) { return model.predict_scores(d, how); });
  if (options.margins) return std::make_unique<MarginWriter>(model, how);
  if (model.schema().multi_label)
    return matrix([&](const Dataset& d) { return label_matrix(model, d, how); });
  return std::make_unique<ClassWriter>(model, how);
}

void declare(Arguments& arguments, Options& options) {
  arguments.positional("MODEL", options.model, "Model file that train wrote.");
  arguments.required();
  arguments.positional("DATA", options.data, kDataHelp);
  arguments.required();
  arguments.flag("--proba", options.proba, "Probabilities, a column for each class.");
  arguments.flag("--scores", options.scores, "Class scores, a column for each class.");
  arguments.flag("--margins", options.margins,
                 "By how much the score of each row's class exceeds the best of the others; needs "
                 "the label column.");
  arguments.exclusive("--proba", "--scores");
  arguments.exclusive("--proba", "--margins");
  arguments.exclusive("--scores", "--margins");
  arguments.option("-o,--output", "FILE", options.output,
                   "Write to this file, which appears only when it is complete; by default "
                   "standard output.");
  declare_predict_options(arguments, options.predict);
  arguments.flag("--quiet", options.quiet, "No notes on standard error.");
  arguments.group("Data");
  declare_label_option(arguments, options.read);
  declare_format_options(arguments, options.read);
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  if (options.output != "-") check_output_path(options.output, {options.model, options.data});
  const Model model = Model::load(options.model);
  check_predict_options(options.predict, model);
  options.read.schema = &model.schema();
  options.read.require_labels = options.margins;
  options.read.threads = options.predict.threads;
  DatasetStream rows(options.data, options.read);
  std::optional<Dataset> block = rows.next();
  const std::unique_ptr<Writer> writer = make_writer(model, options);
  TextOutput out(options.output);
  writer->begin(out);
  for (; block; block = rows.next()) {
    writer->write(*block, out);
    block.reset();
    out.flush();
  }
  if (!options.quiet)
    for (const std::string& line : rows.notes().lines) print_note(line);
  out.commit();
  return kOk;
}

}  // namespace
}  // namespace predict_verb

const Verb kPredictVerb{
    "predict",
    "predict the classes of new rows with a model",
    "MODEL DATA [--proba | --scores | --margins] [-o FILE]",
    "Writes CSV with a header: the predicted class of each row, or with --proba or --scores a "
    "column for each class. A multi-label model gives a column of 0 and 1 for each label. Columns "
    "of DATA are matched with the model's by name; a label column "
    "may be there and is ignored, but for --margins, which needs it. Rows are written while rows "
    "come in, in order, and memory does not grow with their number.",
    "  simplexboost predict m.sb new.csv -o predictions.csv\n"
    "  simplexboost predict m.sb new.csv --proba | head\n"
    "  zcat new.csv.gz | simplexboost predict m.sb -",
    predict_verb::run,
};

}  // namespace simplexboost::cli
