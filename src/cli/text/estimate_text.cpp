#include "cli/text/estimate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cli/text/evaluation_text.h"
#include "cli/text/layout.h"
#include "model/model_access.h"
#include "simplexboost/certainty.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kEstimatedClasses = 10;
constexpr std::size_t kMemberWidth = 40;

using Table = std::vector<std::vector<std::string>>;

std::string in_words(const Model& model, const std::string& name) {
  if (name == "error") return model.schema().multi_label ? "Hamming loss" : "error";
  if (name == "log-loss") return "log loss";
  return name == "calibration" ? "calibration error" : name;
}

// All figures of those with the most errors, the worst first.
std::string worst_classes_text(const Model& model, const Estimate& estimate) {
  std::map<std::int32_t, std::map<std::string, const EstimateFigure*>> classes;
  for (const EstimateFigure& figure : estimate.figures)
    if (figure.label >= 0) classes[figure.label][figure.name] = &figure;
  std::vector<std::pair<double, std::int32_t>> order;
  for (const auto& [label, figures] : classes)
    if (const auto error = figures.find("error"); error != figures.end())
      order.emplace_back(-error->second->value, label);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (order.empty()) return "";
  const bool all = order.size() <= kEstimatedClasses;
  order.resize(std::min(order.size(), kEstimatedClasses));
  Table rows{
      {"CLASS", "ERROR", "FROM", "TO", "LOG LOSS", "FROM", "TO", "CALIBRATION", "FROM", "TO"}};
  for (const auto& [error, label] : order) {
    rows.push_back({fit(model.schema().classes[static_cast<std::size_t>(label)], kMemberWidth)});
    for (const char* name : {"error", "log-loss", "calibration"}) {
      const auto found = classes[label].find(name);
      const EstimateFigure* figure = found == classes[label].end() ? nullptr : found->second;
      // Models of before know no calibration of a class.
      rows.back().push_back(figure ? format_figure(figure->value) : "-");
      rows.back().push_back(figure ? format_figure(figure->low) : "-");
      rows.back().push_back(figure ? format_figure(figure->high) : "-");
    }
  }
  return fmt::format("\nThe same of {}\n",
                     all ? "each class" : "the classes with the most errors") +
         format_table(rows, {0}, 2);
}

}  // namespace

std::string estimate_line(const Model& model) {
  if (!model.estimate()) return "";
  std::string line;
  for (const EstimateFigure& figure : model.estimate()->figures) {
    if (figure.label >= 0) continue;
    line += fmt::format("{}{} {} ({} to {})", line.empty() ? model.estimate()->method + " " : ", ",
                        in_words(model, figure.name), format_figure(figure.value),
                        format_figure(figure.low), format_figure(figure.high));
  }
  return line + "\n";
}

std::string distil_line(const DistilCost& cost) {
  constexpr double kMegabyte = 1 << 20;
  return fmt::format(
      "distilled: the ensemble's error {}, log loss {}, {:.1f} MB; the model's {}, {}, {:.1f} MB, "
      "and it predicts {:.1f} times as fast\n",
      format_figure(cost.error[0]), format_figure(cost.log_loss[0]),
      static_cast<double>(cost.bytes[0]) / kMegabyte, format_figure(cost.error[1]),
      format_figure(cost.log_loss[1]), static_cast<double>(cost.bytes[1]) / kMegabyte,
      cost.seconds[0] / cost.seconds[1]);
}

Json distil_json(const DistilCost& cost) {
  Json result = Json::object();
  const char* names[] = {"ensemble", "model"};
  for (const std::size_t m : {0U, 1U})
    result[names[m]] = {{"error", cost.error[m]},
                        {"log_loss", cost.log_loss[m]},
                        {"bytes", cost.bytes[m]},
                        {"seconds_per_1000_rows", cost.seconds[m]}};
  return result;
}

std::string members_text(const Model& model) {
  const std::vector<MemberWeight> members = model.members();
  if (members.size() < 2) return "";
  Table rows{{"MEMBER", "WEIGHT"}};
  for (const MemberWeight& member : members)
    rows.push_back({fit(member.name, 2 * kMemberWidth), fmt::format("{:.3f}", member.weight)});
  const bool product = ensemble_of(model).pool == Pool::kProduct;
  return fmt::format("\nMembers, whose probabilities are {}\n",
                     product ? "multiplied, each to the power of its weight" : "averaged") +
         format_table(rows, {0}, 2) +
         fmt::format("  temperature {:.3f}\n", 1 / ensemble_of(model).link_scale);
}

std::string estimate_text(const Model& model) {
  if (!model.estimate()) return "";
  const Estimate& estimate = *model.estimate();
  Table rows{{"FIGURE", "VALUE", "FROM", "TO"}};
  for (const EstimateFigure& figure : estimate.figures)
    if (figure.label < 0)
      rows.push_back({fit(in_words(model, figure.name), kMemberWidth), format_figure(figure.value),
                      format_figure(figure.low), format_figure(figure.high)});
  return fmt::format("\nExpected on new rows ({}, {} rows; intervals of 95 %)\n", estimate.method,
                     estimate.rows) +
         format_table(rows, {0}, 2) + worst_classes_text(model, estimate);
}

Json members_json(const Model& model) {
  if (model.members().empty()) return nullptr;
  Json members = Json::array();
  for (const MemberWeight& member : model.members())
    members.push_back({{"name", member.name}, {"weight", member.weight}});
  return members;
}

std::string certainty_text(const Model& model) {
  std::string text;
  if (const std::string method = calibration_of(model); !method.empty())
    text += fmt::format("\ncalibrated by {} (simplexboost calibrate --undo forgets it)\n", method);
  if (has_sets(model)) text += "\nknows sets of classes (predict --conformal)\n";
  return text;
}

Json estimate_json(const Model& model) {
  if (!model.estimate()) return nullptr;
  Json result{{"method", model.estimate()->method}, {"rows", model.estimate()->rows}};
  Json classes = Json::object();
  for (const EstimateFigure& figure : model.estimate()->figures) {
    std::string name = figure.name;
    std::replace(name.begin(), name.end(), '-', '_');
    const Json one{{"value", figure.value}, {"low", figure.low}, {"high", figure.high}};
    if (figure.label < 0)
      result[name] = one;
    else
      classes[model.schema().classes[static_cast<std::size_t>(figure.label)]][name] = one;
  }
  result["classes"] = classes;
  return result;
}

}  // namespace simplexboost::cli
