// Records of finished work: journals of tune and of experiments. Whatever the file holds, it is
// read or refused; what is added is found again; and a search goes on from it with settings that
// exist.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/files/record_file.h"
#include "experiment/journal.h"
#include "simplexboost/error.h"
#include "target.h"
#include "tuning/search.h"

namespace simplexboost::fuzz {
namespace {

Dataset tiny_data() {
  Dataset data;
  data.rows = 6;
  data.columns = {Column::numeric("x", {0, 1, 2, 3, 4, 5})};
  data.labels.classes = {"a", "b"};
  data.labels.codes = {0, 0, 0, 1, 1, 1};
  data.labels.columns = {"class"};
  return data;
}

SearchOptions one_trial(const std::string& journal) {
  SearchOptions options{.metric = find_metric("error", false)};
  options.spaces = {{"samme", {}}};
  options.kind = SearchKind::kRandom;
  options.parameters.rounds = 1;
  options.parameters.threads = 1;
  options.trials = 1;
  options.journal = journal;
  return options;
}

SearchResult tune(const std::string& journal) {
  static const std::vector<TrialSplit> splits = {{tiny_data(), tiny_data()}};
  return search(splits, one_trial(journal), [](const Trial&) {});
}

// The key that the search looks for.
const std::string& key_of_trial() {
  static const std::string key = [] {
    const ScratchFile file("key.jsonl");
    tune(file.path());
    const RecordFile records(file.path());
    require(records.all().size() == 1, "one trial gives one record");
    return records.all().begin()->first;
  }();
  return key;
}

void check_records(const ScratchFile& file) {
  const RecordFile before(file.path());
  RecordFile records(file.path());
  records.add("a new key", "{\"x\":1}");
  const RecordFile after(file.path());
  auto expected = before.all();
  expected["a new key"] = "{\"x\":1}";
  require(after.all() == expected, "records are lost, or others, when one is added");
}

void check_cells(const ScratchFile& file) {
  Journal journal(file.path());
  CellResult cell;
  cell.rows = 10;
  cell.wrong = 3;
  cell.measures["auc"] = 0.5;
  journal.add("a cell", cell);
  const Journal again(file.path());
  const CellResult* found = again.find("a cell");
  require(found != nullptr && found->wrong == 3 && found->measures == cell.measures,
          "a cell is not found again");
}

void check_trial_log(const ScratchFile& file) {
  TrialLog log(file.path());
  const std::vector<double> errors = {0.5, 0.25};
  log.add("a trial", errors);
  const TrialLog again(file.path());
  require(again.find("a trial") != nullptr && *again.find("a trial") == errors,
          "a trial is not found again");
}

void check_search(const ScratchFile& file) {
  const SearchResult result = tune(file.path());
  require(result.trials.size() == 1, "the search lost its trial");
  const Trial& trial = result.trials[0];
  check_parameters(winner_parameters(one_trial("").parameters, trial));
  const SearchResult again = tune(file.path());
  require(again.trials.size() == 1 && again.trials[0].known &&
              again.trials[0].rounds == trial.rounds && again.trials[0].end == trial.end,
          "a trial of the journal is run again, or another one");
}

template <class Check>
void guarded(const ScratchFile& file, const std::string& content, const Check& check) {
  file.write(content);
  try {
    check(file);
  } catch (const Error&) {
    return;  // refused in a word
  }
}

void run(Bytes bytes) {
  if (bytes.empty()) return;
  static const ScratchFile file("input.jsonl");
  std::string content(text_of(bytes.subspan(1)));
  // A search takes long, and without its key it would only do its work anew.
  if (bytes[0] % 2 == 1) {
    content.insert(0, R"({"key":")" + key_of_trial() + R"(",)");
    guarded(file, content, check_search);
  }
  guarded(file, content, check_records);
  guarded(file, content, check_cells);
  guarded(file, content, check_trial_log);
}

}  // namespace

const Target kJournalTarget = {"journal", run, nullptr};

}  // namespace simplexboost::fuzz
