#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "metric/log_loss.h"
#include "report/facts/facts_json.h"
#include "report/facts/resample.h"
#include "report/facts/row_facts.h"
#include "report/facts/training_facts.h"
#include "report/page.h"
#include "simplexboost/error.h"
#include "simplexboost/report.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr std::size_t kChangedRows = 300;
constexpr std::size_t kScatterRows = 1500;
constexpr std::size_t kCompareFeatures = 6;

// The classes of both, by name: those of the first in its order, then those that only the other
// has. And the code of each model's classes among them.
struct BothClasses {
  std::vector<std::string> names;
  std::vector<std::int32_t> codes[2];

  BothClasses(const Model& first, const Model& second) {
    std::map<std::string, std::int32_t> known;
    const Model* const models[] = {&first, &second};
    for (std::size_t m = 0; m < 2; ++m)
      for (const std::string& name : models[m]->schema().classes) {
        const auto [at, added] = known.emplace(name, static_cast<std::int32_t>(names.size()));
        if (added) names.push_back(name);
        codes[m].push_back(at->second);
      }
  }
  std::int32_t code(std::size_t m, std::int32_t own) const {
    return own < 0 ? -1 : codes[m][static_cast<std::size_t>(own)];
  }
};

// What both say of each row, in the same codes.
struct BothRows {
  RowFacts facts[2];
  BothClasses classes;
  std::vector<std::int32_t> truth;
  std::vector<std::int32_t> said[2];
  bool proba;

  bool right(std::size_t m, std::size_t i) const { return said[m][i] == truth[i]; }
  double loss(std::size_t m, std::size_t i) const {
    LogLoss loss;
    loss.add(static_cast<double>(facts[m].truth_proba[i]));
    return loss.value();
  }
};

BothRows gather_both(const Contender& first, const Contender& second,
                     const ReportOptions& options) {
  BothRows both{{gather_rows(first.model, first.data, options),
                 gather_rows(second.model, second.data, options)},
                BothClasses(first.model, second.model),
                {},
                {},
                false};
  both.proba = both.facts[0].proba && both.facts[1].proba;
  const std::size_t rows = both.facts[0].rows;
  if (both.facts[1].rows != rows)
    throw DataError(
        fmt::format("the models have {} and {} rows to be compared on; they must be "
                    "the same rows",
                    rows, both.facts[1].rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int32_t own[] = {both.classes.code(0, both.facts[0].truth[i]),
                                both.classes.code(1, both.facts[1].truth[i])};
    if (own[0] >= 0 && own[1] >= 0 && own[0] != own[1])
      throw DataError(
          fmt::format("row {}: the two readings of the data give it the classes '{}' "
                      "and '{}'; they must be the same rows",
                      i + 1, page_name(both.classes.names[static_cast<std::size_t>(own[0])]),
                      page_name(both.classes.names[static_cast<std::size_t>(own[1])])));
    both.truth.push_back(std::max(own[0], own[1]));
    for (std::size_t m = 0; m < 2; ++m)
      both.said[m].push_back(both.classes.code(m, both.facts[m].predicted[i]));
  }
  return both;
}

// {error, log_loss}: {first, second, difference}, each with its interval.
Json figures_json(const BothRows& both, const ReportOptions& options) {
  // Weight, then error and log loss of each.
  ResampledSums sums(both.truth.size(), 5, options.seed);
  for (std::size_t i = 0; i < both.truth.size(); ++i) {
    const double weight = both.facts[0].weight[i];
    double* const unit = sums.unit(i);
    unit[0] += weight;
    for (std::size_t m = 0; m < 2; ++m) {
      unit[1 + m] += both.right(m, i) ? 0 : weight;
      if (both.proba) unit[3 + m] += weight * both.loss(m, i);
    }
  }
  const std::vector<Interval> figures = sums.intervals(
      6,
      [](const double* sum, std::span<double> out) {
        for (std::size_t f = 0; f < 2; ++f) {
          out[3 * f] = sum[1 + 2 * f] / sum[0];
          out[3 * f + 1] = sum[2 + 2 * f] / sum[0];
          out[3 * f + 2] = out[3 * f + 1] - out[3 * f];
        }
      },
      options.threads);
  Json result = Json::object();
  for (std::size_t f = 0; f < (both.proba ? 2U : 1U); ++f)
    result[f == 0 ? "error" : "log_loss"] = Json{{"first", interval_json(figures[3 * f])},
                                                 {"second", interval_json(figures[3 * f + 1])},
                                                 {"difference", interval_json(figures[3 * f + 2])}};
  return result;
}

// How many rows both, one or neither has right, and how likely that is by chance.
Json agreement_json(const BothRows& both) {
  std::size_t counts[2][2] = {};
  std::size_t same = 0;
  for (std::size_t i = 0; i < both.truth.size(); ++i) {
    ++counts[both.right(0, i) ? 1 : 0][both.right(1, i) ? 1 : 0];
    if (both.said[0][i] == both.said[1][i]) ++same;
  }
  return {{"both_right", counts[1][1]},
          {"only_first", counts[1][0]},
          {"only_second", counts[0][1]},
          {"both_wrong", counts[0][0]},
          {"same_answer", same},
          {"p_value", short_number(sign_test(counts[1][0], counts[0][1]), 3)}};
}

// One line for each class: rows, recall of both, rows that only one has right, and how likely.
Json class_lines(const BothRows& both) {
  struct Line {
    std::size_t rows = 0;
    std::size_t right[2] = {};
    std::size_t only[2] = {};
  };
  std::vector<Line> lines(both.classes.names.size());
  for (std::size_t i = 0; i < both.truth.size(); ++i) {
    if (both.truth[i] < 0) continue;
    Line& line = lines[static_cast<std::size_t>(both.truth[i])];
    const bool right[] = {both.right(0, i), both.right(1, i)};
    ++line.rows;
    for (std::size_t m = 0; m < 2; ++m) {
      line.right[m] += right[m] ? 1 : 0;
      line.only[m] += right[m] && !right[1 - m] ? 1 : 0;
    }
  }
  Json result = Json::array();
  for (const Line& line : lines) {
    Json one = Json::array();
    const auto share = [&](std::size_t count) {
      return short_number(static_cast<double>(count) / static_cast<double>(line.rows));
    };
    one.push_back(line.rows);
    for (const std::size_t right : line.right) one.push_back(share(right));
    for (const std::size_t only : line.only) one.push_back(only);
    one.push_back(short_number(sign_test(line.only[0], line.only[1]), 3));
    result.push_back(std::move(one));
  }
  return result;
}

// Rows of which the two say different things; where there are many, those whose class changes its
// probability most.
Json changed_json(const BothRows& both, const Contender& first) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < both.truth.size(); ++i)
    if (both.said[0][i] != both.said[1][i]) rows.push_back(i);
  const std::size_t count = rows.size();
  const auto change = [&](std::size_t i) {
    return both.proba ? std::fabs(both.facts[0].truth_proba[i] - both.facts[1].truth_proba[i]) : 0;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return change(a) > change(b); });
  if (rows.size() > kChangedRows) rows.resize(kChangedRows);
  const std::vector<std::size_t> features = shown_features(first.model, kCompareFeatures);
  Json names = Json::array();
  for (const std::size_t feature : features)
    names.push_back(page_name(first.model.schema().features[feature].name));
  Json list = Json::array();
  for (const std::size_t i : rows) {
    Json row{{"row", i + 1},
             {"truth", both.truth[i]},
             {"first", both.said[0][i]},
             {"second", both.said[1][i]}};
    if (both.proba) {
      row["p_first"] = short_number(static_cast<double>(both.facts[0].truth_proba[i]), 3);
      row["p_second"] = short_number(static_cast<double>(both.facts[1].truth_proba[i]), 3);
    }
    Json& values = row["values"] = Json::array();
    for (const std::size_t feature : features)
      values.push_back(value_text(first.data.columns[feature], i));
    list.push_back(std::move(row));
  }
  return {{"count", count}, {"rows", std::move(list)}, {"features", std::move(names)}};
}

// The probability of its class by either, of some rows.
Json scatter_json(const BothRows& both, std::uint64_t seed) {
  Json points = Json::array();
  if (!both.proba) return points;
  for (const std::uint32_t i : draw_rows(both.truth.size(), kScatterRows, seed)) {
    points.push_back(i + 1);
    points.push_back(both.truth[i]);
    for (const RowFacts& facts : both.facts)
      points.push_back(short_number(static_cast<double>(facts.truth_proba[i]), 3));
  }
  return points;
}

}  // namespace

std::string compare_html(const Contender& first, const Contender& second,
                         const ReportOptions& options) {
  ReportOptions plain;
  plain.threads = options.threads;
  plain.seed = options.seed;
  plain.command = options.command;
  const BothRows both = gather_both(first, second, plain);
  Json models = Json::array();
  for (const Contender* const one : {&first, &second}) {
    Json card = card_facts(one->model, one->data, plain);
    card["name"] = page_name(one->name);
    models.push_back(std::move(card));
  }
  const Json page{{"kind", "compare"},
                  {"models", std::move(models)},
                  {"classes", page_names(both.classes.names)},
                  {"rows", both.truth.size()},
                  {"figures", figures_json(both, plain)},
                  {"agreement", agreement_json(both)},
                  {"table", class_lines(both)},
                  {"changed", changed_json(both, first)},
                  {"scatter", scatter_json(both, plain.seed)}};
  return make_page(page,
                   {"simplexboost: " + page_name(first.name) + " and " + page_name(second.name),
                    {"page.js", "charts.js", "tables.js", "compare.js"}});
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
