#include "exchange/importers.h"
#include "exchange/ubjson.h"
#include "model/file/model_file.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

// JSON has a blank, a quote or an end behind its first brace; UBJSON the length of a key.
Json parse_either(std::string_view bytes) {
  const bool text =
      bytes.size() < 2 || std::string_view(" \t\r\n\"}").find(bytes[1]) != std::string_view::npos;
  return text ? Json::parse(bytes) : parse_ubjson(bytes);
}

Ensemble import_ensemble(std::string_view bytes) {
  if (bytes.starts_with("tree")) return import_lightgbm(bytes);
  if (!bytes.starts_with('{'))
    throw ModelError(
        "it is neither a model of XGBoost (JSON or UBJSON) nor one of LightGBM (text); save with "
        "Booster.save_model(\"m.json\") or save_model(\"m.txt\")");
  const Json file = parse_either(bytes);
  if (!file.is_object() || !file.contains("learner"))
    throw ModelError("it is JSON, but no model of XGBoost: it has no 'learner'");
  return import_xgboost(file);
}

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

Model import_model(std::string_view bytes) {
  try {
    return make_model(import_ensemble(bytes));
  } catch (const JsonError& error) {
    throw ModelError(error.what());
  }
}

Model import_model_file(const std::string& path) {
  const std::vector<std::byte> bytes = read_foreign_file(path);
  try {
    return import_model({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
