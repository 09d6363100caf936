#include "boosting/setup/all_rows.h"

#include "data/rows/row_shares.h"

namespace simplexboost {

AllRows::AllRows(const Dataset& share, const RowSpace& space) : share_(share), space_(space) {
  if (space_.parted()) brought_ = bring_rows_to_first(share, space_.ranks());
}

const float* AllRows::bring(const float* numbers, std::size_t size, std::vector<float>& all) {
  if (!numbers) return nullptr;
  all = bring_to_first(space_.ranks(), std::span(numbers, size));
  return all.data();
}

void AllRows::bring(const FitTarget& target, const Sample& sample) {
  const std::size_t size = target.rows * target.width;
  target_ = {space_.all(), target.width, bring(target.pulls, size, pulls_),
             bring(target.weights, target.rows, weights_),
             bring(target.curvature, size, curvature_)};
  drawn_.clear();
  for (const std::uint32_t row : sample.rows)
    drawn_.push_back(static_cast<std::uint32_t>(space_.first()) + row);
  drawn_ = bring_to_first(space_.ranks(), std::span<const std::uint32_t>(drawn_));
  sample_ = {drawn_, sample.features, sample.rows_drawn};
}

}  // namespace simplexboost
