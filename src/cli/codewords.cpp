#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "cli/arguments.h"
#include "cli/data_options.h"
#include "cli/json_output.h"
#include "cli/text.h"
#include "cli/text_output.h"
#include "cli/verb.h"
#include "codeword/capacity.h"
#include "codeword/make_codebook.h"

namespace simplexboost::cli {
namespace {

// Larger matrices are not shown, or not put on a line of JSON.
constexpr std::size_t kShownColumns = 10;
constexpr std::size_t kShownRows = 30;
constexpr std::size_t kJsonNumbers = 1'000'000;
// K^2 d, beyond which measuring would take minutes.
constexpr double kMostWork = 1e10;

struct Options {
  CodebookSpec spec;
  std::string output;
  bool json = false;
};

// What the verb tells of a set; of a very large one some is left open.
struct Figures {
  CodebookShape shape;
  std::optional<double> minimum_distance;
  std::optional<MarginCapacity> capacity;
  double bound = 0;
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
  arguments.flag("--json", options.json, "Print one JSON object instead of a text.");
  arguments.parse();
  options.spec.classes = classes;
  if (arguments.given("--dimension")) options.spec.dimension = dimension;
  const bool named =
      options.spec.kind.empty() ||
      std::ranges::find(codebook_names(), options.spec.kind) != codebook_names().end();
  if (named && !arguments.given("--classes")) throw UsageError("--classes K is missing");
  if (options.json && options.output == "-")
    throw UsageError("--json and -o - would both write to standard output");
  return options;
}

Figures measure(const Codebook& book, int threads) {
  Figures figures;
  figures.shape = codebook_shape(book);
  figures.bound = capacity_bound(book);
  const auto classes = static_cast<double>(book.classes());
  if (is_regular(book) || classes * classes * static_cast<double>(book.dimension()) <= kMostWork) {
    figures.minimum_distance = minimum_distance(book, threads);
    figures.capacity = margin_capacity(book, threads);
  }
  return figures;
}

// The angle, seen from the origin, of two unit codewords at this distance.
double degrees(double distance) {
  return 2 * std::asin(std::min(distance / 2, 1.0)) * 180 / std::numbers::pi;
}

constexpr const char* kTooLarge = "not computed for so large a set";

std::string distance_text(const Figures& figures) {
  if (!figures.minimum_distance) return kTooLarge;
  const double distance = *figures.minimum_distance;
  std::string text = fmt::format("{:.6g}", distance);
  if (figures.shape.unit) text += fmt::format(" (an angle of {:.2f} degrees)", degrees(distance));
  return text;
}

std::string capacity_text(const Figures& figures) {
  if (!figures.capacity || !figures.minimum_distance) return kTooLarge;
  const double capacity = figures.capacity->value;
  if (capacity <= 1e-8 * *figures.minimum_distance) {
    return fmt::format("0: codeword {} lies between the others, its class cannot win",
                       figures.capacity->tightest_class + 1);
  }
  return fmt::format("{:.6g}, {:.1f} % of the bound {:.6g}", capacity,
                     100 * capacity / figures.bound, figures.bound);
}

std::string figures_text(const Codebook& book, const Figures& figures) {
  return fmt::format("{}: {} codewords of dimension {}, {}, {}\n", codebook_kind_name(book.kind()),
                     book.classes(), book.dimension(), figures.shape.unit ? "unit" : "not unit",
                     figures.shape.centred ? "centred" : "not centred") +
         format_table({{"minimum distance", distance_text(figures)},
                       {"margin capacity", capacity_text(figures)}},
                      {0, 1}, 2);
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
      if (j > 0) out.buffer() += ',';
      fmt::format_to(std::back_inserter(out.buffer()), "{}", static_cast<float>(book.entry(k, j)));
      out.flush_if_large();
    }
    out.buffer() += '\n';
  }
  out.commit();
}

nlohmann::ordered_json to_json(const Codebook& book, const Figures& figures) {
  nlohmann::ordered_json json{{"kind", codebook_kind_name(book.kind())},
                              {"classes", book.classes()},
                              {"dimension", book.dimension()},
                              {"unit", figures.shape.unit},
                              {"centred", figures.shape.centred},
                              {"minimum_distance", nullptr},
                              {"capacity", nullptr},
                              {"capacity_bound", figures.bound},
                              {"codewords", nullptr}};
  if (figures.minimum_distance) json["minimum_distance"] = *figures.minimum_distance;
  if (figures.capacity) json["capacity"] = figures.capacity->value;
  if (book.dimension() > kJsonNumbers / book.classes()) return json;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < book.classes(); ++k) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
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
  const Codebook book = make_codebook(options.spec);
  if (!options.output.empty()) write_matrix(book, options.output);
  if (options.output == "-") return kOk;
  const Figures figures = measure(book, options.spec.threads);
  if (options.json) {
    print_json(to_json(book, figures));
  } else {
    fmt::print("{}{}", figures_text(book, figures), to_file ? "" : matrix_text(book));
  }
  return kOk;
}

}  // namespace

const Verb kCodewordsVerb{
    "codewords",
    "make the vectors that stand for the classes, and judge them",
    "--classes K [--dimension D] [--kind NAME] [-o FILE]",
    "Makes a set of codewords and tells its minimum distance and its margin capacity, the largest "
    "margin that every class can have, beside the largest that any set of such norms can have.",
    "  simplexboost codewords --classes 10\n"
    "  simplexboost codewords --classes 100 --dimension 16 -o codewords.csv\n"
    "  simplexboost codewords --kind codewords.csv",
    run,
};

}  // namespace simplexboost::cli
