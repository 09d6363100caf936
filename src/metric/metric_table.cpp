#include "metric/metric_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text/nearest_name.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr auto kAny = MetricLabels::kAny;
constexpr auto kOne = MetricLabels::kOne;
constexpr auto kSets = MetricLabels::kSets;
constexpr int kMostRank = 1'000'000;

double error(const Evaluation& t, int) { return t.counts.error(); }
double balanced_error(const Evaluation& t, int) { return t.counts.balanced_error(); }
double log_loss(const Evaluation& t, int) { return t.log_loss.value(); }
double macro_f1(const Evaluation& t, int) { return t.counts.macro_f1(); }
double micro_f1(const Evaluation& t, int) { return t.counts.micro_f1(); }
double kappa(const Evaluation& t, int) { return t.counts.kappa(); }
double auc(const Evaluation& t, int) { return t.areas.macro(); }
double weighted_auc(const Evaluation& t, int) { return t.areas.weighted(); }
double calibration_error(const Evaluation& t, int) { return t.calibration.error(); }
double pseudo_loss_error(const Evaluation& t, int) { return t.pseudo_losses / t.total(); }
double maxlabel_error(const Evaluation& t, int) { return t.below_share / t.total(); }

double brier(const Evaluation& t, int) {
  return t.squares / (t.multi_label ? t.counts.pairs() : t.total());
}

double hamming_loss(const Evaluation& t, int) {
  if (t.multi_label) return t.counts.pair_error();
  return t.wrong_pairs / (t.total() * static_cast<double>(t.classes));
}

double top_error(const Evaluation& t, int k) {
  double right = 0;
  for (std::size_t r = 0; r < std::min(t.by_rank.size(), static_cast<std::size_t>(k)); ++r)
    right += t.by_rank[r];
  return 1 - right / t.total();
}

double least_margin(const Evaluation& t, int) {
  double least = std::numeric_limits<double>::quiet_NaN();
  for (const WeightedMargin& one : t.margins)
    if (one.weight > 0 && !(static_cast<double>(one.margin) >= least))
      least = static_cast<double>(one.margin);
  return least;
}

// The mean over the given share of all weight that has the smallest margins, the last row counting
// in part: kdd2014 (5) with n' a share of n.
double lowest_margins(const Evaluation& t, int percent) {
  std::vector<WeightedMargin> margins = t.margins;
  std::sort(margins.begin(), margins.end(),
            [](const WeightedMargin& a, const WeightedMargin& b) { return a.margin < b.margin; });
  double total = 0;
  for (const WeightedMargin& one : margins) total += one.weight;
  const double wanted = total * percent / 100;
  double sum = 0;
  double seen = 0;
  for (const WeightedMargin& one : margins) {
    const double weight = std::min(one.weight, wanted - seen);
    if (!(weight > 0)) continue;
    sum += weight * static_cast<double>(one.margin);
    seen += weight;
  }
  return sum / wanted;
}

double mean_margin(const Evaluation& t, int) { return lowest_margins(t, 100); }

std::string json_form(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

bool fits(const MetricRow& row, bool multi_label) {
  return row.labels == kAny || row.labels == (multi_label ? kSets : kOne);
}

std::string with_number(std::string_view name, int number) {
  return fmt::format(fmt::runtime(name), number);
}

// The number that `name` has in the place of the braces of `pattern`, or nothing.
std::optional<int> number_in(std::string_view pattern, std::string_view name) {
  const std::size_t at = pattern.find("{}");
  const std::string_view head = pattern.substr(0, at);
  const std::string_view tail = pattern.substr(at + 2);
  if (!name.starts_with(head)) return std::nullopt;
  const std::string_view rest = name.substr(head.size());
  int number = 0;
  const auto [stop, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (failed != std::errc()) return std::nullopt;
  const std::string_view after = rest.substr(static_cast<std::size_t>(stop - rest.data()));
  if (!after.empty() && after != tail) return std::nullopt;
  return number;
}

std::optional<Metric> match(const MetricRow& row, std::string_view name) {
  if (row.usual_number == 0)
    return row.name == name ? std::optional<Metric>(Metric(row)) : std::nullopt;
  const auto number = number_in(row.name, name);
  if (!number) return std::nullopt;
  if (*number < row.least_number || *number > row.most_number)
    throw ParameterError(fmt::format("metric '{}': the number must be from {} to {}", name,
                                     row.least_number, row.most_number));
  return Metric(row, *number);
}

std::optional<Metric> match_any(std::string_view name, bool multi_label) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  if (multi_label && dashed == "error") dashed = "hamming-loss";
  for (const MetricRow& row : metric_table())
    if (fits(row, multi_label))
      if (auto metric = match(row, dashed)) return metric;
  return std::nullopt;
}

[[noreturn]] void reject(std::string_view name, std::span<const Metric> known) {
  std::vector<std::string> names;
  for (const Metric& metric : known) names.push_back(metric.name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw ParameterError(unknown_name_message("metric", name, views));
}

}  // namespace

std::span<const MetricRow> metric_table() {
  constexpr unsigned kP = kTallyProbabilities;
  static constexpr auto kRows = std::to_array<MetricRow>({
      {"error", "error", "share of the rows that are wrong", false, kOne, 0, 0, 0, 0, error},
      {"hamming-loss", "Hamming loss",
       "share of the pairs of row and class whose yes or no is wrong", false, kAny, kTallyPairs, 0,
       0, 0, hamming_loss},
      {"exact-match-error", "exact-match error", "rows with a label too many or too few", false,
       kSets, 0, 0, 0, 0, error},
      {"balanced-error", "balanced error", "the mean over the classes", false, kOne, 0, 0, 0, 0,
       balanced_error},
      {"micro-f1", "micro F1", "of all pairs of row and class together", true, kAny, 0, 0, 0, 0,
       micro_f1},
      {"macro-f1", "macro F1", "the mean over the classes", true, kAny, 0, 0, 0, 0, macro_f1},
      {"log-loss", "log loss", "in nats", false, kAny, kP, 0, 0, 0, log_loss},
      {"brier", "Brier score", "squared error of the probabilities", false, kAny, kP, 0, 0, 0,
       brier},
      {"calibration-error", "calibration error",
       "how far probabilities are from the shares that come true", false, kAny, kP, 0, 0, 0,
       calibration_error},
      {"top-{}-error", "top-{} error", "the class is not among so many of highest score", false,
       kOne, kTallyOrder, 5, 1, kMostRank, top_error},
      {"kappa", "Cohen's kappa", "agreement beyond chance", true, kOne, 0, 0, 0, 0, kappa},
      {"auc", "AUC", "one class against the rest, the mean over the classes", true, kAny,
       kTallyAreas, 0, 0, 0, auc},
      {"auc-weighted", "weighted AUC", "the same, each class counting as its rows", true, kAny,
       kTallyAreas, 0, 0, 0, weighted_auc},
      {"pseudo-loss-error", "pseudo-loss error", "the class scores below the mean of the others",
       false, kOne, kTallyOrder, 0, 0, 0, pseudo_loss_error},
      {"maxlabel-error", "maxlabel error",
       "less confidence in the class than an uninformed guess has", false, kOne, kP, 0, 0, 0,
       maxlabel_error},
      {"margin-min", "smallest margin", "score of the class less the best of the others", true,
       kOne, kTallyOrder, 0, 0, 0, least_margin},
      {"margin-mean", "mean margin", "", true, kOne, kTallyOrder, 0, 0, 0, mean_margin},
      {"margin-lowest-{}", "lowest {} % of margins", "their mean", true, kOne, kTallyOrder, 25, 1,
       100, lowest_margins},
  });
  return kRows;
}

std::string Metric::name() const { return with_number(row_->name, number_); }
std::string Metric::title() const { return with_number(row_->title, number_); }
std::string Metric::json_name() const { return json_form(name()); }

double Metric::value(const Evaluation& evaluation) const {
  if ((row_->parts & ~evaluation.parts) != 0) return std::numeric_limits<double>::quiet_NaN();
  return row_->value(evaluation, number_);
}

bool Metric::better(double a, double b) const {
  if (std::isnan(a)) return false;
  if (std::isnan(b)) return true;
  return row_->higher_is_better ? a > b : a < b;
}

std::vector<Metric> all_metrics(bool multi_label) {
  std::vector<Metric> metrics;
  for (const MetricRow& row : metric_table())
    if (fits(row, multi_label)) metrics.emplace_back(row);
  return metrics;
}

std::vector<Metric> usual_metrics(bool multi_label) {
  std::vector<Metric> metrics;
  for (const char* name : {"error", "balanced-error", "log-loss", "calibration-error"})
    if (!multi_label) metrics.push_back(find_metric(name, false));
  for (const char* name : {"hamming-loss", "exact-match-error", "micro-f1", "macro-f1", "log-loss"})
    if (multi_label) metrics.push_back(find_metric(name, true));
  return metrics;
}

Metric find_metric(std::string_view name, bool multi_label) {
  if (const auto metric = match_any(name, multi_label)) return *metric;
  if (match_any(name, !multi_label))
    throw ParameterError(fmt::format("metric '{}' is for data with {} a row", name,
                                     multi_label ? "one label" : "several labels"));
  reject(name, all_metrics(multi_label));
}

void check_metric_name(std::string_view name) {
  if (match_any(name, false) || match_any(name, true)) return;
  std::vector<Metric> known;
  for (const MetricRow& row : metric_table()) known.emplace_back(row);
  reject(name, known);
}

unsigned parts_of(std::span<const Metric> metrics) {
  unsigned parts = 0;
  for (const Metric& metric : metrics) parts |= metric.parts();
  return parts;
}

}  // namespace simplexboost
