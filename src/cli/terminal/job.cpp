#include "cli/terminal/job.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "cli/options/arguments.h"
#include "cli/terminal/terminal.h"
#include "cli/verb.h"
#include "simplexboost/error.h"
#ifdef SIMPLEXBOOST_MPI
#include "mpi/mpi_peers.h"
#endif

namespace simplexboost::cli {
namespace {

// What launchers tell the processes that they start.
int variable(const char* name, int otherwise) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no one sets it
  return value ? std::atoi(value) : otherwise;
}

int launched_processes() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const int size = variable(name, 0); size > 0) return size;
  return 0;
}

#ifdef SIMPLEXBOOST_MPI

struct Job {
  explicit Job(const RankLimits& limits) : peers(limits, give_up), ranks(peers) {}

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

  MpiPeers peers;
  PeerCommunicator ranks;
  int said = -1;
  bool failed = false;
};

std::optional<Job> job;

#endif

}  // namespace

#ifdef SIMPLEXBOOST_MPI

Communicator& job_ranks() { return job ? static_cast<Communicator&>(job->ranks) : no_others(); }

bool knows_jobs() { return true; }
bool lost_process() { return job && job->peers.lost(); }

Traffic job_traffic() { return job ? job->ranks.traffic() : Traffic{}; }

void start_job() {
  if (launched_processes() == 0 && variable("PMIX_RANK", -1) < 0) return;
  const RankLimits usual;
  const auto seconds = [](const char* name, double otherwise) {
    return static_cast<double>(variable(name, static_cast<int>(otherwise)));
  };
  job.emplace(RankLimits{seconds("SIMPLEXBOOST_RANK_SILENCE", usual.silence),
                         seconds("SIMPLEXBOOST_RANK_PATIENCE", usual.patience),
                         seconds("SIMPLEXBOOST_RANK_START", usual.start)});
  if (job->ranks.rank() > 0) job->hush();
}

void fail_job(const char* reason, void (*speak)(const char* reason)) noexcept {
  if (!job) return speak(reason);
  job->failed = true;
  job->peers.fail(reason);
  if (!job->peers.speaks() && job->peers.await_speaker()) return;
  job->unhush();
  speak(reason);
  job->peers.have_spoken();
}

void end_job() {
  if (job && !job->failed) job->peers.finish();
}

void leave_job() noexcept {
  if (job) job->peers.leave();
}

#else

Communicator& job_ranks() { return no_others(); }

bool knows_jobs() { return false; }
bool lost_process() { return false; }
Traffic job_traffic() { return {}; }

void start_job() {
  if (launched_processes() > 1)
    throw UsageError(
        "several processes were started, but this build knows no MPI; install libopenmpi-dev and "
        "build again with -DSIMPLEXBOOST_MPI=ON, or start one process");
}

void fail_job(const char* reason, void (*speak)(const char* reason)) noexcept { speak(reason); }
void end_job() {}
void leave_job() noexcept {}

#endif

}  // namespace simplexboost::cli
