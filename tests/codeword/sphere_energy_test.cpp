#include "codeword/sphere_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace simplexboost {
namespace {

constexpr std::size_t kPoints = 30;
constexpr std::size_t kDimension = 4;

// Over all pairs, by the formula.
long double naive(const std::vector<double>& x, double p) {
  std::vector<std::vector<long double>> y(kPoints, std::vector<long double>(kDimension));
  std::vector<long double> centre(kDimension);
  for (std::size_t k = 0; k < kPoints; ++k) {
    long double square = 0;
    for (std::size_t j = 0; j < kDimension; ++j)
      square += static_cast<long double>(x[k * kDimension + j]) * x[k * kDimension + j];
    for (std::size_t j = 0; j < kDimension; ++j) {
      y[k][j] = x[k * kDimension + j] / std::sqrt(square);
      centre[j] += y[k][j];
    }
  }
  long double sum = 0;
  for (std::size_t k = 0; k < kPoints; ++k)
    for (std::size_t l = 0; l < kPoints; ++l) {
      if (l == k) continue;
      long double cosine = 0;
      for (std::size_t j = 0; j < kDimension; ++j) cosine += y[k][j] * y[l][j];
      sum += std::exp(p * (cosine - 1));
    }
  long double energy = 1 + std::log(sum) / p;
  for (const long double c : centre) energy += SphereEnergy::kCentring / 2 * c * c;
  return energy;
}

std::vector<double> random_points(Random& random) {
  std::vector<double> x(kPoints * kDimension);
  for (double& value : x) value = random.normal();
  return x;
}

// Steps of all sizes, so that lists of neighbours serve for a while and are made anew.
TEST(SphereEnergy, IsThatOfAllPairsWhereverThePointsGo) {
  Random random(1);
  for (const double p : {1.0, 20.0, 300.0, 5000.0}) {
    SphereEnergy energy(kPoints, kDimension, 1);
    energy.set_sharpness(p);
    std::vector<double> x = random_points(random);
    normalise_points(x, kDimension);
    std::vector<double> gradient(x.size());
    for (int step = 0; step < 200; ++step) {
      const double size = std::pow(10.0, -4 * random.uniform()) * 10 / p;
      for (double& value : x) value += size * random.normal();
      EXPECT_NEAR(energy(x, gradient), static_cast<double>(naive(x, p)), 1e-11) << p << " " << step;
    }
  }
}

TEST(SphereEnergy, ItsGradientIsThatOfDifferences) {
  Random random(2);
  for (const double p : {1.0, 20.0, 300.0}) {
    SphereEnergy energy(kPoints, kDimension, 1);
    energy.set_sharpness(p);
    std::vector<double> x = random_points(random);
    std::vector<double> gradient(x.size());
    energy(x, gradient);
    const double h = 1e-4 / p;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<double> up = x;
      std::vector<double> down = x;
      up[i] += h;
      down[i] -= h;
      const auto slope = static_cast<double>((naive(up, p) - naive(down, p)) / (up[i] - down[i]));
      EXPECT_NEAR(gradient[i], slope, 1e-6 * (1 + std::abs(slope)));
    }
  }
}

TEST(SphereEnergy, DoesNotDependOnThreads) {
  Random random(3);
  const std::vector<double> x = random_points(random);
  std::vector<double> one(x.size());
  std::vector<double> four(x.size());
  SphereEnergy alone(kPoints, kDimension, 1);
  SphereEnergy together(kPoints, kDimension, 4);
  alone.set_sharpness(100);
  together.set_sharpness(100);
  EXPECT_EQ(alone(x, one), together(x, four));
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace simplexboost
