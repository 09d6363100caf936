#include "cli/text/log_text.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/text/json.h"
#include "base/text/nearest_name.h"
#include "cli/options/arguments.h"
#include "cli/text/layout.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

constexpr std::string_view kBound = "bound_";

// A column of the log against the rounds, counted from 1.
PlotSeries line_of(const TrainingLog& log, std::size_t column, std::string name) {
  PlotSeries line{std::move(name), PlotStyle::kLine, {}};
  const std::size_t width = log.columns.size();
  for (std::size_t i = column; i < log.values.size(); i += width) {
    const std::size_t round = i / width + 1;
    line.points.push_back({static_cast<double>(round), log.values[i]});
  }
  return line;
}

Plot error_figure(const Model& model) {
  Plot plot{model.algorithm(), "rounds", "error", {}, false};
  const TrainingLog& log = model.log();
  for (std::size_t j = 0; j < log.columns.size(); ++j)
    if (log.columns[j] == "train_error" || log.columns[j] == "valid_error")
      plot.series.push_back(line_of(log, j, log.columns[j]));
  if (plot.series.empty()) throw ModelError("--plot: the model has no training log");
  return plot;
}

// Errors of the training set, then the bounds, dashed and by the number of their equation.
Plot bound_figure(const Model& model) {
  Plot plot{model.algorithm(), "rounds", "error", {}, false};
  const TrainingLog& log = model.log();
  for (std::size_t j = 0; j < log.columns.size(); ++j)
    if (log.columns[j].ends_with("_error") && log.columns[j] != "valid_error")
      plot.series.push_back(line_of(log, j, log.columns[j]));
  const std::size_t errors = plot.series.size();
  for (std::size_t j = 0; j < log.columns.size(); ++j) {
    if (!log.columns[j].starts_with(kBound)) continue;
    plot.series.push_back(
        line_of(log, j, fmt::format("bound ({})", log.columns[j].substr(kBound.size()))));
    plot.series.back().dashed = true;
  }
  if (plot.series.size() == errors)
    throw ModelError(fmt::format(
        "--figure bounds: {} logs no bounds; grploss, grploss-general, boostma and adaboost-m2 do",
        model.algorithm()));
  return plot;
}

Plot margin_figure(const Model& model) {
  const std::optional<MarginSummary>& margins = model.log().margins;
  if (!margins) throw ModelError("--figure margins: the model does not record any");
  Plot plot{model.algorithm(), "margin", "training rows", {}, false};
  PlotSeries bars{"", PlotStyle::kBars, {}};
  const std::size_t bins = margins->histogram.size();
  const double width = (margins->most - margins->least) / static_cast<double>(bins);
  for (std::size_t b = 0; b < bins; ++b)
    bars.points.push_back({margins->least + (static_cast<double>(b) + 0.5) * width,
                           static_cast<double>(margins->histogram[b])});
  plot.series.push_back(std::move(bars));
  return plot;
}

}  // namespace

double logged_figure(const Model& model, std::string_view name) {
  const auto value = model.log().value(name, model.rounds() - 1);
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

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

Json margins_json(const std::optional<MarginSummary>& margins) {
  if (!margins) return nullptr;
  return {{"least", margins->least},        {"lower_quartile", margins->lower_quartile},
          {"median", margins->median},      {"upper_quartile", margins->upper_quartile},
          {"largest", margins->most},       {"mean", margins->mean},
          {"histogram", margins->histogram}};
}

std::span<const std::string_view> model_figures() {
  static constexpr std::array<std::string_view, 3> kNames{"errors", "bounds", "margins"};
  return kNames;
}

Plot model_figure(const Model& model, std::string_view name) {
  if (name == "errors") return error_figure(model);
  if (name == "bounds") return bound_figure(model);
  if (name == "margins") return margin_figure(model);
  throw UsageError("--figure: " + unknown_name_message("figure", name, model_figures()));
}

}  // namespace simplexboost::cli
