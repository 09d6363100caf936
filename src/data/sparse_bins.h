// Bins of features most of whose rows are in one bin, their default: only the others are kept. They
// stand row by row, so that the histograms of a node take the time of what its rows have, not of
// their number times that of the features.
//
// Features are in groups of neighbours, of which a row has several bins; a feature has a range of
// positions in its group, one for each of its bins, and an entry of a row is such a position. So an
// entry is two bytes as a rule, and adding a row to the histograms of a group needs no other table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/files/byte_store.h"
#include "data/binning.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

class SparseBins {
 public:
  // Where the bins of a feature are.
  struct Place {
    std::uint32_t feature;
    std::uint32_t group;
    std::uint32_t first;  // its positions in the group are first .. first + bins - 1
    std::uint32_t bins;   // with that of missing values, where there are some here
    std::uint32_t default_bin;
  };
  struct Group {
    std::size_t first_place = 0;
    std::size_t places = 0;
    std::uint32_t positions = 0;
    std::size_t first_entry = 0;
    std::vector<std::uint32_t> starts = {};  // of each row's entries, from first_entry; rows + 1
  };

  SparseBins() = default;
  // `features`: ascending, those of `bins` that have a default.
  SparseBins(const Dataset& data, const std::vector<FeatureBins>& bins,
             const std::vector<std::uint32_t>& features, const StoreChoice& store, int threads);
  // The rows of all ranks, of which `share` has those that are here.
  SparseBins(const SparseBins& share, Communicator& ranks);

  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }  // features
  const Place& place(std::size_t i) const { return places_[i]; }
  const std::vector<Group>& groups() const { return groups_; }
  std::size_t entries() const { return entry_count_; }
  std::size_t memory() const;
  bool in_file() const { return store_.mapped(); }

  // Calls f with a null pointer of the type of the entries.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return wide_ ? f(static_cast<const std::uint32_t*>(nullptr))
                 : f(static_cast<const std::uint16_t*>(nullptr));
  }
  // Those of the first row of a group, and then those of the others.
  template <class Entry>
  const Entry* entries(const Group& group) const {
    return reinterpret_cast<const Entry*>(store_.data()) + group.first_entry;
  }

  // The bins of a feature, looked for in the entries of a row.
  template <class Entry>
  struct Values {
    const Entry* entries;
    const std::uint32_t* starts;
    std::uint32_t first;
    std::uint32_t end;
    std::uint32_t default_bin;

    std::uint32_t operator[](std::size_t row) const {
      constexpr std::ptrdiff_t kFew = 16;
      const Entry* at = entries + starts[row];
      const Entry* const last = entries + starts[row + 1];
      if (last - at > kFew) at = std::lower_bound(at, last, first);
      while (at != last && *at < first) ++at;
      return at != last && *at < end ? *at - first : default_bin;
    }
  };
  template <class Entry>
  Values<Entry> values(std::size_t i) const {
    const Place& place = places_[i];
    const Group& group = groups_[place.group];
    return {entries<Entry>(group), group.starts.data(), place.first, place.first + place.bins,
            place.default_bin};
  }

  // Calls use(number of the feature, row, bin) for all that is kept, rows ascending within a group.
  template <class Use>
  void for_entries(const Use& use) const {
    for (const Group& group : groups_) {
      std::vector<std::uint32_t> slot_of_position;
      for (std::size_t i = group.first_place; i < group.first_place + group.places; ++i)
        slot_of_position.insert(slot_of_position.end(), places_[i].bins,
                                static_cast<std::uint32_t>(i));
      visit([&]<class Entry>(const Entry*) {
        const auto* const all = entries<Entry>(group);
        for (std::size_t row = 0; row + 1 < group.starts.size(); ++row)
          for (std::uint32_t e = group.starts[row]; e < group.starts[row + 1]; ++e) {
            const std::uint32_t slot = slot_of_position[all[e]];
            use(slot, row, all[e] - places_[slot].first);
          }
      });
    }
  }

 private:
  class Builder;

  std::vector<Place> places_;
  std::vector<Group> groups_;
  std::size_t entry_count_ = 0;
  bool wide_ = false;
  ByteStore store_;
};

}  // namespace simplexboost
