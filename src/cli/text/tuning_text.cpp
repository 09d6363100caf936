#include "cli/text/tuning_text.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "base/threads/parallel.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/layout.h"
#include "cli/text/machine.h"
#include "cli/text/output.h"
#include "tuning/tuning_report.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kListedTrials = 15;

std::string train_command(const Tuned& tuned) {
  std::string text =
      fmt::format("simplexboost train {} --algorithm {} --rounds {}", tuned.options.data,
                  tuned.winner->algorithm, tuned.winner->mean_rounds());
  for (const Setting& setting : tuned.winner->settings)
    text += fmt::format(" --{} {}", setting.name, setting.value);
  return text + " --model OUT";
}

std::string judged_by(const TuneOptions& options) {
  if (!options.valid.empty()) return options.valid;
  const SearchRequest& asked = options.asked;
  if (asked.folds > 0) return fmt::format("cross-validation, {} folds", asked.folds);
  return fmt::format("{:g} % of the rows, held out", 100 * asked.fraction());
}

std::vector<ReportFact> facts_of(const Tuned& tuned) {
  const Metric& metric = tuned.search.metric;
  std::vector<ReportFact> facts{
      {"data", fmt::format("{}, {} rows, {} classes", tuned.data.source, tuned.data.rows,
                           tuned.data.labels.classes.size())},
      {"judged by", fmt::format("{}, on {}", metric.title(), judged_by(tuned.options))},
      {"search",
       fmt::format("{}, seed {}, at most {} rounds a trial, {} threads", tuned.options.search,
                   tuned.search.parameters.seed, tuned.search.parameters.rounds,
                   resolve_threads(tuned.search.parameters.threads))},
      {"trials", fmt::format("{} in {:.0f} s", tuned.result.trials.size(), tuned.seconds)}};
  if (tuned.winner) {
    facts.push_back(
        {"winner", fmt::format("trial {}: {} {}, {} {:.6g}", tuned.winner->number + 1,
                               tuned.winner->algorithm, settings_text(tuned.winner->settings),
                               metric.title(), tuned.winner->mean_value())});
    facts.push_back({"to train it", fmt::format("`{}`", train_command(tuned))});
  }
  if (tuned.test)
    facts.push_back(
        {"test", fmt::format("{} {:.6g} on {}, {} rows that no trial saw", metric.title(),
                             metric.value(*tuned.test), tuned.options.test, tuned.test->rows)});
  facts.push_back({"date", today() + ", " + program_name()});
  facts.push_back({"machine", machine_name()});
  return facts;
}

}  // namespace

void write_tuning_report(const Tuned& tuned) {
  if (tuned.options.report.empty()) return;
  AtomicFile file(tuned.options.report);
  file.write(tuned.options.report.ends_with(".csv")
                 ? tuning_csv(tuned.result, tuned.search.metric)
                 : tuning_markdown(tuned.result, tuned.search.metric, tuned.search.spaces,
                                   facts_of(tuned)));
  file.commit();
}

namespace {

Json trial_json(const Trial& trial, const Metric& metric) {
  Json settings = Json::object();
  for (const Setting& setting : trial.settings) settings[setting.name] = setting.value;
  Json object{{"trial", trial.number + 1}, {"algorithm", trial.algorithm},
              {"settings", settings},      {metric.json_name(), trial.value},
              {"rounds", trial.rounds},    {"rounds_trained", trial.rounds_run},
              {"seconds", trial.seconds},  {"ended", trial.end}};
  if (trial.again)
    object["again"] = {{metric.json_name(), trial.again->value},
                       {"rounds", trial.again->rounds},
                       {"seconds", trial.again->seconds}};
  return object;
}

}  // namespace

void print_tuning_json(const Tuned& tuned) {
  Json trials = Json::array();
  for (const Trial& trial : tuned.result.trials)
    trials.push_back(trial_json(trial, tuned.search.metric));
  Json object{{"metric", tuned.search.metric.name()},
              {"search", tuned.options.search},
              {"seconds", tuned.seconds},
              {"interrupted", tuned.result.interrupted},
              {"trials", std::move(trials)}};
  object["winner"] = tuned.winner ? trial_json(*tuned.winner, tuned.search.metric) : Json();
  if (tuned.run && !tuned.options.model.empty()) {
    object["model"] = tuned.options.model;
    object["rounds"] = tuned.run->model.rounds();
  }
  if (tuned.test)
    object["test_" + tuned.search.metric.json_name()] = tuned.search.metric.value(*tuned.test);
  print_json(object);
}

void print_tuning_text(const Tuned& tuned) {
  const Metric& metric = tuned.search.metric;
  std::vector<std::vector<std::string>> rows{
      {"TRIAL", "ALGORITHM", "SETTINGS", "VALID", "AGAIN", "ROUND", "SECONDS", "ENDED"}};
  for (const Trial* trial : ranked_trials(tuned.result, metric)) {
    if (rows.size() > kListedTrials) break;
    rows.push_back({fmt::format("{}", trial->number + 1), trial->algorithm,
                    fit(settings_text(trial->settings), 60), format_figure(trial->value),
                    trial->again ? format_figure(trial->again->value) : "-",
                    fmt::format("{}", trial->rounds), fmt::format("{:.1f}", trial->seconds),
                    fit(trial->end, 40)});
  }
  fmt::print("\n{} trials in {:.1f} s by {}; the best\n{}", tuned.result.trials.size(),
             tuned.seconds, metric.title(), format_table(rows, {1, 2, 7}, 2));
  if (!tuned.winner) return;
  fmt::print("\nTo train the winner:\n  {}\n", train_command(tuned));
  if (tuned.run && !tuned.options.model.empty())
    fmt::print("saved {}: {}{} rounds on all {} rows\n", tuned.options.model,
               tuned.options.ensemble ? "an ensemble with it, " : "", tuned.run->model.rounds(),
               tuned.data.rows);
  if (tuned.test)
    fmt::print("test {} {} ({} rows)\n", metric.title(), format_figure(metric.value(*tuned.test)),
               tuned.test->rows);
}

}  // namespace simplexboost::cli
