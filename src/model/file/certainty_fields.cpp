#include "model/file/certainty_fields.h"

#include <algorithm>
#include <cmath>

#include "model/file/require.h"

namespace simplexboost {
namespace {

constexpr double kMostScaled = 1e6;  // scales and shifts of logarithms
constexpr double kMostPenalty = 1e6;

std::vector<const SetTable*> tables_of(const SetScores& sets) {
  std::vector<const SetTable*> tables{&sets.all};
  for (const SetTable& table : sets.classes) tables.push_back(&table);
  return tables;
}

void write_sets(TensorWriter& out, const SetScores& sets) {
  std::vector<double> rows;
  std::vector<std::uint64_t> ends;
  std::vector<float> scores;
  std::vector<float> shares;
  for (const SetTable* table : tables_of(sets)) {
    rows.push_back(table->rows);
    scores.insert(scores.end(), table->score.begin(), table->score.end());
    shares.insert(shares.end(), table->share.begin(), table->share.end());
    ends.push_back(scores.size());
  }
  out.file.metadata["prediction_sets"] = sets.method;
  out.keep("prediction_sets.penalty", std::vector<double>{sets.penalty});
  out.keep("prediction_sets.free_ranks", std::vector<std::uint32_t>{sets.free_ranks});
  out.keep("prediction_sets.rows", std::move(rows));
  out.keep("prediction_sets.end", std::move(ends));
  out.keep("prediction_sets.score", std::move(scores));
  out.keep("prediction_sets.share", std::move(shares));
}

SetScores read_sets(const TensorReader& in) {
  SetScores sets;
  sets.method = in.text("prediction_sets");
  require(!sets.method.empty(), "its sets of classes come from nowhere");
  sets.penalty = in.field<double>("prediction_sets.penalty", 1)[0];
  sets.free_ranks = in.field<std::uint32_t>("prediction_sets.free_ranks", 1)[0];
  const auto rows = in.numbers<double>("prediction_sets.rows");
  const auto ends = in.field<std::uint64_t>("prediction_sets.end", rows.size());
  const auto scores = in.numbers<float>("prediction_sets.score");
  const auto shares = in.field<float>("prediction_sets.share", scores.size());
  require(!rows.empty() && ends.back() == scores.size(),
          "the tables of its sets of classes do not end where they should");
  std::uint64_t begin = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    require(ends[t] >= begin && ends[t] <= scores.size(),
            "the tables of its sets of classes are out of order");
    const auto from = static_cast<std::ptrdiff_t>(begin);
    const auto to = static_cast<std::ptrdiff_t>(ends[t]);
    SetTable table{rows[t],
                   {scores.begin() + from, scores.begin() + to},
                   {shares.begin() + from, shares.begin() + to}};
    if (t == 0)
      sets.all = std::move(table);
    else
      sets.classes.push_back(std::move(table));
    begin = ends[t];
  }
  return sets;
}

void check_shares(const std::vector<double>& shares, std::size_t classes, bool multi_label) {
  require(shares.size() == classes, "{} shares for {} classes", shares.size(), classes);
  double sum = 0;
  for (const double share : shares) {
    require(share >= 0 && share <= 1, "a class has the share {}", share);
    sum += share;
  }
  require(multi_label || std::fabs(sum - 1) < 1e-6, "the shares of its classes sum to {}", sum);
}

void check_map(const ProbabilityMap& map, std::size_t classes) {
  if (map.knot_end.empty()) {
    require(map.scale.size() == 1 || map.scale.size() == classes,
            "{} scales of probabilities for {} classes", map.scale.size(), classes);
    require(map.shift.empty() || map.shift.size() == classes,
            "{} shifts of probabilities for {} classes", map.shift.size(), classes);
    for (const double scale : map.scale)
      require(scale >= 0 && scale <= kMostScaled, "a scale of its probabilities is {}", scale);
    for (const double shift : map.shift)
      require(std::fabs(shift) <= kMostScaled, "a shift of its probabilities is {}", shift);
    return;
  }
  require(map.scale.empty() && map.shift.empty(), "its probabilities are both scaled and curved");
  require(map.knot_end.size() == classes && map.knot_end.back() == map.knot_p.size() &&
              map.knot_p.size() == map.knot_q.size(),
          "the curves of its probabilities do not fit {} classes", classes);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : map.knot_end) {
    require(end > begin && end <= map.knot_p.size(), "a curve of its probabilities has no knots");
    for (std::uint64_t i = begin; i < end; ++i) {
      require(map.knot_p[i] >= 0 && map.knot_p[i] <= 1 && map.knot_q[i] >= 0 && map.knot_q[i] <= 1,
              "a curve of its probabilities leads from {} to {}", map.knot_p[i], map.knot_q[i]);
      require(i == begin || map.knot_p[i] > map.knot_p[i - 1],
              "the knots of a curve of its probabilities are out of order");
    }
    begin = end;
  }
}

void check_table(const SetTable& table) {
  require(table.score.size() == table.share.size(), "{} scores of sets have {} shares",
          table.score.size(), table.share.size());
  require(table.score.empty() ? table.rows == 0 : table.rows >= 1 && std::isfinite(table.rows),
          "a table of its sets of classes stands for {} rows", table.rows);
  for (std::size_t i = 0; i < table.score.size(); ++i) {
    require(std::isfinite(table.score[i]) && table.share[i] > 0 && table.share[i] <= 1,
            "a score of its sets of classes is {} for a share of {}", table.score[i],
            table.share[i]);
    require(
        i == 0 || (table.score[i] >= table.score[i - 1] && table.share[i] >= table.share[i - 1]),
        "the scores of its sets of classes are out of order");
  }
}

}  // namespace

void write_certainty(TensorWriter& out, const Ensemble& ensemble) {
  if (!ensemble.class_shares.empty())
    out.view("class_shares", {ensemble.class_shares.size()}, ensemble.class_shares);
  if (!ensemble.priors.empty()) out.view("priors", {ensemble.priors.size()}, ensemble.priors);
  const ProbabilityMap& map = ensemble.map;
  if (!map.empty()) {
    out.file.metadata["calibration"] = map.method;
    out.view("calibration.scale", {map.scale.size()}, map.scale);
    out.view("calibration.shift", {map.shift.size()}, map.shift);
    out.view("calibration.knot_end", {map.knot_end.size()}, map.knot_end);
    out.view("calibration.knot_p", {map.knot_p.size()}, map.knot_p);
    out.view("calibration.knot_q", {map.knot_q.size()}, map.knot_q);
  }
  if (!ensemble.sets.empty()) write_sets(out, ensemble.sets);
}

void read_certainty(const TensorReader& in, Ensemble& ensemble) {
  if (in.has_tensor("class_shares")) ensemble.class_shares = in.numbers<double>("class_shares");
  if (in.has_tensor("priors")) ensemble.priors = in.numbers<double>("priors");
  if (in.has("calibration")) {
    ProbabilityMap& map = ensemble.map;
    map.method = in.text("calibration");
    require(!map.empty(), "its calibration has no name");
    map.scale = in.numbers<double>("calibration.scale");
    map.shift = in.numbers<double>("calibration.shift");
    map.knot_end = in.numbers<std::uint64_t>("calibration.knot_end");
    map.knot_p = in.numbers<double>("calibration.knot_p");
    map.knot_q = in.numbers<double>("calibration.knot_q");
  }
  if (in.has("prediction_sets")) ensemble.sets = read_sets(in);
}

void check_certainty(const Ensemble& ensemble) {
  const std::size_t classes = ensemble.classes();
  const bool multi_label = ensemble.schema.multi_label;
  if (!ensemble.class_shares.empty()) check_shares(ensemble.class_shares, classes, multi_label);
  if (!ensemble.priors.empty()) {
    check_shares(ensemble.priors, classes, multi_label);
    require(!ensemble.class_shares.empty(), "it has priors, but not the shares of its classes");
  }
  require(!ensemble.adjusted() || ensemble.link != Link::kNone,
          "it has no probabilities that could be calibrated");
  if (!ensemble.map.empty()) check_map(ensemble.map, classes);
  if (ensemble.sets.empty()) return;
  const SetScores& sets = ensemble.sets;
  require(!multi_label && ensemble.link != Link::kNone, "it cannot have sets of classes");
  require(sets.penalty >= 0 && sets.penalty <= kMostPenalty, "the penalty of its sets is {}",
          sets.penalty);
  require(sets.classes.empty() || sets.classes.size() == classes,
          "{} tables of sets for {} classes", sets.classes.size(), classes);
  for (const SetTable* table : tables_of(sets)) check_table(*table);
  require(!sets.all.score.empty(), "the table of its sets of classes is empty");
}

}  // namespace simplexboost
