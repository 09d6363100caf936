#include <fmt/format.h>

#include <algorithm>

#include "base/stop.h"
#include "base/text/json.h"
#include "cli/options/arguments.h"
#include "cli/options/data_options.h"
#include "cli/text/codeword_text.h"
#include "cli/text/layout.h"
#include "cli/text/output.h"
#include "cli/verb.h"
#include "codeword/make_codebook.h"
#include "experiment/codeword_picture.h"

namespace simplexboost::cli {
namespace codewords_verb {
namespace {

// Larger matrices are not shown, or not put on a line of JSON.
constexpr std::size_t kShownColumns = 10;
constexpr std::size_t kShownRows = 30;
constexpr std::size_t kJsonNumbers = 1'000'000;

struct Options {
  CodebookSpec spec;
  std::string output;
  std::string picture;
  std::string contours;
  bool json = false;
};

Options parse(Arguments& arguments) {
  Options options;
  std::uint64_t classes = 0;
  std::uint64_t dimension = 0;
  arguments.option("--classes", "K", classes,
                   "Number of classes; not needed with a file, checked where given.");
  arguments.option("--dimension", "D", dimension,
                   "Length of a codeword. Given alone and below K - 1, it means maxmin.");
  arguments.option("--kind", "NAME", options.spec.kind,
                   fmt::format("{}; or a CSV file without a header, a line for each class. By "
                               "default simplex.",
                               fmt::join(codebook_names(), ", ")));
  arguments.option("--seed", "N", options.spec.seed,
                   "Another seed, another maxmin, random or random-sparse set.");
  arguments.option("--threads", "N", options.spec.threads, "Threads to use; 0 is all cores.");
  arguments.option("-o,--output", "FILE", options.output,
                   "Write the codewords to this file, as --kind FILE reads them; - is standard "
                   "output, without the figures.");
  arguments.option("--picture", "FILE", options.picture,
                   "Draw the codewords, of at most three dimensions, into this SVG file.");
  arguments.option(
      "--contours", "LOSS", options.contours,
      fmt::format("With --picture and codewords of two dimensions: draw where the loss "
                  "of class 1 is the same, and where classes meet. One of {}.",
                  fmt::join(drawn_losses(), ", ")));
  arguments.flag("--json", options.json, "Print one JSON object instead of a text.");
  arguments.parse();
  options.spec.classes = classes;
  if (arguments.given("--dimension")) options.spec.dimension = dimension;
  const bool named =
      options.spec.kind.empty() ||
      std::ranges::find(codebook_names(), options.spec.kind) != codebook_names().end();
  if (named && !arguments.given("--classes")) throw UsageError("--classes K is missing");
  if (!options.contours.empty() && options.picture.empty())
    throw UsageError("--contours needs --picture FILE");
  if (options.picture == "-") throw UsageError("--picture: give a file, not -");
  if (options.json && options.output == "-")
    throw UsageError("--json and -o - would both write to standard output");
  return options;
}

std::string matrix_text(const Codebook& book) {
  if (book.classes() > kShownRows || book.dimension() > kShownColumns)
    return "\nWrite the codewords to a file with -o FILE.\n";
  std::vector<std::vector<std::string>> rows{{"CLASS"}};
  for (std::size_t j = 0; j < book.dimension(); ++j) rows[0].push_back(fmt::format("{}", j + 1));
  for (std::size_t k = 0; k < book.classes(); ++k) {
    rows.push_back({fmt::format("{}", k + 1)});
    for (std::size_t j = 0; j < book.dimension(); ++j)
      rows.back().push_back(fmt::format("{:.4f}", book.entry(k, j)));
  }
  return "\n" + format_table(rows, {}, 2);
}

void write_matrix(const Codebook& book, const std::string& path) {
  TextOutput out(path);
  for (std::size_t k = 0; k < book.classes(); ++k) {
    for (std::size_t j = 0; j < book.dimension(); ++j) {
      check_stop();
      if (j > 0) out.buffer() += ',';
      fmt::format_to(std::back_inserter(out.buffer()), "{}", static_cast<float>(book.entry(k, j)));
      out.flush_if_large();
    }
    out.buffer() += '\n';
  }
  out.commit();
}

void write_picture(const Codebook& book, const Options& options) {
  const std::size_t most = options.contours.empty() ? kMostDrawnDimensions : 2;
  if (book.dimension() > most || (!options.contours.empty() && book.dimension() != 2))
    throw UsageError(fmt::format("--{}: these codewords have {} dimensions, not {}",
                                 options.contours.empty() ? "picture" : "contours",
                                 book.dimension(), options.contours.empty() ? "1 to 3" : "2"));
  const std::vector<float> matrix = book.matrix();
  TextOutput out(options.picture);
  out.buffer() += svg_text(options.contours.empty() ? codeword_plot(matrix, book.dimension())
                                                    : contour_plot(matrix, options.contours));
  out.commit();
}

Json to_json(const Codebook& book, const CodewordFigures& figures) {
  Json json = codewords_json(book, figures);
  json["codewords"] = nullptr;
  if (book.dimension() > kJsonNumbers / book.classes()) return json;
  Json rows = Json::array();
  for (std::size_t k = 0; k < book.classes(); ++k) {
    Json row = Json::array();
    for (std::size_t j = 0; j < book.dimension(); ++j) row.push_back(book.entry(k, j));
    rows.push_back(std::move(row));
  }
  json["codewords"] = std::move(rows);
  return json;
}

int run(Arguments& arguments) {
  const Options options = parse(arguments);
  const bool to_file = !options.output.empty() && options.output != "-";
  if (to_file) check_output_path(options.output, {options.spec.kind});
  if (!options.picture.empty())
    check_output_path(options.picture, {options.spec.kind, options.output});
  const Codebook book = make_codebook(options.spec);
  if (!options.picture.empty()) write_picture(book, options);
  if (!options.output.empty()) write_matrix(book, options.output);
  if (options.output == "-") return kOk;
  const CodewordFigures figures = measure_codewords(book, options.spec.threads);
  if (options.json) {
    print_json(to_json(book, figures));
  } else {
    fmt::print("{}{}", codewords_text(book, figures), to_file ? "" : matrix_text(book));
  }
  return kOk;
}

}  // namespace
}  // namespace codewords_verb

const Verb kCodewordsVerb{
    "codewords",
    "make the vectors that stand for the classes, and judge them",
    "--classes K [--dimension D] [--kind NAME] [-o FILE] [--picture FILE]",
    "Makes a set of codewords and tells its minimum distance and its margin capacity, the largest "
    "margin that every class can have, beside the largest that any set of such norms can have.",
    "  simplexboost codewords --classes 10\n"
    "  simplexboost codewords --classes 100 --dimension 16 -o codewords.csv\n"
    "  simplexboost codewords --classes 3 --picture losses.svg --contours exponential\n"
    "  simplexboost codewords --kind codewords.csv",
    codewords_verb::run,
};

}  // namespace simplexboost::cli
