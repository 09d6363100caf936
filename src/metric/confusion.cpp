#include "metric/confusion.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace simplexboost {

void Confusion::add(std::int32_t truth, std::int32_t predicted, double weight) {
  if (truth < 0) return;
  const auto row = static_cast<std::size_t>(truth);
  const auto column = static_cast<std::size_t>(predicted);
  assert(row < classes_ && column < classes_);
  cells_[row * classes_ + column] += weight;
}

void Confusion::merge(const Confusion& other) {
  assert(classes_ == other.classes_);
  for (const auto& [key, weight] : other.cells_) cells_[key] += weight;
}

std::vector<ConfusionCell> Confusion::cells() const {
  std::vector<ConfusionCell> cells;
  cells.reserve(cells_.size());
  for (const auto& [key, weight] : cells_) {
    cells.push_back({static_cast<std::int32_t>(key / classes()),
                     static_cast<std::int32_t>(key % classes()), weight});
  }
  std::sort(cells.begin(), cells.end(), [](const ConfusionCell& a, const ConfusionCell& b) {
    return std::tie(a.truth, a.predicted) < std::tie(b.truth, b.predicted);
  });
  return cells;
}

std::vector<ConfusionCell> Confusion::largest_confusions(std::size_t limit) const {
  std::vector<ConfusionCell> wrong = cells();
  std::erase_if(wrong, [](const ConfusionCell& cell) { return cell.truth == cell.predicted; });
  std::stable_sort(wrong.begin(), wrong.end(), [](const ConfusionCell& a, const ConfusionCell& b) {
    return a.weight > b.weight;
  });
  wrong.resize(std::min(limit, wrong.size()));
  return wrong;
}

std::vector<std::vector<double>> Confusion::table() const {
  std::vector<std::vector<double>> table(classes(), std::vector<double>(classes()));
  for (const ConfusionCell& cell : cells()) {
    table[static_cast<std::size_t>(cell.truth)][static_cast<std::size_t>(cell.predicted)] =
        cell.weight;
  }
  return table;
}

}  // namespace simplexboost
