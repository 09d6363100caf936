#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <optional>

#include "base/stop.h"
#include "cli/options/arguments.h"
#include "cli/options/data_options.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "simplexboost/generate.h"

namespace simplexboost::cli {
namespace generate_verb {
namespace {

struct Options {
  GeneratorSpec spec;
  std::string output = "-";
  FileFormat format = FileFormat::kAuto;
  int threads = 0;
  bool quiet = false;
};

std::string generator_list() {
  std::string text = "The data set: ";
  for (const GeneratorInfo& info : generators()) {
    const bool last = &info == &generators().back();
    text += fmt::format("{} ({}){}", info.name, info.summary, last ? "." : "; ");
  }
  return text;
}

// Options that a generator may not know are set only where they are given.
template <class T>
struct Given {
  std::string name;
  T value{};
  std::optional<T>* target;
};

Options parse(Arguments& arguments) {
  Options options;
  GeneratorSpec& spec = options.spec;
  Given<std::uint64_t> counts[] = {
      {"--rows", 0, &spec.rows},         {"--classes", 0, &spec.classes},
      {"--features", 0, &spec.features}, {"--informative", 0, &spec.informative},
      {"--values", 0, &spec.values},     {"--topics", 0, &spec.topics},
      {"--words", 0, &spec.words}};
  Given<double> bayes_error{"--bayes-error", 0, &spec.bayes_error};
  arguments.positional("NAME", spec.name, generator_list());
  arguments.required();
  arguments.option("--rows", "N", counts[0].value,
                   "How many rows; the default is the generator's.");
  arguments.option("--seed", "N", spec.seed, "Another seed, other rows.");
  arguments.option("--label-noise", "P", spec.label_noise,
                   "Replace each label with this probability by another class.");
  arguments.option("-o,--output", "FILE", options.output,
                   "Where to write: .csv, .libsvm, .svm or .arff, each also .gz; - is standard "
                   "output, as CSV.");
  arguments.custom(
      "--format", "NAME",
      [&options](const std::string& name) { options.format = parse_format(name); },
      "csv, libsvm or arff, whatever the file is called.");
  arguments.option("--threads", "N", options.threads, "Threads to use; 0 is all cores.");
  arguments.flag("--quiet", options.quiet, "No notes on standard error.");
  arguments.group("Options of text");
  arguments.option("--topics", "N", counts[5].value,
                   "Number of topics, the classes; 20 by default.");
  arguments.option("--words", "N", counts[6].value,
                   "Words of a text on the average; 80 by default.");
  arguments.group("Options of manyclass and names");
  arguments.option("--classes", "N", counts[1].value,
                   "Number of classes, by default 100, or 5 of names.");
  arguments.option("--features", "N", counts[2].value,
                   "Number of features, by default 20, or 3 of names; of text 50,000.");
  arguments.option(
      "--informative", "N", counts[3].value,
      "manyclass: features that tell the classes apart, by default half of them and at "
      "most 32; the others are noise.");
  arguments.option("--bayes-error", "E", bayes_error.value,
                   "manyclass: error of the best possible classifier, before label noise; 0.1 by "
                   "default.");
  arguments.option("--values", "N", counts[4].value,
                   "names: values of each feature, 10,000 by default.");
  arguments.parse();
  for (const auto& count : counts)
    if (arguments.given(count.name)) *count.target = count.value;
  if (arguments.given(bayes_error.name)) *bayes_error.target = bayes_error.value;
  return options;
}

// On standard error, as the data may be on standard output.
void note_bayes_error(const RowGenerator& generator) {
  const auto error = generator.bayes_error();
  if (!error) return;
  print_note(fmt::format("the Bayes error, the best that any classifier can reach, is {:.2f} %",
                         100 * *error));
}

int run(Arguments& arguments) {
  const Options options = parse(arguments);
  const auto generator = make_generator(options.spec);
  if (options.output == "-") {
    std::ios::sync_with_stdio(false);
    write_generated(*generator, std::cout, options.format, options.threads);
  } else {
    try {
      write_generated(*generator, options.output, options.format, options.threads);
    } catch (const Stopped&) {
      print_note(fmt::format("interrupted; '{}' is as it was", options.output));
      return kInterrupted;
    }
  }
  if (!options.quiet) note_bayes_error(*generator);
  return kOk;
}

}  // namespace
}  // namespace generate_verb

const Verb kGenerateVerb{
    "generate",
    "make a built-in data set",
    "NAME [--rows N] [-o FILE]",
    "Makes rows of a known distribution, for a first try or a benchmark: the same rows for the "
    "same seed, more of them for more --rows. Writes the error of the best possible classifier to "
    "standard error.",
    "  simplexboost generate gaussian3 --rows 1000 -o train.csv\n"
    "  simplexboost generate led --rows 1000000 --label-noise 0.1 --seed 7 -o led.csv.gz\n"
    "  simplexboost generate manyclass --classes 500 --features 40 --bayes-error 0.05 -o many.csv\n"
    "  simplexboost generate names --values 1000 --classes 10 -o names.csv\n"
    "  simplexboost generate text --rows 100000 --topics 20 -o text.libsvm",
    generate_verb::run,
};

}  // namespace simplexboost::cli
