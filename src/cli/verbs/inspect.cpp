#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text/json.h"
#include "base/text/visible_text.h"
#include "cli/options/arguments.h"
#include "cli/options/data_options.h"
#include "cli/text/choices_text.h"
#include "cli/text/codeword_text.h"
#include "cli/text/estimate_text.h"
#include "cli/text/layout.h"
#include "cli/text/log_text.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "model/explain.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {
namespace inspect_verb {
namespace {

constexpr std::size_t kListedClasses = 20;
constexpr std::size_t kListedFeatures = 15;
constexpr std::size_t kListedRounds = 5;
constexpr std::size_t kNameWidth = 40;

using Table = std::vector<std::vector<std::string>>;

std::string summary_text(const std::string& path, const ModelSummary& summary) {
  const std::string linear =
      summary.linear > 0 ? fmt::format(", {} of them with a linear part", summary.linear) : "";
  return fmt::format("{}: {}, {} rounds, {} trees with {} leaves, depth at most {}{}\n", path,
                     summary.algorithm, summary.rounds, summary.trees, summary.leaves,
                     summary.max_depth, linear) +
         fmt::format("{} classes, {} outputs; {} features ({} categorical), {} of them used\n",
                     summary.classes, summary.outputs, summary.features,
                     summary.categorical_features, summary.used_features) +
         fmt::format("stopped: {}\n", fit(summary.stop_reason, 200));
}

// The codewords of a model whose algorithm has some to choose: the name is among its settings, and
// the matrix in the model unless it is canonical or a simplex.
std::optional<Codebook> codebook_of(const Ensemble& ensemble) {
  const auto setting = ensemble.parameters.find("codewords");
  const std::size_t classes = ensemble.classes();
  if (setting == ensemble.parameters.end() || setting->second == "auto" || classes < 2)
    return std::nullopt;
  const std::string& name = setting->second;
  const std::size_t outputs = ensemble.forest.outputs;
  if (ensemble.simplex) return Codebook::simplex(classes);
  if (ensemble.codewords.empty()) return Codebook::canonical(classes);
  if (name == "one-vs-all" && outputs == classes) return Codebook::one_vs_all(classes);
  CodebookKind kind = CodebookKind::kFile;
  for (const CodebookKind one :
       {CodebookKind::kMaxMin, CodebookKind::kRandom, CodebookKind::kRandomSparse})
    if (name == codebook_kind_name(one)) kind = one;
  if (name == "all-pairs" && outputs == classes * (classes - 1) / 2) kind = CodebookKind::kAllPairs;
  return Codebook::dense(kind, classes, ensemble.codewords);
}

std::string codebook_text(const Ensemble& ensemble) {
  const std::optional<Codebook> book = codebook_of(ensemble);
  return book ? "\nCodewords\n" + codewords_text(*book, measure_codewords(*book, 0)) : "";
}

Json codebook_json(const Ensemble& ensemble) {
  const std::optional<Codebook> book = codebook_of(ensemble);
  if (!book) return nullptr;
  return codewords_json(*book, measure_codewords(*book, 0));
}

std::string settings_text(const Ensemble& ensemble) {
  Table rows;
  for (const auto& [name, value] : ensemble.parameters) {
    rows.push_back({fit(name, kNameWidth), fit(value, kNameWidth)});
  }
  const char* heading = ensemble.records.empty() ? "Settings" : "Settings that were asked for";
  return fmt::format("\n{}\n", heading) + format_table(rows, {0, 1}, 2);
}

std::string classes_text(const std::vector<std::string>& classes) {
  std::string names;
  for (std::size_t k = 0; k < std::min(classes.size(), kListedClasses); ++k) {
    names += (k > 0 ? ", " : "") + fit(classes[k], kNameWidth);
  }
  if (classes.size() > kListedClasses) {
    names += fmt::format(" and {} more", classes.size() - kListedClasses);
  }
  return "\nClasses\n  " + wrap(names, 90, 2) + "\n";
}

std::string importance_text(const Ensemble& ensemble) {
  const std::vector<FeatureImportance> all = feature_importance(ensemble);
  const bool with_gain = !all.empty() && all.front().gain > 0;
  Table rows{{"FEATURE", "SPLITS", with_gain ? "GAIN" : ""}};
  for (const FeatureImportance& one : all) {
    if (one.splits == 0 || rows.size() > kListedFeatures) break;
    rows.push_back({fit(ensemble.schema.features[one.feature].name, kNameWidth),
                    fmt::format("{}", one.splits),
                    with_gain ? fmt::format("{:.4g}", one.gain) : ""});
  }
  return "\nMost important features\n" + format_table(rows, {0}, 2);
}

std::string log_text(const TrainingLog& log) {
  if (log.columns.empty()) return "";
  const std::size_t width = log.columns.size();
  const std::size_t rounds = log.values.size() / width;
  Table rows{{"ROUND"}};
  for (const std::string& name : log.columns) rows[0].push_back(fit(name, kNameWidth));
  for (std::size_t r = rounds - std::min(rounds, kListedRounds); r < rounds; ++r) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(fmt::format("{}", r + 1));
    for (std::size_t j = 0; j < width; ++j) {
      row.push_back(fmt::format("{:.5g}", log.values[r * width + j]));
    }
  }
  return "\nLast rounds of the training log\n" + format_table(rows, {}, 2);
}

Json model_json(const std::string& path, const Model& model) {
  const Ensemble& ensemble = ensemble_of(model);
  const ModelSummary summary = summarize(ensemble);
  Json features = Json::array();
  for (const FeatureImportance& one : feature_importance(ensemble)) {
    const FeatureSchema& schema = ensemble.schema.features[one.feature];
    features.push_back(
        {{"name", schema.name},
         {"type", schema.type == FeatureType::kCategorical ? "categorical" : "numeric"},
         {"splits", one.splits},
         {"gain", one.gain}});
  }
  Json log = Json::object();
  const std::size_t width = ensemble.log.columns.size();
  for (std::size_t j = 0; j < width; ++j) {
    Json& column = log[ensemble.log.columns[j]] = Json::array();
    for (std::size_t i = j; i < ensemble.log.values.size(); i += width) {
      column.push_back(ensemble.log.values[i]);
    }
  }
  return Json{{"model", path},
              {"algorithm", summary.algorithm},
              {"rounds", summary.rounds},
              {"trees", summary.trees},
              {"leaves", summary.leaves},
              {"max_depth", summary.max_depth},
              {"linear_trees", summary.linear},
              {"outputs", summary.outputs},
              {"stop_reason", summary.stop_reason},
              {"settings", ensemble.parameters},
              {"classes", ensemble.schema.classes},
              {"features", std::move(features)},
              {"codewords", codebook_json(ensemble)},
              {"members", members_json(model)},
              {"choices", choices_json(ensemble)},
              {"estimate", estimate_json(model)},
              {"calibration", ensemble.map.empty() ? Json(nullptr) : Json(ensemble.map.method)},
              {"class_shares", ensemble.class_shares},
              {"margins", margins_json(ensemble.log.margins)},
              {"log", std::move(log)}};
}

void print_tree(const Ensemble& ensemble, std::uint64_t number) {
  const std::size_t trees = ensemble.forest.trees.size();
  if (number >= trees) {
    throw UsageError(fmt::format("--tree: the model has {} trees, counted from 0; there is no {}",
                                 trees, number));
  }
  fmt::print("{}", tree_text(ensemble, number));
}

void write_plot(const std::string& path, const Model& model, const std::string& figure) {
  TextOutput out(path);
  out.buffer() = svg_text(model_figure(model, figure));
  out.commit();
}

int run(Arguments& arguments) {
  std::string path;
  std::string plot;
  std::string figure = "errors";
  bool json = false;
  std::uint64_t tree = 0;
  arguments.positional("MODEL", path, kModelHelp);
  arguments.required();
  arguments.flag("--json", json, "Print one JSON object, with the whole training log.");
  arguments.option("--tree", "T", tree, "Show the splits and leaves of tree T, counted from 0.");
  arguments.option("--plot", "FILE", plot,
                   "Draw a figure of the training as SVG: that which --figure names.");
  arguments.option(
      "--figure", "NAME", figure,
      "What --plot draws: errors against the rounds, bounds beside the errors that they "
      "bound, or the margins of the training rows.");
  arguments.exclusive("--json", "--tree");
  arguments.exclusive("--json", "--plot");
  arguments.exclusive("--tree", "--plot");
  arguments.parse();
  if (arguments.given("--figure") && !arguments.given("--plot"))
    throw UsageError("--figure: it says what --plot draws; give --plot FILE too");
  if (arguments.given("--plot") && plot != "-") check_output_path(plot, {path});
  const Model model = Model::load(path);
  const Ensemble& ensemble = ensemble_of(model);
  if (json) {
    print_json(model_json(path, model));
  } else if (arguments.given("--tree")) {
    print_tree(ensemble, tree);
  } else if (arguments.given("--plot")) {
    write_plot(plot, model, figure);
  } else {
    fmt::print("{}", visible_lines(
                         fmt::format("{}{}{}{}{}{}{}{}{}", summary_text(path, summarize(ensemble)),
                                     members_text(model) + choices_text(ensemble),
                                     estimate_text(model) + certainty_text(model),
                                     settings_text(ensemble), classes_text(ensemble.schema.classes),
                                     importance_text(ensemble), codebook_text(ensemble),
                                     margins_text(ensemble.log.margins), log_text(ensemble.log))));
  }
  return kOk;
}

}  // namespace
}  // namespace inspect_verb

const Verb kInspectVerb{
    "inspect",
    "show what is in a model: settings, classes, features, trees",
    "MODEL [--json | --tree T | --plot FILE [--figure NAME]]",
    "Prints a summary of the model, its settings, its classes, the features that it uses most, and "
    "the end of its training log. --plot draws its learning curve, its margins or "
    "its bounds instead.",
    "  simplexboost inspect m.sb\n"
    "  simplexboost inspect m.sb --tree 0\n"
    "  simplexboost inspect m.sb --plot curve.svg\n"
    "  simplexboost inspect m.sb --plot bounds.svg --figure bounds",
    inspect_verb::run,
};

}  // namespace simplexboost::cli
