#include "cli/terminal/job.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/options/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/terminal.h"
#include "cli/verb.h"
#include "mpi/mpi_peers.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace {

// What launchers tell the processes that they start.
int variable(const char* name, int otherwise) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no one sets it
  return value ? std::atoi(value) : otherwise;
}

// 0 where no launcher has started this process. PMIx alone does not say how many there are.
int launched_processes() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const int size = variable(name, 0); size > 0) return size;
  return variable("PMIX_RANK", -1) < 0 ? 0 : variable("SLURM_STEP_NUM_TASKS", 2);
}

// The shared object that speaks MPI: beside the command, or where it is installed. Empty where
// there is none.
std::filesystem::path mpi_part() {
  const std::filesystem::path part = SIMPLEXBOOST_MPI_PART;
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  if (part.empty() || folder.empty()) return {};
  for (const auto& place : {folder / part.filename(), folder / part})
    if (std::filesystem::exists(place, none)) return place;
  return {};
}

// Open MPI loads parts of its own, which look for its symbols: hence RTLD_GLOBAL.
StartPeers* load_mpi(const std::filesystem::path& part) {
  void* const loaded = ::dlopen(part.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  void* const found = loaded ? ::dlsym(loaded, kStartPeers) : nullptr;
  if (!found)
    throw UsageError(fmt::format("several processes were started, but MPI cannot be loaded: {}",
                                 ::dlerror()));  // NOLINT(concurrency-mt-unsafe)
  return reinterpret_cast<StartPeers*>(found);
}

struct Job {
  Job(StartPeers* start, const RankLimits& limits) : peers(start(limits, give_up)), ranks(*peers) {}

  // MPI waits where no exception reaches.
  static void give_up(const std::string& why) {
    if (!why.empty()) print_error_line("error: ", why.c_str());
    std::_Exit(kFailed);
  }

  // Standard error stays within reach, should this process be the one that speaks.
  void hush() {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    said = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere < 0) return;
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
  }
  void unhush() const {
    if (said >= 0) ::dup2(said, STDERR_FILENO);
  }

  std::unique_ptr<MpiPeers> peers;
  PeerCommunicator ranks;
  int said = -1;
  bool failed = false;
};

std::optional<Job> job;

}  // namespace

Communicator& job_ranks() { return job ? static_cast<Communicator&>(job->ranks) : no_others(); }

bool knows_jobs() { return !mpi_part().empty(); }
bool lost_process() { return job && job->peers->lost(); }

Traffic job_traffic() { return job ? job->ranks.traffic() : Traffic{}; }

void start_job() {
  const int processes = launched_processes();
  if (processes == 0) return;
  const std::filesystem::path part = mpi_part();
  if (part.empty() && processes == 1) return;
  if (part.empty())
    throw UsageError(
        std::string_view(SIMPLEXBOOST_MPI_PART).empty()
            ? "several processes were started, but this build knows no MPI; install "
              "libopenmpi-dev and build again with -DSIMPLEXBOOST_MPI=ON, or start one process"
            : "several processes were started, but neither beside the command nor in its "
              "installation is the part that speaks MPI, " SIMPLEXBOOST_MPI_PART);
  const RankLimits usual;
  const auto seconds = [](const char* name, double otherwise) {
    return static_cast<double>(variable(name, static_cast<int>(otherwise)));
  };
  job.emplace(load_mpi(part), RankLimits{seconds("SIMPLEXBOOST_RANK_SILENCE", usual.silence),
                                         seconds("SIMPLEXBOOST_RANK_PATIENCE", usual.patience),
                                         seconds("SIMPLEXBOOST_RANK_START", usual.start)});
  if (job->ranks.rank() > 0) job->hush();
}

void fail_job(const char* reason, void (*speak)(const char* reason)) noexcept {
  if (!job) return speak(reason);
  job->failed = true;
  end_in_silence();
  job->peers->fail(reason);
  if (!job->peers->speaks() && job->peers->await_speaker()) return;
  job->unhush();
  speak(reason);
  job->peers->have_spoken();
}

void end_job() {
  if (job && !job->failed) job->peers->finish();
}

void leave_job() noexcept {
  if (job) job->peers->leave();
}

}  // namespace simplexboost::cli
