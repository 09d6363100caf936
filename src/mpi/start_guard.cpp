#include "mpi/start_guard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

namespace simplexboost {
namespace {

constexpr std::string_view kRankVariable = "OMPI_COMM_WORLD_RANK";

struct ProcessState {
  char state = '?';  // T: stopped
  long parent = 0;
};

std::optional<ProcessState> state_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  ProcessState found;
  rest >> found.state >> found.parent;
  return found;
}

// As its environment has it.
std::optional<int> rank_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "environ", std::ios::binary);
  for (std::string entry; std::getline(file, entry, '\0');)
    if (entry.starts_with(kRankVariable) && entry.size() > kRankVariable.size() + 1)
      return std::atoi(entry.c_str() + kRankVariable.size() + 1);
  return std::nullopt;
}

struct Neighbour {
  int rank = 0;
  pid_t process = 0;
};

// A stopped one among the processes that the same launcher has started on this machine, if that is
// to be seen here.
std::optional<Neighbour> stopped_neighbour() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const std::optional<ProcessState> state = state_of(entry.path());
    if (!state || state->state != 'T' || state->parent != ::getppid()) continue;
    if (const std::optional<int> rank = rank_of(entry.path()))
      return Neighbour{*rank, std::atoi(entry.path().filename().c_str())};
  }
  return std::nullopt;
}

}  // namespace

int launched_rank() {
  const char* const value = std::getenv(kRankVariable.data());  // NOLINT(concurrency-mt-unsafe)
  return value ? std::atoi(value) : 0;
}

StartGuard::StartGuard(double seconds, std::function<void(const std::string& why)> give_up)
    : give_up_(std::move(give_up)), thread_([this, seconds] { wait(seconds); }) {}

StartGuard::~StartGuard() {
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StartGuard::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double kTurn = 5;  // the launcher ends the others meanwhile
  const auto limit = std::chrono::duration<double>(seconds + kTurn * launched_rank());
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, limit, [&] { return started_; })) return;
  if (Clock::now() - begin > limit + std::chrono::seconds(10)) return give_up_("");
  std::string who = "a rank has not come to it (stopped, or its machine out of reach?)";
  if (const std::optional<Neighbour> stopped = stopped_neighbour()) {
    who = fmt::format("rank {} (process {} on this machine) is stopped", stopped->rank,
                      stopped->process);
    // It may hold a lock that the launcher waits for before it ends anything.
    ::kill(stopped->process, SIGKILL);
  }
  give_up_(fmt::format("MPI has not started within {:.0f} s: {}", seconds, who));
}

}  // namespace simplexboost
