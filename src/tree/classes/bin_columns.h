// The bins of a data set column by column: trees of forests look at few features of a node's
// scattered rows, and the bins of one feature stay in the first cache where those of sixteen do
// not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/threads/parallel.h"
#include "data/binned_dataset.h"

namespace simplexboost {

class BinColumns {
 public:
  // The data must outlive it.
  BinColumns(const BinnedDataset& data, int threads)
      : data_(data),
        bytes_(data.rows() * data.features() * (data.wide() ? sizeof(std::uint16_t) : 1)) {
    constexpr std::size_t kRowBlock = 1024;  // of all features of a group: within the first cache
    const std::size_t groups =
        (data.features() + BinnedDataset::kGroup - 1) / BinnedDataset::kGroup;
    data.visit([&]<class Bin>(const Bin*) {
      parallel_for(threads, groups, [&](std::size_t group) {
        const std::size_t first = group * BinnedDataset::kGroup;
        for (std::size_t begin = 0; begin < data.rows(); begin += kRowBlock)
          for (std::size_t f = first; f < first + data.group_width(group); ++f)
            copy<Bin>(f, begin, std::min(begin + kRowBlock, data.rows()));
      });
    });
  }

  const BinnedDataset& data() const { return data_; }

  // One a row.
  template <class Bin>
  const Bin* values(std::size_t feature) const {
    return reinterpret_cast<const Bin*>(bytes_.data()) + feature * data_.rows();
  }

 private:
  template <class Bin>
  void copy(std::size_t feature, std::size_t begin, std::size_t end) {
    const auto from = data_.values<Bin>(feature);
    Bin* const to = reinterpret_cast<Bin*>(bytes_.data()) + feature * data_.rows();
    for (std::size_t i = begin; i < end; ++i) to[i] = from[i];
  }

  const BinnedDataset& data_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace simplexboost
