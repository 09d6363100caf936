#include "data/exclusive_features.h"

#include <algorithm>
#include <iterator>

#include "data/other_rows.h"
#include "data/shared_bytes.h"

namespace simplexboost {
namespace {

// Features of more bins than this would soon fill a byte.
constexpr std::uint32_t kMostBins = 32;
// Sets that a feature is offered to: those that took one last. Columns of a category stand side by
// side as a rule, so that a set is full or left behind when more come.
constexpr std::size_t kOpenSets = 64;
// The share of rows outside the default bins from which a byte of each row pays: one outside takes
// as much time as so many dense bins do (default_bins.cpp).
constexpr double kLeastOthers = 1.0 / 8;

struct Set {
  std::vector<std::uint32_t> features = {};
  std::uint32_t codes = 1;  // that of all defaults
  double share = 0;         // of the rows
  std::vector<bool> taken;  // rows
};

std::vector<std::uint32_t> other_rows(const Dataset& data, const FeatureBins& bins,
                                      std::uint32_t feature) {
  std::vector<std::uint32_t> rows;
  for_others(data.columns[feature], DefaultTest(bins), 0, data.rows,
             [&](std::size_t row, double) { rows.push_back(static_cast<std::uint32_t>(row)); });
  return rows;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> find_exclusive(const Dataset& data,
                                                       const std::vector<FeatureBins>& bins,
                                                       const std::vector<std::uint32_t>& sparse) {
  std::vector<std::vector<std::uint32_t>> found;
  const auto close = [&](Set& set) {
    if (set.features.size() >= 2 && set.share >= kLeastOthers)
      found.push_back(std::move(set.features));
  };
  std::vector<Set> open;  // the last is the one that took a feature last
  for (const std::uint32_t feature : sparse) {
    const std::uint32_t more = bins[feature].histogram_bins() - 1;
    if (more == 0 || more >= kMostBins) continue;
    const std::vector<std::uint32_t> rows = other_rows(data, bins[feature], feature);
    auto set = std::find_if(open.rbegin(), open.rend(), [&](const Set& one) {
      return one.codes + more <= SharedBytes::kCodes &&
             std::none_of(rows.begin(), rows.end(),
                          [&](std::uint32_t row) { return one.taken[row]; });
    });
    if (set != open.rend()) {
      std::rotate(std::prev(set.base()), set.base(), open.end());
    } else {
      if (open.size() == kOpenSets) {
        close(open.front());
        open.erase(open.begin());
      }
      open.push_back(Set{.taken = std::vector<bool>(data.rows)});
    }
    Set& taker = open.back();
    taker.features.push_back(feature);
    taker.codes += more;
    taker.share += static_cast<double>(rows.size()) / static_cast<double>(data.rows);
    for (const std::uint32_t row : rows) taker.taken[row] = true;
  }
  for (Set& set : open) close(set);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace simplexboost
