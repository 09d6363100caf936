#include "report/facts/training_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/sha256.h"
#include "base/text/visible_text.h"
#include "loss/margin.h"
#include "report/facts/facts_json.h"
#include "simplexboost/parameters.h"
#include "simplexboost/version.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostPoints = 300;
constexpr std::size_t kStages = 60;
constexpr std::size_t kStageRows = 4000;
constexpr std::size_t kStageNumbers = 1'000'000;  // rows x classes
constexpr std::size_t kMarginBins = 40;

// Up to `most` of the numbers 1 .. count, ending with the last, denser at the beginning where
// curves fall fastest.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::set<std::size_t> chosen;
  for (std::size_t i = 1; i <= std::min(count, most); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(std::min(count, most));
    const double place = count <= most ? share : std::pow(share, 1.5);
    chosen.insert(std::clamp<std::size_t>(
        static_cast<std::size_t>(std::lround(place * static_cast<double>(count))), 1, count));
  }
  return {chosen.begin(), chosen.end()};
}

Json numbers(const std::vector<std::size_t>& values) {
  Json result = Json::array();
  for (const std::size_t value : values) result.push_back(value);
  return result;
}

// The error of some of the rows after some of the rounds. Rounds of pooled members do not follow
// each other, so there is nothing to show of these.
Json stage_facts(const Model& model, const Dataset& data, const ReportOptions& options) {
  if (!model.members().empty() || model.rounds() == 0 || options.probabilities) return nullptr;
  const std::size_t most = std::min(
      kStageRows, std::max<std::size_t>(kStageNumbers / model.schema().classes.size(), 200));
  const std::vector<std::uint32_t> rows = draw_rows(data.rows, most, options.seed);
  const Dataset part = select_rows(data, rows);
  const std::vector<std::size_t> stages = spread(model.rounds(), kStages);
  Json errors = Json::array();
  model.predict_staged(part, stages,
                       [&](std::size_t /*rounds*/, const Matrix& scores) {
                         std::size_t wrong = 0;
                         for (std::size_t i = 0; i < scores.rows; ++i) {
                           const float* u = scores.row(i);
                           if (std::max_element(u, u + scores.columns) - u != part.labels.codes[i])
                             ++wrong;
                         }
                         errors.push_back(short_number(static_cast<double>(wrong) /
                                                       static_cast<double>(scores.rows)));
                       },
                       {options.threads, 0});
  return {{"rounds", numbers(stages)}, {"error", std::move(errors)}, {"rows", rows.size()}};
}

// The seconds at which these rounds had ended, those between two that are known in proportion.
Json seconds_of(const std::vector<std::size_t>& rounds, const std::vector<RoundTime>& times) {
  if (times.empty()) return nullptr;
  Json result = Json::array();
  for (const std::size_t round : rounds) {
    const auto next = std::find_if(times.begin(), times.end(),
                                   [&](const RoundTime& t) { return t.round >= round; });
    if (next == times.end()) return nullptr;  // of another training
    const RoundTime before = next == times.begin() ? RoundTime{} : *(next - 1);
    const double share = static_cast<double>(round - before.round) /
                         static_cast<double>(std::max<std::size_t>(next->round - before.round, 1));
    result.push_back(short_number(before.seconds + share * (next->seconds - before.seconds)));
  }
  return result;
}

Json histogram_json(const Histogram& bars) {
  return {{"low", short_number(bars.low)},
          {"high", short_number(bars.high)},
          {"counts", numbers(bars.counts)}};
}

Histogram histogram_of(const std::vector<float>& margins) {
  std::vector<float> known;
  for (const float margin : margins)
    if (std::isfinite(margin)) known.push_back(margin);
  return histogram(known, kMarginBins);
}

}  // namespace

Json curve_facts(const Model& model, const Dataset& data, const ReportOptions& options) {
  const TrainingLog& log = model.log();
  const std::vector<std::size_t> rounds = spread(log.rounds(), kMostPoints);
  Json series = Json::array();
  for (const std::string& name : log.columns) {
    const std::vector<double> column = log.column(name);
    Json values = Json::array();
    for (const std::size_t round : rounds) values.push_back(short_number(column[round - 1]));
    series.push_back({{"name", page_name(name)}, {"values", std::move(values)}});
  }
  return {{"rounds", numbers(rounds)},
          {"series", std::move(series)},
          {"seconds", seconds_of(rounds, options.times)},
          {"here", stage_facts(model, data, options)},
          {"kept", model.rounds()},
          {"logged", log.rounds()},
          {"stop_reason", page_name(log.stop_reason)}};
}

Json margin_facts(const Model& model, const RowFacts& facts, const ReportOptions& options) {
  Json result{{"here", histogram_json(histogram_of(facts.margin))}};
  if (options.train && options.train->labels.codes.size() == options.train->rows) {
    const Dataset part =
        select_rows(*options.train, draw_rows(options.train->rows, 20 * kStageRows, options.seed));
    result["train"] =
        histogram_json(histogram_of(model.predict_margins(part, {options.threads, 0})));
    result["source"] = "the training rows";
  } else if (model.log().margins && !model.log().margins->histogram.empty()) {
    const MarginSummary& margins = *model.log().margins;
    result["train"] = histogram_json({margins.least, margins.most, margins.histogram});
    result["source"] = "the training rows, from the log of the model";
  }
  return result;
}

Json card_facts(const Model& model, const Dataset& data, const ReportOptions& options) {
  Json settings = Json::object();
  for (const auto& [name, value] : model.parameters()) settings[name] = page_name(value);
  std::size_t categorical = 0;
  for (const FeatureSchema& feature : model.schema().features)
    categorical += feature.type == FeatureType::kCategorical ? 1 : 0;
  Json members = Json::array();
  for (const MemberWeight& member : model.members())
    members.push_back({{"name", page_name(member.name)}, {"weight", short_number(member.weight)}});
  const std::vector<std::byte> bytes = model.to_bytes();
  // What train was told that differs from its defaults.
  const Parameters defaults;
  std::string given;
  for (const ParameterSpec& spec : parameter_specs()) {
    const auto at = model.parameters().find(std::string(spec.name));
    if (at == model.parameters().end() || at->second == get_parameter(defaults, spec.name))
      continue;
    given += fmt::format(" --{} {}", spec.name, at->second);
  }
  return {{"data", source_name(data)},
          {"rows", data.rows},
          {"weighted", !data.weights.empty()},
          {"train", options.train ? source_name(*options.train) : ""},
          {"train_rows", options.train ? options.train->rows : 0},
          {"judged_by", options.probabilities ? "probabilities of those that had not seen the rows"
                                              : "the model itself"},
          {"features", model.schema().features.size()},
          {"categorical", categorical},
          {"classes", model.schema().classes.size()},
          {"algorithm", page_name(model.algorithm())},
          {"rounds", model.rounds()},
          {"trees", model.forest().trees.size()},
          {"outputs", model.forest().outputs},
          {"members", std::move(members)},
          {"settings", std::move(settings)},
          {"version", SIMPLEXBOOST_VERSION},
          {"bytes", bytes.size()},
          {"sha256", hex_text(sha256(bytes))},
          {"seed", options.seed},
          {"train_options", short_text(given, 2000)},
          {"command", options.command.empty() ? "" : short_text(options.command, 2000)}};
}

}  // namespace simplexboost
