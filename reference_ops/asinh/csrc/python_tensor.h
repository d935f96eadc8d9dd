// Python's torch.Tensor objects, from and to the stable ABI's tensors. The GIL must be held.
#pragma once

#include <pybind11/pybind11.h>
#include <torch/csrc/stable/pyobject.h>

#include <string>

namespace op {

inline torch::stable::Tensor tensor_from(const char* op, const char* name,
                                         pybind11::handle object) {
  if (!torch::stable::is_tensor_pyobject(object.ptr())) {
    throw pybind11::type_error(std::string(op) + ": " + name +
                               " must be a torch.Tensor, but it is a " +
                               Py_TYPE(object.ptr())->tp_name);
  }
  return torch::stable::tensor_from_pyobject(object.ptr());
}

inline pybind11::object object_from(const torch::stable::Tensor& tensor) {
  return pybind11::reinterpret_steal<pybind11::object>(
      static_cast<PyObject*>(torch::stable::tensor_to_pyobject(tensor)));
}

}  // namespace op
