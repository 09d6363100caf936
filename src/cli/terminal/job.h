// The processes that mpirun (or srun) has started for one command. The first of them, rank 0, is
// the one that a person hears: what the others would print is dropped, and an error of any of them
// is told once, by rank 0 if it lives.
#pragma once

#include "base/communicator.h"
#include "base/peers.h"

namespace simplexboost::cli {

// Of this process; one alone, unless start_job() found others.
Communicator& job_ranks();

// Whether this build can speak with others.
bool knows_jobs();
// What this process has sent to others.
Traffic job_traffic();

// Whether one of them has died.
bool lost_process();

// Finds the other processes, if there are any. Throws UsageError where there are some and this
// build cannot speak with them.
void start_job();

// This process cannot go on: tells the others, and sees to it that one process says why. `speak` is
// called in that one.
void fail_job(const char* reason, void (*speak)(const char* reason)) noexcept;

// The end of the command: well (all processes wait for each other), or after fail_job(). Throws
// where another process has failed meanwhile.
void end_job();
void leave_job() noexcept;

}  // namespace simplexboost::cli
