// What long work has done so far, in a file: parts under names, and the facts of the work, so that
// no other work goes on from them. docs/checkpoints.md describes the bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simplexboost/checkpoint.h"

namespace simplexboost {

// Lines "name: value" that tell a work from others.
using WorkFacts = std::vector<std::string>;

// Throws ModelError, with the first line that differs, unless both are the same.
void require_same_facts(const std::string& path, const WorkFacts& there, const WorkFacts& here);

// May be used by several threads. Without a name it keeps the parts for itself: of several ranks
// one has the file.
class CheckpointFile {
 public:
  // Reads what is there. Throws ModelError where it is of other work or damaged, IoError where it
  // cannot be read.
  CheckpointFile(CheckpointOptions options, WorkFacts facts);

  const CheckpointOptions& options() const { return options_; }
  std::optional<std::string> find(const std::string& name) const;
  // For the next write().
  void keep(const std::string& name, std::string bytes);
  void drop(const std::string& name);
  // All parts whose names begin so.
  void drop_all(const std::string& stem);
  void write() const;
  // The work is done.
  void remove() const;

 private:
  void read();

  CheckpointOptions options_;
  WorkFacts facts_;  // with the version
  mutable std::mutex mutex_;
  std::map<std::string, std::string> parts_;
};

// Says when it is time to write.
class CheckpointClock {
 public:
  CheckpointClock(const CheckpointOptions& options, std::size_t rounds)
      : seconds_(options.seconds), every_(options.rounds), last_rounds_(rounds) {}

  bool due(std::size_t rounds) {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const bool late = seconds_ > 0 && seconds >= seconds_;
    const bool many = every_ > 0 && rounds - last_rounds_ >= every_;
    if (!late && !many) return false;
    last_ = now;
    last_rounds_ = rounds;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  std::size_t every_;
  Clock::time_point last_ = Clock::now();
  std::size_t last_rounds_;
};

}  // namespace simplexboost
