#include "data/sparse_bins.h"

#include <cassert>
#include <limits>
#include <utility>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/other_rows.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Entries of a row in a group, on the average: as few as pay for knowing where they begin.
constexpr double kEntriesOfARow = 8;
constexpr std::size_t kRowPart = 16'384;

}  // namespace

class SparseBins::Builder {
 public:
  Builder(SparseBins& to, const Dataset& data, const std::vector<FeatureBins>& bins, int threads)
      : to_(to), data_(data), bins_(bins), threads_(threads) {}

  void run(const std::vector<std::uint32_t>& features, const StoreChoice& store) {
    count(features);
    plan_groups();
    const std::size_t parts = (data_.rows + kRowPart - 1) / kRowPart;
    const std::size_t groups = to_.groups_.size();
    require_memory("the starts of rows", data_.rows + 1, groups, sizeof(std::uint32_t));
    if (store.folder.empty())
      require_memory("bins that are not the default", to_.entry_count_, 1, to_.wide_ ? 4 : 2);
    for (Group& group : to_.groups_) group.starts.resize(data_.rows + 1);
    parallel_for(threads_, groups * parts, [&](std::size_t task) {
      Group& group = to_.groups_[task / parts];
      each_entry(group, task % parts,
                 [&](const Place&, std::size_t row, double) { ++group.starts[row + 1]; });
    });
    for (Group& group : to_.groups_)
      for (std::size_t i = 0; i < data_.rows; ++i) group.starts[i + 1] += group.starts[i];
    to_.store_ = ByteStore(to_.entry_count_ * (to_.wide_ ? 4 : 2), store);
    to_.visit([&]<class Entry>(const Entry*) {
      parallel_for(threads_, groups * parts,
                   [&](std::size_t task) { fill<Entry>(to_.groups_[task / parts], task % parts); });
    });
  }

 private:
  // The entries of each feature, and whether values are missing where training had none.
  void count(const std::vector<std::uint32_t>& features) {
    counts_.resize(features.size());
    to_.places_.resize(features.size());
    parallel_for(threads_, features.size(), [&](std::size_t i) {
      const FeatureBins& bins = bins_[features[i]];
      bool missing = bins.has_missing;
      for_others(data_.columns[features[i]], DefaultTest(bins), 0, data_.rows,
                 [&](std::size_t, double value) {
                   ++counts_[i];
                   missing = missing || bins.bin_of(value) == bins.missing_bin();
                 });
      to_.places_[i] = {features[i], 0, 0, bins.value_bins + (missing ? 1 : 0), bins.default_bin};
    });
  }

  // By what all ranks know of the training rows, so that they have the same groups.
  void plan_groups() {
    std::size_t positions = 0;
    std::size_t most = 0;
    double of_a_row = 0;
    for (const Place& place : to_.places_) {
      positions += place.bins;
      most = std::max<std::size_t>(most, place.bins);
      of_a_row += static_cast<double>(bins_[place.feature].others);
    }
    // Narrow entries want groups of few positions, which are more of them than rows can pay for
    // where these have few entries.
    constexpr std::size_t kNarrow = std::size_t{1} << 16;
    constexpr double kFewGroups = 4;
    to_.wide_ = most > kNarrow ||
                static_cast<double>(positions) / kNarrow > of_a_row / kEntriesOfARow + kFewGroups;
    const std::size_t room = to_.wide_ ? std::size_t{1} << 31 : kNarrow;
    double inside = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      Place& place = to_.places_[i];
      if (to_.groups_.empty() || inside >= kEntriesOfARow ||
          to_.groups_.back().positions + place.bins > room) {
        to_.groups_.push_back({i, 0, 0, to_.entry_count_});
        inside = 0;
      }
      Group& group = to_.groups_.back();
      place.group = static_cast<std::uint32_t>(to_.groups_.size() - 1);
      place.first = group.positions;
      group.positions += place.bins;
      ++group.places;
      inside += static_cast<double>(bins_[place.feature].others);
      to_.entry_count_ += counts_[i];
      if (to_.entry_count_ - group.first_entry > std::numeric_limits<std::uint32_t>::max())
        throw DataError("rows and values are too many for one group of sparse features");
    }
  }

  // Feature by feature.
  template <class Use>
  void each_entry(const Group& group, std::size_t part, const Use& use) const {
    const std::size_t begin = part * kRowPart;
    const std::size_t end = std::min(begin + kRowPart, data_.rows);
    for (std::size_t i = group.first_place; i < group.first_place + group.places; ++i) {
      const Place& place = to_.places_[i];
      for_others(data_.columns[place.feature], DefaultTest(bins_[place.feature]), begin, end,
                 [&](std::size_t row, double value) { use(place, row, value); });
    }
  }

  template <class Entry>
  void fill(const Group& group, std::size_t part) {
    const std::size_t begin = part * kRowPart;
    const std::size_t end = std::min(begin + kRowPart, data_.rows);
    const auto at = [&](std::size_t row) {
      return group.starts.begin() + static_cast<std::ptrdiff_t>(row);
    };
    std::vector<std::uint32_t> next(at(begin), at(end));
    auto* const out = reinterpret_cast<Entry*>(to_.store_.data()) + group.first_entry;
    each_entry(group, part, [&](const Place& place, std::size_t row, double value) {
      out[next[row - begin]++] =
          static_cast<Entry>(place.first + bins_[place.feature].bin_of(value));
    });
  }

  SparseBins& to_;
  const Dataset& data_;
  const std::vector<FeatureBins>& bins_;
  int threads_;
  std::vector<std::size_t> counts_;
};

SparseBins::SparseBins(const Dataset& data, const std::vector<FeatureBins>& bins,
                       const std::vector<std::uint32_t>& features, const StoreChoice& store,
                       int threads) {
  if (!features.empty()) Builder(*this, data, bins, threads).run(features, store);
}

SparseBins::SparseBins(const SparseBins& share, Communicator& ranks)
    : places_(share.places_), wide_(share.wide_) {
  for (const Group& from : share.groups_) {
    Group group{from.first_place, from.places, from.positions, entry_count_};
    std::vector<std::uint32_t> counts;  // of the rows that are here
    for (std::size_t i = 0; i + 1 < from.starts.size(); ++i)
      counts.push_back(from.starts[i + 1] - from.starts[i]);
    counts = gather_values<std::uint32_t>(ranks, counts);
    group.starts.push_back(0);
    for (const std::uint32_t count : counts) group.starts.push_back(group.starts.back() + count);
    entry_count_ += group.starts.back();
    groups_.push_back(std::move(group));
  }
  const std::size_t size = wide_ ? 4 : 2;
  store_ = ByteStore(entry_count_ * size, share.store_.choice());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& from = share.groups_[g];
    const std::span<const std::uint8_t> mine(share.store_.data() + from.first_entry * size,
                                             from.starts.back() * size);
    const std::vector<std::uint8_t> all = gather_values(ranks, mine);
    std::copy(all.begin(), all.end(), store_.data() + groups_[g].first_entry * size);
  }
}

std::size_t SparseBins::memory() const {
  std::size_t bytes = store_.size();
  for (const Group& group : groups_) bytes += group.starts.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace simplexboost
