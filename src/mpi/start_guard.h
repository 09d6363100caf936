// Sees to it that the start of an MPI job ends. MPI_Init comes back when all ranks have come to it,
// so one that was stopped on its way there would keep the others for ever, and they have no other
// way yet to hear of each other.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace simplexboost {

// What the launcher calls this process, before MPI says so; 0 where it says nothing.
int launched_rank();

class StartGuard {
 public:
  // Where it lives longer than so many seconds, and some more for every rank, so that the first one
  // has the word, `give_up` is called with what is known, and must not return. A process that
  // was stopped itself meanwhile gives up with nothing to say.
  StartGuard(double seconds, std::function<void(const std::string& why)> give_up);
  ~StartGuard();
  StartGuard(const StartGuard&) = delete;
  StartGuard& operator=(const StartGuard&) = delete;

 private:
  void wait(double seconds);

  std::function<void(const std::string& why)> give_up_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::thread thread_;
};

}  // namespace simplexboost
