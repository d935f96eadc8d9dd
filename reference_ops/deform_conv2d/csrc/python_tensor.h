// Python's torch.Tensor objects, from and to the stable ABI's tensors. The GIL must be held.
#pragma once

#include <pybind11/pybind11.h>
#include <torch/csrc/stable/pyobject.h>

#include <optional>
#include <string>
#include <tuple>

#include "tensor.h"

namespace op {

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

/// None where the tensor is left out.
inline std::optional<torch::stable::Tensor> optional_tensor_from(const char* op, const char* name,
                                                                 pybind11::handle object) {
  return object.is_none() ? std::nullopt : std::optional(tensor_from(op, name, object));
}

inline pybind11::object object_from(const torch::stable::Tensor& tensor) {
  return pybind11::reinterpret_steal<pybind11::object>(
      static_cast<PyObject*>(torch::stable::tensor_to_pyobject(tensor)));
}

template <typename... Tensors>
pybind11::object object_from(const std::tuple<Tensors...>& tensors) {
  return std::apply(
      [](const auto&... each) { return pybind11::make_tuple(object_from(each)...); }, tensors);
}

/// An int, a bool or a float; or what stands for one, such as PyTorch's SymInt.
inline Scalar scalar_from(const char* op, const char* name, pybind11::handle object) {
  const bool is_integer = !PyFloat_Check(object.ptr()) && PyIndex_Check(object.ptr());
  const auto number = pybind11::reinterpret_steal<pybind11::object>(
      is_integer ? PyNumber_Index(object.ptr()) : PyNumber_Float(object.ptr()));
  if (number && !is_integer) return PyFloat_AS_DOUBLE(number.ptr());
  const int64_t integer = number ? PyLong_AsLongLong(number.ptr()) : -1;
  if (PyErr_Occurred() == nullptr) return integer;
  pybind11::raise_from(PyExc_TypeError,
                       (std::string(op) + ": " + name +
                        " must be a float or an integer of 64 bits, but it is of type " +
                        Py_TYPE(object.ptr())->tp_name)
                           .c_str());
  throw pybind11::error_already_set();
}

/// None where the number is left out.
inline std::optional<Scalar> optional_scalar_from(const char* op, const char* name,
                                                  pybind11::handle object) {
  return object.is_none() ? std::nullopt : std::optional(scalar_from(op, name, object));
}

}  // namespace op
