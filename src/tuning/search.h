// The search for good settings: trials drawn from the spaces of one or several algorithms, each
// trained on parts of the data and judged on the rest, poor ones ended early, all of them kept in a
// file so that an interrupted search goes on where it stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/files/checkpoint_file.h"
#include "metric/metric_table.h"
#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"
#include "tuning/search_space.h"

namespace simplexboost {

enum class SearchKind : unsigned char {
  kRandom,   // every trial to its end
  kHalving,  // successive halving in its stopping form: see below
  kGrid,     // all combinations of the listed values
};

// Rows to train on and rows to judge by; several of them are the folds of a cross-validation.
struct TrialSplit {
  Dataset train;
  Dataset valid;
};

struct SearchOptions {
  std::vector<SearchSpace> spaces = {};  // one an algorithm
  SearchKind kind = SearchKind::kHalving;
  Metric metric;
  // What all trials have in common. `rounds` is the most that a trial takes; it ends before after
  // `early_stopping` rounds (0: a fifth of them) that are no better.
  Parameters parameters = {};
  // Of trials, those of the file too, and of training the winner.
  double seconds = std::numeric_limits<double>::infinity();
  // Rows that the winner is to be trained on in the end: time for that is left over. 0: it is not.
  std::size_t rows_at_last = 0;
  std::size_t trials = std::numeric_limits<std::size_t>::max();
  // The best trials are judged again, on other parts of the same rows: of many trials the one that
  // looks best has been lucky, too.
  std::size_t finalists = 0;
  std::size_t other_count = 0;  // how many splits the next one makes
  std::function<std::vector<TrialSplit>()> other_splits = {};
  std::string journal = {};    // the file; empty: none
  std::string data_name = {};  // what tells this data from other data, for the file
  Progress* progress = nullptr;
  // Keeps the rounds of the trial under way, and the trials before where there is no journal; null:
  // none.
  CheckpointFile* checkpoint = nullptr;
};

// What came of training a finalist on the other splits.
struct SecondJudgement {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::size_t rounds = 0;
  double seconds = 0;
  double share = 0;  // of all its trainings
};

struct Trial {
  std::size_t number = 0;  // from 0
  std::string algorithm;
  std::vector<Setting> settings;
  // By the metric on the validation rows, the mean over the splits, at the best round; by the
  // smoothed rule the mean over the rounds before it too. NaN where training failed.
  double value = std::numeric_limits<double>::quiet_NaN();
  std::size_t rounds = 0;      // the best
  std::size_t rounds_run = 0;  // how many were trained
  double seconds = 0;
  std::string end;  // why it ended, for people
  // The value when rung i was reached (halving): rounds / 9, / 3.
  std::vector<double> rungs;
  bool known = false;  // from the file, not trained now
  std::optional<SecondJudgement> again;

  // The mean over all trainings, those of the second judgement too.
  double mean_value() const;
  std::size_t mean_rounds() const;
};

// Whether a trial is to be preferred: finalists come before the others.
bool better_trial(const Trial& one, const Trial& other, const Metric& metric);

struct SearchResult {
  std::vector<Trial> trials;  // in the order in which they were run
  bool interrupted = false;   // by the progress

  // The best by the metric, the first of equals; null where all failed.
  const Trial* winner(const Metric& metric) const;
};

// Halving: after a ninth and a third of the rounds a trial ends unless it is among the best third
// of the trials of its algorithm that have come so far (Li et al. 2020, "ASHA", stopping form):
// algorithms learn at different speed, so each is compared with its like. Which algorithm is next
// follows how well each has done: the best gets half of the trials, the next a quarter, and so on;
// the first trial of each is the algorithm as it comes, the next are the starts of its space.
// `trial_ended` hears of every trial, and of finalists once more.
SearchResult search(const std::vector<TrialSplit>& splits, const SearchOptions& options,
                    const std::function<void(const Trial&)>& trial_ended);

// The parameters that a trial was trained with, with the number of rounds that was best and no
// early stopping: to train the winner again, on all rows.
Parameters winner_parameters(const Parameters& common, const Trial& trial);

}  // namespace simplexboost
