#include "cli/text/reliability_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text/visible_text.h"
#include "cli/text/evaluation_text.h"
#include "cli/text/layout.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kListedClasses = 20;

std::string with_interval(const CalibrationFigure& figure) {
  return fmt::format("{} ({} to {})", format_figure(figure.value), format_figure(figure.low),
                     format_figure(figure.high));
}

// The worst classes first.
std::string classes_text(const Reliability& now, const Reliability* before,
                         const std::vector<std::string>& classes) {
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return now.classes[a].value > now.classes[b].value;
  });
  order.resize(std::min(order.size(), kListedClasses));
  std::vector<std::vector<std::string>> rows{{"CLASS", "CALIBRATION ERROR (95 %)"}};
  if (before) rows[0].emplace_back("BEFORE CALIBRATION");
  for (const std::size_t k : order) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {visible_text(classes[k]), with_interval(now.classes[k])};
    if (before) row.push_back(with_interval(before->classes[k]));
  }
  const std::string rest =
      classes.size() > order.size()
          ? fmt::format("({} classes, the worst {} of them)\n", classes.size(), order.size())
          : "";
  return format_table(rows, {}, 2) + rest;
}

}  // namespace

std::string reliability_text(const Reliability& now, const Reliability* before,
                             const std::vector<std::string>& classes) {
  std::string text = "calibration error of the class told: " + with_interval(now.top) + "\n";
  if (before) text += "before calibration: " + with_interval(before->top) + "\n";
  std::vector<std::vector<std::string>> rows{
      {"SAID WITH", "ROWS", "MEAN", "CAME TRUE", "WITHIN (95 %)"}};
  for (const ReliabilityBin& bin : now.bins)
    rows.push_back({fmt::format("{:.1f} to {:.1f}", bin.from, bin.to), format_count(bin.rows),
                    format_figure(bin.probability), format_figure(bin.share),
                    fmt::format("{} to {}", format_figure(bin.low), format_figure(bin.high))});
  return text + format_table(rows, {}, 2) + "\n" + classes_text(now, before, classes);
}

Json reliability_json(const Reliability& reliability, const std::vector<std::string>& classes) {
  const auto figure = [](const CalibrationFigure& one) {
    return Json{{"value", one.value}, {"low", one.low}, {"high", one.high}};
  };
  Json bins = Json::array();
  for (const ReliabilityBin& bin : reliability.bins)
    bins.push_back(Json{{"from", bin.from},
                        {"to", bin.to},
                        {"rows", bin.rows},
                        {"probability", bin.probability},
                        {"share", bin.share},
                        {"low", bin.low},
                        {"high", bin.high}});
  Json of_classes = Json::array();
  for (std::size_t k = 0; k < classes.size(); ++k)
    of_classes.push_back(
        Json{{"class", classes[k]}, {"calibration", figure(reliability.classes[k])}});
  return Json{{"top", figure(reliability.top)}, {"bins", bins}, {"classes", of_classes}};
}

}  // namespace simplexboost::cli
