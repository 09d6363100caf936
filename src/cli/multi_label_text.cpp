#include "cli/multi_label_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/evaluation_text.h"
#include "cli/json_output.h"
#include "cli/text.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kListed = 20;
constexpr std::size_t kNameWidth = 24;

}  // namespace

std::string figures_text(const MultiLabelEvaluation& evaluation) {
  const MultiLabelCounts& counts = evaluation.counts;
  return format_table(
      {{"Hamming loss", format_figure(counts.hamming_loss()), "of all pairs of row and label"},
       {"exact-match error", format_figure(counts.exact_match_error()),
        "rows with a label too many or too few"},
       {"micro F1", format_figure(counts.micro_f1()), "of all pairs together"},
       {"macro F1", format_figure(counts.macro_f1()), "the mean over the labels"},
       {"log loss", format_figure(evaluation.log_loss.value()),
        "in nats, the mean over the pairs"}},
      {0, 2}, 2);
}

std::string per_label_text(const MultiLabelCounts& counts, const std::vector<std::string>& labels) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool cut = labels.size() > kListed;
  const auto& all = counts.per_label();
  if (cut) {
    std::erase_if(order, [&](std::size_t l) { return std::isnan(all[l].f1()); });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].f1() < all[b].f1(); });
    order.resize(std::min(order.size(), kListed));
  }
  std::vector<std::vector<std::string>> rows{
      {"LABEL", "ROWS", "PREDICTED", "ERROR", "PRECISION", "RECALL", "F1"}};
  for (const std::size_t l : order) {
    rows.push_back({fit(labels[l], kNameWidth), format_count(all[l].truth),
                    format_count(all[l].predicted), format_figure(counts.error(l)),
                    format_figure(all[l].precision()), format_figure(all[l].recall()),
                    format_figure(all[l].f1())});
  }
  const std::string title =
      cut ? fmt::format("The {} labels of lowest F1, of {}\n", order.size(), labels.size())
          : "Labels\n";
  return title + format_table(rows, {0}, 2);
}

nlohmann::ordered_json evaluation_json(const MultiLabelEvaluation& evaluation,
                                       const std::vector<std::string>& labels) {
  using Json = nlohmann::ordered_json;
  const MultiLabelCounts& counts = evaluation.counts;
  Json per_label = Json::array();
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const ClassSummary& one = counts.per_label()[l];
    per_label.push_back({{"label", labels[l]},
                         {"weight", json_count(one.truth)},
                         {"predicted", json_count(one.predicted)},
                         {"error", counts.error(l)},
                         {"precision", one.precision()},
                         {"recall", one.recall()},
                         {"f1", one.f1()}});
  }
  return Json{{"rows", evaluation.rows},
              {"weight", json_count(counts.total())},
              {"hamming_loss", counts.hamming_loss()},
              {"exact_match_error", counts.exact_match_error()},
              {"micro_f1", counts.micro_f1()},
              {"macro_f1", counts.macro_f1()},
              {"log_loss", evaluation.log_loss.value()},
              {"labels", labels},
              {"per_label", std::move(per_label)}};
}

}  // namespace simplexboost::cli
