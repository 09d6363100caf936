#include "certainty/set_scores.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/row_weights.h"
#include "base/threads/parallel.h"
#include "model/predict/prediction_sets.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostOfAll = 4096;     // entries of the table of all rows
constexpr std::size_t kMostOfClass = 512;    // and of a class
constexpr std::size_t kMostChoosing = 4000;  // rows that choose the penalty
constexpr double kChosenFor = 0.9;
constexpr std::array kPenalties{0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};

// Rows that are known, by number.
std::vector<std::uint32_t> known_rows(const JudgedRows& rows) {
  std::vector<std::uint32_t> result;
  const RowWeights weights(rows.weights);
  for (std::size_t i = 0; i < rows.probabilities.rows; ++i)
    if ((rows.seen.empty() || rows.seen[i] != 0) && rows.labels.codes[i] >= 0 && weights[i] > 0)
      result.push_back(static_cast<std::uint32_t>(i));
  return result;
}

struct TruthRank {
  std::size_t rank = 0;  // from 0
  double score = 0;
};

TruthRank truth_of(const RankedClasses& ranked, std::int32_t truth) {
  const auto at =
      std::find(ranked.classes.begin(), ranked.classes.end(), static_cast<std::uint32_t>(truth)) -
      ranked.classes.begin();
  const auto rank = static_cast<std::size_t>(at);
  return {rank, ranked.scores[rank]};
}

// With no penalty: the scores of the true classes, their ranks, and those of all classes of a row,
// to which a penalty only adds.
struct PlainScores {
  std::vector<TruthRank> truths;
  std::vector<std::vector<double>> all;
};

PlainScores plain_scores(const JudgedRows& rows, std::span<const std::uint32_t> chosen,
                         int threads) {
  constexpr std::size_t kRankBlock = 64;
  PlainScores result;
  result.truths.resize(chosen.size());
  result.all.resize(chosen.size());
  const Matrix& proba = rows.probabilities;
  parallel_blocks(threads, chosen.size(), kRankBlock, [&](std::size_t begin, std::size_t end) {
    RankedClasses ranked;
    for (std::size_t i = begin; i < end; ++i) {
      ranked.rank({proba.row(chosen[i]), proba.columns}, 0, 0);
      result.truths[i] = truth_of(ranked, rows.labels.codes[chosen[i]]);
      result.all[i] = ranked.scores;
    }
  });
  return result;
}

double penalised(double score, std::size_t rank, double penalty, std::uint32_t free_ranks) {
  const double beyond = static_cast<double>(rank + 1) - static_cast<double>(free_ranks);
  return score + penalty * std::max(beyond, 0.0);
}

double mean_size(const PlainScores& plain, const std::vector<double>& weights, double penalty,
                 std::uint32_t free_ranks) {
  std::vector<double> truths;
  for (const TruthRank& truth : plain.truths)
    truths.push_back(penalised(truth.score, truth.rank, penalty, free_ranks));
  const double limit = set_threshold(make_set_table(truths, weights, kMostOfAll), kChosenFor);
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < plain.all.size(); ++i) {
    std::size_t size = 0;
    while (size < plain.all[i].size() &&
           penalised(plain.all[i][size], size, penalty, free_ranks) <= limit)
      ++size;
    sum += weights[i] * static_cast<double>(size);
    total += weights[i];
  }
  return sum / total;
}

void choose_penalty(const JudgedRows& rows, const std::vector<std::uint32_t>& known, int threads,
                    SetScores& sets) {
  const std::size_t step = (known.size() + kMostChoosing - 1) / kMostChoosing;
  std::vector<std::uint32_t> chosen;
  std::vector<double> weights;
  for (std::size_t i = 0; i < known.size(); i += step) {
    chosen.push_back(known[i]);
    weights.push_back(RowWeights(rows.weights)[known[i]]);
  }
  const PlainScores plain = plain_scores(rows, chosen, threads);
  std::vector<std::size_t> ranks;
  for (const TruthRank& truth : plain.truths) ranks.push_back(truth.rank);
  const auto most = static_cast<std::size_t>(kChosenFor * static_cast<double>(ranks.size() - 1));
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(most), ranks.end());
  sets.free_ranks = static_cast<std::uint32_t>(ranks[most] + 1);
  // Few rows tell penalties apart by chance.
  double best = 0;
  for (const double penalty : kPenalties) {
    const double size = mean_size(plain, weights, penalty, sets.free_ranks);
    if (penalty != kPenalties[0] && size > 0.98 * best) continue;
    best = size;
    sets.penalty = penalty;
  }
}

}  // namespace

SetScores set_scores_from(std::string method, const JudgedRows& rows, int threads) {
  const std::vector<std::uint32_t> known = known_rows(rows);
  SetScores sets;
  if (known.empty()) return sets;
  sets.method = std::move(method);
  choose_penalty(rows, known, threads, sets);
  const std::size_t classes = rows.labels.classes.size();
  std::vector<double> all(known.size());
  const Matrix& proba = rows.probabilities;
  constexpr std::size_t kRankBlock = 64;
  parallel_blocks(threads, known.size(), kRankBlock, [&](std::size_t begin, std::size_t end) {
    RankedClasses ranked;
    for (std::size_t i = begin; i < end; ++i) {
      ranked.rank({proba.row(known[i]), proba.columns}, sets.penalty, sets.free_ranks);
      all[i] = truth_of(ranked, rows.labels.codes[known[i]]).score;
    }
  });
  std::vector<double> weights;
  std::vector<std::vector<double>> of_class(classes);
  std::vector<std::vector<double>> weights_of_class(classes);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto truth = static_cast<std::size_t>(rows.labels.codes[known[i]]);
    weights.push_back(RowWeights(rows.weights)[known[i]]);
    of_class[truth].push_back(all[i]);
    weights_of_class[truth].push_back(weights.back());
  }
  sets.all = make_set_table(std::move(all), std::move(weights), kMostOfAll);
  for (std::size_t k = 0; k < classes; ++k)
    sets.classes.push_back(
        make_set_table(std::move(of_class[k]), std::move(weights_of_class[k]), kMostOfClass));
  return sets;
}

}  // namespace simplexboost
