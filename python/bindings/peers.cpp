#include "bindings/peers.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

// A view of memory that Python must not keep.
class View {
 public:
  View(const std::byte* data, std::size_t size, int access)
      : view_(nb::steal(PyMemoryView_FromMemory(
            const_cast<char*>(reinterpret_cast<const char*>(data)),  // NOLINT: `access` says
            static_cast<Py_ssize_t>(size), access))) {
    if (!view_.is_valid()) throw nb::python_error();
  }
  ~View() {
    try {
      view_.attr("release")();
    } catch (const nb::python_error&) {
      PyErr_Clear();  // it is still read, by a message that goes out
    }
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  const nb::object& get() const { return view_; }

 private:
  nb::object view_;
};

}  // namespace

PythonPeers::PythonPeers(nb::object peers)
    : peers_(std::move(peers)),
      rank_(nb::cast<int>(peers_.attr("rank"))),
      size_(nb::cast<int>(peers_.attr("size"))),
      patience_(nb::cast<double>(peers_.attr("patience"))) {}

PythonPeers::~PythonPeers() {
  const nb::gil_scoped_acquire lock;
  peers_.reset();
}

void PythonPeers::exchange(std::span<const std::byte> out, int to, std::span<std::byte> in,
                           int from) {
  const nb::gil_scoped_acquire lock;
  try {
    const View sent(out.data(), out.size(), PyBUF_READ);
    const View taken(in.data(), in.size(), PyBUF_WRITE);
    peers_.attr("exchange")(sent.get(), to, taken.get(), from);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) throw;
    throw CommunicationError(nb::cast<std::string>(nb::str(error.value())));
  }
}

void PythonPeers::fail(const std::string& reason) noexcept {
  const nb::gil_scoped_acquire lock;
  try {
    peers_.attr("fail")(reason);
  } catch (...) {  // the others notice when this rank ends
    PyErr_Clear();
  }
}

}  // namespace simplexboost::python
