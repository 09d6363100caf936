#include "bindings/report.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/interrupt.h"
#include "bindings/table.h"
#include "report/facts/class_order.h"
#include "simplexboost/report.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

std::string make_report(const Model& model, const Table& table, const Table* train,
                        const std::optional<MatrixView32>& proba, const std::string& dashboard,
                        int threads, std::uint64_t seed) {
  ReportOptions options;
  options.threads = threads;
  options.seed = seed;
  if (train) options.train = &train->data();
  if (!dashboard.empty()) options.times = dashboard_times(dashboard);
  Matrix given;
  if (proba) {
    given = Matrix{proba->shape(0), proba->shape(1), {}};
    given.values.assign(proba->data(), proba->data() + proba->size());
    options.probabilities = &given;
  }
  return unlocked([&] { return report_html(model, table.data(), options); });
}

std::string make_comparison(const Model& first, const Table& first_table,
                            const std::string& first_name, const Model& second,
                            const Table& second_table, const std::string& second_name, int threads,
                            std::uint64_t seed) {
  ReportOptions options;
  options.threads = threads;
  options.seed = seed;
  return unlocked([&] {
    return compare_html({first_name, first, first_table.data()},
                        {second_name, second, second_table.data()}, options);
  });
}

using CountsView = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// As reports order the classes of a confusion table.
std::vector<std::uint32_t> order_confused(const CountsView& counts) {
  const std::size_t classes = counts.shape(0);
  if (counts.shape(1) != classes) throw nb::value_error("counts: as many lines as columns");
  const std::vector<double> mass(counts.data(), counts.data() + counts.size());
  return order_classes(class_likeness(mass, classes), classes).order;
}

void tell_round(Dashboard& page, std::size_t round, const std::map<std::string, double>& metrics) {
  std::vector<RoundMetric> list;
  list.reserve(metrics.size());
  for (const auto& [name, value] : metrics) list.push_back({name, value});
  page.round(round, list);
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("report_html", &make_report, "model"_a, "table"_a, "train"_a.none() = nb::none(),
             "proba"_a.none() = nb::none(), "dashboard"_a = "", "threads"_a = 0, "seed"_a = 0,
             "A page about a model on labelled rows.");
  module.def("compare_html", &make_comparison, "first"_a, "first_table"_a, "first_name"_a,
             "second"_a, "second_table"_a, "second_name"_a, "threads"_a = 0, "seed"_a = 0,
             "A page about two models on the same rows.");
  module.def("class_order", &order_confused, "counts"_a,
             "The classes of a confusion table in the order of reports.");
  nb::class_<Dashboard>(module, "Dashboard", "A page of a training while it goes on.")
      .def(
          "__init__",
          [](Dashboard* self, const std::string& path, const std::string& title, double seconds) {
            new (self) Dashboard(path, title, nullptr, seconds);
          },
          "path"_a = "", "title"_a = "", "seconds"_a = 1.0)
      .def("start", &Dashboard::start, "total"_a)
      .def("round", &tell_round, "round"_a, "metrics"_a)
      .def("finish", &Dashboard::finish, "why"_a)
      .def("html", &Dashboard::html)
      .def_prop_ro("problem", &Dashboard::problem);
}

}  // namespace simplexboost::python
