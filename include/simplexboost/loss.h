// Losses of one's own: a gamma-phi pair, or any objective that can be differentiated. Both are
// given to training by TrainOptions; docs/losses.md tells more, examples/custom_loss is a program.
//
// A gamma-phi loss (jmlr2019, section 4) judges the class scores u of an example of class c by
// L = gamma( sum over the other classes l of phi(u_c - u_l) ):  two functions of one number, with
// their derivatives, are all that must be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// The names of the built-in losses.
SIMPLEXBOOST_API std::span<const std::string_view> loss_names();

// Where the values of a function go, and those of its derivatives; null: not wanted.
struct Curve {
  double* value = nullptr;
  double* slope = nullptr;
  double* curvature = nullptr;
};

// phi must be positive and decreasing, gamma increasing on the positive numbers; both twice
// differentiable. The built-in exponential loss is gamma(s) = s, phi(v) = e^-v; the logistic one
// gamma(s) = log(1 + s), phi(v) = e^-2v. Training calls them from several threads at once.
class SIMPLEXBOOST_API GammaPhi {
 public:
  virtual ~GammaPhi() = default;

  virtual std::string name() const = 0;

  virtual double gamma(double s) const = 0;
  virtual double gamma_slope(double s) const = 0;      // gamma'
  virtual double gamma_curvature(double s) const = 0;  // gamma''

  virtual double phi(double v) const = 0;
  virtual double phi_slope(double v) const = 0;      // phi'
  virtual double phi_curvature(double v) const = 0;  // phi''

  // The same for many numbers at once. Training calls these; override them where a call costs more
  // than its arithmetic, as one of an interpreter does.
  virtual void gamma_curve(std::span<const double> s, const Curve& out) const;
  virtual void phi_curve(std::span<const double> v, const Curve& out) const;
};

// Throws a ParameterError that says what is wrong if, at a few points, a function has no value,
// runs the wrong way, or a derivative is not that of its function.
SIMPLEXBOOST_API void check(const GammaPhi& pair);

// The class probabilities for which the scores `u` minimise the expected loss: the solution of
// jmlr2019 (101), Theorem 7.
SIMPLEXBOOST_API std::vector<double> posterior(const GammaPhi& pair,
                                               std::span<const double> scores);

// What an objective looks at. The scores are those that Model::predict_scores gives.
struct ObjectiveRows {
  std::size_t rows = 0;
  std::size_t classes = 0;
  const float* scores = nullptr;         // rows x classes
  const std::int32_t* labels = nullptr;  // 0 .. classes - 1
};

// Any loss of the class scores of a row, known by its derivatives. Weights of rows and classes are
// no matter of it: training multiplies what it says by them. It is asked once a round, and in line
// searches a few times more, always for all training rows (losses() also for all validation rows),
// on the thread that called train().
class SIMPLEXBOOST_API Objective {
 public:
  virtual ~Objective() = default;

  virtual std::string name() const = 0;

  // Writes minus the slope of each row's loss in each of its class scores and, unless null, the
  // curvature there, not negative: both rows x classes. Anything that is not finite ends training
  // with a ModelError.
  virtual void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const = 0;

  // The loss of each row, where it is known; else newton steps are taken as they come, and
  // cd-mcboost cannot compare components.
  virtual bool has_losses() const { return false; }
  virtual void losses(const ObjectiveRows& /*rows*/, double* /*losses*/) const {}
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
