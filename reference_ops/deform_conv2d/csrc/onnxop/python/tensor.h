// Python's torch.Tensor objects, from and to the stable ABI's tensors. The GIL must be held.
#pragma once

#include <pybind11/pybind11.h>
#include <torch/csrc/stable/pyobject.h>

#include <string>

namespace onnxop {

namespace detail {

/// What `object.name()` gives; `name` is a Python string.
inline pybind11::object call_method(pybind11::handle object, PyObject* name) {
  PyObject* result = PyObject_CallMethodNoArgs(object.ptr(), name);
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

}  // namespace detail

/// The tensor for the kernel, which knows no negative bit: a view such as torch.imag(x.conj()) is
/// negated only here.
inline torch::stable::Tensor tensor_from(const char* op, const char* name,
                                         pybind11::handle object) {
  if (!torch::stable::is_tensor_pyobject(object.ptr())) {
    throw pybind11::type_error(std::string(op) + ": " + name +
                               " must be a torch.Tensor, but it is a " +
                               Py_TYPE(object.ptr())->tp_name);
  }
  static PyObject* const kIsNeg = PyUnicode_InternFromString("is_neg");
  if (detail::call_method(object, kIsNeg).ptr() == Py_True) {
    static PyObject* const kResolveNeg = PyUnicode_InternFromString("resolve_neg");
    return torch::stable::tensor_from_pyobject(detail::call_method(object, kResolveNeg).ptr());
  }
  return torch::stable::tensor_from_pyobject(object.ptr());
}

inline pybind11::object object_from(const torch::stable::Tensor& tensor) {
  return pybind11::reinterpret_steal<pybind11::object>(
      static_cast<PyObject*>(torch::stable::tensor_to_pyobject(tensor)));
}

}  // namespace onnxop
