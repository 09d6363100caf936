// Pages to look at: what a model does on labelled rows, two models side by side, a training while
// it goes on. Each is one HTML file that holds all it needs and asks nobody for anything;
// docs/report.md shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/model.h"
#include "simplexboost/progress.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// When a round had ended, counted from the beginning of the training.
struct RoundTime {
  std::size_t round = 0;  // from 1
  double seconds = 0;
};

// The times that the page of a Dashboard tells, ascending; DataError where it is no such page. (A
// model does not hold them: it would be another one each time.)
SIMPLEXBOOST_API std::vector<RoundTime> dashboard_times(std::string_view html);

struct ReportOptions {
  int threads = 0;         // 0: all cores
  std::uint64_t seed = 0;  // of what is drawn: rows drawn again, rows on the map
  // The rows that the model was trained on, matched with its schema: for their margins, for rows
  // that are in both, and for the single tree. Null: not known.
  const Dataset* train = nullptr;
  // Rows x classes: what those say of the rows who had not seen them (QualityResult::oof_proba), in
  // the place of the model's own probabilities. Null: the model's.
  const Matrix* probabilities = nullptr;
  std::vector<RoundTime> times = {};  // of the training, for the time axis of its curves
  std::string command = {};           // the one that makes the page again, for its card
};

// `data` must be read (or built) with the model's schema and have one label a row; DataError
// otherwise. The same model, rows and options give the same bytes, for any number of threads.
SIMPLEXBOOST_API std::string report_html(const Model& model, const Dataset& data,
                                         const ReportOptions& options = {});

// A model with the name that it has on the page, and the rows as its own schema reads them.
struct Contender {
  std::string name;
  const Model& model;
  const Dataset& data;
};

// Both must have the same rows in the same order; of `options`, `train` and `probabilities` are not
// used.
SIMPLEXBOOST_API std::string compare_html(const Contender& first, const Contender& second,
                                          const ReportOptions& options = {});

// A page of a training while it goes on: curves and the time left. Hands everything on to another
// Progress, if there is one.
class SIMPLEXBOOST_API Dashboard : public Progress {
 public:
  // Where `path` is not empty, the file is replaced now and then, at most every `seconds`, and at
  // the end, always by a whole one. That it cannot be written does not stop the training.
  explicit Dashboard(std::string path, std::string title = {}, Progress* next = nullptr,
                     double seconds = 1);
  ~Dashboard() override;
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  void start(std::size_t total) override;
  bool round(std::size_t round, std::span<const RoundMetric> metrics) override;
  void finish(const std::string& why) override;

  std::string html() const;            // the page as it would be written now
  const std::string& problem() const;  // why the file could not be written; empty: it could

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
