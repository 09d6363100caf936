#include "cli/margin_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/text.h"

namespace simplexboost::cli {

std::string margins_text(const std::optional<MarginSummary>& margins) {
  if (!margins) return "";
  std::vector<std::string> figures;
  for (const double figure : {margins->least, margins->lower_quartile, margins->median,
                              margins->upper_quartile, margins->most, margins->mean})
    figures.push_back(fmt::format("{:.4g}", figure));
  return "\nMargins of the training rows\n" +
         format_table({{"LEAST", "QUARTILE", "MEDIAN", "QUARTILE", "LARGEST", "MEAN"}, figures}, {},
                      2);
}

nlohmann::ordered_json margins_json(const std::optional<MarginSummary>& margins) {
  if (!margins) return nullptr;
  return {{"least", margins->least},        {"lower_quartile", margins->lower_quartile},
          {"median", margins->median},      {"upper_quartile", margins->upper_quartile},
          {"largest", margins->most},       {"mean", margins->mean},
          {"histogram", margins->histogram}};
}

}  // namespace simplexboost::cli
