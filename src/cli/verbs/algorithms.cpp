#include <fmt/format.h>

#include "base/text/json.h"
#include "cli/options/arguments.h"
#include "cli/text/layout.h"
#include "cli/verb.h"
#include "simplexboost/algorithms.h"

namespace simplexboost::cli {
namespace algorithms_verb {
namespace {

void print_json() {
  Json list = Json::array();
  for (const Algorithm& row : algorithms()) {
    list.push_back({{"name", row.name},
                    {"optimiser", row.optimiser},
                    {"codewords", row.codewords},
                    {"learner", row.learner},
                    {"loss", row.loss},
                    {"paper", row.paper},
                    {"summary", row.summary}});
  }
  fmt::print("{}\n", list.dump());
}

void print_table() {
  std::vector<std::vector<std::string>> rows{
      {"NAME", "OPTIMISER", "CODEWORDS", "LEARNER", "LOSS", "PAPER", "WHAT IT IS"}};
  for (const Algorithm& row : algorithms()) {
    rows.push_back({std::string(row.name), std::string(row.optimiser), std::string(row.codewords),
                    std::string(row.learner), std::string(row.loss), std::string(row.paper),
                    std::string(row.summary)});
  }
  fmt::print("{}\nTrain with one: simplexboost train DATA --model OUT --algorithm NAME\n",
             format_table(rows, {0, 1, 2, 3, 4, 5, 6}));
}

int run(Arguments& arguments) {
  bool json = false;
  arguments.flag("--json", json, "Print one JSON array instead of a table.");
  arguments.parse();
  if (json) {
    print_json();
  } else {
    print_table();
  }
  return kOk;
}

}  // namespace
}  // namespace algorithms_verb

const Verb kAlgorithmsVerb{
    "algorithms",
    "list the boosting algorithms and what they are made of",
    "[--json]",
    "A boosting algorithm = optimiser x codewords x weak learner x loss. Each line is one named "
    "composition that train --algorithm takes.",
    "  simplexboost algorithms",
    algorithms_verb::run,
};

}  // namespace simplexboost::cli
