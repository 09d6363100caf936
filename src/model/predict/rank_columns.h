// Numbers as their ranks among the thresholds that trees compare them with: x > t holds where the
// rank of x is above that of t, and ranks are bytes, of which many are compared by one instruction.
//
// A column has the thresholds of one feature, for nodes that send missing values the same way, and
// at most 255 of them. Trees that bring more open a column of their own beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"

namespace simplexboost {

class RankColumns {
 public:
  // The column of each node of a tree, all of which compare numbers, and at most 255. False, and
  // nothing is added, where there would be more columns than 16 bits can number.
  bool add(std::span<const Node> nodes, std::uint16_t* columns);
  // When all trees were added, and before what follows.
  void finish();

  std::size_t size() const { return columns_.size(); }
  std::int8_t rank(std::size_t column, double threshold) const;
  // Ranks of the rows [begin, end): columns x padded rows.
  void set_ranks(const Dataset& data, std::size_t begin, std::size_t end, std::int8_t* ranks) const;

 private:
  // Values have cells of equal width, from the first threshold to the last. A threshold of a cell
  // below that of a value is below the value, so only those of its own cell are left to compare.
  struct Column {
    std::uint32_t feature = 0;
    bool missing_high = false;
    std::vector<double> thresholds;    // ascending; infinities behind them after finish()
    double low = 0;                    // where cells begin
    double scale = 0;                  // cells to a unit
    std::vector<std::uint8_t> starts;  // of each cell: thresholds in those before it
    std::size_t most = 0;              // thresholds in one cell

    std::size_t cell(double x) const;
    void make_cells();
  };

  std::vector<Column> columns_;
  std::vector<std::uint32_t> open_;  // 2 x feature + whether missing values go right: the newest
  std::vector<std::uint16_t> by_feature_;
};

}  // namespace simplexboost
