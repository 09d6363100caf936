// The mean of -log(probability given to the true class), in nats: small where the model is right
// and says so, large where it is wrong and sure.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace simplexboost {

class LogLoss {
 public:
  // A probability below this counts as this, so that one sure mistake does not make it infinite;
  // a class that the model does not know has probability 0.
  static constexpr double kFloor = 1e-15;

  void add(double probability_of_truth, double weight = 1) {
    // Written so that NaN counts as 0.
    const double probability = probability_of_truth > kFloor ? probability_of_truth : kFloor;
    sum_ -= weight * std::log(std::min(probability, 1.0));
    total_ += weight;
  }

  void merge(const LogLoss& other) {
    sum_ += other.sum_;
    total_ += other.total_;
  }

  // NaN where there are no rows.
  double value() const {
    return total_ > 0 ? sum_ / total_ : std::numeric_limits<double>::quiet_NaN();
  }

  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(sum_)(total_);
  }

 private:
  double sum_ = 0;
  double total_ = 0;
};

}  // namespace simplexboost
