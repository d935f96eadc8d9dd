// The arguments of a Python call as the op's arguments. The GIL must be held.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../values.h"

namespace onnxop {

namespace detail {

template <typename... Parts>
[[noreturn]] void fail_type(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw pybind11::type_error(message.str());
}

/// Returns the expected type of an argument, or of its items, for messages.
constexpr std::string_view expected_type(Kind kind, bool is_list) {
  switch (kind) {
    case Kind::tensor:
      return is_list ? "tensors" : "a torch.Tensor";
    case Kind::integer:
    case Kind::size:
      return is_list ? "integers from -2**63 to 2**63 - 1" : "an integer from -2**63 to 2**63 - 1";
    case Kind::real:
      return is_list ? "numbers" : "a number";
    case Kind::number:
      return "a float or an integer from -2**63 to 2**63 - 1";
    case Kind::boolean:
      return is_list ? "booleans" : "a boolean";
    case Kind::text:
      return is_list ? "strings" : "a string";
  }
  return "";
}

/// Returns the actual type of an object, for messages.
inline std::string shown(pybind11::handle object, Kind kind) {
  const std::string type = Py_TYPE(object.ptr())->tp_name;
  const bool is_vowel = std::string_view("aeiouAEIOU").find(type.front()) != std::string_view::npos;
  const bool is_far = PyLong_CheckExact(object.ptr()) &&
                      (kind == Kind::integer || kind == Kind::size || kind == Kind::number);
  return (is_vowel ? "an " : "a ") + type + (is_far ? " outside this range" : "");
}

/// Returns whether the object has the kind; numbers are not booleans, nor booleans numbers.
template <typename T>
bool read(pybind11::handle object, T& value) {
  pybind11::detail::make_caster<T> caster;
  if (!caster.load(object, !std::is_same_v<T, bool>)) return false;
  value = pybind11::detail::cast_op<T>(caster);
  return true;
}

template <typename T>
bool read(pybind11::handle object, std::vector<T>& values) {
  if (!PySequence_Check(object.ptr()) || PyUnicode_Check(object.ptr())) return false;
  for (const pybind11::handle item : object) {
    if (!read(item, values.emplace_back())) return false;
  }
  return true;
}

template <typename T>
bool read_as(pybind11::handle object, Constant& constant) {
  return read(object, constant.emplace<T>());
}

/// An int, a bool or a float, or a stand-in such as PyTorch's SymInt.
inline bool read_number(pybind11::handle object, Constant& constant) {
  const bool is_integer = !PyFloat_Check(object.ptr()) && PyIndex_Check(object.ptr());
  const auto number = pybind11::reinterpret_steal<pybind11::object>(
      is_integer ? PyNumber_Index(object.ptr()) : PyNumber_Float(object.ptr()));
  if (number && is_integer) {
    constant = Scalar(static_cast<int64_t>(PyLong_AsLongLong(number.ptr())));
  } else if (number) {
    constant = Scalar(PyFloat_AS_DOUBLE(number.ptr()));
  }
  if (PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

inline bool read(const Argument& argument, pybind11::handle object, Constant& constant) {
  switch (argument.type.kind) {
    case Kind::integer:
    case Kind::size:
      return argument.type.is_list ? read_as<std::vector<int64_t>>(object, constant)
                                   : read_as<int64_t>(object, constant);
    case Kind::real:
      return argument.type.is_list ? read_as<std::vector<double>>(object, constant)
                                   : read_as<double>(object, constant);
    case Kind::number:
      return read_number(object, constant);
    case Kind::boolean:
      return read_as<bool>(object, constant);
    case Kind::text:
      return read_as<std::string>(object, constant);
    case Kind::tensor:
      break;
  }
  return false;
}

}  // namespace detail

/// Reads an argument that is not a tensor.
inline Constant constant_from(const Op& op, const Argument& argument, pybind11::handle object) {
  Constant constant;
  if (argument.type.is_optional && object.is_none()) return constant;
  if (!detail::read(argument, object, constant)) {
    detail::fail_type(op.name, ": ", argument.name, " must be ",
                      argument.type.is_list ? "a list of " : "",
                      detail::expected_type(argument.type.kind, argument.type.is_list), ", but it is ",
                      detail::shown(object, argument.type.kind));
  }
  return constant;
}

/// The objects of a Python call: by position, then by keyword.
struct Passed {
  PyObject* const* objects;
  size_t positional;
  PyObject* names;  // a tuple of strings, or null

  size_t named() const { return names == nullptr ? 0 : PyTuple_GET_SIZE(names); }
};

/// Returns the objects in the order of the op's arguments; null for the default.
inline std::vector<pybind11::handle> in_order(const Op& op, const Passed& passed) {
  std::vector<pybind11::handle> ordered(op.arguments.size());
  if (passed.positional > ordered.size()) {
    detail::fail_type(op.name, " takes ", ordered.size(), " arguments, but ", passed.positional,
                      " are given");
  }
  std::copy_n(passed.objects, passed.positional, ordered.begin());
  for (size_t i = 0; i < passed.named(); ++i) {
    const auto name = pybind11::handle(PyTuple_GET_ITEM(passed.names, i)).cast<std::string_view>();
    const auto argument = std::ranges::find(op.arguments, name, &Argument::name);
    if (argument == op.arguments.end()) {
      detail::fail_type(op.name, " has no argument ", name);
    }
    pybind11::handle& place = ordered[argument - op.arguments.begin()];
    if (place) detail::fail_type(op.name, ": ", name, " is given twice");
    place = passed.objects[passed.positional + i];
  }
  for (size_t i = 0; i < ordered.size(); ++i) {
    const Argument& argument = op.arguments[i];
    if (!ordered[i] && argument.is_required()) {
      detail::fail_type(op.name, ": ", argument.name, " is missing");
    }
    if (i < passed.positional && argument.keyword_only) {
      detail::fail_type(op.name, ": ", argument.name, " must be passed by keyword");
    }
  }
  return ordered;
}

}  // namespace onnxop
