#include <fmt/format.h>

#include "cli/options/arguments.h"
#include "cli/options/data_options.h"
#include "cli/verb.h"
#include "simplexboost/exchange.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {
namespace import_verb {
namespace {

int run(Arguments& arguments) {
  std::string file;
  std::string path;
  arguments.positional("FILE", file,
                       "Model of XGBoost (JSON or UBJSON) or LightGBM (text), as their save_model "
                       "writes it.");
  arguments.required();
  arguments.option("-m,--model", "OUT", path, "Where to write the model.");
  arguments.required();
  arguments.parse();
  check_output_path(path, {file});
  const Model model = import_model_file(file);
  model.save(path);
  if (arguments.given("--quiet")) return kOk;
  fmt::print("{}: {} rounds, {} trees, {} features, {} classes from {}\n", path, model.rounds(),
             model.forest().trees.size(), model.schema().features.size(),
             model.schema().classes.size(), model.algorithm());
  return kOk;
}

}  // namespace
}  // namespace import_verb

const Verb kImportVerb{
    "import",
    "read a model of XGBoost or LightGBM",
    "FILE --model OUT",
    "Turns a multiclass or binary model of XGBoost (gbtree, dart; categories, vector leaves) or "
    "LightGBM (gbdt, dart, rf; categories) into ours, which predicts the same. What ours cannot be "
    "is refused with what it is: linear leaves, ranking, regression.",
    "  simplexboost import booster.json --model m.sb\n"
    "  simplexboost import model.txt --model m.sb && simplexboost inspect m.sb",
    import_verb::run,
};

}  // namespace simplexboost::cli
