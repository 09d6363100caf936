// The command `simplexboost`: finds the verb, runs it, turns exceptions into one line on standard
// error and an exit status.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "base/simd/isa.h"
#include "base/stop.h"
#include "base/text/nearest_name.h"
#include "cli/options/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/job.h"
#include "cli/terminal/last_words.h"
#include "cli/terminal/terminal.h"
#include "cli/verb.h"
#include "simplexboost/error.h"
#include "simplexboost/version.h"

namespace simplexboost::cli {
namespace {

// In the order in which help shows them.
std::span<const Verb> verbs() {
  static const std::array kTable{
      kTrainVerb,  kPredictVerb,  kEvaluateVerb,   kExplainVerb,   kReportVerb,     kCompareVerb,
      kCvVerb,     kTuneVerb,     kInspectVerb,    kCalibrateVerb, kSuspectsVerb,   kExportVerb,
      kImportVerb, kGenerateVerb, kAlgorithmsVerb, kCodewordsVerb, kExperimentVerb, kDemoVerb,
  };
  return kTable;
}

std::string general_help() {
  std::string out =
      "simplexboost: multiclass boosting for many classes, noisy labels and tight time\n\n"
      "Usage: simplexboost VERB [arguments]\n\nVerbs:\n";
  for (const Verb& verb : verbs()) out += fmt::format("  {:<12}{}\n", verb.name, verb.summary);
  out +=
      "\nExamples:\n"
      "  simplexboost demo                                        # see it work, in seconds\n"
      "  simplexboost train data.csv --model m.sb --valid-fraction 0.2\n"
      "  simplexboost predict m.sb new.csv -o predictions.csv\n\n"
      "'simplexboost VERB --help' tells all about a verb.\n"
      "DATA is .csv, .libsvm (.svm) or .arff, each also .gz, or - for standard input.\n"
      "Exit status: 0 done, 1 failed, 2 wrong command line, 130 interrupted.\n";
  return out;
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  throw UsageError(unknown_name_message("verb", name, names));
}

int run_command(std::vector<std::string> words) {
  if (words.empty()) throw UsageError("no verb given; 'simplexboost --help' lists them");
  const std::string first = words.front();
  words.erase(words.begin());
  if (first == "--version") {
    fmt::print("simplexboost {}\nvector instructions: {}\nseveral processes: {}\n",
               SIMPLEXBOOST_VERSION, isa_name(isa_level()), knows_jobs() ? "MPI" : "no");
    return kOk;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    if (first != "help" || words.empty()) throw HelpRequested(general_help());
    words = {words.front(), "--help"};
    return run_command(std::move(words));
  }
  const Verb& verb = find_verb(first);
  if (job_ranks().size() > 1 && !verb.by_ranks)
    throw UsageError(fmt::format(
        "{} runs in one process; of several, train, evaluate and predict share their work",
        verb.name));
  Arguments arguments(verb, std::move(words));
  return verb.run(arguments);
}

// In one process of those that work together.
int complain(const char* message, ExitStatus status) noexcept {
  fail_job(message, [](const char* said) { print_error_line("error: ", said); });
  return status;
}

int run_or_help(std::vector<std::string> words) {
  try {
    return run_command(std::move(words));
  } catch (const HelpRequested& help) {
    fmt::print("{}", help.what());
    return kOk;
  }
}

// Where no exception can leave, before main() for instance, or where memory is so short that there
// is none for the exception itself.
[[noreturn]] void give_up() noexcept {
  tell_uncaught(std::current_exception(), [](const char* said) { complain(said, kFailed); });
  std::_Exit(kFailed);
}

// Before the static objects of other files are made.
struct GiveUpHandler {
  GiveUpHandler() noexcept { std::set_terminate(give_up); }
};
[[gnu::init_priority(101)]] const GiveUpHandler kGiveUpHandler;

// Where memory is short the words themselves may be too much.
int guarded_run(int count, char** words) noexcept {
  try {
    start_job();
    const int status = run_or_help({words + std::min(1, count), words + count});
    // Also what was lost before, by a flush in between for instance.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw IoError("cannot write to standard output");
    end_job();
    return status;
  } catch (const Stopped&) {
    fail_job("interrupted; what was to be written was not",
             [](const char* said) { print_error_line("note: ", said); });
    return kInterrupted;
  } catch (const UsageError& error) {
    return complain(error.what(), kWrongUsage);
  } catch (const ParameterError& error) {
    return complain(error.what(), kWrongUsage);
  } catch (...) {
    tell_uncaught(std::current_exception(), [](const char* said) { complain(said, kFailed); });
    return kFailed;
  }
}

}  // namespace
}  // namespace simplexboost::cli

int main(int count, char** words) {
  simplexboost::cli::reserve_standard_streams();
  // A file that grew too large is an error of its write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  simplexboost::cli::watch_signals();
  const int status = simplexboost::cli::guarded_run(count, words);
  simplexboost::cli::leave_job();
  return status;
}
