// What the command can be told to do: one verb, one file. The table in main.cpp is the list
// that help shows.
#pragma once

#include <string_view>

namespace simplexboost::cli {

class Arguments;

struct Verb {
  std::string_view name;
  std::string_view summary;      // one line, for the list of verbs
  std::string_view usage;        // what follows the verb: "MODEL DATA [options]"
  std::string_view description;  // what it does and where the result goes, for `VERB --help`
  std::string_view examples;     // lines to copy
  // Declares its options, parses, works; the result is the exit status.
  int (*run)(Arguments& arguments);
  bool by_ranks = false;  // the processes of a job share its work (cli/terminal/job.h)
};

enum ExitStatus : int { kOk = 0, kFailed = 1, kWrongUsage = 2, kInterrupted = 130 };

extern const Verb kTrainVerb;
extern const Verb kPredictVerb;
extern const Verb kEvaluateVerb;
extern const Verb kReportVerb;
extern const Verb kCompareVerb;
extern const Verb kExplainVerb;
extern const Verb kCvVerb;
extern const Verb kTuneVerb;
extern const Verb kInspectVerb;
extern const Verb kExportVerb;
extern const Verb kCalibrateVerb;
extern const Verb kSuspectsVerb;
extern const Verb kImportVerb;
extern const Verb kGenerateVerb;
extern const Verb kAlgorithmsVerb;
extern const Verb kCodewordsVerb;
extern const Verb kExperimentVerb;
extern const Verb kDemoVerb;

}  // namespace simplexboost::cli
