#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "report/facts/facts_json.h"
#include "report/page.h"
#include "simplexboost/error.h"
#include "simplexboost/report.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr std::size_t kMostRounds = 400;  // on the page; beyond, every second one goes
constexpr int kRefreshSeconds = 2;

using DashboardClock = std::chrono::steady_clock;

double seconds_since(DashboardClock::time_point begin) {
  return std::chrono::duration<double>(DashboardClock::now() - begin).count();
}

struct RoundsSoFar {
  std::string path;
  std::string title;
  Progress* next;
  double period;
  std::size_t total = 0;
  std::size_t done = 0;
  std::size_t stride = 1;  // of the rounds that are kept
  std::vector<std::string> names;
  std::vector<std::size_t> rounds;
  std::vector<double> seconds;
  std::vector<std::vector<double>> values;  // by name
  std::string ended;                        // why it is over; empty: it is not
  std::string problem;
  DashboardClock::time_point begin = DashboardClock::now();
  double written = -INFINITY;
  double lasted = 0;  // once it is over

  void keep(std::size_t round, std::span<const RoundMetric> metrics);
  void thin();
  Json facts() const;
  std::string html(bool live) const {
    return make_page(
        facts(),
        {title, {"page.js", "charts.js", "curves.js", "dashboard.js"}, live ? kRefreshSeconds : 0});
  }
  void write();
};

// Trainings that run side by side may tell other figures than the first round did: a new name has
// no value before it came, and one that is not told has none.
void RoundsSoFar::keep(std::size_t round, std::span<const RoundMetric> metrics) {
  rounds.push_back(round + 1);
  seconds.push_back(seconds_since(begin));
  for (const RoundMetric& metric : metrics) {
    std::size_t place = 0;
    while (place < names.size() && names[place] != metric.name) ++place;
    if (place == names.size()) {
      names.emplace_back(metric.name);
      values.emplace_back();
    }
    values[place].resize(rounds.size() - 1, NAN);
    values[place].push_back(metric.value);
  }
  for (std::vector<double>& column : values) column.resize(rounds.size(), NAN);
  if (rounds.size() >= kMostRounds) thin();
}

void RoundsSoFar::thin() {
  const auto halve = [](auto& list) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < list.size(); i += 2) list[kept++] = list[i];
    list.resize(kept);
  };
  halve(rounds);
  halve(seconds);
  for (std::vector<double>& column : values) halve(column);
  stride *= 2;
}

Json RoundsSoFar::facts() const {
  Json series = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Json column = Json::array();
    for (const double value : values[i]) column.push_back(short_number(value));
    series.push_back({{"name", page_name(names[i])}, {"values", std::move(column)}});
  }
  Json times = Json::array();
  for (const double second : seconds) times.push_back(short_number(second));
  Json numbers = Json::array();
  for (const std::size_t round : rounds) numbers.push_back(round);
  return {{"kind", "dashboard"},
          {"title", page_name(title)},
          {"done", done},
          {"total", total},
          {"elapsed", short_number(ended.empty() ? seconds_since(begin) : lasted)},
          {"ended", ended},
          {"rounds", std::move(numbers)},
          {"seconds", std::move(times)},
          {"series", std::move(series)}};
}

void RoundsSoFar::write() {
  if (path.empty() || !problem.empty()) return;
  try {
    AtomicFile file(path);
    file.write(html(ended.empty()));
    file.commit();
  } catch (const IoError& error) {
    problem = error.what();  // a page is not worth a training
  }
  written = seconds_since(begin);
}

}  // namespace

struct Dashboard::State : RoundsSoFar {};

std::vector<RoundTime> dashboard_times(std::string_view html) {
  constexpr std::string_view kBegin = "id=\"facts\">";
  const std::size_t begin = html.find(kBegin);
  const std::size_t end = html.find("</script>", begin);
  if (begin == std::string_view::npos || end == std::string_view::npos)
    throw DataError("it is no page that train --dashboard wrote");
  std::vector<RoundTime> times;
  try {
    const Json facts = Json::parse(html.substr(begin + kBegin.size(), end - begin - kBegin.size()));
    const auto rounds = facts.at("rounds").get<std::vector<std::size_t>>();
    const auto seconds = facts.at("seconds").get<std::vector<double>>();
    for (std::size_t i = 0; i < std::min(rounds.size(), seconds.size()); ++i)
      if (times.empty() || (rounds[i] > times.back().round && seconds[i] >= times.back().seconds))
        times.push_back({rounds[i], seconds[i]});
  } catch (const JsonError& error) {
    throw DataError(fmt::format("it is no page that train --dashboard wrote: {}", error.what()));
  }
  return times;
}

Dashboard::Dashboard(std::string path, std::string title, Progress* next, double seconds)
    : state_(std::make_unique<State>()) {
  state_->path = std::move(path);
  state_->title = title.empty() ? "training" : std::move(title);
  state_->next = next;
  state_->period = seconds;
}

// A training that ended by an exception is over, too.
Dashboard::~Dashboard() {
  try {
    if (state_->total > 0 && state_->ended.empty()) {
      state_->lasted = seconds_since(state_->begin);
      state_->ended = "broken off";
      state_->write();
    }
  } catch (...) {
    state_->problem = "there is no memory for the page";
  }
}

void Dashboard::start(std::size_t total) {
  state_->total = total;
  state_->begin = DashboardClock::now();
  state_->write();
  if (state_->next) state_->next->start(total);
}

bool Dashboard::round(std::size_t round, std::span<const RoundMetric> metrics) {
  state_->done = round + 1;
  if (state_->done % state_->stride == 0 || state_->done == 1) state_->keep(round, metrics);
  if (seconds_since(state_->begin) - state_->written >= state_->period) state_->write();
  return state_->next ? state_->next->round(round, metrics) : true;
}

void Dashboard::finish(const std::string& why) {
  state_->lasted = seconds_since(state_->begin);
  state_->ended = why.empty() ? "training is over" : page_name(why);
  state_->write();
  if (state_->next) state_->next->finish(why);
}

std::string Dashboard::html() const { return state_->html(false); }
const std::string& Dashboard::problem() const { return state_->problem; }

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
