#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "data/readers/csv_field.h"
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

void write_classes(const Model& model, const Dataset& data, const PredictOptions& options,
                   TextOutput& out) {
  std::vector<std::string> lines;
  for (const std::string& name : model.schema().classes) lines.push_back(csv_field(name) + "\n");
  out.buffer() += "prediction\n";
  for (const std::int32_t code : model.predict(data, options)) {
    out.buffer() += lines[static_cast<std::size_t>(code)];
    out.flush_if_large();
  }
}

using MatrixOf = std::function<Matrix(const Dataset&)>;

// 1 for the labels of a row, 0 for the others.
Matrix label_matrix(const Model& model, const Dataset& data, const PredictOptions& options) {
  Matrix matrix = model.predict_scores(data, options);
  for (float& value : matrix.values) value = value > 0 ? 1.0F : 0.0F;
  return matrix;
}

void write_matrix(const Model& model, const Dataset& data, const MatrixOf& matrix_of,
                  TextOutput& out) {
  const std::vector<std::string>& classes = model.schema().classes;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    out.buffer() += (k > 0 ? "," : "") + csv_field(classes[k]);
  }
  out.buffer() += '\n';
  const std::size_t block = rows_per_block(classes.size());
  for (std::size_t begin = 0; begin < data.rows; begin += block) {
    const std::size_t end = std::min(begin + block, data.rows);
    const Matrix matrix = matrix_of(slice_features(data, begin, end));
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

void write_margins(const Model& model, const Dataset& data, const PredictOptions& options,
                   TextOutput& out) {
  const std::vector<float> margins = model.predict_margins(data, options);
  out.buffer() += "margin\n";
  for (const float margin : margins) {
    fmt::format_to(std::back_inserter(out.buffer()), "{}\n", margin);
    out.flush_if_large();
  }
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
  const Dataset data = read_with_notes(options.data, options.read, options.quiet);
  TextOutput out(options.output);
  const auto write = [&](auto matrix_of) {
    write_matrix(
        model, data, [&](const Dataset& part) { return matrix_of(part, options.predict); }, out);
  };
  if (options.proba) {
    write(
        [&](const Dataset& part, const PredictOptions& o) { return model.predict_proba(part, o); });
  } else if (options.scores) {
    write([&](const Dataset& part, const PredictOptions& o) {
      return model.predict_scores(part, o);
    });
  } else if (options.margins) {
    write_margins(model, data, options.predict, out);
  } else if (model.schema().multi_label) {
    write(
        [&](const Dataset& part, const PredictOptions& o) { return label_matrix(model, part, o); });
  } else {
    write_classes(model, data, options.predict, out);
  }
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
    "may be there and is ignored, but for --margins, which needs it.",
    "  simplexboost predict m.sb new.csv -o predictions.csv\n"
    "  simplexboost predict m.sb new.csv --proba | head\n"
    "  zcat new.csv.gz | simplexboost predict m.sb -",
    predict_verb::run,
};

}  // namespace simplexboost::cli
