// The bins of a data set column by column: trees of forests look at few features of a node's
// scattered rows, and the bins of one feature stay in the first cache where those of sixteen do
// not. Of sparse features the rows that are not in the default bin, and their bins. They are where
// the bins of the data set are: in memory, or in files.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/files/byte_store.h"
#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/binned_dataset.h"

namespace simplexboost {

class BinColumns {
 public:
  // The data must outlive it; no features share bytes.
  BinColumns(const BinnedDataset& data, int threads) : data_(data) {
    assert(data.shared_bytes().bytes().empty());
    const std::size_t size = data.wide() ? sizeof(std::uint16_t) : 1;
    if (data.store().folder.empty())
      require_memory("the columns of bins", data.rows(), data.dense_columns(), size);
    bytes_ = ByteStore(data.rows() * data.dense_columns() * size, data.store());
    copy_dense(threads);
    copy_sparse();
  }

  const BinnedDataset& data() const { return data_; }
  bool in_file() const {
    return (bytes_.size() == 0 || bytes_.mapped()) && (rows_.size() == 0 || rows_.mapped());
  }

  // Where a sparse feature is spread over all rows, of a thread's own.
  struct Room {
    std::vector<std::uint16_t> bins;  // each xor the default bin: mostly zero
    std::span<const std::uint32_t> rows;
    std::uint32_t feature = 0xffff'ffff;
  };
  template <class Bin>
  struct Values {
    const Bin* dense;
    const std::uint16_t* sparse;
    std::uint32_t default_bin;
    Bin operator[](std::size_t row) const {
      return dense ? dense[row] : static_cast<Bin>(sparse[row] ^ default_bin);
    }
  };
  // Good until the room is used for another feature.
  template <class Bin>
  Values<Bin> values(std::uint32_t feature, Room& room) const {
    const std::size_t slot = data_.slot(feature);
    if (!data_.sparse(feature))
      return {reinterpret_cast<const Bin*>(bytes_.data()) + slot * data_.rows(), nullptr, 0};
    const std::uint32_t default_bin = data_.bins(feature).default_bin;
    if (room.feature != feature) {
      room.bins.resize(data_.rows());
      for (const std::uint32_t row : room.rows) room.bins[row] = 0;
      room.rows = {rows() + starts_[slot], starts_[slot + 1] - starts_[slot]};
      const std::uint16_t* const others = this->others() + starts_[slot];
      for (std::size_t i = 0; i < room.rows.size(); ++i)
        room.bins[room.rows[i]] = static_cast<std::uint16_t>(others[i] ^ default_bin);
      room.feature = feature;
    }
    return {nullptr, room.bins.data(), default_bin};
  }

 private:
  const std::uint32_t* rows() const { return reinterpret_cast<const std::uint32_t*>(rows_.data()); }
  const std::uint16_t* others() const {
    return reinterpret_cast<const std::uint16_t*>(others_.data());
  }

  void copy_dense(int threads) {
    constexpr std::size_t kRowBlock = 1024;  // of all features of a group: within the first cache
    std::vector<std::uint32_t> dense;
    for (std::uint32_t f = 0; f < data_.features(); ++f)
      if (!data_.sparse(f)) dense.push_back(f);
    const std::size_t groups = (dense.size() + BinnedDataset::kGroup - 1) / BinnedDataset::kGroup;
    data_.visit([&]<class Bin>(const Bin*) {
      parallel_for(threads, groups, [&](std::size_t group) {
        const std::size_t first = group * BinnedDataset::kGroup;
        for (std::size_t begin = 0; begin < data_.rows(); begin += kRowBlock)
          for (std::size_t i = first; i < first + data_.group_width(group); ++i)
            copy<Bin>(dense[i], begin, std::min(begin + kRowBlock, data_.rows()));
      });
    });
  }

  template <class Bin>
  void copy(std::size_t feature, std::size_t begin, std::size_t end) {
    const auto from = data_.values<Bin>(feature);
    Bin* const to = reinterpret_cast<Bin*>(bytes_.data()) + data_.slot(feature) * data_.rows();
    for (std::size_t i = begin; i < end; ++i) to[i] = from[i];
  }

  void copy_sparse() {
    const SparseBins& sparse = data_.sparse_bins();
    if (sparse.empty()) return;
    starts_.assign(sparse.size() + 1, 0);
    sparse.for_entries([&](std::size_t slot, std::size_t, std::uint32_t) { ++starts_[slot + 1]; });
    for (std::size_t i = 0; i < sparse.size(); ++i) starts_[i + 1] += starts_[i];
    rows_ = ByteStore(sparse.entries() * sizeof(std::uint32_t), data_.store());
    others_ = ByteStore(sparse.entries() * sizeof(std::uint16_t), data_.store());
    auto* const rows = reinterpret_cast<std::uint32_t*>(rows_.data());
    auto* const others = reinterpret_cast<std::uint16_t*>(others_.data());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    sparse.for_entries([&](std::size_t slot, std::size_t row, std::uint32_t bin) {
      rows[next[slot]] = static_cast<std::uint32_t>(row);
      others[next[slot]++] = static_cast<std::uint16_t>(bin);
    });
  }

  const BinnedDataset& data_;
  ByteStore bytes_;                  // dense
  std::vector<std::size_t> starts_;  // sparse: of each feature
  ByteStore rows_;                   // that are not in the default bin
  ByteStore others_;                 // their bins
};

}  // namespace simplexboost
