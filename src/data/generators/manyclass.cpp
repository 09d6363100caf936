// Many Gaussian classes in a hierarchy, with a Bayes error of the user's choice: the benchmark for
// many classes. Centres are drawn by a random tree (super-clusters, clusters, classes), so that a
// class has a few close relatives and many distant ones, as real labels have.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/threads/parallel.h"
#include "data/generators/row_source.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDefaultClasses = 100;
constexpr std::size_t kDefaultFeatures = 20;
constexpr std::size_t kMostDefaultInformative = 32;
constexpr double kDefaultBayesError = 0.1;
constexpr std::size_t kMostClasses = 100000;
constexpr std::size_t kMostGenerated = 100000;
constexpr std::size_t kMostCoordinates = 10000000;  // classes x informative features
constexpr double kLeastBayesError = 0.001;          // the calibration sample resolves no less
constexpr double kMostOfChance = 0.95;
constexpr double kLargestValue = 1e6;  // beyond, single precision would lose the unit noise

// How far a node of the tree lies from its parent, by level: super-cluster, cluster, class.
constexpr double kSpread[] = {4, 2, 1};

struct Shape {
  std::size_t classes = kDefaultClasses;
  std::size_t features = kDefaultFeatures;
  std::size_t informative = 0;
  double bayes_error = kDefaultBayesError;
};

// Class centres: a row a feature, so that loops over classes are contiguous.
struct Centres {
  std::size_t classes = 0;
  std::vector<double> values;

  double at(std::size_t feature, std::size_t k) const { return values[feature * classes + k]; }
};

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw ParameterError("manyclass: " + otherwise);
}

Shape check_shape(const GeneratorSpec& spec) {
  Shape shape;
  shape.classes = spec.classes.value_or(shape.classes);
  shape.features = spec.features.value_or(shape.features);
  shape.bayes_error = spec.bayes_error.value_or(shape.bayes_error);
  require(shape.classes >= 2 && shape.classes <= kMostClasses,
          "classes must be from 2 to " + std::to_string(kMostClasses) + ", not " +
              std::to_string(shape.classes));
  require(shape.features >= 1 && shape.features <= kMostGenerated,
          "features must be from 1 to " + std::to_string(kMostGenerated) + ", not " +
              std::to_string(shape.features));
  shape.informative =
      spec.informative.value_or(std::min((shape.features + 1) / 2, kMostDefaultInformative));
  require(shape.informative >= 1 && shape.informative <= shape.features,
          "informative must be from 1 to the number of features, " +
              std::to_string(shape.features) + ", not " + std::to_string(shape.informative));
  require(shape.classes * shape.informative <= kMostCoordinates,
          "classes x informative features must be at most " + std::to_string(kMostCoordinates));
  // Guessing errs with probability 1 - 1 / classes; centres that coincide do no worse.
  const double most = kMostOfChance * (1 - 1 / static_cast<double>(shape.classes));
  require(shape.bayes_error >= kLeastBayesError && shape.bayes_error <= most,
          "bayes-error must be from 0.001 to " + std::to_string(most) + " for " +
              std::to_string(shape.classes) + " classes");
  return shape;
}

// Nodes of one level: each hangs on a random parent, at a normal offset from it.
Centres grow_level(Random& random, const Centres& parents, std::size_t nodes,
                   std::size_t informative, double spread) {
  Centres level{nodes, std::vector<double>(nodes * informative)};
  for (std::size_t k = 0; k < nodes; ++k) {
    const std::size_t parent = random.below(parents.classes);
    for (std::size_t j = 0; j < informative; ++j)
      level.values[j * nodes + k] = parents.at(j, parent) + spread * random.normal();
  }
  return level;
}

// K^(1/3) super-clusters, K^(2/3) clusters, K classes.
Centres draw_centres(const Shape& shape, std::uint64_t seed) {
  Random random = generator_stream(seed, GeneratorStream::kCentres, 0);
  Centres centres{1, std::vector<double>(shape.informative)};  // the root, at the origin
  const double branches = std::cbrt(static_cast<double>(shape.classes));
  const std::size_t nodes[] = {static_cast<std::size_t>(std::lround(branches)),
                               static_cast<std::size_t>(std::lround(branches * branches)),
                               shape.classes};
  for (std::size_t level = 0; level < 3; ++level)
    centres = grow_level(random, centres, nodes[level], shape.informative, kSpread[level]);
  return centres;
}

// A row of class k with noise z is at s c_k + z where centres are scaled by s. The Bayes rule is
// the nearest centre; it prefers another class j where |s (c_k - c_j) + z| < |z|, that is where s <
// -2 (c_k - c_j)'z / |c_k - c_j|^2. The largest of these bounds over j is the scale at which the
// row begins to be classified rightly.
double critical_scale(const Centres& centres, std::size_t k, const std::vector<double>& noise,
                      std::vector<double>& dot, std::vector<double>& square) {
  std::fill(dot.begin(), dot.end(), 0.0);
  std::fill(square.begin(), square.end(), 0.0);
  for (std::size_t feature = 0; feature < noise.size(); ++feature) {
    const double* row = centres.values.data() + feature * centres.classes;
    const double own = row[k];
    const double z = noise[feature];
    for (std::size_t j = 0; j < centres.classes; ++j) {
      const double difference = own - row[j];
      dot[j] += difference * z;
      square[j] += difference * difference;
    }
  }
  double largest = 0;
  for (std::size_t j = 0; j < centres.classes; ++j)
    if (square[j] > 0) largest = std::max(largest, -2 * dot[j] / square[j]);
  return largest;
}

// The scale of the centres that gives the Bayes error: the error at scale s is the share of rows
// whose critical scale is above s, hence the wanted scale is a quantile of critical scales.
double calibrate_scale(const Shape& shape, const Centres& centres, std::uint64_t seed) {
  constexpr std::size_t kWork = 400000000;
  constexpr std::size_t kChunk = 256;
  const std::size_t samples =
      std::clamp<std::size_t>(kWork / (shape.classes * shape.informative), 4000, 40000);
  std::vector<double> critical(samples);
  parallel_blocks(resolve_threads(0), samples, kChunk, [&](std::size_t begin, std::size_t end) {
    Random random = generator_stream(seed, GeneratorStream::kCalibration, begin / kChunk);
    std::vector<double> noise(shape.informative);
    std::vector<double> dot(shape.classes);
    std::vector<double> square(shape.classes);
    for (std::size_t i = begin; i < end; ++i) {
      for (double& z : noise) z = random.normal();
      // Every class in turn: less variance than drawing it.
      critical[i] = critical_scale(centres, i % shape.classes, noise, dot, square);
    }
  });
  const auto rank = critical.begin() +
                    static_cast<std::ptrdiff_t>(shape.bayes_error * static_cast<double>(samples));
  std::nth_element(critical.begin(), rank, critical.end(), std::greater<>());
  return *rank;
}

class Manyclass final : public RowSource {
 public:
  explicit Manyclass(const GeneratorSpec& spec)
      : shape_(check_shape(spec)), centres_(draw_centres(shape_, spec.seed)) {
    const double scale = calibrate_scale(shape_, centres_, spec.seed);
    double largest = 0;
    for (double& value : centres_.values) {
      value *= scale;
      largest = std::max(largest, std::abs(value));
    }
    require(largest <= kLargestValue, std::to_string(shape_.classes) +
                                          " classes lie too close in " +
                                          std::to_string(shape_.informative) +
                                          " informative features; use more features, fewer "
                                          "classes or a larger bayes-error");
  }

  Schema schema() const override {
    std::vector<std::string> names = numbered("x", 1, shape_.informative);
    for (std::string& name : numbered("noise", 1, shape_.features - shape_.informative))
      names.push_back(std::move(name));
    return generator_schema(names, numbered("", 0, shape_.classes));
  }

  void draw(Random& random, std::size_t, std::size_t count, double* features,
            std::int32_t* labels) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t label = random.below(shape_.classes);
      for (std::size_t j = 0; j < shape_.informative; ++j)
        *features++ = centres_.at(j, label) + random.normal();
      for (std::size_t j = shape_.informative; j < shape_.features; ++j)
        *features++ = random.normal();
      labels[i] = static_cast<std::int32_t>(label);
    }
  }

  double bayes_error() const override { return shape_.bayes_error; }

 private:
  Shape shape_;
  Centres centres_;
};

}  // namespace

std::unique_ptr<RowSource> make_manyclass(const GeneratorSpec& spec) {
  return std::make_unique<Manyclass>(spec);
}

}  // namespace simplexboost
