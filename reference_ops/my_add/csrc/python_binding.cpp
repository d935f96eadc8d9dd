// The extension module _kernel: importing it registers my_lib::my_add, and it has the kernel as a
// function.
#include <pybind11/pybind11.h>

#include <cstdint>

#include "python_tensor.h"
#include "torch_binding.h"

namespace py = pybind11;

namespace {

py::object call(const py::object& a, const py::object& b) {
  const auto a_tensor = op::tensor_from("my_lib::my_add", "a", a);
  const auto b_tensor = op::tensor_from("my_lib::my_add", "b", b);
  const auto output = [&] {
    const py::gil_scoped_release release;
    return op::call(a_tensor, b_tensor);
  }();
  return op::object_from(output);
}

}  // namespace

// The module keeps no state of its own, so it needs no GIL.
PYBIND11_MODULE(_kernel, m, py::mod_gil_not_used()) {
  py::options options;
  options.disable_function_signatures();  // they would say "object" for tensors
  m.def("my_add", &call,
        py::arg("a"),
        py::arg("b"),
        "my_add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor\n\n"
        "2a + b, element by element. Calls the CPU kernel itself, without autograd.");
}
