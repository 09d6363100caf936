// The training matrix: every value as its bin. Features without a default bin are dense, in one or
// two bytes a row: they stand in groups of up to 16, rows within a group, so that filling
// histograms reads whole cache lines and a feature alone can still be walked. Those of few values
// may share bytes (shared_bytes.h), which stand behind the others as if each were a feature. The
// sparse ones are sparse_bins.h's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/files/byte_store.h"
#include "data/binning.h"
#include "data/integral_images.h"
#include "data/shared_bytes.h"
#include "data/sparse_bins.h"

namespace simplexboost {

// Whether features of few values share bytes, those of digits alone or exclusive ones too, which
// depend on the rows that are here. Rows that training has not seen cannot be kept so.
enum class ByteUse : std::uint8_t { kOneFeature, kDigits, kShared };

class BinnedDataset {
 public:
  static constexpr std::size_t kGroup = 16;
  // Bins `data` with bins that may come from another set (validation data): those of its columns,
  // then those of statistics of some of them.
  BinnedDataset(const Dataset& data, std::vector<FeatureBins> bins, int threads,
                const StoreChoice& store = {}, ByteUse use = ByteUse::kOneFeature);
  // The rows of all ranks, of which `share` has those that are here; without images. In a file
  // where that is in one.
  BinnedDataset(const BinnedDataset& share, Communicator& ranks);

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return bins_.size(); }
  const FeatureBins& bins(std::size_t feature) const { return bins_[feature]; }
  const std::vector<FeatureBins>& all_bins() const { return bins_; }
  // The column of the data that a feature is, or tells of.
  std::size_t column(std::size_t feature) const {
    return bins_[feature].statistic() ? bins_[feature].column : feature;
  }
  // Replaces the bins of a dense feature that shares no byte, row by row.
  void set_bins(std::size_t feature, std::span<const std::uint16_t> of_rows);
  bool wide() const { return wide_; }  // some bins take two bytes, so all dense ones do

  bool sparse(std::size_t feature) const {
    return bins_[feature].sparse() && !shares_byte(feature);
  }
  // The number of a feature among the sparse ones, or of what it is in among the dense columns.
  std::size_t slot(std::size_t feature) const { return slots_[feature]; }
  // Dense features that stand alone, and bytes that others share.
  std::size_t dense_columns() const { return dense_; }
  const SharedBytes& shared_bytes() const { return shared_; }
  bool shares_byte(std::size_t feature) const { return shared_.shares(feature); }
  const SparseBins& sparse_bins() const { return sparse_; }

  // Where a dense feature's values start and how far apart (in values) those of two rows are.
  template <class Bin>
  struct Values {
    const Bin* data;
    std::size_t stride;
    Bin operator[](std::size_t row) const { return data[row * stride]; }
  };
  // Of one that shares a byte: where that is.
  template <class Bin>
  Values<Bin> values(std::size_t feature) const {
    const std::size_t group = slots_[feature] / kGroup;
    return {reinterpret_cast<const Bin*>(store_.data()) + group * kGroup * rows_ +
                slots_[feature] % kGroup,
            group_width(group)};
  }
  struct SharedValues {
    Values<std::uint8_t> bytes;
    const std::uint8_t* digits;
    std::uint8_t operator[](std::size_t row) const { return digits[bytes[row]]; }
  };
  std::size_t group_width(std::size_t group) const {
    const std::size_t left = dense_ - group * kGroup;
    return left < kGroup ? left : kGroup;
  }

  // Calls f with a null pointer of the bin type in use: the one place where it is chosen.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return wide_ ? f(static_cast<const std::uint16_t*>(nullptr))
                 : f(static_cast<const std::uint8_t*>(nullptr));
  }
  // Calls f with the bins of a feature of any kind: something that has those of a row at [row].
  template <class F>
  decltype(auto) visit_values(std::size_t feature, F&& f) const {
    if (shares_byte(feature))
      return f(SharedValues{values<std::uint8_t>(feature), shared_.digits(feature)});
    if (!sparse(feature))
      return wide_ ? f(values<std::uint16_t>(feature)) : f(values<std::uint8_t>(feature));
    return sparse_.visit(
        [&]<class Entry>(const Entry*) { return f(sparse_.values<Entry>(slots_[feature])); });
  }
  std::uint32_t bin(std::size_t feature, std::size_t row) const {
    return visit_values(feature, [&](const auto& of) { return std::uint32_t{of[row]}; });
  }

  // The images that the rows are, for trees that cut by filters; null: none.
  const IntegralImages* images() const { return images_.get(); }
  void set_images(std::shared_ptr<const IntegralImages> images) { images_ = std::move(images); }

  // Where they are.
  const StoreChoice& store() const { return store_.choice(); }
  bool in_file() const {
    return (store_.size() == 0 || store_.mapped()) && (sparse_.empty() || sparse_.in_file());
  }
  std::size_t dense_bytes() const { return store_.size(); }
  std::size_t memory() const { return dense_bytes() + sparse_.memory(); }

 private:
  // Takes those that are exclusive out of the sparse ones.
  void share_bytes(const Dataset& data, ByteUse use, const std::vector<std::uint32_t>& dense,
                   std::vector<std::uint32_t>& sparse);
  // Which dense features stand in each column.
  std::vector<std::vector<std::uint32_t>> plan_columns(const std::vector<std::uint32_t>& dense);

  std::size_t rows_;
  std::vector<FeatureBins> bins_;
  std::vector<std::uint32_t> slots_;
  std::size_t dense_ = 0;
  bool wide_;
  SharedBytes shared_;
  ByteStore store_;
  SparseBins sparse_;
  std::shared_ptr<const IntegralImages> images_;
};

}  // namespace simplexboost
