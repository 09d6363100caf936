// A cluster for tests: the ranks are threads of this process. A call that the ranks do not make
// alike, or that one of them never makes, is an error and no hang.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/communicator.h"
#include "base/part_sums.h"
#include "base/row_space.h"
#include "simplexboost/error.h"

namespace simplexboost::testing {

class FakeCluster {
 public:
  explicit FakeCluster(int size) : calls_(static_cast<std::size_t>(size)) {
    for (int i = 0; i < size; ++i) ranks_.push_back(std::make_unique<Rank>(*this, i));
  }

  int size() const { return static_cast<int>(ranks_.size()); }

  // Calls body(ranks) on each rank, `ranks` being its Communicator. Where one throws, the others
  // are told as a training tells them, and what was thrown first is thrown again, if possible by a
  // rank that was not told.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::thread> threads;
    threads.reserve(ranks_.size());
    for (const auto& rank : ranks_) threads.emplace_back([&] { run_rank(*rank, body); });
    for (std::thread& thread : threads) thread.join();
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  // What a rank asks of the others; `data` is read from and written to while it waits.
  struct Call {
    std::string name;
    std::span<std::byte> data = {};
    bool any_length = false;
    int root = 0;
  };

  class Rank : public Communicator, public PartSums {
   public:
    Rank(FakeCluster& cluster, int rank) : cluster_(cluster), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return cluster_.size(); }

    void sum(std::span<std::int32_t> values) override { reduce("sum of int32", values, kAdd); }
    void sum(std::span<std::int64_t> values) override { reduce("sum of int64", values, kAdd); }
    void sum(std::span<double> values) override { reduce("sum of double", values, kAdd); }
    void sum_parts(std::span<std::int32_t> values, std::span<const std::size_t> ends) override {
      reduce_parts("sum of parts of int32", values, ends);
    }
    void sum_parts(std::span<std::int64_t> values, std::span<const std::size_t> ends) override {
      reduce_parts("sum of parts of int64", values, ends);
    }
    void maximum(std::span<std::int64_t> values) override {
      reduce("maximum of int64", values, kLarger);
    }
    void maximum(std::span<double> values) override {
      reduce("maximum of double", values, kLarger);
    }

    std::vector<std::byte> gather(std::span<const std::byte> mine,
                                  std::vector<std::size_t>* sizes = nullptr) override {
      std::vector<std::byte> copy(mine.begin(), mine.end());
      std::vector<std::byte> all;
      if (sizes) sizes->clear();
      cluster_.meet(rank_, {"gather", copy, true}, [&](std::span<const Call> calls) {
        for (const Call& call : calls) {
          all.insert(all.end(), call.data.begin(), call.data.end());
          if (sizes) sizes->push_back(call.data.size());
        }
      });
      return all;
    }

    void broadcast(std::span<std::byte> bytes, int root) override {
      std::vector<std::byte> theirs;
      cluster_.meet(rank_, {"broadcast", bytes, false, root}, [&](std::span<const Call> calls) {
        const std::span<std::byte> data = calls[static_cast<std::size_t>(root)].data;
        theirs.assign(data.begin(), data.end());
      });
      std::copy(theirs.begin(), theirs.end(), bytes.begin());
    }

    void barrier() override {
      cluster_.meet(rank_, {"barrier"}, [](std::span<const Call>) {});
    }

    void fail(const std::string& reason) noexcept override { cluster_.fail(rank_, reason); }

   private:
    // Whole numbers wrap around.
    static constexpr auto kAdd = []<class T>(T a, T b) {
      if constexpr (std::is_integral_v<T>) {
        using Bits = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
      } else {
        return a + b;
      }
    };
    static constexpr auto kLarger = [](auto a, auto b) { return std::max(a, b); };

    template <class T, class Combine>
    void reduce(const char* name, std::span<T> values, const Combine& combine) {
      std::vector<T> result(values.size());
      const auto read = [&](std::span<const Call> calls) {
        for (std::size_t i = 0; i < calls.size(); ++i) {
          std::vector<T> theirs(values.size());
          if (!theirs.empty())
            std::memcpy(theirs.data(), calls[i].data.data(), calls[i].data.size());
          for (std::size_t j = 0; j < result.size(); ++j)
            result[j] = i == 0 ? theirs[j] : combine(result[j], theirs[j]);
        }
      };
      cluster_.meet(rank_, {name, std::as_writable_bytes(values)}, read);
      std::copy(result.begin(), result.end(), values.begin());
    }

    // What another rank's part holds nobody may rely on.
    template <class T>
    void reduce_parts(const char* name, std::span<T> values, std::span<const std::size_t> ends) {
      ASSERT_EQ(ends.size(), static_cast<std::size_t>(size()));
      ASSERT_EQ(ends.back(), values.size());
      reduce(name, values, kAdd);
      const auto me = static_cast<std::size_t>(rank_);
      std::fill_n(values.begin(), me == 0 ? 0 : ends[me - 1], T{-12345});
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(ends[me]), values.end(), T{-12345});
    }

    FakeCluster& cluster_;
    int rank_;
  };

  template <class Body>
  void run_rank(Rank& rank, const Body& body) {
    try {
      body(static_cast<Communicator&>(rank));
      leave(rank.rank());
    } catch (const CommunicationError& error) {
      rethrow_later(std::current_exception(), true);
      rank.fail(error.what());
    } catch (const std::exception& error) {
      rethrow_later(std::current_exception());
      rank.fail(error.what());
    } catch (...) {
      rethrow_later(std::current_exception());
      rank.fail("unknown error");
    }
  }

  // `told`: maybe by the rank that failed, which tells the others before it comes here itself.
  void rethrow_later(std::exception_ptr error, bool told = false) {
    const std::lock_guard lock(mutex_);
    if (first_error_ && (told || !only_told_)) return;
    first_error_ = std::move(error);
    only_told_ = told;
  }

  void fail(int rank, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (reason_.empty()) reason_ = "rank " + std::to_string(rank) + ": " + reason;
    changed_.notify_all();
  }

  // A rank that has ended will make no call that another may wait for.
  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    if (left_.empty()) left_ = "rank " + std::to_string(rank) + ": ended, the others go on";
    changed_.notify_all();
  }

  // All ranks come, read(their calls) on each, and no one goes before all have read.
  template <class Read>
  void meet(int rank, const Call& call, const Read& read) {
    {
      const std::lock_guard lock(mutex_);
      throw_if_failed();
      calls_[static_cast<std::size_t>(rank)] = call;
    }
    await_all();
    // Read without a lock: no one writes before all have met again.
    read(std::span<const Call>(calls_));
    await_all();
  }

  void await_all() {
    std::unique_lock lock(mutex_);
    throw_if_failed();
    const std::size_t meeting = meetings_;
    if (++arrived_ == calls_.size()) {
      check_alike();
      arrived_ = 0;
      ++meetings_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return meetings_ != meeting || !reason_.empty() || !left_.empty(); });
    if (meetings_ == meeting) throw_if_failed();
  }

  void throw_if_failed() const {
    if (!reason_.empty()) throw CommunicationError(reason_);
    if (!left_.empty()) throw CommunicationError(left_);
  }

  void check_alike() {
    const Call& first = calls_[0];
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      const Call& call = calls_[i];
      if (call.name == first.name && call.root == first.root &&
          (call.any_length || call.data.size() == first.data.size()))
        continue;
      reason_ =
          "rank 0 calls " + text(first) + ", rank " + std::to_string(i) + " calls " + text(call);
      changed_.notify_all();
      throw_if_failed();
    }
  }

  static std::string text(const Call& call) {
    return call.name + " (" + std::to_string(call.data.size()) + " bytes, root " +
           std::to_string(call.root) + ")";
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Call> calls_;
  std::size_t arrived_ = 0;
  std::size_t meetings_ = 0;
  std::string reason_;  // why a rank failed; empty: none has
  std::string left_;    // likewise: the first that ended
  std::exception_ptr first_error_;
  bool only_told_ = false;
};

// How many rows each rank has: as uneven as can be. Every share but the last with rows is a
// multiple of kShareRows; with `pattern` other ranks are the empty ones.
inline std::vector<std::size_t> uneven_shares(std::size_t rows, int ranks, std::size_t pattern) {
  constexpr std::size_t kUnit = RowSpace::kShareRows;
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> shares(count);
  std::size_t left = rows;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if ((i + pattern) % 3 == 0) continue;
    const std::size_t units = (left / kUnit) * (1 + (i + pattern) % 2) / 3;
    shares[i] = std::min(left, std::max<std::size_t>(units, 1) * kUnit);
    left -= shares[i];
  }
  // The last one with a place takes what is left: sometimes the last rank has none.
  const bool last_empty = count > 1 && pattern % 2 == 1 && shares[count - 2] > 0;
  shares[last_empty ? count - 2 : count - 1] += left;
  return shares;
}

}  // namespace simplexboost::testing
