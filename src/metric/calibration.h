// Whether probabilities mean what they say: of all that is said with a probability of about p, a
// share of p should be true.
#pragma once

#include <array>
#include <cstddef>

namespace simplexboost {

class Calibration {
 public:
  static constexpr std::size_t kBins = 15;  // of equal width (Guo et al. 2017)

  struct Bin {
    double weight = 0;
    double probability = 0;  // sums of weight times each
    double truth = 0;
  };

  static std::size_t bin_of(double probability);

  void add(double probability, bool is_true, double weight = 1);
  void merge(const Calibration& other);

  // The expected calibration error: the mean over what was said of the distance between the share
  // that is true and the mean probability in its bin. NaN where nothing was added.
  double error() const;
  const std::array<Bin, kBins>& bins() const { return bins_; }

  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(bins_);
  }

 private:
  std::array<Bin, kBins> bins_;
};

}  // namespace simplexboost
