#include "bindings/custom_loss.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::string name_of(const nb::object& object) {
  const nb::object name = nb::getattr(object, "__name__", nb::none());
  if (nb::isinstance<nb::str>(name)) return nb::cast<std::string>(name);
  return nb::cast<std::string>(nb::getattr(object.type(), "__name__"));
}

// Copies `size` numbers of whatever can be made an array of doubles.
void copy_numbers(const nb::handle& values, std::size_t size, double* out, const char* what) {
  const nb::object array =
      nb::module_::import_("numpy").attr("ascontiguousarray")(values, "float64").attr("ravel")();
  const auto numbers = nb::cast<Doubles>(array);
  if (numbers.size() != size)
    throw ParameterError(
        fmt::format("{} gives {} numbers where {} are needed", what, numbers.size(), size));
  std::copy_n(numbers.data(), size, out);
}

class PythonPair : public GammaPhi {
 public:
  explicit PythonPair(const nb::object& pair) : pair_(hold(pair)), name_(name_of(pair)) {}

  std::string name() const override { return name_; }
  double gamma(double s) const override { return at("gamma", s, &Curve::value); }
  double gamma_slope(double s) const override { return at("gamma", s, &Curve::slope); }
  double gamma_curvature(double s) const override { return at("gamma", s, &Curve::curvature); }
  double phi(double v) const override { return at("phi", v, &Curve::value); }
  double phi_slope(double v) const override { return at("phi", v, &Curve::slope); }
  double phi_curvature(double v) const override { return at("phi", v, &Curve::curvature); }
  void gamma_curve(std::span<const double> s, const Curve& out) const override {
    call("gamma", s, out);
  }
  void phi_curve(std::span<const double> v, const Curve& out) const override {
    call("phi", v, out);
  }

 private:
  double at(const char* function, double x, double* Curve::*part) const {
    double result = 0;
    Curve out;
    out.*part = &result;
    call(function, {&x, 1}, out);
    return result;
  }

  void call(const char* function, std::span<const double> x, const Curve& out) const {
    const nb::gil_scoped_acquire lock;
    const nb::object answer =
        pair_->attr(function)(to_array(std::vector<double>(x.begin(), x.end())));
    if (!nb::isinstance<nb::sequence>(answer) || nb::len(answer) != 3)
      throw ParameterError(
          fmt::format("loss: {} must give three arrays: values, slopes, curvatures", function));
    double* const parts[] = {out.value, out.slope, out.curvature};
    for (std::size_t i = 0; i < 3; ++i)
      if (parts[i]) copy_numbers(answer[i], x.size(), parts[i], function);
  }

  std::shared_ptr<nb::object> pair_;
  std::string name_;
};

class PythonObjective : public Objective {
 public:
  explicit PythonObjective(const nb::object& objective)
      : objective_(hold(objective)),
        name_(name_of(objective)),
        has_losses_(nb::hasattr(objective, "losses")) {}

  std::string name() const override { return name_; }
  bool has_losses() const override { return has_losses_; }

  void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
    const nb::gil_scoped_acquire lock;
    const nb::object answer = (*objective_)(labels(rows), scores(rows));
    if (!nb::isinstance<nb::sequence>(answer) || nb::len(answer) != 2)
      throw ParameterError("objective: it must give two arrays, pulls and curvature");
    copy_floats(answer[0], rows, pulls);
    if (curvature) copy_floats(answer[1], rows, curvature);
  }

  void losses(const ObjectiveRows& rows, double* losses) const override {
    const nb::gil_scoped_acquire lock;
    copy_numbers(objective_->attr("losses")(labels(rows), scores(rows)), rows.rows, losses,
                 "losses");
  }

 private:
  static nb::object labels(const ObjectiveRows& rows) {
    return nb::cast(to_array(std::vector<std::int32_t>(rows.labels, rows.labels + rows.rows)));
  }
  static nb::object scores(const ObjectiveRows& rows) {
    return nb::cast(
        to_array<float, 2>(std::vector<float>(rows.scores, rows.scores + rows.rows * rows.classes),
                           {rows.rows, rows.classes}));
  }
  static void copy_floats(const nb::handle& values, const ObjectiveRows& rows, float* out) {
    std::vector<double> numbers(rows.rows * rows.classes);
    copy_numbers(values, numbers.size(), numbers.data(), "objective");
    std::transform(numbers.begin(), numbers.end(), out,
                   [](double x) { return static_cast<float>(x); });
  }

  std::shared_ptr<nb::object> objective_;
  std::string name_;
  bool has_losses_;
};

}  // namespace

std::shared_ptr<const GammaPhi> make_pair(const nb::object& pair) {
  for (const char* function : {"gamma", "phi"})
    if (!nb::hasattr(pair, function))
      throw ParameterError(fmt::format(
          "loss: give the name of one, or an object with gamma and phi; {} is missing", function));
  return std::make_shared<const PythonPair>(pair);
}

std::shared_ptr<const Objective> make_objective(const nb::object& objective) {
  if (PyCallable_Check(objective.ptr()) == 0)
    throw ParameterError("objective: it must be a function of labels and scores");
  return std::make_shared<const PythonObjective>(objective);
}

}  // namespace simplexboost::python
