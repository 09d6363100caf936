// The options that say how to read DATA, shared by all verbs that read some.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "simplexboost/read.h"

namespace simplexboost::cli {

inline constexpr const char* kModelHelp = "Model file that train wrote.";
inline constexpr const char* kDataHelp =
    "Rows to read: .csv, .libsvm (.svm) or .arff, each also .gz; - is standard input. A pattern in "
    "quotes, as 'part-*.csv', is several files, one behind the other.";

// From what --format says; UsageError on an unknown name.
FileFormat parse_format(const std::string& name);

// How files look: --format and --no-header.
void declare_format_options(Arguments& arguments, ReadOptions& options);
// MODEL and DATA, of the verbs that have a model look at rows.
void declare_model_and_data(Arguments& arguments, std::string& model, std::string& data);
void declare_label_option(Arguments& arguments, ReadOptions& options);
void declare_weight_option(Arguments& arguments, ReadOptions& options);
void declare_label_weights_option(Arguments& arguments, ReadOptions& options);

inline constexpr const char* kNoUseOfLabelWeights =
    "figures of one label a row have no use for them; leave it out, or weigh the rows by --weight";

// How data to train on is read: label, weight, categorical and ignored columns, and the format.
void declare_training_data(Arguments& arguments, ReadOptions& options);

// UsageError unless --valid-fraction is one that leaves something to train on.
void check_valid_fraction(double fraction);

// The groups that a column says (data/rows/folds.h), by its name; it is no feature then.
std::vector<std::uint32_t> take_group_column(Dataset& data, const std::string& name);

// How rows beside DATA are read, as --valid: matched with it, and without the weights of its
// labels.
ReadOptions options_for_more(const ReadOptions& options, const Schema& schema);

// Reads and tells the person on standard error, unless `quiet`, what was noticed. Of several
// processes (cli/terminal/job.h) each reads a share.
void print_notes(const ReadNotes& notes, bool quiet);
Dataset read_with_notes(const std::string& path, const ReadOptions& options, bool quiet);

// Throws unless a file can be written at `path` later: its folder is there and writable, it is no
// folder itself and none of the inputs. Empty inputs are skipped.
void check_output_path(const std::string& path, const std::vector<std::string>& inputs);

}  // namespace simplexboost::cli
