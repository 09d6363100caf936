#include "cuda/device_source.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "cuda/kernels/scan_kernel.h"
#include "tree/histogram/feature_blocks.h"

namespace simplexboost {
namespace {

// Nodes that are cut at a time where the best comes first.
constexpr std::size_t kAhead = 8;
// Memory that the histograms of features take that are filled together: three blocks of threads or
// so share a multiprocessor.
constexpr std::size_t kGroupBytes = std::size_t{72} * 1024;
// Blocks of threads that a pass over rows is parted into, and their rows at least and at most.
constexpr std::size_t kWantedBlocks = 1600;
constexpr std::size_t kLeastTaskRows = 2048;
constexpr std::size_t kMostTaskRows = 16384;
// Histograms that a node's children take: nothing can be cut with fewer.
constexpr std::size_t kLeastPlaces = 2;
// Rows of a block that passes through the device, at least.
constexpr std::size_t kLeastBlock = 1024;
// Statistics of so many channels come back with every cut that is judged; of more, those of the
// left rows are added up when a node is cut.
constexpr std::size_t kToldChannels = 16;
constexpr std::size_t kSplitWords = sizeof(DeviceSplit) / sizeof(std::int32_t);

std::size_t as_index(std::int32_t i) { return static_cast<std::size_t>(i); }

// Bytes of a histogram of all features, of the lists that each one adds to at most, and of lists
// that are there once.
struct PlaceSizes {
  std::size_t histogram = 0;
  std::size_t lists = 0;
  std::size_t once = 0;
};

PlaceSizes place_sizes(const BinnedDataset& data, std::size_t channels,
                       const CriterionSpec& criterion) {
  constexpr std::size_t kWord = sizeof(std::int32_t);
  constexpr std::size_t kShortLists = 256;  // of cuts, tasks, counts and places
  constexpr std::size_t kRowsOfAByte = 8;   // of lists of tasks
  std::size_t bins = 0;
  std::size_t most_bins = 0;
  for (const FeatureBins& feature : data.all_bins()) {
    bins += feature.histogram_bins();
    most_bins = std::max<std::size_t>(most_bins, feature.histogram_bins());
  }
  const std::size_t of_a_cut = kSplitWords + std::min(channels, kToldChannels);
  PlaceSizes sizes;
  sizes.histogram = std::max<std::size_t>(bins * channels, 1) * kWord;
  sizes.lists = (data.features() * of_a_cut + 2 * channels) * kWord + most_bins / 8 + kShortLists;
  sizes.once = data.features() * (sizeof(HistogramFeature) + sizeof(FeatureGroup)) +
               data.rows() / kRowsOfAByte + kShortLists;
  if (criterion.codewords) sizes.once += criterion.pulls * criterion.codeword_stride * kWord;
  return sizes;
}

}  // namespace

DeviceSource::DeviceSource(Device& device, const BinnedDataset& data, const RowSpace& space)
    : device_(device),
      data_(data),
      space_(space),
      exchange_(make_exchange(device, space.ranks())),
      tasks_(device, "a list of tasks"),
      feature_array_(device, "a list of features"),
      group_array_(device, "a list of features"),
      histograms_(device, "histograms"),
      filled_array_(device, "a list of histograms"),
      place_array_(device, "a list of histograms"),
      pair_array_(device, "a list of histograms"),
      totals_(device, "sums of nodes"),
      codewords_(device, "codewords"),
      splits_(device, "a list of cuts") {}

DeviceSource::DeviceSource(Device& device, const BinnedDataset& data, const RowSpace& space,
                           ResidentRows& rows)
    : DeviceSource(device, data, space) {
  rows_ = &rows;
}

std::size_t DeviceSource::least_memory(const BinnedDataset& data, std::size_t channels,
                                       const CriterionSpec& criterion) {
  const PlaceSizes sizes = place_sizes(data, channels, criterion);
  return sizes.once + kLeastPlaces * (sizes.histogram + sizes.lists);
}

void DeviceSource::start(const Growth& growth) {
  growth_ = &growth;
  const bool more = tree().channels > most_channels_;
  if (more) {
    most_channels_ = tree().channels;
    histograms_ = DeviceArray<std::int32_t>(device_, "histograms");
    if (!rows_ || own_rows_) place_rows();
  }
  tree().nodes[0].end = rows_->start(growth);
  if (more) plan_places();
  plan_features();
  take_criterion();
  const std::span<std::int32_t> totals(tree().totals.data(), tree().channels);
  rows_->sum_root(totals);
  space_.add_up(totals);
  growth.judge_root();
  places_.assign(1, kNoPlace);
  is_told_.assign(1, false);
  free_.clear();
  for (std::size_t i = pool_size_; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
}

// On the device, where they and the least of histograms have room; else half of what is left is for
// a block of them.
void DeviceSource::place_rows() {
  own_rows_.reset();
  const std::size_t free = device_.usable_memory();
  const std::size_t least = least_memory(data_, most_channels_, growth_->criterion);
  const std::size_t stats = data_.rows() * most_channels_ * sizeof(std::int32_t);
  if (ResidentRows::memory(data_) + stats + least <= free) {
    own_rows_ = std::make_unique<ResidentRows>(device_, data_, space_);
  } else {
    const std::size_t fitting =
        (free - std::min(least, free)) / 2 / PassingRows::row_bytes(data_, most_channels_);
    const std::size_t block = std::min(std::max(fitting, kLeastBlock), data_.rows());
    own_rows_ = std::make_unique<PassingRows>(device_, data_, space_, most_channels_,
                                              std::max<std::size_t>(block, 1));
  }
  rows_ = own_rows_.get();
}

// A pool grows into one that is larger, beside which it is for a while.
void DeviceSource::plan_places() {
  const PlaceSizes sizes = place_sizes(data_, most_channels_, growth_->criterion);
  const std::size_t free = device_.usable_memory();
  const std::size_t places = std::max(
      (free - std::min(sizes.once, free)) / (2 * sizes.histogram + sizes.lists), kLeastPlaces);
  // As many on every rank: what is cut together must be the same.
  most_places_ = space_.parted()
                     ? static_cast<std::size_t>(-space_.largest(-static_cast<double>(places)))
                     : places;
}

// The features in groups that are filled together, each within a group of the data.
void DeviceSource::plan_features() {
  const std::span<const std::uint32_t> drawn = growth_->sample.features;
  const std::size_t channels = tree().channels;
  const bool judged_here = growth_->options.drawn_thresholds || growth_->monotone;
  // As for the tree before.
  if (channels == planned_channels_ && judged_here == judged_here_ && drawn.empty()) return;
  planned_channels_ = drawn.empty() ? channels : 0;
  judged_here_ = judged_here;
  const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(channels, kSliceChannels));
  const std::size_t room = std::min(kGroupBytes, device_.most_shared_bytes());
  looked_at_.assign(drawn.begin(), drawn.end());
  if (drawn.empty())
    for (std::uint32_t f = 0; f < data_.features(); ++f) looked_at_.push_back(f);
  features_.clear();
  groups_.clear();
  shared_bytes_ = 0;
  std::uint32_t bin = 0;
  for (const std::uint32_t f : looked_at_) {
    const FeatureBins& bins = data_.bins(f);
    const auto at = static_cast<std::uint32_t>(features_.size());
    const std::uint32_t count = bins.histogram_bins();
    features_.push_back({rows_->column(f), bin, bins.value_bins, bins.has_missing,
                         bins.type == FeatureType::kNumeric && !judged_here});
    const auto fits = [&](std::size_t some, std::uint32_t depth) {
      return group_words(some, depth, lanes) * sizeof(std::int32_t) <= room;
    };
    const bool joins =
        !groups_.empty() && groups_.back().fits && groups_.back().count < kGroupFeatures &&
        f % BinnedDataset::kGroup > 0 && looked_at_[at - 1] + 1 == f &&
        fits(groups_.back().count + std::size_t{1}, std::max(groups_.back().depth, count));
    if (!joins) groups_.push_back({at, 0, bin, 0, fits(1, count), false});
    FeatureGroup& group = groups_.back();
    ++group.count;
    group.depth = std::max(group.depth, count);
    bin += count;
    if (group.fits)
      shared_bytes_ = std::max(shared_bytes_,
                               group_words(group.count, group.depth, lanes) * sizeof(std::int32_t));
  }
  for (FeatureGroup& group : groups_) {
    const BinColumn& column = features_[group.first].column;
    group.by_fours =
        !data_.wide() && group.count % 4 == 0 && column.first % 4 == 0 && column.stride % 4 == 0;
  }
  numbers_ = bin * channels;
  pool_size_ = std::min(histograms_.size() / std::max<std::size_t>(numbers_, 1), most_places_);
  feature_array_.upload(features_);
  group_array_.upload(groups_);
}

void DeviceSource::take_criterion() {
  const CriterionSpec& spec = growth_->criterion;
  if (spec.codewords) codewords_.upload({spec.codewords, spec.pulls * spec.codeword_stride});
}

void DeviceSource::split_root() {
  const std::uint32_t place = take_place();
  filled_ = {0};
  filled_places_ = {place};
  subtracted_.clear();
  searches_ = {{0, place}};
  search_splits();
}

// All channels on their own are looked at here, by the histogram of the root.
std::vector<ChannelCut> DeviceSource::best_cuts() {
  filled_ = {0};
  filled_places_ = {take_place()};
  fill_histograms();
  FeatureBlocks blocks;
  blocks.plan(data_, growth_->sample.features, tree().channels);
  std::vector<std::int32_t> histogram(numbers_);
  histograms_.download(filled_places_[0] * numbers_, histogram);
  give_place(filled_places_[0]);
  ChannelScan found(growth_->stats.width());
  for (const FeatureBlock& block : blocks) {
    ChannelScan one(growth_->stats.width());
    one.add(*growth_, block, histogram.data() + block.first_bin * tree().channels);
    found.merge(one);
  }
  return found.cuts(tree().total(0));
}

// As WholeSource: what is cut ahead of its turn costs less than another turn. Each of a batch may
// take two histograms beside its own.
std::vector<std::int32_t> DeviceSource::choose_batch(const NodeQueue& queue, std::size_t room) {
  std::size_t most = std::clamp<std::size_t>(most_places_ / 3, 1, room);
  if (growth_->options.best_first)
    most = std::clamp<std::size_t>(room / 2, 1, std::min(most, kAhead));
  std::vector<std::int32_t> batch;
  for (const std::int32_t i : queue) {
    if (batch.size() == most) break;
    if (node(as_index(i)).leaf() && !node(as_index(i)).split.constant) batch.push_back(i);
  }
  return batch;
}

void DeviceSource::cut(std::span<const NodeCut> cuts) {
  places_.resize(tree().nodes.size(), kNoPlace);
  is_told_.resize(tree().nodes.size());
  part(cuts);
  filled_.clear();
  filled_places_.clear();
  subtracted_.clear();
  searches_.clear();
  for (const NodeCut& cut : cuts) {
    growth_->judge_children(as_index(cut.node));
    if (cut.search) {
      plan_children(as_index(cut.node));
    } else if (places_[as_index(cut.node)] != kNoPlace) {
      give_place(std::exchange(places_[as_index(cut.node)], kNoPlace));
    }
  }
  search_splits();
}

// The right child has what the left one leaves of the parent. Sums that were told are those of the
// rows of all ranks; whether some were not is the same on all, those too that have no row of such a
// node.
void DeviceSource::part(std::span<const NodeCut> cuts) {
  const std::size_t channels = tree().channels;
  std::vector<bool> untold;
  for (const NodeCut& cut : cuts) untold.push_back(!is_told_[as_index(cut.node)]);
  const bool any = std::find(untold.begin(), untold.end(), true) != untold.end();
  std::vector<std::int32_t> sums(any ? cuts.size() * channels : 0);
  const std::vector<std::uint32_t> rows = rows_->part(cuts, untold, sums);
  if (any) space_.add_up(std::span(sums));
  std::int32_t* const totals = tree().totals.data();
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::int32_t parent = cuts[i].node;
    const GrownNode& own = node(as_index(parent));
    const std::int32_t left = own.left;
    const std::int32_t* const known = told(parent);
    const std::int32_t* const sum = known ? known : sums.data() + i * channels;
    set_children(tree(), parent, left, own.begin + rows[i]);
    const std::int32_t* const whole = tree().total(as_index(parent));
    for (std::size_t j = 0; j < channels; ++j) {
      totals[as_index(left) * channels + j] = sum[j];
      totals[(as_index(left) + 1) * channels + j] = whole[j] - sum[j];
    }
  }
}

// The child of fewer rows is filled, the other one found by subtraction from the parent's
// histogram.
void DeviceSource::plan_children(std::size_t parent) {
  auto small = as_index(node(parent).left);
  std::size_t large = small + 1;
  if (tree().count(small) > tree().count(large)) std::swap(small, large);
  const auto fill = [&](std::size_t child) {
    filled_.push_back(child);
    filled_places_.push_back(take_place());
    return filled_places_.back();
  };
  std::uint32_t place = std::exchange(places_[parent], kNoPlace);
  if (place != kNoPlace && !growth_->may_split(large)) {
    give_place(place);
    place = kNoPlace;
  }
  if (place == kNoPlace) {
    for (const std::size_t child : {small, large})
      if (growth_->may_split(child)) searches_.push_back({child, fill(child)});
    return;
  }
  const std::uint32_t filled = fill(small);
  subtracted_.insert(subtracted_.end(), {place, filled});
  searches_.push_back({large, place});
  if (growth_->may_split(small)) searches_.push_back({small, filled});
}

std::uint32_t DeviceSource::take_place() {
  constexpr std::size_t kFirst = 4;
  if (free_.empty() && pool_size_ < most_places_)
    grow_pool(std::min(std::max(2 * pool_size_, kFirst), most_places_));
  if (free_.empty())
    for (std::uint32_t& place : places_)  // those are filled again
      if (place != kNoPlace) give_place(std::exchange(place, kNoPlace));
  assert(!free_.empty());
  const std::uint32_t place = free_.back();
  free_.pop_back();
  return place;
}

void DeviceSource::grow_pool(std::size_t places) {
  DeviceArray<std::int32_t> larger(device_, "histograms");
  larger.resize(places * numbers_);
  if (pool_size_ > 0)
    device_.copy(larger.data(), histograms_.data(), pool_size_ * numbers_ * sizeof(std::int32_t));
  histograms_ = std::move(larger);
  for (std::size_t i = places; i-- > pool_size_;) free_.push_back(static_cast<std::uint32_t>(i));
  pool_size_ = places;
}

void DeviceSource::fill_histograms() {
  const std::size_t channels = tree().channels;
  const std::size_t lanes = std::min<std::size_t>(channels, kSliceChannels);
  const std::size_t passes = groups_.size() * (channels / lanes);
  std::size_t all = 0;
  for (const std::size_t i : filled_) all += node(i).end - node(i).begin;
  const auto rows = static_cast<std::uint32_t>(
      std::clamp(all * passes / kWantedBlocks, kLeastTaskRows, kMostTaskRows));
  filled_array_.upload(filled_places_);
  DeviceProfile::all().add_bytes(ClearHistograms::kName,
                                 filled_.size() * numbers_ * sizeof(std::int32_t));
  device_.run(ClearHistograms{filled_array_.data(), histograms_.data(), numbers_},
              filled_.size() * blocks_for(numbers_, ClearHistograms::kNumbers));
  DeviceProfile::all().add_work(FillHistograms<std::uint8_t>::kName,
                                static_cast<double>(all * features_.size() * channels));
  std::vector<RowTask> ranges;
  for (std::size_t i = 0; i < filled_.size(); ++i)
    ranges.push_back({node(filled_[i]).begin, node(filled_[i]).end, filled_places_[i]});
  rows_->for_parts(ranges, [&](const DeviceNodeRows::Part& part) {
    std::vector<RowTask> tasks;
    for (const RowTask& range : part.ranges) add_tasks(range, rows, tasks);
    tasks_.upload(tasks);
    data_.visit([&]<class Bin>(const Bin*) {
      device_.run(
          FillHistograms<Bin>{static_cast<const Bin*>(part.bins), part.rows, tasks_.data(),
                              part.stats, static_cast<std::uint32_t>(channels),
                              static_cast<std::uint32_t>(lanes), feature_array_.data(),
                              group_array_.data(), static_cast<std::uint32_t>(groups_.size()),
                              shared_bytes_, histograms_.data(), numbers_},
          tasks.size() * passes);
    });
  });
  add_up_filled();
}

void DeviceSource::add_up_filled() {
  if (!exchange_) return;
  std::vector<std::int32_t*> parts;
  for (const std::uint32_t place : filled_places_)
    parts.push_back(histograms_.data() + place * numbers_);
  exchange_->add_up(parts, numbers_);
}

void DeviceSource::search_splits() {
  if (filled_.empty()) return;
  const auto channels = static_cast<std::uint32_t>(tree().channels);
  fill_histograms();
  DeviceProfile::all().add_bytes(RunningSums::kName,
                                 2 * filled_.size() * numbers_ * sizeof(std::int32_t));
  device_.run(RunningSums{feature_array_.data(), static_cast<std::uint32_t>(features_.size()),
                          channels, filled_array_.data(), histograms_.data(), numbers_},
              filled_.size() * features_.size());
  pair_array_.upload(subtracted_);
  DeviceProfile::all().add_bytes(SubtractHistograms::kName,
                                 3 * subtracted_.size() / 2 * numbers_ * sizeof(std::int32_t));
  device_.run(SubtractHistograms{pair_array_.data(), histograms_.data(), numbers_},
              subtracted_.size() / 2 * blocks_for(numbers_, SubtractHistograms::kNumbers));
  const std::vector<std::int32_t> found = scan_cuts();
  const std::size_t splits = searches_.size() * features_.size();
  std::vector<DeviceSplit> best(splits);
  std::memcpy(best.data(), found.data(), splits * sizeof(DeviceSplit));
  for (std::size_t s = 0; s < searches_.size(); ++s) {
    const std::span<const DeviceSplit> own(best.data() + s * features_.size(), features_.size());
    growth_->choose(searches_[s].node, candidates_of(searches_[s], own));
  }
  keep_left_sums(std::span(found).subspan(splits * kSplitWords));
  keep_histograms();
}

std::vector<std::int32_t> DeviceSource::scan_cuts() {
  const std::size_t channels = tree().channels;
  std::vector<std::uint32_t> places;
  std::vector<std::int32_t> totals;
  for (const Search& search : searches_) {
    places.push_back(search.place);
    const std::int32_t* const total = tree().total(search.node);
    totals.insert(totals.end(), total, total + channels);
  }
  place_array_.upload(places);
  totals_.upload(totals);
  const std::size_t splits = searches_.size() * features_.size();
  const bool tells = channels <= kToldChannels;
  splits_.resize(splits * (kSplitWords + (tells ? channels : 0)));
  CriterionSpec spec = growth_->criterion;
  if (spec.codewords) spec.codewords = codewords_.data();
  const ScanArgs args = growth_->scan_args(looked_at_[0], 0, nullptr);
  DeviceProfile::all().add_bytes(ScanCuts::kName,
                                 searches_.size() * numbers_ * sizeof(std::int32_t));
  device_.run(ScanCuts{feature_array_.data(), static_cast<std::uint32_t>(features_.size()),
                       place_array_.data(), totals_.data(), spec, args.min_rows, args.min_weight,
                       histograms_.data(), numbers_, reinterpret_cast<DeviceSplit*>(splits_.data()),
                       tells ? splits_.data() + splits * kSplitWords : nullptr},
              splits);
  return splits_.download();
}

// Of the cuts that were chosen, as far as they were judged there.
void DeviceSource::keep_left_sums(std::span<const std::int32_t> sums) {
  if (sums.empty()) return;
  const std::size_t channels = tree().channels;
  told_.resize(tree().nodes.size() * channels);
  is_told_.resize(tree().nodes.size());
  for (std::size_t s = 0; s < searches_.size(); ++s) {
    const std::size_t searched = searches_[s].node;
    const Split& split = node(searched).split;
    const auto f = static_cast<std::size_t>(
        std::find(looked_at_.begin(), looked_at_.end(), split.feature) - looked_at_.begin());
    is_told_[searched] =
        split.valid() && !split.constant && f < features_.size() && features_[f].numeric;
    if (is_told_[searched])
      std::memcpy(told_.data() + searched * channels,
                  sums.data() + (s * features_.size() + f) * channels,
                  channels * sizeof(std::int32_t));
  }
}

// Features that the device does not look at are looked at here.
std::vector<Split> DeviceSource::candidates_of(const Search& search,
                                               std::span<const DeviceSplit> found) const {
  std::vector<Split> candidates(features_.size());
  std::vector<std::int32_t> left(tree().channels);
  const Interactions* const groups = growth_->options.interactions;
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    Split& split = candidates[f];
    split.feature = looked_at_[f];
    if (groups && !groups->allows(tree(), search.node, split.feature, data_)) continue;
    if (!features_[f].numeric) {
      const std::vector<std::int32_t> histogram = feature_histogram(search.place, f);
      split = growth_->best_split(looked_at_[f], search.node, histogram.data(), left.data());
      continue;
    }
    split.score = found[f].score;
    if (!split.valid()) continue;
    const NumericCut cut = numeric_cut(found[f].cut, features_[f].value_bins);
    split.bin = cut.bin;
    split.missing_left = cut.missing_left;
    split.missing_seen = found[f].missing_rows > 0;
  }
  return candidates;
}

// Those that children may be subtracted from; the others make room.
void DeviceSource::keep_histograms() {
  std::vector<bool> taken(pool_size_);
  for (const Search& search : searches_) {
    if (!growth_->may_subtract(search.node)) continue;
    places_[search.node] = search.place;
    taken[search.place] = true;
  }
  const auto drop = [&](std::uint32_t place) {
    if (!taken[place]) give_place(place);
    taken[place] = true;
  };
  for (const Search& search : searches_) drop(search.place);
  for (const std::uint32_t place : filled_places_) drop(place);
}

std::vector<std::int32_t> DeviceSource::feature_histogram(std::uint32_t place,
                                                          std::size_t f) const {
  const std::size_t channels = tree().channels;
  const HistogramFeature& feature = features_[f];
  std::vector<std::int32_t> sums((feature.value_bins + (feature.has_missing ? 1 : 0)) * channels);
  histograms_.download(place * numbers_ + feature.first_bin * channels, sums);
  for (std::size_t i = feature.value_bins * channels; i-- > channels;)
    sums[i] -= sums[i - channels];
  return sums;
}

void DeviceSource::assign_leaves(const GrownTree& tree,
                                 const std::vector<std::int32_t>& leaf_of_node,
                                 std::uint32_t* leaf_of_row) const {
  rows_->assign_leaves(tree, leaf_of_node, leaf_of_row);
}

}  // namespace simplexboost
