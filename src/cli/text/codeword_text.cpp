#include "cli/text/codeword_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text/json.h"
#include "cli/text/layout.h"

namespace simplexboost::cli {
namespace {

// K^2 d, beyond which measuring would take minutes.
constexpr double kMostWork = 1e10;

// The angle, seen from the origin, of two unit codewords at this distance.
double degrees(double distance) {
  return 2 * std::asin(std::min(distance / 2, 1.0)) * 180 / std::numbers::pi;
}

constexpr const char* kTooLarge = "not computed for so large a set";

std::string distance_text(const CodewordFigures& figures) {
  if (!figures.minimum_distance) return kTooLarge;
  const double distance = *figures.minimum_distance;
  std::string text = fmt::format("{:.6g}", distance);
  if (figures.shape.unit) text += fmt::format(" (an angle of {:.2f} degrees)", degrees(distance));
  return text;
}

std::string capacity_text(const CodewordFigures& figures) {
  if (!figures.capacity || !figures.minimum_distance) return kTooLarge;
  const double capacity = figures.capacity->value;
  if (capacity <= 1e-8 * *figures.minimum_distance) {
    return fmt::format("0: codeword {} lies between the others, its class cannot win",
                       figures.capacity->tightest_class + 1);
  }
  return fmt::format("{:.6g}, {:.1f} % of the bound {:.6g}", capacity,
                     100 * capacity / figures.bound, figures.bound);
}

}  // namespace

CodewordFigures measure_codewords(const Codebook& book, int threads) {
  CodewordFigures figures;
  figures.shape = codebook_shape(book);
  figures.bound = capacity_bound(book);
  const auto classes = static_cast<double>(book.classes());
  if (is_regular(book) || classes * classes * static_cast<double>(book.dimension()) <= kMostWork) {
    figures.minimum_distance = minimum_distance(book, threads);
    figures.capacity = margin_capacity(book, threads);
  }
  return figures;
}

std::string codewords_text(const Codebook& book, const CodewordFigures& figures) {
  return fmt::format("{}: {} codewords of dimension {}, {}, {}\n", codebook_kind_name(book.kind()),
                     book.classes(), book.dimension(), figures.shape.unit ? "unit" : "not unit",
                     figures.shape.centred ? "centred" : "not centred") +
         format_table({{"minimum distance", distance_text(figures)},
                       {"margin capacity", capacity_text(figures)}},
                      {0, 1}, 2);
}

Json codewords_json(const Codebook& book, const CodewordFigures& figures) {
  Json json{{"kind", codebook_kind_name(book.kind())},
            {"classes", book.classes()},
            {"dimension", book.dimension()},
            {"unit", figures.shape.unit},
            {"centred", figures.shape.centred},
            {"minimum_distance", nullptr},
            {"capacity", nullptr},
            {"capacity_bound", figures.bound}};
  if (figures.minimum_distance) json["minimum_distance"] = *figures.minimum_distance;
  if (figures.capacity) json["capacity"] = figures.capacity->value;
  return json;
}

}  // namespace simplexboost::cli
