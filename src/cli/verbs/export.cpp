#include <fmt/format.h>

#include <array>

#include "base/text/nearest_name.h"
#include "cli/options/arguments.h"
#include "cli/options/data_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "simplexboost/error.h"
#include "simplexboost/exchange.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {
namespace export_verb {
namespace {

struct Options {
  std::string format;
  std::string model;
  std::string output = "-";
  OnnxOptions onnx;
  std::string name = "model";
  TreeliteOptions treelite;
};

struct Format {
  std::string_view name;
  std::string (*write)(const Model& model, const Options& options);
};

constexpr std::array kFormats{
    Format{"onnx", [](const Model& m, const Options& o) { return to_onnx(m, o.onnx); }},
    Format{"header", [](const Model& m, const Options& o) { return to_header(m, o.name); }},
    Format{"treelite", [](const Model& m, const Options& o) { return to_treelite(m, o.treelite); }},
    Format{"json", [](const Model& m, const Options&) { return to_json(m); }},
};

const Format& find_format(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw UsageError(unknown_name_message("format", name, names));
}

void declare(Arguments& arguments, Options& options) {
  arguments.positional("FORMAT", options.format, "onnx, header, treelite or json.");
  arguments.required();
  arguments.positional("MODEL", options.model, kModelHelp);
  arguments.required();
  arguments.option("-o,--output", "FILE", options.output,
                   "Where to write; standard output by default.");
  arguments.group("ONNX");
  arguments.flag("--classic", options.onnx.classic,
                 "Use the operators of ai.onnx.ml 3, for runtimes that do not know TreeEnsemble.");
  arguments.flag("--single", options.onnx.single,
                 "Take features in single precision (default: double, exact for every row).");
  arguments.group("Header");
  arguments.option("--name", "NAME", options.name,
                   "What the names in the header begin with (default: model).");
  arguments.group("Treelite");
  arguments.flag("--raw", options.treelite.raw,
                 "Scores in the place of probabilities, for models whose probabilities are no "
                 "softmax.");
  arguments.flag("--linear-aside", options.treelite.linear_aside,
                 "Scores without their linear terms, which go to the attributes for whoever runs "
                 "the model to add.");
}

int run(Arguments& arguments) {
  Options options;
  declare(arguments, options);
  arguments.parse();
  const Format& format = find_format(options.format);
  if (format.name != "onnx" && (options.onnx.classic || options.onnx.single))
    throw UsageError("--classic and --single are for ONNX");
  if (format.name != "header" && arguments.given("--name"))
    throw UsageError("--name is for headers");
  if (format.name != "treelite" && (options.treelite.raw || options.treelite.linear_aside))
    throw UsageError("--raw and --linear-aside are for Treelite");
  if (options.output != "-") check_output_path(options.output, {options.model});
  const std::string text = format.write(Model::load(options.model), options);
  TextOutput out(options.output);
  out.buffer() = text;
  out.commit();
  return kOk;
}

}  // namespace
}  // namespace export_verb

const Verb kExportVerb{
    "export",
    "write a model for other programs: ONNX, C, Treelite, JSON",
    "FORMAT MODEL [-o FILE] [options]",
    "Writes the model in FORMAT. onnx: a graph that takes a matrix of features (categories as "
    "codes, NaN where missing) and gives labels, probabilities and scores. header: C99 and C++11 "
    "without "
    "allocation. treelite: a checkpoint for Treelite and TL2cgen. json: everything, for people. "
    "What a format cannot hold is refused by name.",
    "  simplexboost export onnx m.sb -o m.onnx\n"
    "  simplexboost export header m.sb -o letters.h --name letters\n"
    "  simplexboost export json m.sb | less",
    export_verb::run,
};

}  // namespace simplexboost::cli
