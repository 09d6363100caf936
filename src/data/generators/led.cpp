// The digits of a seven-segment display whose segments fail one time in ten (Breiman, Friedman,
// Olshen, Stone: Classification and Regression Trees, 1984), the papers' `digitbreiman`.
#include <algorithm>
#include <array>
#include <string_view>

#include "data/generators/row_source.h"

namespace simplexboost {
namespace {

constexpr std::size_t kSegments = 7;
constexpr double kInverted = 0.1;
// Segments in the order top, upper left, upper right, middle, lower left, lower right, bottom.
constexpr std::array<std::string_view, 10> kDigits = {"1110111", "0010010", "1011101", "1011011",
                                                      "0111010", "1101011", "1101111", "1010010",
                                                      "1111111", "1111011"};

class Led final : public RowSource {
 public:
  Schema schema() const override {
    return generator_schema(numbered("segment", 1, kSegments), numbered("", 0, kDigits.size()));
  }

  void draw(Random& random, std::size_t, std::size_t count, double* features,
            std::int32_t* labels) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t label = random.below(kDigits.size());
      for (const char segment : kDigits[label])
        *features++ = (segment == '1') != (random.uniform() < kInverted) ? 1 : 0;
      labels[i] = static_cast<std::int32_t>(label);
    }
  }

  // Exact: over all that the display can show.
  double bayes_error() const override {
    double right = 0;
    for (unsigned shown = 0; shown < 1U << kSegments; ++shown) {
      double largest = 0;
      for (const std::string_view digit : kDigits)
        largest = std::max(largest, probability(shown, digit));
      right += largest / static_cast<double>(kDigits.size());
    }
    return 1 - right;
  }

 private:
  static double probability(unsigned shown, std::string_view digit) {
    double product = 1;
    for (std::size_t j = 0; j < kSegments; ++j) {
      const bool inverted = ((shown >> j) & 1U) != (digit[j] == '1' ? 1U : 0U);
      product *= inverted ? kInverted : 1 - kInverted;
    }
    return product;
  }
};

}  // namespace

std::unique_ptr<RowSource> make_led(const GeneratorSpec&) { return std::make_unique<Led>(); }

}  // namespace simplexboost
