#include "tuning/tuning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/readers/csv_field.h"

namespace simplexboost {
namespace {

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

std::string csv_number(double value) { return std::isnan(value) ? "" : number(value); }

// A cell of a Markdown table: no bar may end it.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<std::string> setting_names(const SearchResult& result) {
  std::vector<std::string> names;
  for (const Trial& trial : result.trials)
    for (const Setting& setting : trial.settings)
      if (std::find(names.begin(), names.end(), setting.name) == names.end())
        names.push_back(setting.name);
  return names;
}

std::string value_of(const Trial& trial, const std::string& name) {
  for (const Setting& setting : trial.settings)
    if (setting.name == name) return setting.value;
  return "";
}

}  // namespace

std::vector<const Trial*> ranked_trials(const SearchResult& result, const Metric& metric) {
  std::vector<const Trial*> ranked;
  for (const Trial& trial : result.trials) ranked.push_back(&trial);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const Trial* a, const Trial* b) { return better_trial(*a, *b, metric); });
  return ranked;
}

std::string space_text(const SearchSpace& space) {
  std::string text;
  for (const SearchRange& range : space.ranges) {
    text += text.empty() ? "" : ", ";
    if (range.choices.empty())
      text += fmt::format("{} {:.6g} to {:.6g}{}", range.name, range.low, range.high,
                          range.log ? " (log)" : "");
    else
      text += fmt::format("{} {}", range.name, fmt::join(range.choices, " or "));
  }
  return text.empty() ? "as it comes" : text;
}

std::string tuning_markdown(const SearchResult& result, const Metric& metric,
                            const std::vector<SearchSpace>& spaces,
                            const std::vector<ReportFact>& facts) {
  std::string text = "# What was tried\n\n";
  for (const ReportFact& fact : facts) text += fmt::format("- {}: {}\n", fact.name, fact.text);
  text += "\n| algorithm | searched |\n| --- | --- |\n";
  for (const SearchSpace& space : spaces)
    text += fmt::format("| {} | {} |\n", space.algorithm, cell(space_text(space)));
  text += fmt::format(
      "\nTrials, best first. *{}* is on the validation rows after the best round, *again* on other "
      "rows, for finalists.\n\n"
      "| trial | algorithm | settings | {} | again | best round | rounds trained | seconds | ended "
      "|\n"
      "| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
      metric.title(), metric.title());
  for (const Trial* trial : ranked_trials(result, metric))
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:.1f} | {} |\n", trial->number + 1,
                        trial->algorithm, cell(settings_text(trial->settings)),
                        number(trial->value), trial->again ? number(trial->again->value) : "-",
                        trial->rounds, trial->rounds_run, trial->seconds, cell(trial->end));
  return text;
}

std::string tuning_csv(const SearchResult& result, const Metric& metric) {
  const std::vector<std::string> names = setting_names(result);
  std::string text = "trial,algorithm";
  for (const std::string& name : names) text += "," + csv_field(name);
  text +=
      fmt::format(",{0},{0}_again,best_round,rounds_trained,seconds,ended\n", metric.json_name());
  for (const Trial& trial : result.trials) {
    text += fmt::format("{},{}", trial.number + 1, trial.algorithm);
    for (const std::string& name : names) text += "," + csv_field(value_of(trial, name));
    text += fmt::format(",{},{},{},{},{:.3f},{}\n", csv_number(trial.value),
                        trial.again ? csv_number(trial.again->value) : "", trial.rounds,
                        trial.rounds_run, trial.seconds, csv_field(trial.end));
  }
  return text;
}

}  // namespace simplexboost
