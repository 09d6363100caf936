#include "data/rows/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/random.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::uint64_t kFoldStream = 0x464f'4c44;  // "FOLD"

// What a row is spread by: its class; of several labels the rarest; all rows alike where there are
// no labels.
std::vector<std::int32_t> strata_of(const Labels& labels, std::size_t rows, bool stratify) {
  if (!stratify || labels.empty()) return std::vector<std::int32_t>(rows, 0);
  if (!labels.multi_label()) return labels.codes;
  std::vector<std::size_t> count(labels.classes.size());
  for (const std::int32_t code : labels.codes) ++count[static_cast<std::size_t>(code)];
  std::vector<std::int32_t> strata(rows, -1);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = labels.offsets[i]; k < labels.offsets[i + 1]; ++k) {
      const std::int32_t code = labels.codes[k];
      std::int32_t& stratum = strata[i];
      if (stratum < 0 ||
          count[static_cast<std::size_t>(code)] < count[static_cast<std::size_t>(stratum)])
        stratum = code;
    }
  return strata;
}

// Row i of the shuffled rows, stratum by stratum, is in fold i mod k: each stratum in its share,
// and all folds of one size, give or take a row.
std::vector<std::uint16_t> deal_rows(const std::vector<std::int32_t>& strata,
                                     const FoldOptions& options) {
  std::vector<std::uint32_t> order(strata.size());
  std::iota(order.begin(), order.end(), 0U);
  Random(options.seed, kFoldStream).shuffle(order);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return strata[a] < strata[b]; });
  std::vector<std::uint16_t> fold_of_row(strata.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    fold_of_row[order[i]] = static_cast<std::uint16_t>(i % static_cast<std::size_t>(options.folds));
  return fold_of_row;
}

struct Group {
  std::vector<std::uint32_t> rows;
  std::map<std::int32_t, double> strata;  // rows of each
};

std::vector<Group> gather_groups(const std::vector<std::int32_t>& strata,
                                 const FoldOptions& options) {
  std::unordered_map<std::uint32_t, std::size_t> place;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const auto [found, is_new] = place.try_emplace(options.groups[i], groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[found->second];
    group.rows.push_back(static_cast<std::uint32_t>(i));
    group.strata[strata[i]] += 1;
  }
  // Large groups first, while there is room for them anywhere; equal ones in random order.
  Random(options.seed, kFoldStream).shuffle(groups);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.rows.size() > b.rows.size(); });
  return groups;
}

// Puts each group where the sum over strata of the squares of (share of the stratum in the fold),
// plus the same for all rows, grows least: that sum is smallest where everything is spread evenly.
class GroupPlacer {
 public:
  GroupPlacer(const std::vector<std::int32_t>& strata, int folds)
      : rows_(static_cast<double>(strata.size())), folds_(static_cast<std::size_t>(folds)) {
    for (const std::int32_t stratum : strata) total_[stratum] += 1;
  }

  std::size_t place(const Group& group) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const double growth = growth_of(group, folds_[f]);
      if (growth < least) {
        least = growth;
        best = f;
      }
    }
    folds_[best].rows += static_cast<double>(group.rows.size());
    for (const auto& [stratum, count] : group.strata) folds_[best].strata[stratum] += count;
    return best;
  }

 private:
  struct Fold {
    double rows = 0;
    std::unordered_map<std::int32_t, double> strata;
  };

  // (n + g)^2 - n^2 is 2 n g, but for what is the same in every fold.
  double growth_of(const Group& group, const Fold& fold) const {
    double growth = fold.rows * static_cast<double>(group.rows.size()) / (rows_ * rows_);
    for (const auto& [stratum, count] : group.strata) {
      const auto here = fold.strata.find(stratum);
      const double total = total_.at(stratum);
      if (here != fold.strata.end()) growth += here->second * count / (total * total);
    }
    return growth;
  }

  double rows_;
  std::unordered_map<std::int32_t, double> total_;
  std::vector<Fold> folds_;
};

std::vector<std::uint16_t> deal_groups(const std::vector<std::int32_t>& strata,
                                       const FoldOptions& options) {
  const std::vector<Group> groups = gather_groups(strata, options);
  if (groups.size() == 1)
    throw DataError("all rows are of one group, and a group is in one fold; give two or more");
  if (groups.size() < static_cast<std::size_t>(options.folds))
    throw DataError(fmt::format("{} groups are too few for {} folds; give at most {} folds",
                                groups.size(), options.folds, groups.size()));
  GroupPlacer placer(strata, options.folds);
  std::vector<std::uint16_t> fold_of_row(strata.size());
  for (const Group& group : groups) {
    const auto fold = static_cast<std::uint16_t>(placer.place(group));
    for (const std::uint32_t row : group.rows) fold_of_row[row] = fold;
  }
  return fold_of_row;
}

}  // namespace

std::vector<std::uint16_t> make_folds(const Labels& labels, std::size_t rows,
                                      const FoldOptions& options) {
  if (options.folds < 2 || options.folds > kMostFolds)
    throw ParameterError(
        fmt::format("folds: '{}' is out of range; give 2 to {}", options.folds, kMostFolds));
  if (rows < static_cast<std::size_t>(options.folds))
    throw DataError(fmt::format("{} rows are too few for {} folds", rows, options.folds));
  assert(options.groups.empty() || options.groups.size() == rows);
  const std::vector<std::int32_t> strata = strata_of(labels, rows, options.stratify);
  return options.groups.empty() ? deal_rows(strata, options) : deal_groups(strata, options);
}

RowSplit hold_out_fold(std::span<const std::uint16_t> fold_of_row, int fold) {
  RowSplit split;
  for (std::size_t i = 0; i < fold_of_row.size(); ++i)
    (fold_of_row[i] == fold ? split.valid : split.train).push_back(static_cast<std::uint32_t>(i));
  return split;
}

ThreeWaySplit hold_out_two_folds(std::span<const std::uint16_t> fold_of_row, int folds, int fold) {
  assert(folds >= 3);
  const int next = (fold + 1) % folds;
  ThreeWaySplit split;
  for (std::size_t i = 0; i < fold_of_row.size(); ++i) {
    auto& part = fold_of_row[i] == fold   ? split.test
                 : fold_of_row[i] == next ? split.valid
                                          : split.train;
    part.push_back(static_cast<std::uint32_t>(i));
  }
  return split;
}

std::vector<std::uint32_t> group_numbers(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  std::unordered_map<double, std::uint32_t> number;
  std::vector<std::uint32_t> groups(rows);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (std::isnan(values[i])) {
      groups[i] = next++;
      continue;
    }
    const auto [found, is_new] = number.try_emplace(values[i], next);
    if (is_new) ++next;
    groups[i] = found->second;
  }
  return groups;
}

}  // namespace simplexboost
