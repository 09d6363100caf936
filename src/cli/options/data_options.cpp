#include "cli/options/data_options.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text/nearest_name.h"
#include "base/text/visible_text.h"
#include "cli/terminal/job.h"
#include "cli/terminal/waiting_line.h"
#include "cli/text/output.h"
#include "data/readers/share_reader.h"
#include "data/rows/folds.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {
namespace fs = std::filesystem;

FileFormat parse_format(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, FileFormat>, 5> kFormats{{
      {"auto", FileFormat::kAuto},
      {"csv", FileFormat::kCsv},
      {"libsvm", FileFormat::kLibsvm},
      {"svm", FileFormat::kLibsvm},
      {"arff", FileFormat::kArff},
  }};
  std::vector<std::string_view> names;
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
    names.push_back(known);
  }
  throw UsageError("--format: " + unknown_name_message("format", name, names));
}

void declare_format_options(Arguments& arguments, ReadOptions& options) {
  arguments.custom(
      "--format", "NAME",
      [&options](const std::string& name) { options.format = parse_format(name); },
      "csv, libsvm or arff; by default what the file's name says, and CSV for standard input.");
  arguments.custom_flag(
      "--no-header", [&options] { options.header = false; },
      "The first line of a CSV file holds data, not names: columns go by position, from 1.");
}

void declare_model_and_data(Arguments& arguments, std::string& model, std::string& data) {
  arguments.positional("MODEL", model, kModelHelp);
  arguments.required();
  arguments.positional("DATA", data, kDataHelp);
  arguments.required();
}

void declare_label_option(Arguments& arguments, ReadOptions& options) {
  arguments.list("--label", "COLUMN", options.label,
                 "Column that holds the class, by name or position from 1; by default 'class', "
                 "else the last one.");
}

void declare_weight_option(Arguments& arguments, ReadOptions& options) {
  arguments.option("--weight", "COLUMN", options.weight,
                   "Column that holds the weights of the rows.");
}

void declare_label_weights_option(Arguments& arguments, ReadOptions& options) {
  arguments.option("--label-weights", "FILE", options.label_weights,
                   "CSV file of weights for each row and class: a line of class names, in any "
                   "order, then a line for each row of DATA; 0: the row does not say. For "
                   "adaboost-mh and one-vs-all.");
}

void declare_training_data(Arguments& arguments, ReadOptions& options) {
  arguments.group("Data");
  declare_label_option(arguments, options);
  declare_weight_option(arguments, options);
  declare_label_weights_option(arguments, options);
  arguments.list("--categorical", "COLUMNS", options.categorical,
                 "Columns to take as categories even if they hold numbers: a,b or several times.");
  arguments.list("--ignore", "COLUMNS", options.ignore, "Columns to leave out.");
  declare_format_options(arguments, options);
}

void check_valid_fraction(double fraction) {
  constexpr double kLargestFraction = 0.9;
  // Written so that NaN fails.
  if (fraction >= 0 && fraction <= kLargestFraction) return;
  throw UsageError(fmt::format("--valid-fraction: '{}' is out of range; give a number from 0 to {}",
                               fraction, kLargestFraction));
}

std::vector<std::uint32_t> take_group_column(Dataset& data, const std::string& name) {
  std::vector<std::string_view> names;
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const std::string& known = data.columns[j].schema.name;
    names.push_back(known);
    if (known != name) continue;
    std::vector<std::uint32_t> groups = group_numbers(data.columns[j], data.rows);
    data.columns.erase(data.columns.begin() + static_cast<std::ptrdiff_t>(j));
    return groups;
  }
  throw UsageError("--group: " + unknown_name_message("column", name, names));
}

ReadOptions options_for_more(const ReadOptions& options, const Schema& schema) {
  ReadOptions more = options;
  more.schema = &schema;
  more.label_weights.clear();
  return more;
}

void print_notes(const ReadNotes& notes, bool quiet) {
  if (quiet) return;
  for (const std::string& line : notes.lines) print_note(line);
}

Dataset read_with_notes(const std::string& path, const ReadOptions& options, bool quiet) {
  ReadNotes notes;
  Communicator& ranks = job_ranks();
  const bool typed = path == "-" && ::isatty(STDIN_FILENO) != 0;
  std::optional<WaitingLine> line(
      std::in_place, "reading " + (path == "-" ? "standard input" : visible_text(path)),
      error_terminal(), quiet || typed);
  Dataset data = ranks.size() > 1 || is_pattern(path) ? read_share(path, options, ranks, &notes)
                                                      : read_dataset(path, options, &notes);
  line.reset();
  print_notes(notes, quiet);
  return data;
}

void check_output_path(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) throw IoError("the name of the file to write is empty");
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw IoError(fmt::format("cannot write '{}': it is a folder; give a file name", path));
  }
  for (const std::string& input : inputs) {
    if (!input.empty() && fs::equivalent(path, input, ignored)) {
      throw IoError(fmt::format("cannot write '{}': this would replace an input file", path));
    }
  }
  // A name that is too long, a file in the place of a folder.
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 && errno != ENOENT) {
    throw IoError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)), errno);
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  // Something that is there and no plain file (/dev/null) is written in place.
  const bool in_place = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  const std::string target = in_place ? path : folder.string();
  if (::access(target.c_str(), in_place ? W_OK : W_OK | X_OK) != 0) {
    throw IoError(fmt::format("cannot write '{}': {}: {}", path, target, std::strerror(errno)));
  }
}

}  // namespace simplexboost::cli
