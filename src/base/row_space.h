// Which rows there are, which of them are here, and who works on them: the threads of this process
// and the other ranks. Every sum, maximum and yes-or-no over rows goes through it, so that the one
// who asks need not know how many machines there are.
//
//   global rows   0 ........... 2048 ............... 5120 ....... all()
//   ranks         |   rank 0    |      rank 1        |   rank 2   |
//   here (rank 1)             first()       first() + rows()
//
// What depends on the order of additions is summed in blocks of the global row order, and the sums
// of the blocks are added in that order: the result does not depend on the number of threads, nor
// on how the rows are parted. Hence a share begins with a whole block (kShareRows, of which every
// block size is a divisor); only the last one ends within one.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/communicator.h"
#include "base/threads/parallel.h"

namespace simplexboost {

class RowSpace {
 public:
  // A rank's share begins at a multiple of this in the order of all rows.
  static constexpr std::size_t kShareRows = 1024;
  static constexpr std::size_t kBlock = 1024;

  // `rows` are here. All ranks make theirs together: they tell each other how many they have.
  RowSpace(std::size_t rows, int threads, Communicator& ranks = no_others());

  std::size_t rows() const { return rows_; }
  std::size_t all() const { return all_; }      // of all ranks together
  std::size_t first() const { return first_; }  // global number of the first row that is here
  int threads() const { return threads_; }
  Communicator& ranks() const { return *ranks_; }
  bool parted() const { return ranks_->size() > 1; }

  // task(begin, end) for each block of the rows that are here, on all threads.
  template <class Task>
  void for_blocks(std::size_t block, const Task& task) const {
    parallel_blocks(threads_, rows_, block, task);
  }

  // What value(begin, end) gives for each block of rows, in the global order, those of the other
  // ranks too. T is copied as bytes.
  template <class T, class Value>
  std::vector<T> block_values(std::size_t block, const Value& value) const {
    assert(kShareRows % block == 0 || !parted());
    std::vector<T> values((rows_ + block - 1) / block);
    for_blocks(block, [&](std::size_t begin, std::size_t end) {
      values[begin / block] = value(begin, end);
    });
    return parted() ? gather_values<T>(*ranks_, values) : values;
  }

  // The sum over all rows of what sum(begin, end) gives for a block of them.
  template <class Sum>
  double sum(std::size_t block, const Sum& sum) const {
    double total = 0;
    for (const double part : block_values<double>(block, sum)) total += part;
    return total;
  }

  // As sum(), of several numbers at once: add(begin, end, sums) adds the block's to sums[0 ..
  // width), which are 0 before. Part: what the sums of a block are kept in.
  template <class Part = double, class Add>
  std::vector<double> sums(std::size_t block, std::size_t width, const Add& add) const {
    assert(kShareRows % block == 0 || !parted());
    std::vector<Part> parts((rows_ + block - 1) / block * width);
    for_blocks(block, [&](std::size_t begin, std::size_t end) {
      add(begin, end, parts.data() + begin / block * width);
    });
    if (parted()) parts = gather_values<Part>(*ranks_, parts);
    std::vector<double> totals(width);
    for (std::size_t i = 0; i < parts.size(); i += width)
      for (std::size_t j = 0; j < width; ++j) totals[j] += static_cast<double>(parts[i + j]);
    return totals;
  }

  // As sums(), where these would be many: the ranks do not exchange the sums of all blocks, but
  // sums of them, each rounded to 2^-62 of what all blocks together could be.
  template <class Add>
  std::vector<double> rounded_sums(std::size_t block, std::size_t width, const Add& add) const {
    assert(kShareRows % block == 0 || !parted());
    std::vector<double> parts((rows_ + block - 1) / block * width);
    for_blocks(block, [&](std::size_t begin, std::size_t end) {
      add(begin, end, parts.data() + begin / block * width);
    });
    return add_up_blocks(parts, width, (all_ + block - 1) / block);
  }

  // Sums that are more than numbers, taken row by row: add() adds the rows that are here to `sums`.
  // The ranks take turns (in_turn()), each going on with the sums of the rows before its own.
  template <class Sums, class Add>
  void add_in_turn(Sums& sums, const Add& add) const {
    in_turn(*ranks_, sums, add);
  }

  // The largest of what of_block(begin, end) gives; `least` where there are no rows.
  template <class Largest>
  double maximum(std::size_t block, const Largest& of_block,
                 double least = -std::numeric_limits<double>::infinity()) const {
    std::vector<double> values((rows_ + block - 1) / block);
    for_blocks(block, [&](std::size_t begin, std::size_t end) {
      values[begin / block] = of_block(begin, end);
    });
    for (const double value : values) least = std::max(least, value);
    return largest(least);
  }

  // The largest index of a row that is here, 0 where there is none; the other ranks are not asked.
  std::uint32_t largest_index(const std::uint32_t* of_rows) const;

  // The largest of what the ranks have.
  double largest(double here) const {
    ranks_->maximum({&here, 1});
    return here;
  }

  // Integers are exact in any order: each rank's own are added up.
  void add_up(std::span<std::int32_t> values) const { ranks_->sum(values); }
  void add_up(std::span<std::int64_t> values) const { ranks_->sum(values); }
  void add_up(std::span<double> units) const { ranks_->sum(units); }  // of FixedPoint
  std::int64_t add_up(std::int64_t value) const {
    ranks_->sum({&value, 1});
    return value;
  }
  // count(begin, end): how many rows of a block.
  template <class Count>
  std::int64_t count(std::size_t block, const Count& count) const {
    std::vector<std::int64_t> values((rows_ + block - 1) / block);
    for_blocks(block, [&](std::size_t begin, std::size_t end) {
      values[begin / block] = static_cast<std::int64_t>(count(begin, end));
    });
    std::int64_t total = 0;
    for (const std::int64_t value : values) total += value;
    return add_up(total);
  }
  // Whether it holds on some rank, on all.
  bool any(bool here) const {
    std::int64_t value = here ? 1 : 0;
    ranks_->maximum({&value, 1});
    return value != 0;
  }
  bool every(bool here) const { return !any(!here); }
  // Whether an array of a number for each row, or for several, is given: a rank without rows may
  // have no array either, and must do as the others do.
  bool given(const void* array) const { return any(array != nullptr); }

 private:
  // `parts`: of the blocks that are here, `width` each; `blocks`: of all ranks.
  std::vector<double> add_up_blocks(std::span<const double> parts, std::size_t width,
                                    std::size_t blocks) const;

  std::size_t rows_;
  std::size_t all_;
  std::size_t first_ = 0;
  int threads_;
  Communicator* ranks_;
};

}  // namespace simplexboost
