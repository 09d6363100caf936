#include "tuning/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/files/record_file.h"
#include "base/stop.h"
#include "base/text/json.h"
#include "simplexboost/error.h"
#include "simplexboost/version.h"
#include "tuning/trial_run.h"

namespace simplexboost {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReduction = 3;  // of the trials at each rung one in so many goes on
constexpr std::size_t kRungs = 2;
constexpr std::size_t kShortestRung = 10;  // fewer rounds say nothing yet

std::string record_of(const Trial& trial) {
  Json settings = Json::object();
  for (const Setting& setting : trial.settings) settings[setting.name] = setting.value;
  const Json record{{"algorithm", trial.algorithm},
                    {"settings", settings},
                    {"value", trial.value},
                    {"rounds", trial.rounds},
                    {"rounds_run", trial.rounds_run},
                    {"seconds", trial.seconds},
                    {"end", trial.end},
                    {"rungs", trial.rungs}};
  return record.dump();
}

double number_or_nan(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

// False where the record is not whole, or of more rounds than the trial could have.
bool read_record(const std::string& text, std::size_t most_rounds, Trial& drawn) {
  Trial trial = drawn;
  try {
    const Json record = Json::parse(text);
    trial.value = number_or_nan(record.at("value"));
    trial.rounds = record.at("rounds").get<std::size_t>();
    trial.rounds_run = record.at("rounds_run").get<std::size_t>();
    trial.seconds = record.at("seconds").get<double>();
    trial.end = record.at("end").get<std::string>();
    trial.rungs.clear();
    for (const Json& value : record.at("rungs")) trial.rungs.push_back(number_or_nan(value));
  } catch (const JsonError&) {
    return false;
  }
  trial.known = true;
  if (!(trial.seconds >= 0) || trial.rounds > trial.rounds_run || trial.rounds_run > most_rounds)
    return false;
  drawn = std::move(trial);
  return true;
}

Parameters with_settings(Parameters parameters, const Trial& trial) {
  parameters.algorithm = trial.algorithm;
  for (const Setting& setting : trial.settings)
    set_parameter(parameters, setting.name, setting.value);
  return parameters;
}

class Search {
 public:
  Search(const std::vector<TrialSplit>& splits, const SearchOptions& options)
      : splits_(splits),
        options_(options),
        journal_(options.journal),
        next_(options.spaces.size()),
        values_(options.spaces.size(), std::numeric_limits<double>::quiet_NaN()) {
    if (options.kind == SearchKind::kGrid)
      for (const SearchSpace& space : options.spaces)
        if (space.grid_size() == 0)
          throw ParameterError(
              "a grid takes listed values only (NAME=A,B,C); give one for each range of " +
              space.algorithm);
    if (options.kind != SearchKind::kHalving) return;
    auto rung = static_cast<std::size_t>(options.parameters.rounds);
    for (std::size_t i = 0; i < kRungs && rung / kReduction >= kShortestRung; ++i) {
      rung /= kReduction;
      rungs_.insert(rungs_.begin(), rung);
    }
  }

  SearchResult run(const std::function<void(const Trial&)>& trial_ended) {
    while (result_.trials.size() < options_.trials && seconds_left() > 0) {
      const auto drawn = draw();
      if (!drawn) break;
      Trial trial = *drawn;
      if (!known(trial)) {
        if (!train(trial, splits_, rungs_)) {
          result_.interrupted = true;
          break;
        }
        keep(key_of(trial), record_of(trial));
      }
      take(trial);
      trial_ended(result_.trials.back());
    }
    searching_ = false;
    if (!result_.interrupted) judge_finalists(trial_ended);
    return std::move(result_);
  }

 private:
  // The best so far, best first.
  std::vector<std::size_t> finalists() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < result_.trials.size(); ++i)
      if (!std::isnan(result_.trials[i].value)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return options_.metric.better(result_.trials[a].value, result_.trials[b].value);
    });
    order.resize(std::min(order.size(), options_.finalists));
    return order;
  }

  bool has_final() const { return options_.finalists > 1 && options_.other_splits; }

  void judge_finalists(const std::function<void(const Trial&)>& trial_ended) {
    const std::vector<std::size_t> order = finalists();
    if (!has_final() || order.size() < 2) return;
    const std::vector<TrialSplit> others = options_.other_splits();
    for (const std::size_t i : order) {
      if (seconds_left() <= 0) break;
      Trial& finalist = result_.trials[i];
      Trial trial;
      trial.algorithm = finalist.algorithm;
      trial.settings = finalist.settings;
      if (!known(trial, kFinal)) {
        if (!train(trial, others, {}, kFinal)) {
          result_.interrupted = true;
          return;
        }
        keep(key_of(trial, kFinal), record_of(trial));
      }
      spent_ += trial.seconds;
      const auto count = static_cast<double>(others.size());
      finalist.again = SecondJudgement{trial.value, trial.rounds, trial.seconds,
                                       count / (count + static_cast<double>(splits_.size()))};
      trial_ended(finalist);
    }
    // One alone has nobody to be better than.
    if (!result_.trials[order[1]].again) result_.trials[order[0]].again.reset();
  }

  // The space whose turn it is: that with the fewest trials for its weight, which is halved for
  // each space that has done better so far.
  std::optional<std::size_t> next_space() const {
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < options_.spaces.size(); ++s)
      if (!exhausted(s)) order.push_back(s);
    if (order.empty()) return std::nullopt;
    for (const std::size_t s : order)
      if (next_[s] == 0) return s;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return options_.metric.better(values_[a], values_[b]);
    });
    std::size_t best = order[0];
    double least = std::numeric_limits<double>::infinity();
    double weight = 1;
    for (const std::size_t s : order) {
      const double load = static_cast<double>(next_[s]) / weight;
      if (load < least) {
        least = load;
        best = s;
      }
      weight /= 2;
    }
    return best;
  }

  bool exhausted(std::size_t s) const {
    const SearchSpace& space = options_.spaces[s];
    if (options_.kind == SearchKind::kGrid) return next_[s] >= space.grid_size();
    return space.ranges.empty() && next_[s] > 0;
  }

  // The next trial that has not been before; nothing where there is none left.
  std::optional<Trial> draw() {
    constexpr int kTries = 1000;
    for (int tries = 0; tries < kTries; ++tries) {
      const auto s = next_space();
      if (!s) return std::nullopt;
      const SearchSpace& space = options_.spaces[*s];
      Trial trial;
      trial.algorithm = space.algorithm;
      trial.settings = options_.kind == SearchKind::kGrid
                           ? space.grid_point(next_[*s])
                           : space.draw(options_.parameters.seed, draws_[*s]++);
      if (options_.kind != SearchKind::kGrid && !seen_.insert(key_of(trial)).second) continue;
      ++next_[*s];
      space_ = *s;
      trial.number = result_.trials.size();
      return trial;
    }
    return std::nullopt;  // a small space, all of it tried
  }

  // All that the outcome depends on but the trials before; the number of threads is not among it.
  std::string key_of(const Trial& trial, const char* stage = "") const {
    std::string text =
        fmt::format("{}|{}|{}|{}|{} splits{}", SIMPLEXBOOST_VERSION, options_.data_name,
                    options_.metric.name(), static_cast<int>(options_.kind), splits_.size(), stage);
    for (const ParameterSpec& spec : parameter_specs())
      if (!spec.of_machine)
        text += fmt::format("|{}", get_parameter(options_.parameters, spec.name));
    return short_hash(text + "|" + trial.algorithm + "|" + settings_text(trial.settings));
  }

  bool known(Trial& trial, const char* stage = "") const {
    const std::string key = key_of(trial, stage);
    const auto most = static_cast<std::size_t>(options_.parameters.rounds);
    if (const std::string* record = journal_.find(key)) return read_record(*record, most, trial);
    if (!options_.checkpoint) return false;
    const auto record = options_.checkpoint->find(ended_part(key));
    return record && read_record(*record, most, trial);
  }

  static std::string ended_part(const std::string& key) { return "ended " + key; }

  void keep(const std::string& key, const std::string& record) {
    journal_.add(key, record);
    if (!options_.checkpoint) return;
    options_.checkpoint->drop(trial_part(key));
    if (!journal_.path().empty()) return;
    options_.checkpoint->keep(ended_part(key), record);
    options_.checkpoint->write();
  }

  static std::string trial_part(const std::string& key) { return "trial " + key; }

  // After what training the best so far on all rows would take, and judging the best again.
  double seconds_left() const {
    const Trial* best = result_.winner(options_.metric);
    double last = 0;
    if (best && options_.rows_at_last > 0) {
      double rows = 0;
      for (const TrialSplit& split : splits_) rows += static_cast<double>(split.train.rows);
      last = best->seconds * static_cast<double>(best->rounds) /
             static_cast<double>(std::max<std::size_t>(1, best->rounds_run)) *
             static_cast<double>(options_.rows_at_last) / rows;
    }
    if (searching_ && has_final()) last += seconds_of_finals();
    return options_.seconds - spent_ - last;
  }

  // At most a third of the time: then the first of the finalists are judged, not all.
  double seconds_of_finals() const {
    double seconds = 0;
    for (const std::size_t i : finalists())
      seconds += result_.trials[i].seconds * static_cast<double>(options_.other_count) /
                 static_cast<double>(splits_.size());
    return std::min(seconds, options_.seconds / 3);
  }

  // False if the progress stopped it.
  bool train(Trial& trial, const std::vector<TrialSplit>& splits,
             const std::vector<std::size_t>& rungs, const char* stage = "") {
    const double left = seconds_left();
    TrialLimits limits;
    limits.rungs = rungs;
    limits.go_on = [&](std::size_t rung, double value) { return among_best(rung, value); };
    limits.progress = options_.progress;
    limits.checkpoint = options_.checkpoint;
    limits.part = trial_part(key_of(trial, stage));
    constexpr double kEndless = 1e9;
    limits.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(std::min(left, kEndless)));
    const auto failed = [&, begin = Clock::now()](const Error& error) {
      trial.end = std::string("failed: ") + error.what();
      trial.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      return true;
    };
    try {
      Parameters parameters = with_settings(options_.parameters, trial);
      parameters.early_stopping_metric = options_.metric.name();
      return run_trial(splits, parameters, limits, trial);
    } catch (const Stopped&) {
      return false;
    } catch (const ParameterError& error) {
      return failed(error);
    } catch (const DataError& error) {
      return failed(error);
    }
  }

  // Whether a value is in the best third of those of the algorithm that came to the rung, itself
  // among them.
  bool among_best(std::size_t rung, double value) const {
    const auto at = rung_values_.find({space_, rung});
    if (at == rung_values_.end()) return true;
    std::size_t better = 0;
    for (const double other : at->second)
      if (!options_.metric.better(value, other)) ++better;
    const std::size_t all = at->second.size() + 1;
    return better < (all + kReduction - 1) / kReduction;
  }

  void take(const Trial& trial) {
    spent_ += trial.seconds;
    for (std::size_t r = 0; r < trial.rungs.size(); ++r)
      rung_values_[{space_, r}].push_back(trial.rungs[r]);
    if (options_.metric.better(trial.value, values_[space_])) values_[space_] = trial.value;
    result_.trials.push_back(trial);
  }

  static constexpr const char* kFinal = ", other ones";  // in the keys of second judgements

  const std::vector<TrialSplit>& splits_;
  const SearchOptions& options_;
  RecordFile journal_;
  std::vector<std::size_t> rungs_;
  std::vector<std::size_t> next_;  // trials of each space
  std::map<std::size_t, std::size_t> draws_;
  std::vector<double> values_;  // the best of each space
  std::set<std::string> seen_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> rung_values_;
  std::size_t space_ = 0;  // of the trial under way
  double spent_ = 0;
  bool searching_ = true;  // not yet at the finalists
  SearchResult result_;
};

}  // namespace

double Trial::mean_value() const {
  return again ? value + again->share * (again->value - value) : value;
}

// A training is told of one at the least, also where none lowered the risk.
std::size_t Trial::mean_rounds() const {
  auto mean = static_cast<double>(rounds);
  if (again) mean += again->share * (static_cast<double>(again->rounds) - mean);
  return static_cast<std::size_t>(std::max(1LL, std::llround(mean)));
}

bool better_trial(const Trial& one, const Trial& other, const Metric& metric) {
  if (one.again.has_value() != other.again.has_value()) return one.again.has_value();
  return metric.better(one.mean_value(), other.mean_value());
}

const Trial* SearchResult::winner(const Metric& metric) const {
  const Trial* best = nullptr;
  for (const Trial& trial : trials)
    if (!std::isnan(trial.mean_value()) && (!best || better_trial(trial, *best, metric)))
      best = &trial;
  return best;
}

SearchResult search(const std::vector<TrialSplit>& splits, const SearchOptions& options,
                    const std::function<void(const Trial&)>& trial_ended) {
  return Search(splits, options).run(trial_ended);
}

Parameters winner_parameters(const Parameters& common, const Trial& trial) {
  Parameters parameters = with_settings(common, trial);
  parameters.rounds = static_cast<int>(trial.mean_rounds());
  parameters.early_stopping = 0;
  return parameters;
}

}  // namespace simplexboost
