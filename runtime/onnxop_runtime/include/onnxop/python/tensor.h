// Python's torch.Tensor objects, from and to PyTorch's tensors. The GIL must be held.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "../torch/tensor.h"
#include "dlpack.h"

namespace onnxop {

namespace detail {

/// Returns `object.name()`; `name` is a Python string.
inline pybind11::object call_method(pybind11::handle object, PyObject* name) {
  PyObject* result = PyObject_CallMethodNoArgs(object.ptr(), name);
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

/// Returns whether the object is a torch.Tensor.
inline bool is_tensor(pybind11::handle object) {
  static const auto* const kType =
      new pybind11::object(pybind11::module_::import("torch").attr("_C").attr("TensorBase"));
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(kType->ptr()));
}

}  // namespace detail

/// Returns the tensor for the kernel. Views with PyTorch's negative bit, such as torch.imag(x.conj()), are
/// negated here, because kernels ignore the bit. The object must outlive the tensor.
inline Tensor tensor_from(const char* op, const char* name, pybind11::handle object) {
  if (!detail::is_tensor(object)) {
    throw pybind11::type_error(std::string(op) + ": " + name +
                               " must be a torch.Tensor, but it is a " +
                               Py_TYPE(object.ptr())->tp_name);
  }
  static PyObject* const kIsNeg = PyUnicode_InternFromString("is_neg");
  pybind11::object resolved;
  if (detail::call_method(object, kIsNeg).ptr() == Py_True) {
    static PyObject* const kResolveNeg = PyUnicode_InternFromString("resolve_neg");
    resolved = detail::call_method(object, kResolveNeg);
    object = resolved;
  }
  const auto take = aten::functions().torch_tensor_from_pyobject;  // since 2.14
  if (take == nullptr) {
    Tensor borrowed = dlpack::borrow(op, name, object);
    return resolved ? contiguous_copy(borrowed) : std::move(borrowed);
  }
  aten::TensorObject* tensor = nullptr;
  aten::check(take(object.ptr(), &tensor), "take an argument");
  return Tensor(tensor);
}

inline pybind11::object object_from(Tensor tensor) {
  const auto give = aten::functions().torch_tensor_to_pyobject;
  void* object = nullptr;
  if (give == nullptr) {
    object = dlpack::give(std::move(tensor));
  } else {
    aten::check(give(tensor.get(), nullptr, &object), "give a result");
  }
  return pybind11::reinterpret_steal<pybind11::object>(static_cast<PyObject*>(object));
}

}  // namespace onnxop
