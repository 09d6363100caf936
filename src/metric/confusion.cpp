#include "metric/confusion.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace simplexboost {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void Confusion::add(std::int32_t truth, std::int32_t predicted, double weight) {
  const auto column = static_cast<std::size_t>(predicted);
  assert(column < classes());
  total_ += weight;
  per_class_[column].predicted += weight;
  if (truth != predicted) wrong_ += weight;
  if (truth < 0) {
    unknown_ += weight;
    return;
  }
  const auto row = static_cast<std::size_t>(truth);
  assert(row < classes());
  per_class_[row].truth += weight;
  cells_[row * classes() + column] += weight;
  if (row == column) per_class_[row].correct += weight;
}

double Confusion::error() const { return total_ > 0 ? wrong_ / total_ : kNone; }

double Confusion::balanced_error() const {
  double sum = 0;
  double present = 0;
  for (const ClassSummary& one : per_class_) {
    if (!(one.truth > 0)) continue;
    sum += 1 - one.recall();
    present += 1;
  }
  return present > 0 ? sum / present : kNone;
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
