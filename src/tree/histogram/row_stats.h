// What a tree is grown from: for every row a pull vector, a weight and, if wanted, a curvature per
// channel, turned into fixed-point integers so that every sum over rows is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_vector.h"
#include "base/row_space.h"
#include "simplexboost/weak_learner.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {

// Statistics vectors of all rows (layout in kernels.h). One power-of-two scale serves all pulls and
// another the weights, chosen so that the absolute values of any channel sum to at most 2^30 over
// all rows, wherever they are: no sum over rows can overflow. A pull of less than 2^-31 of its
// channel's total is lost, which is less than single precision would lose in adding them up.
class RowStats {
 public:
  // Refills in place, to reuse the memory from round to round. `one_scale`: pulls and curvatures
  // (then |pulls|) are compared with each other, so they have one unit.
  void assign(const FitTarget& target, const RowSpace& space, bool one_scale = false);

  // One pull a row, to be set row by row: their absolute values sum to no more than `pull_sum`,
  // those of the weights to no more than `weight_sum`.
  void start_scalar(const RowSpace& space, double pull_sum, double weight_sum);
  void set_row(std::size_t row, float weight, float pull);

  // Those of a device, which has the integers: `width` pulls a row, whose absolute values sum to no
  // more than `pull_sum` in any channel, those of the weights to no more than `weight_sum`.
  void start_elsewhere(const RowSpace& space, std::size_t width, double pull_sum,
                       double weight_sum);
  float pull_scale() const { return pull_scale_; }  // 1 / unit
  float weight_scale() const { return weight_scale_; }

  // Those of all rows, of which `share` has those that are here.
  void gather(const RowStats& share, Communicator& ranks);

  // Multiplies the pulls of the rows that are marked (not 0) by -1.
  void flip_pulls(std::span<const std::uint8_t> marked, const RowSpace& space);

  std::size_t rows() const { return rows_; }
  std::size_t all_rows() const { return all_rows_; }  // those of other ranks too
  std::size_t width() const { return width_; }
  std::size_t channels() const { return channels_; }
  bool diagonal() const { return diagonal_; }
  bool elsewhere() const { return values_.empty(); }
  const std::int32_t* data() const { return values_.data(); }
  const std::int32_t* row(std::size_t i) const { return values_.data() + i * channels_; }

  // Real value of a unit.
  double pull_unit() const { return pull_unit_; }
  double weight_unit() const { return weight_unit_; }

  // A criterion on these statistics; `l2` in real units of weight or curvature.
  CriterionSpec criterion(CriterionKind kind, double l2) const;
  // Real value of a unit of score under a criterion.
  double score_unit(CriterionKind kind) const;

  // Sums of the given rows.
  void sum_rows(std::span<const std::uint32_t> rows, std::int32_t* out) const;

 private:
  std::size_t rows_ = 0;
  std::size_t all_rows_ = 0;
  std::size_t width_ = 0;
  std::size_t channels_ = 0;
  bool diagonal_ = false;
  double pull_unit_ = 1;
  double weight_unit_ = 1;
  float pull_scale_ = 1;  // of start_scalar() and start_elsewhere()
  float weight_scale_ = 1;
  UntouchedVector<std::int32_t> values_;
};

}  // namespace simplexboost
