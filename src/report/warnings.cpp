#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "data/rows/row_hashes.h"
#include "report/facts/facts_json.h"
#include "report/verdict.h"

namespace simplexboost {
namespace {

constexpr std::size_t kFewRows = 200;
constexpr std::size_t kNamedClasses = 5;

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.{}f}\u202f%", value, value != 0 && value < 10 ? (value < 1 ? 2 : 1) : 0);
}

class Warnings {
 public:
  explicit Warnings(const WarningSources& from) : from_(from) {}

  Json all() {
    leak();
    same_rows();
    no_better();
    classes();
    sureness();
    training();
    size();
    Json result = Json::array();
    for (const char* const level : {"bad", "care", "note"})
      for (const Json& one : found_)
        if (one.at("level").get<std::string>() == level) result.push_back(one);
    return result;
  }

 private:
  void add(const char* level, std::string text) {
    found_.push_back({{"level", level}, {"text", std::move(text)}});
  }

  std::string names(const std::vector<std::size_t>& classes) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(classes.size(), kNamedClasses); ++i)
      text += (i > 0 ? ", " : "") + page_name(from_.model.schema().classes[classes[i]]);
    if (classes.size() > kNamedClasses)
      text += fmt::format(" and {} more", classes.size() - kNamedClasses);
    return text;
  }

  // One feature alone that says nearly all: it may be known only once the label is.
  void leak() {
    const std::vector<std::size_t> top = shown_features(from_.model, 1);
    const Verdict& verdict = from_.verdict;
    if (top.empty() || from_.data.columns.size() < 2 || !(verdict.shares_error.value > 0.05))
      return;
    const Judged alone = judge_tree(from_.facts, from_.data, from_.options, top);
    double weight = 0;
    double wrong = 0;
    double own = 0;
    for (std::size_t i = 0; i < from_.facts.rows; ++i) {
      if (alone.seen[i] == 0) continue;
      weight += from_.facts.weight[i];
      wrong += alone.wrong[i] != 0 ? from_.facts.weight[i] : 0;
      own += from_.facts.wrong(i) ? from_.facts.weight[i] : 0;
    }
    if (!(weight > 0)) return;
    const double error = wrong / weight;
    if (error > 0.3 * verdict.shares_error.value || error > 1.5 * own / weight + 0.01) return;
    add("bad", fmt::format(
                   "A leak is suspected: the feature {} alone, by a single tree, errs on {} of the "
                   "rows, nearly as few as the whole model. Is its value known before the class "
                   "is?",
                   page_name(from_.model.schema().features[top[0]].name), percent(error)));
  }

  void same_rows() {
    if (!from_.options.train || from_.options.probabilities) return;
    const std::vector<std::uint64_t> train = row_hashes(*from_.options.train);
    const std::unordered_set<std::uint64_t> known(train.begin(), train.end());
    std::size_t both = 0;
    for (const std::uint64_t hash : row_hashes(from_.data))
      if (known.contains(hash)) ++both;
    const double share = static_cast<double>(both) / static_cast<double>(from_.facts.rows);
    if (share < 0.01) return;
    add(share > 0.1 ? "bad" : "care",
        fmt::format("{} of the {} rows ({}) have the very features of a training row: figures of "
                    "rows that the model has seen are too good.",
                    both, from_.facts.rows, percent(share)));
  }

  void no_better() {
    const Verdict& verdict = from_.verdict;
    if (verdict.error.low >= verdict.shares_error.value) {
      add("bad", "It does no better than always saying the commonest class.");
    } else if (verdict.lead.high < 0) {
      add("bad",
          fmt::format("A single tree does better: it errs on {} of the rows, the model on {}.",
                      percent(verdict.tree_error.value), percent(verdict.error.value)));
    } else if (verdict.lead.low <= 0 && verdict.wrong_rows > 0) {
      add("note", "Whether it does better than a single tree cannot be said from these rows.");
    }
  }

  void classes() {
    std::vector<double> truth(from_.facts.classes);
    std::vector<double> said(from_.facts.classes);
    std::vector<double> right(from_.facts.classes);
    for (const ConfusionCell& cell : from_.confusion.cells()) {
      truth[static_cast<std::size_t>(cell.truth)] += cell.weight;
      said[static_cast<std::size_t>(cell.predicted)] += cell.weight;
      if (cell.truth == cell.predicted) right[static_cast<std::size_t>(cell.truth)] += cell.weight;
    }
    std::vector<std::size_t> never;
    std::vector<std::size_t> absent;
    std::vector<std::size_t> lost;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      if (truth[k] == 0) {
        absent.push_back(k);
      } else if (said[k] == 0) {
        never.push_back(k);
      } else if (right[k] < 0.5 * truth[k]) {
        lost.push_back(k);
      }
    }
    if (!never.empty())
      add("bad", fmt::format("{} never predicted, though there are rows of {}: {}.",
                             never.size() == 1 ? "One class is"
                                               : fmt::format("{} classes are", never.size()),
                             never.size() == 1 ? "it" : "them", names(never)));
    if (!lost.empty())
      add("care", fmt::format("{} recognised in less than half of {} rows: {}.",
                              lost.size() == 1 ? "One class is"
                                               : fmt::format("{} classes are", lost.size()),
                              lost.size() == 1 ? "its" : "their", names(lost)));
    if (!absent.empty())
      add("note",
          fmt::format(
              "There are no rows of {} of the {} classes here, so nothing is said of {}: {}.",
              absent.size(), truth.size(), absent.size() == 1 ? "it" : "them", names(absent)));
    if (from_.verdict.unknown_rows > 0)
      add("bad",
          fmt::format(
              "{} rows are of classes that the model does not know; all of them count as wrong.",
              from_.verdict.unknown_rows));
  }

  void sureness() {
    if (!from_.facts.proba) {
      add("note", "The model has no probabilities: there is no log loss and no calibration.");
      return;
    }
    const Tempering& tempering = from_.tempering;
    if (!tempering.known || tempering.error[1] > 0.8 * tempering.error[0]) return;
    if (from_.verdict.calibration.low < 0.01) return;
    if (tempering.scale < 0.9)
      add(tempering.error[0] > 0.05 ? "bad" : "care",
          fmt::format("The probabilities are too sure: they are off by {} on the average. Their "
                      "logarithms times {:.2f} would be off by {}.",
                      percent(tempering.error[0]), tempering.scale, percent(tempering.error[1])));
    if (tempering.scale > 1.1)
      add("care",
          fmt::format("The probabilities are not sure enough: they are off by {} on the "
                      "average. Their logarithms times {:.2f} would be off by {}.",
                      percent(tempering.error[0]), tempering.scale, percent(tempering.error[1])));
  }

  void training() {
    const Verdict& verdict = from_.verdict;
    const TrainingLog& log = from_.model.log();
    const std::size_t rounds = from_.model.rounds();
    const auto logged = [&](const char* name) {
      const std::optional<double> value = rounds > 0 ? log.value(name, rounds - 1) : std::nullopt;
      return value.value_or(std::nan(""));
    };
    const double train = logged("train_error");
    if (verdict.error.low - train > 0.1)
      add("care", fmt::format("Training rows do far better: {} of them were wrong at the end of "
                              "training, {} are here. Fewer leaves, more rows in a leaf or a lower "
                              "learning rate may help, and so may more rows.",
                              percent(train), percent(verdict.error.value)));
    double expected = logged("valid_error");
    if (from_.model.estimate())
      for (const EstimateFigure& figure : from_.model.estimate()->figures)
        if (figure.label < 0 && figure.name == "error") expected = figure.high;
    if (!from_.options.probabilities && verdict.error.low > 1.2 * expected + 0.005)
      add("care", fmt::format("These rows are harder than those that the model was judged by in "
                              "training ({} wrong there, {} here): they may differ in kind.",
                              percent(expected), percent(verdict.error.value)));
    const std::vector<double> losses = log.column("valid_log_loss");
    if (from_.model.members().empty() && losses.size() > 20 && losses.size() == rounds &&
        losses.back() < 0.98 * losses[losses.size() * 4 / 5])
      add("note", "The validation loss still fell when training ended: more rounds may help.");
  }

  void size() {
    if (from_.facts.rows < kFewRows)
      add("note",
          fmt::format("There are {} rows only, so the intervals are wide.", from_.facts.rows));
  }

  const WarningSources& from_;
  Json found_ = Json::array();
};

}  // namespace

Json warnings_json(const WarningSources& from) { return Warnings(from).all(); }

}  // namespace simplexboost
