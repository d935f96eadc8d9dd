// The extension module _kernel: importing it registers asinh::asinh, and it has the kernel as a
// function.
#include <pybind11/pybind11.h>

#include <cstdint>

#include "python_tensor.h"
#include "torch_binding.h"

namespace py = pybind11;

namespace {

py::object call(const py::object& self) {
  const auto self_tensor = op::tensor_from("asinh::asinh", "self", self);
  const auto output = [&] {
    const py::gil_scoped_release release;
    return op::call(self_tensor);
  }();
  return op::object_from(output);
}

}  // namespace

// The module keeps no state of its own, so it needs no GIL.
PYBIND11_MODULE(_kernel, m, py::mod_gil_not_used()) {
  py::options options;
  options.disable_function_signatures();  // they would say "object" for tensors
  m.def("asinh", &call,
        py::arg("self"),
        "asinh(self: torch.Tensor) -> torch.Tensor\n\n"
        "The inverse hyperbolic sine, element by element. Calls the CPU kernel itself, without "
        "autograd.");
}
