// Ranks that are threads of this process and put messages into each other's boxes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/peers.h"
#include "simplexboost/error.h"

namespace simplexboost::testing {

class FakePeers {
 public:
  explicit FakePeers(int size) : size_(size) {}

  // Calls body(communicator) on each rank; what one throws first is thrown again.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([this, rank, &body] {
        Rank peers(*this, rank);
        PeerCommunicator ranks(peers);
        try {
          body(ranks);
        } catch (const std::exception& error) {
          {
            const std::lock_guard lock(mutex_);
            if (!first_error_) first_error_ = std::current_exception();
          }
          ranks.fail(error.what());
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (first_error_) std::rethrow_exception(first_error_);
    for (const auto& [way, messages] : boxes_)
      if (!messages.empty()) throw CommunicationError("messages that nobody took");
  }

 private:
  using Message = std::vector<std::byte>;

  class Rank : public Peers {
   public:
    Rank(FakePeers& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }

    void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in,
                  int from) override {
      std::unique_lock lock(all_.mutex_);
      if (to != kNobody) all_.boxes_[{rank_, to}].emplace_back(out.begin(), out.end());
      all_.changed_.notify_all();
      if (from == kNobody) return;
      std::deque<Message>& box = all_.boxes_[{from, rank_}];
      all_.changed_.wait(lock, [&] { return !box.empty() || !all_.reason_.empty(); });
      if (box.empty()) throw CommunicationError(all_.reason_);
      if (box.front().size() != in.size()) throw CommunicationError("a message of another length");
      std::memcpy(in.data(), box.front().data(), in.size());
      box.pop_front();
    }

    void fail(const std::string& reason) noexcept override {
      const std::lock_guard lock(all_.mutex_);
      if (all_.reason_.empty()) all_.reason_ = "rank " + std::to_string(rank_) + ": " + reason;
      all_.changed_.notify_all();
    }

   private:
    FakePeers& all_;
    int rank_;
  };

  int size_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Message>> boxes_;  // from, to
  std::string reason_;
  std::exception_ptr first_error_;
};

}  // namespace simplexboost::testing
