#include "cuda/device_node_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/threads/parallel.h"
#include "tree/leaf/leaf_assignment.h"

namespace simplexboost {
namespace {

// Rows of a task that sums up leaves: as many tasks as a GPU is busy with.
constexpr std::size_t kLeafTasks = 1000;
constexpr std::size_t kLeastLeafRows = 256;
constexpr std::size_t kMostLeafRows = 2048;
// Rows that a thread gathers for a block.
constexpr std::size_t kGatheredRows = 2048;

std::size_t bin_bytes(const BinnedDataset& data) { return data.wide() ? 2 : 1; }

// By the rows that the tree was grown on, which stand leaf by leaf; where there are others, all
// walk.
void take_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                 const BinnedDataset& data, int threads, std::uint32_t* leaf_of_row) {
  if (!tree.partition->complete())
    return walk_leaves(tree, leaf_of_node, data, threads, leaf_of_row);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf())
      for (const std::uint32_t row : tree.rows(tree.nodes[i]))
        leaf_of_row[row] = static_cast<std::uint32_t>(leaf_of_node[i]);
}

}  // namespace

void add_tasks(const RowTask& range, std::uint32_t rows, std::vector<RowTask>& tasks) {
  for (std::uint32_t at = range.begin; at < range.end; at += rows)
    tasks.push_back({at, std::min(range.end, at + rows), range.of});
}

ResidentRows::ResidentRows(Device& device, const BinnedDataset& data, const RowSpace& space)
    : device_(device),
      data_(data),
      threads_(space.threads()),
      bins_(device, data),
      stats_array_(device, "statistics of rows"),
      rows_(device, "the rows of nodes"),
      moved_(device, "the rows of nodes"),
      left_(device, "the rows of nodes"),
      tasks_(device, "a list of tasks"),
      sum_tasks_(device, "a list of tasks"),
      leaf_tasks_(device, "a list of tasks"),
      cuts_(device, "a list of cuts"),
      sets_(device, "sets of categories"),
      counts_(device, "counts of rows"),
      before_(device, "counts of rows"),
      lefts_(device, "counts of rows"),
      sums_(device, "sums of nodes") {
  rows_.resize(data.rows());
  moved_.resize(data.rows());
  left_.resize(data.rows());
}

std::size_t ResidentRows::memory(const BinnedDataset& data) {
  constexpr std::size_t kOfARow = 2 * sizeof(std::uint32_t) + sizeof(std::uint8_t);
  // The tasks of leaves, for the lists of others are the source's to plan.
  const std::size_t tasks = data.rows() / kLeastLeafRows;
  return data.memory() + data.rows() * kOfARow + tasks * sizeof(RowTask);
}

void ResidentRows::reserve_leaves(std::size_t most) {
  leaf_tasks_.resize(data_.rows() / kLeastLeafRows + most);
  bins_.reserve_walk(most);
}

std::uint32_t ResidentRows::start(const Growth& growth) {
  growth_ = &growth;
  if (growth.stats.elsewhere()) {
    stats_ = given_stats_;
  } else {
    stats_array_.upload({growth.stats.data(), growth.stats.rows() * channels()});
    stats_ = stats_array_.data();
  }
  const Sample& sample = growth.sample;
  if (sample.all_rows()) {
    count_ = data_.rows();
    rows_.resize(count_);
    device_.run(NumberRows{rows_.data(), count_}, blocks_for(count_, NumberRows::kThreads));
  } else {
    count_ = sample.rows.size();
    rows_.upload(sample.rows);
  }
  moved_.resize(count_);
  left_.resize(count_);
  // Who asks whether the rows are all of them, asks here.
  partition_.reset(sample.all_rows() ? 0 : 1, sample, 1);
  growth.tree.partition = &partition_;
  return static_cast<std::uint32_t>(count_);
}

void ResidentRows::sum_root(std::span<std::int32_t> sums) {
  std::vector<RowTask> tasks;
  add_tasks({0, static_cast<std::uint32_t>(count_), 0}, kTaskRows, tasks);
  tasks_.upload(tasks);
  sums_.resize(channels());
  sums_.clear();
  device_.run(SumRows{rows_.data(), tasks_.data(), nullptr, stats_,
                      static_cast<std::uint32_t>(channels()), sums_.data()},
              tasks.size());
  sums_.download(0, sums);
}

// For benchmarks: what parting rows has to move.
void ResidentRows::count_parted(std::span<const RowTask> tasks) const {
  DeviceProfile& profile = DeviceProfile::all();
  if (!profile.on()) return;
  std::size_t rows = 0;
  for (const RowTask& task : tasks) rows += task.end - task.begin;
  constexpr std::size_t kRow = sizeof(std::uint32_t);
  profile.add_bytes(FindSides<std::uint8_t>::kName, rows * (kRow + bin_bytes(data_) + 1));
  profile.add_bytes(MoveRows::kName, rows * (2 * kRow + 1));
  profile.add_bytes(TakeBack::kName, rows * 2 * kRow);
}

// The rows of nodes that are cut, of those only that are marked or of all.
std::vector<RowTask> ResidentRows::tasks_of(std::span<const NodeCut> cuts,
                                            const std::vector<bool>* marked) const {
  std::vector<RowTask> tasks;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const GrownNode& own = node_of(cuts[i]);
    if (!marked || (*marked)[i])
      add_tasks({own.begin, own.end, static_cast<std::uint32_t>(i)}, kTaskRows, tasks);
  }
  return tasks;
}

void ResidentRows::upload_cuts(std::span<const NodeCut> cuts) {
  std::vector<DeviceCut> parted;
  std::vector<std::uint32_t> sets;
  std::uint32_t first = 0;
  for (const NodeCut& cut : cuts) {
    const GrownNode& own = node_of(cut);
    const auto count = static_cast<std::uint32_t>(blocks_for(own.end - own.begin, kTaskRows));
    const DeviceTest asked = device_test(own.split, data_.bins(own.split.feature), sets);
    parted.push_back({own.begin, own.end, first, count, bins_.column(own.split.feature), asked.test,
                      asked.first_word});
    first += count;
  }
  cuts_.upload(parted);
  sets_.upload(sets);
}

std::vector<std::uint32_t> ResidentRows::part(std::span<const NodeCut> cuts,
                                              const std::vector<bool>& summed,
                                              std::span<std::int32_t> sums) {
  const std::vector<RowTask> tasks = tasks_of(cuts, nullptr);
  tasks_.upload(tasks);
  upload_cuts(cuts);
  counts_.resize(tasks.size());
  before_.resize(tasks.size());
  lefts_.resize(cuts.size());
  count_parted(tasks);
  data_.visit([&]<class Bin>(const Bin*) {
    device_.run(FindSides<Bin>{bins_.values<Bin>(), rows_.data(), tasks_.data(), cuts_.data(),
                               sets_.data(), left_.data(), counts_.data()},
                tasks.size());
  });
  device_.run(PlaceTasks{cuts_.data(), counts_.data(), before_.data(), lefts_.data()}, cuts.size());
  if (!sums.empty()) {
    const std::vector<RowTask> untold = tasks_of(cuts, &summed);
    sum_tasks_.upload(untold);
    sums_.resize(sums.size());
    sums_.clear();
    device_.run(SumRows{rows_.data(), sum_tasks_.data(), left_.data(), stats_,
                        static_cast<std::uint32_t>(channels()), sums_.data()},
                untold.size());
  }
  device_.run(MoveRows{rows_.data(), tasks_.data(), cuts_.data(), left_.data(), before_.data(),
                       lefts_.data(), moved_.data()},
              tasks.size());
  device_.run(TakeBack{moved_.data(), tasks_.data(), rows_.data()}, tasks.size());
  const std::vector<std::int32_t> lefts = lefts_.download();
  if (!sums.empty()) sums_.download(0, sums);
  return {lefts.begin(), lefts.end()};
}

void ResidentRows::for_parts(std::span<const RowTask> ranges, const Use& use) {
  const void* const bins =
      data_.visit([&]<class Bin>(const Bin*) -> const void* { return bins_.values<Bin>(); });
  use({bins, rows_.data(), stats_, {ranges.begin(), ranges.end()}});
}

void ResidentRows::assign_leaves_there(const GrownTree& tree,
                                       const std::vector<std::int32_t>& leaf_of_node,
                                       std::uint32_t* leaf_of_row) {
  std::vector<RowTask> tasks;
  const auto each =
      static_cast<std::uint32_t>(std::clamp(count_ / kLeafTasks, kLeastLeafRows, kMostLeafRows));
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf())
      add_tasks(
          {tree.nodes[i].begin, tree.nodes[i].end, static_cast<std::uint32_t>(leaf_of_node[i])},
          each, tasks);
  leaf_tasks_.upload(tasks);
  if (tree.partition->complete()) {
    device_.run(AssignLeaves{rows_.data(), leaf_tasks_.data(), leaf_of_row}, tasks.size());
  } else {
    bins_.walk(tree, leaf_of_node, leaf_of_row);
  }
}

void ResidentRows::assign_leaves(const GrownTree& tree,
                                 const std::vector<std::int32_t>& leaf_of_node,
                                 std::uint32_t* leaf_of_row) {
  const std::vector<std::uint32_t> rows = rows_.download();
  partition_.set_order(rows);
  take_leaves(tree, leaf_of_node, data_, threads_, leaf_of_row);
}

PassingRows::PassingRows(Device& device, const BinnedDataset& data, const RowSpace& space,
                         std::size_t channels, std::size_t block)
    : device_(device),
      data_(data),
      threads_(space.threads()),
      block_(block),
      bins_(device, "a block of rows"),
      stats_(device, "a block of rows"),
      numbers_(device, "a block of rows") {
  bins_here_.resize(block * data.features() * bin_bytes(data));
  stats_here_.resize(block * channels);
  bins_.resize(bins_here_.size());
  stats_.resize(stats_here_.size());
  std::vector<std::uint32_t> numbers(block);
  std::iota(numbers.begin(), numbers.end(), 0U);
  numbers_.upload(numbers);
}

std::size_t PassingRows::row_bytes(const BinnedDataset& data, std::size_t channels) {
  return data.features() * bin_bytes(data) + channels * sizeof(std::int32_t) +
         sizeof(std::uint32_t);
}

std::uint32_t PassingRows::start(const Growth& growth) {
  growth_ = &growth;
  partition_.reset(data_.rows(), growth.sample, threads_);
  growth.tree.partition = &partition_;
  return static_cast<std::uint32_t>(partition_.size());
}

void PassingRows::sum_root(std::span<std::int32_t> sums) {
  const auto end = static_cast<std::uint32_t>(partition_.size());
  growth_->stats.sum_rows(partition_.range(0, end), sums.data());
}

std::vector<std::uint32_t> PassingRows::part(std::span<const NodeCut> cuts,
                                             const std::vector<bool>& summed,
                                             std::span<std::int32_t> sums) {
  std::vector<std::uint32_t> lefts;
  const std::size_t channels = growth_->tree.channels;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const GrownNode& own = growth_->tree.nodes[static_cast<std::size_t>(cuts[i].node)];
    const std::uint32_t middle = partition_.split(own.begin, own.end, own.split, data_, threads_);
    lefts.push_back(middle - own.begin);
    if (!sums.empty() && summed[i])
      growth_->stats.sum_rows(partition_.range(own.begin, middle), sums.data() + i * channels);
  }
  return lefts;
}

void PassingRows::for_parts(std::span<const RowTask> ranges, const Use& use) {
  std::vector<RowTask> some;
  const auto pass = [&] {
    if (chosen_.empty()) return;
    bring(chosen_);
    use({bins_.data(), numbers_.data(), stats_.data(), some});
    chosen_.clear();
    some.clear();
  };
  for (const RowTask& range : ranges)
    for (std::uint32_t at = range.begin; at < range.end;) {
      const auto first = static_cast<std::uint32_t>(chosen_.size());
      const auto count = std::min(range.end - at, static_cast<std::uint32_t>(block_) - first);
      const std::span<const std::uint32_t> rows = partition_.range(at, at + count);
      chosen_.insert(chosen_.end(), rows.begin(), rows.end());
      some.push_back({first, first + count, range.of});
      at += count;
      if (chosen_.size() == block_) pass();
    }
  pass();
}

// In the order of the whole data: groups of features, rows within a group.
void PassingRows::bring(std::span<const std::uint32_t> rows) {
  const std::size_t channels = growth_->tree.channels;
  const std::size_t size = bin_bytes(data_);
  const std::size_t groups = blocks_for(data_.features(), BinnedDataset::kGroup);
  parallel_blocks(threads_, rows.size(), kGatheredRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t width = data_.group_width(g) * size;
      const auto* const from = data_.visit([&]<class Bin>(const Bin*) {
        return reinterpret_cast<const std::uint8_t*>(
            data_.values<Bin>(g * BinnedDataset::kGroup).data);
      });
      std::uint8_t* const to = bins_here_.data() + g * BinnedDataset::kGroup * block_ * size;
      for (std::size_t i = begin; i < end; ++i)
        std::memcpy(to + i * width, from + rows[i] * width, width);
    }
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(growth_->stats.row(rows[i]), channels, stats_here_.data() + i * channels);
  });
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t first = g * BinnedDataset::kGroup * block_ * size;
    device_.upload(bins_.data() + first, bins_here_.data() + first,
                   rows.size() * data_.group_width(g) * size);
  }
  stats_.upload({stats_here_.data(), rows.size() * channels});
}

BinColumn PassingRows::column(std::size_t feature) const {
  const std::size_t slot = data_.slot(feature);
  const std::size_t group = slot / BinnedDataset::kGroup;
  return {group * BinnedDataset::kGroup * block_ + slot % BinnedDataset::kGroup,
          static_cast<std::uint32_t>(data_.group_width(group))};
}

void PassingRows::assign_leaves(const GrownTree& tree,
                                const std::vector<std::int32_t>& leaf_of_node,
                                std::uint32_t* leaf_of_row) {
  take_leaves(tree, leaf_of_node, data_, threads_, leaf_of_row);
}

}  // namespace simplexboost
