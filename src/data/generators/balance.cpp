// The balance scale (Siegler 1976; UCI "Balance Scale"): every combination of weights and distances
// 1 to 5 on both arms, and the side to which the scale tips.
#include "data/generators/row_source.h"

namespace simplexboost {
namespace {

constexpr std::size_t kValues = 5;

class Balance final : public RowSource {
 public:
  Schema schema() const override {
    return generator_schema({"left-weight", "left-distance", "right-weight", "right-distance"},
                            {"L", "B", "R"});
  }

  // Rows in the order of the UCI file: the last column counts fastest.
  void draw(Random&, std::size_t first, std::size_t count, double* features,
            std::int32_t* labels) const override {
    for (std::size_t i = 0; i < count; ++i, features += 4) {
      std::size_t rest = first + i;
      for (std::size_t j = 4; j-- > 0; rest /= kValues)
        features[j] = static_cast<double>(rest % kValues + 1);
      const double left = features[0] * features[1];
      const double right = features[2] * features[3];
      labels[i] = left > right ? 0 : left == right ? 1 : 2;
    }
  }

  double bayes_error() const override { return 0; }
};

}  // namespace

std::unique_ptr<RowSource> make_balance(const GeneratorSpec&) {
  return std::make_unique<Balance>();
}

}  // namespace simplexboost
