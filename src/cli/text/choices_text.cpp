#include "cli/text/choices_text.h"

#include <fmt/format.h>

#include <vector>

#include "cli/text/layout.h"

namespace simplexboost::cli {
namespace {

constexpr std::size_t kWidth = 200;

std::string heading(const MemberRecord& record) {
  std::string text = fit(record.name, kWidth);
  if (!record.left_out.empty())
    text += ", left out: " + fit(record.left_out, kWidth);
  else if (record.weight > 0)
    text += fmt::format(", weight {:.3f}", record.weight);
  return record.why.empty() ? text : fmt::format("{} ({})", text, fit(record.why, kWidth));
}

}  // namespace

std::string choices_text(const Ensemble& ensemble) {
  if (ensemble.records.empty()) return "";
  std::string text = "\nWhat was chosen, and why\n";
  for (const MemberRecord& record : ensemble.records) {
    text += "  " + heading(record) + "\n";
    std::vector<std::vector<std::string>> rows;
    for (const Choice& choice : record.choices)
      rows.push_back(
          {fit(choice.name, kWidth), fit(choice.value, kWidth), fit(choice.why, kWidth)});
    if (!rows.empty()) text += format_table(std::move(rows), {0, 1, 2}, 4);
  }
  return text;
}

Json choices_json(const Ensemble& ensemble) {
  if (ensemble.records.empty()) return nullptr;
  Json members = Json::array();
  for (const MemberRecord& record : ensemble.records) {
    Json choices = Json::array();
    for (const Choice& choice : record.choices)
      choices.push_back({{"name", choice.name}, {"value", choice.value}, {"why", choice.why}});
    members.push_back(
        {{"name", record.name},
         {"weight", record.weight},
         {"why", record.why},
         {"left_out", record.left_out.empty() ? Json(nullptr) : Json(record.left_out)},
         {"choices", std::move(choices)}});
  }
  return members;
}

}  // namespace simplexboost::cli
