// Parting the rows of nodes on a device, all nodes of a batch together, and what follows from it:
// sums over the left side, and the leaf of each row. As RowPartition, rows keep their order.
#pragma once

#include "cuda/kernel.h"
#include "tree/split/bin_test.h"

namespace simplexboost {

// Where the bins of a feature lie, from the first of all, and how far apart those of two rows are.
struct BinColumn {
  std::uint64_t first = 0;
  std::uint32_t stride = 0;
};

// Rows that a block of threads takes: those at [begin, end) of the array of all nodes' rows.
struct RowTask {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t of;  // the cut, node or leaf that they belong to
};

inline constexpr unsigned kTaskThreads = 256;
inline constexpr unsigned kRowsOfThread = 4;
inline constexpr unsigned kTaskRows = kTaskThreads * kRowsOfThread;

// Rows 0, 1, 2, ...
struct NumberRows {
  static constexpr const char* kName = "number rows";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  std::uint32_t* rows;
  std::size_t count;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t i = self.block * kThreads + self.thread;
    if (i < count) rows[i] = static_cast<std::uint32_t>(i);
  }
};

// A node that is parted.
struct DeviceCut {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t first_task;
  std::uint32_t tasks;
  BinColumn column;
  BinTest test;  // its set: an offset into `sets`, as a pointer would not be the device's
  std::uint32_t first_word;
};

// Which rows of a task go left, and how many.
template <class Bin>
struct FindSides {
  static constexpr const char* kName = "find sides";
  static constexpr unsigned kThreads = kTaskThreads;
  using Local = NoLocal;
  const Bin* bins;
  const std::uint32_t* rows;
  const RowTask* tasks;
  const DeviceCut* cuts;
  const std::uint32_t* sets;
  std::uint8_t* left;    // of the places of `rows`
  std::int32_t* counts;  // of the tasks

  LANES_INLINE std::size_t shared_bytes() const { return sizeof(std::int32_t); }
  LANES_INLINE unsigned phases() const { return 3; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const count = static_cast<std::int32_t*>(shared);
    if (phase == 0 && self.thread == 0) *count = 0;
    if (phase == 2 && self.thread == 0) counts[self.block] = *count;
    if (phase != 1) return;
    const RowTask task = tasks[self.block];
    const DeviceCut& cut = cuts[task.of];
    BinTest test = cut.test;
    test.left_set = sets + cut.first_word;
    std::int32_t found = 0;
    // All are read before the first is written: loads need not wait for each other.
    Bin some[kRowsOfThread];
    for (unsigned a = 0; a < kRowsOfThread; ++a) {
      const std::uint32_t i = task.begin + self.thread + a * kThreads;
      const std::uint64_t row = i < task.end ? rows[i] : 0;
      some[a] = bins[cut.column.first + row * cut.column.stride];
    }
    for (unsigned a = 0; a < kRowsOfThread; ++a) {
      const std::uint32_t i = task.begin + self.thread + a * kThreads;
      if (i >= task.end) break;
      const bool is_left = test.goes_left(some[a]);
      left[i] = is_left ? 1 : 0;
      found += is_left ? 1 : 0;
    }
    if (found > 0) atomic_add(count, found);
  }
};

// How many rows go left before each task of a cut, and in all.
struct PlaceTasks {
  static constexpr const char* kName = "place tasks";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const DeviceCut* cuts;
  const std::int32_t* counts;
  std::int32_t* before;  // of the tasks
  std::int32_t* lefts;   // of the cuts

  LANES_INLINE std::size_t shared_bytes() const { return (kThreads + 1) * sizeof(std::int32_t); }
  LANES_INLINE unsigned phases() const { return 3; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const sums = static_cast<std::int32_t*>(shared);
    const DeviceCut& cut = cuts[self.block];
    const std::uint32_t each = (cut.tasks + kThreads - 1) / kThreads;
    const std::uint32_t begin = self.thread * each < cut.tasks ? self.thread * each : cut.tasks;
    const std::uint32_t end = begin + each < cut.tasks ? begin + each : cut.tasks;
    if (phase == 0) {
      std::int32_t sum = 0;
      for (std::uint32_t i = begin; i < end; ++i) sum += counts[cut.first_task + i];
      sums[self.thread] = sum;
    } else if (phase == 1 && self.thread == 0) {
      std::int32_t sum = 0;
      for (unsigned i = 0; i < kThreads; ++i) {
        const std::int32_t own = sums[i];
        sums[i] = sum;
        sum += own;
      }
      lefts[self.block] = sum;
    } else if (phase == 2) {
      std::int32_t sum = sums[self.thread];
      for (std::uint32_t i = begin; i < end; ++i) {
        before[cut.first_task + i] = sum;
        sum += counts[cut.first_task + i];
      }
    }
  }
};

// Each row to its place in a buffer: the left ones of a cut first.
struct MoveRows {
  static constexpr const char* kName = "move rows";
  static constexpr unsigned kThreads = kTaskThreads;
  static constexpr unsigned kGroup = 16;  // threads that one of them adds up for
  using Local = NoLocal;
  const std::uint32_t* rows;
  const RowTask* tasks;
  const DeviceCut* cuts;
  const std::uint8_t* left;
  const std::int32_t* before;
  const std::int32_t* lefts;
  std::uint32_t* moved;

  LANES_INLINE std::size_t shared_bytes() const {
    return (kThreads + kThreads / kGroup) * sizeof(std::int32_t);
  }
  LANES_INLINE unsigned phases() const { return 4; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const counts = static_cast<std::int32_t*>(shared);  // before a thread, in its group
    std::int32_t* const groups = counts + kThreads;           // before a group
    const RowTask task = tasks[self.block];
    const std::uint32_t begin = task.begin + self.thread * kRowsOfThread;
    const std::uint32_t end = begin + kRowsOfThread < task.end ? begin + kRowsOfThread : task.end;
    if (phase == 0) {
      std::int32_t count = 0;
      for (std::uint32_t i = begin; i < end; ++i) count += left[i];
      counts[self.thread] = count;
    } else if (phase == 1 && self.thread % kGroup == 0) {
      groups[self.thread / kGroup] = running_sums(counts + self.thread, kGroup);
    } else if (phase == 2 && self.thread == 0) {
      running_sums(groups, kThreads / kGroup);
    } else if (phase == 3) {
      const DeviceCut& cut = cuts[task.of];
      std::uint32_t to_left =
          cut.begin + static_cast<std::uint32_t>(before[self.block] + groups[self.thread / kGroup] +
                                                 counts[self.thread]);
      std::uint32_t to_right =
          cut.begin + static_cast<std::uint32_t>(lefts[task.of]) + (begin - to_left);
      for (std::uint32_t i = begin; i < end; ++i) moved[left[i] ? to_left++ : to_right++] = rows[i];
    }
  }

 private:
  // Replaces numbers by the sums of those before them; returns the sum of all.
  static LANES_INLINE std::int32_t running_sums(std::int32_t* values, unsigned count) {
    std::int32_t sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      const std::int32_t own = values[i];
      values[i] = sum;
      sum += own;
    }
    return sum;
  }
};

// From the buffer.
struct TakeBack {
  static constexpr const char* kName = "take back";
  static constexpr unsigned kThreads = kTaskThreads;
  using Local = NoLocal;
  const std::uint32_t* moved;
  const RowTask* tasks;
  std::uint32_t* rows;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const RowTask task = tasks[self.block];
    for (std::uint32_t i = task.begin + self.thread; i < task.end; i += kThreads)
      rows[i] = moved[i];
  }
};

// Adds the statistics of rows, those that go left or all, to the sums of what they are of.
struct SumRows {
  static constexpr const char* kName = "sum rows";
  static constexpr unsigned kThreads = kTaskThreads;
  using Local = NoLocal;
  const std::uint32_t* rows;
  const RowTask* tasks;
  const std::uint8_t* left;  // null: all
  const std::int32_t* stats;
  std::uint32_t channels;
  std::int32_t* sums;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const RowTask task = tasks[self.block];
    const std::uint32_t lanes = channels < kThreads ? channels : kThreads;
    const std::uint32_t at_once = kThreads / lanes;
    const std::uint32_t first = self.thread / lanes;
    if (first >= at_once) return;
    for (std::uint32_t c = self.thread % lanes; c < channels; c += lanes) {
      std::int32_t sum = 0;
      // Some rows are read before the first is added: loads need not wait for each other.
      constexpr unsigned kAhead = 8;
      for (std::uint32_t i = task.begin + first; i < task.end; i += kAhead * at_once) {
        std::uint32_t row[kAhead];
        bool counted[kAhead];
        for (unsigned a = 0; a < kAhead; ++a) {
          const std::uint32_t at = i + a * at_once;
          counted[a] = at < task.end && (!left || left[at]);
          row[a] = counted[a] ? rows[at] : 0;
        }
        for (unsigned a = 0; a < kAhead; ++a)
          sum += counted[a] ? stats[std::uint64_t{row[a]} * channels + c] : 0;
      }
      if (sum != 0) atomic_add(sums + std::size_t{task.of} * channels + c, sum);
    }
  }
};

// A task is of a leaf: its rows learn which.
struct AssignLeaves {
  static constexpr const char* kName = "assign leaves";
  static constexpr unsigned kThreads = kTaskThreads;
  using Local = NoLocal;
  const std::uint32_t* rows;
  const RowTask* tasks;
  std::uint32_t* leaf_of_row;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const RowTask task = tasks[self.block];
    for (std::uint32_t i = task.begin + self.thread; i < task.end; i += kThreads)
      leaf_of_row[rows[i]] = task.of;
  }
};

// A node of a tree that rows are sent down.
struct WalkNode {
  std::int32_t left;  // the other child follows; -1: a leaf,
  std::int32_t right;
  std::uint32_t leaf;  // of this number
  BinColumn column;
  BinTest test;
  std::uint32_t first_word;  // as DeviceCut has it
};

// All rows, those too that were not drawn.
template <class Bin>
struct WalkTree {
  static constexpr const char* kName = "walk tree";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const Bin* bins;
  const WalkNode* nodes;
  const std::uint32_t* sets;
  std::size_t count;
  std::uint32_t* leaf_of_row;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row >= count) return;
    const WalkNode* node = nodes;
    while (node->left >= 0) {
      BinTest test = node->test;
      test.left_set = sets + node->first_word;
      const bool is_left = test.goes_left(bins[node->column.first + row * node->column.stride]);
      node = nodes + (is_left ? node->left : node->right);
    }
    leaf_of_row[row] = node->leaf;
  }
};

}  // namespace simplexboost
