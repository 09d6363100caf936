// The extension module simplexboost._core: thin over the library; the estimators are in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <string>

#include "bindings/certainty.h"
#include "bindings/device_arrays.h"
#include "bindings/explain.h"
#include "bindings/model.h"
#include "bindings/report.h"
#include "bindings/table.h"
#include "bindings/train.h"
#include "bindings/tuning.h"
#include "simplexboost/error.h"
#include "simplexboost/memory.h"
#include "simplexboost/version.h"

namespace simplexboost::python {
namespace {

// The library's messages under the types that Python's users expect.
void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const IoError& error) {
    // OSError picks its subclass, FileNotFoundError and so on, by the number.
    if (error.code() == 0) {
      PyErr_SetString(PyExc_OSError, error.what());
    } else {
      const nb::object arguments = nb::make_tuple(error.code(), error.what());
      PyErr_SetObject(PyExc_OSError, arguments.ptr());
    }
  } catch (const CommunicationError& error) {
    PyErr_SetString(PyExc_ConnectionError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

// Both may be "": what the machine has, and bins in memory.
void set_memory(const std::string& most, const std::string& bins_folder) {
  MemoryRules rules;
  if (!most.empty()) rules.most = parse_memory(most, "max_memory");
  rules.bins_folder = bins_folder;
  set_memory_rules(rules);
}

}  // namespace
}  // namespace simplexboost::python

NB_MODULE(_core, module) {
  using namespace simplexboost::python;
  module.doc() = "The C++ library behind simplexboost; use the estimators instead.";
  // What a traceback still holds when the interpreter ends is no leak worth a page of warnings.
  nanobind::set_leak_warnings(false);
  nanobind::register_exception_translator(translate);
  module.attr("version") = SIMPLEXBOOST_VERSION;
  module.def("set_memory", &set_memory, nanobind::arg("most"), nanobind::arg("bins_folder"));
  bind_model(module);
  bind_table(module);
  bind_device_arrays(module);
  bind_train(module);
  bind_tuning(module);
  bind_certainty(module);
  bind_report(module);
  bind_explain(module);
}
