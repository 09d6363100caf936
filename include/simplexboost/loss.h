// Losses of one's own. A gamma-phi loss (jmlr2019, section 4) judges the class scores u of an
// example of class c by  L = gamma( sum over the other classes l of phi(u_c - u_l) ):  two
// functions of one number, with their derivatives, are all that must be written.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace simplexboost {

// phi must be positive and decreasing, gamma increasing on the positive numbers; both twice
// differentiable. The built-in exponential loss is gamma(s) = s, phi(v) = e^-v; the logistic one
// gamma(s) = log(1 + s), phi(v) = e^-2v.
class GammaPhi {
 public:
  virtual ~GammaPhi() = default;

  virtual std::string name() const = 0;

  virtual double gamma(double s) const = 0;
  virtual double gamma_slope(double s) const = 0;      // gamma'
  virtual double gamma_curvature(double s) const = 0;  // gamma''

  virtual double phi(double v) const = 0;
  virtual double phi_slope(double v) const = 0;      // phi'
  virtual double phi_curvature(double v) const = 0;  // phi''
};

// Throws a ParameterError that says what is wrong if, at a few points, a function has no value,
// runs the wrong way, or a derivative is not that of its function.
void check(const GammaPhi& pair);

// The class probabilities for which the scores `u` minimise the expected loss: the solution of
// jmlr2019 (101), Theorem 7.
std::vector<double> posterior(const GammaPhi& pair, std::span<const double> scores);

}  // namespace simplexboost
