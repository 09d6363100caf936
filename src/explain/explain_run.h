// One pass over some rows: which columns they have, the sums of their players or pairs of them, and
// the way back to features and classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "explain/explain_state.h"

namespace simplexboost {

class ExplainRun {
 public:
  ExplainRun(const ExplainState& state, const Dataset& data, std::size_t begin, std::size_t end,
             const ShapRequest& request);

  std::size_t columns() const { return columns_; }
  std::vector<std::int32_t> row_classes() const;
  std::vector<double> base() const;

  // Calls use(row, sums) for each row, counted from `begin`, with a forest's targets x columns
  // numbers; on several threads at once.
  using RowUse = std::function<void(std::size_t row, const std::vector<std::vector<double>>& sums)>;
  void each_row(std::span<const PathForest* const> forests, const RowUse& use) const {
    run(forests, use, nullptr);
  }
  // The numbers of one forest, row after row, as they are.
  void fill(const PathForest& forest, double* numbers) const {
    const PathForest* const one = &forest;
    run({&one, 1}, {}, numbers);
  }

 private:
  // Where the columns of the rows at hand lie.
  struct Place {
    const ScoreSpace& space;
    std::vector<std::uint32_t> chosen;  // rows x a_row; empty: all rows have order_
  };
  void decode(const Place& place, std::size_t row, std::size_t targets, std::size_t stride,
              const double* sums, double* out) const;
  void run(std::span<const PathForest* const> forests, const RowUse& use, double* numbers) const;
  void run_task(std::span<const PathForest* const> forests, const Place& place, std::size_t first,
                std::size_t last, const RowUse& use, double* numbers) const;
  std::size_t targets_of(const PathForest& forest) const {
    const std::size_t players = state_.players.count();
    return forest.kind == GameKind::kPairs ? players * (players + 1) / 2 : players;
  }

  const ExplainState& state_;
  const Dataset& data_;
  std::size_t begin_;
  std::size_t rows_;
  bool contrast_;
  std::size_t columns_;
  std::size_t a_row_;                 // classes that a row is asked for
  std::vector<std::int32_t> labels_;  // rows x a_row, or a_row where all have the same
  bool own_;                          // each row has its own
  std::optional<ScoreSpace> shared_;  // where not
  std::vector<std::uint32_t> order_;  // of the columns in it
  bool as_they_are_ = false;          // it has these columns in this order
};

}  // namespace simplexboost
