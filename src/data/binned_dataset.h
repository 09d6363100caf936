// The training matrix: every value as its bin, in one or two bytes. Features stand in groups of
// up to 16, rows within a group, so that filling histograms reads whole cache lines and a feature
// alone can still be walked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned_vector.h"
#include "data/binning.h"
#include "data/integral_images.h"

namespace simplexboost {

class BinnedDataset {
 public:
  static constexpr std::size_t kGroup = 16;
  // Bytes behind the last value that may be read: kernels gather four at a time.
  static constexpr std::size_t kPadding = 3;

  // Bins `data` with bins that may come from another set (validation data): those of its columns,
  // then those of statistics of some of them.
  BinnedDataset(const Dataset& data, std::vector<FeatureBins> bins, int threads);
  // The rows of all ranks, of which `share` has those that are here; without images.
  BinnedDataset(const BinnedDataset& share, Communicator& ranks);

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return bins_.size(); }
  const FeatureBins& bins(std::size_t feature) const { return bins_[feature]; }
  const std::vector<FeatureBins>& all_bins() const { return bins_; }
  // The column of the data that a feature is, or tells of.
  std::size_t column(std::size_t feature) const {
    return bins_[feature].statistic() ? bins_[feature].column : feature;
  }
  // Replaces the bins of a feature, row by row.
  void set_bins(std::size_t feature, std::span<const std::uint16_t> of_rows);
  bool wide() const { return wide_; }  // two bytes a value

  // Where a feature's values start and how far apart (in values) those of two rows are.
  template <class Bin>
  struct Values {
    const Bin* data;
    std::size_t stride;
    Bin operator[](std::size_t row) const { return data[row * stride]; }
  };
  template <class Bin>
  Values<Bin> values(std::size_t feature) const {
    const std::size_t group = feature / kGroup;
    return {
        reinterpret_cast<const Bin*>(storage_.data()) + group * kGroup * rows_ + feature % kGroup,
        group_width(group)};
  }
  std::size_t group_width(std::size_t group) const {
    const std::size_t left = features() - group * kGroup;
    return left < kGroup ? left : kGroup;
  }

  // Calls f with a null pointer of the bin type in use: the one place where it is chosen.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return wide_ ? f(static_cast<const std::uint16_t*>(nullptr))
                 : f(static_cast<const std::uint8_t*>(nullptr));
  }

  // The images that the rows are, for trees that cut by filters; null: none.
  const IntegralImages* images() const { return images_.get(); }
  void set_images(std::shared_ptr<const IntegralImages> images) { images_ = std::move(images); }

  std::size_t memory() const { return storage_.size() - kPadding; }

 private:
  std::size_t rows_;
  std::vector<FeatureBins> bins_;
  bool wide_;
  AlignedVector<std::uint8_t> storage_;
  std::shared_ptr<const IntegralImages> images_;
};

}  // namespace simplexboost
