// The extension module _kernel: it has the kernels as functions, and a function that registers the ops.
#include <pybind11/gil_simple.h>
#include <pybind11/pybind11.h>

#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "../torch/abi.h"
#include "../torch/call.h"
#include "../values.h"
#include "arguments.h"
#include "infer.h"
#include "tensor.h"

namespace py = pybind11;

namespace onnxop {
namespace {

/// Returns the tensors of a list, which `owner` keeps alive.
std::vector<Tensor> tensors_of(const Op& op, const Argument& argument, py::handle object,
                               py::object& owner) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) {
    detail::fail_type(op.name, ": ", argument.name, " must be a list of tensors, but it is ",
                      detail::shown(object, argument.type.kind));
  }
  owner = py::tuple(py::reinterpret_borrow<py::object>(object));
  std::vector<Tensor> tensors;
  ItemNames names;
  for (const py::handle item : owner) {
    tensors.push_back(tensor_from(op.name, names.of(argument.name, tensors.size()), item));
  }
  return tensors;
}

/// `owner` keeps the items of lists alive.
TorchValue torch_value(const Op& op, const Argument& argument, py::handle object,
                       py::object& owner) {
  if (!object) return constant_of(argument.default_value);
  if (argument.is_tensor() && argument.type.is_list) return tensors_of(op, argument, object, owner);
  if (argument.is_tensor() && !(argument.type.is_optional && object.is_none())) {
    return tensor_from(op.name, argument.name, object);
  }
  return constant_from(op, argument, object);
}

/// Returns one tensor, or a tuple of several.
py::object object_of(std::vector<Tensor> tensors) {
  if (tensors.size() == 1) return object_from(std::move(tensors[0]));
  py::tuple objects(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) objects[i] = object_from(std::move(tensors[i]));
  return objects;
}

/// Calls the kernel, without autograd.
py::object compute(const Op& op, const Passed& passed) {
  const std::vector<py::handle> objects = in_order(op, passed);
  py::object owner;  // of one list, the most that a node has
  std::vector<TorchValue> arguments;
  arguments.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    arguments.push_back(torch_value(op, op.arguments[i], objects[i], owner));
  }
  return object_of([&] {
    const py::gil_scoped_release_simple release;
    return call(op, arguments);
  }());
}

/// Computes the gradients for PyTorch's dispatcher, from the results' gradients, the arguments, and
/// whether each gradient is requested.
py::object compute_backward(const Op& op, const py::args& args) {
  const size_t results = op.results.size();
  std::vector<Tensor> grads;
  for (size_t i = 0; i < results; ++i) {
    grads.push_back(tensor_from(op.name, op.results[i].grad, args[i]));
  }
  py::object owner;
  std::vector<TorchValue> arguments;
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    arguments.push_back(torch_value(op, op.arguments[i], args[results + i], owner));
  }
  std::vector<bool> wants;
  for (const py::handle each : args[args.size() - 1]) wants.push_back(each.cast<bool>());
  return object_of([&] {
    const py::gil_scoped_release release;
    return backward(op, grads, arguments, wants);
  }());
}

void add_meta(Metas& metas, PythonSizes& sizes, const Op& op, const Argument& argument,
              py::handle object) {
  if (argument.type.is_optional && object.is_none()) {
    metas.add(None());
  } else if (argument.is_tensor() && argument.type.is_list) {
    sizes.add_tensors(metas, argument.name, object);
  } else if (argument.is_tensor()) {
    metas.add(sizes.tensor(metas, argument.name, object));
  } else if (argument.type.kind != Kind::size) {
    metas.add_constant(constant_from(op, argument, object));
  } else if (argument.type.is_list) {
    metas.add_sizes(sizes.list(object));
  } else {
    metas.add(sizes.size(object));
  }
}

/// Calls infer(), for the fake kernel, with all arguments.
py::object infer(const Op& op, const py::args& args) {
  PythonSizes sizes;
  Metas metas(op);
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    add_meta(metas, sizes, op, op.arguments[i], args[i]);
  }
  const std::vector<OutputSpec> specs = op.infer(metas.list());
  py::tuple outputs(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) outputs[i] = sizes.output(specs[i]);
  return outputs;
}

/// Returns a function of the module that computes `op`. It is not pybind11's, which would first collect the
/// arguments in a tuple and a dictionary, and that takes as long as a small op.
py::object function_of(const Op& op, const py::module_& module) {
  using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
  constexpr Function kCall = [](PyObject* self, PyObject* const* objects, Py_ssize_t positional,
                                PyObject* names) -> PyObject* {
    try {
      const auto* called = static_cast<const Op*>(PyCapsule_GetPointer(self, nullptr));
      return compute(*called, {objects, static_cast<size_t>(positional), names}).release().ptr();
    } catch (py::error_already_set& error) {
      error.restore();
    } catch (const py::builtin_exception& error) {
      error.set_error();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
  };
  static std::deque<PyMethodDef> definitions;  // a deque, which does not move its items
  PyMethodDef& definition = definitions.emplace_back(PyMethodDef{
      .ml_name = std::strchr(op.name, ':') + 2,
      .ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kCall)),
      .ml_flags = METH_FASTCALL | METH_KEYWORDS,
      .ml_doc = op.doc,
  });
  const py::capsule self(&op);
  const py::object name = module.attr("__name__");
  PyObject* function = PyCFunction_NewEx(&definition, self.ptr(), name.ptr());
  if (function == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(function);
}

}  // namespace
}  // namespace onnxop

// The module has no state, so that it needs no GIL.
PYBIND11_MODULE(_kernel, m, py::mod_gil_not_used()) {
  py::options options;
  options.disable_function_signatures();  // they would call tensors "object"
  onnxop::aten::functions();              // throws if PyTorch is missing
  m.attr("_abi") = onnxop::kAbi;
  // A second registration would crash the process; the importing code checks first.
  m.def("_operators", [] {
    py::list names;
    for (const onnxop::Op* op : onnxop::all_ops()) names.append(op->name);
    return names;
  });
  m.def("_register", [] { onnxop::register_ops(); });
  m.def("_fill_new_memory", [](bool fills) { onnxop::fills_new_memory() = fills; });
  for (const onnxop::Op* op : onnxop::all_ops()) {
    const std::string_view name = op->name;
    const std::string word(name.substr(name.find("::") + 2));
    m.add_object(word.c_str(), onnxop::function_of(*op, m));
    if (onnxop::takes_numbers(*op) && op->backward != nullptr) {
      m.def((word + "_backward").c_str(), [op](const py::args& args) {
        return onnxop::compute_backward(*op, args);
      });
    }
    m.def(
        ("_infer_" + word).c_str(),
        [op](const py::args& args) { return onnxop::infer(*op, args); },
        "The dtype and the sizes of each result. Sizes may be dynamic; one that depends on data is "
        "None.");
    m.def(
        ("_dtypes_" + word).c_str(), [op] { return onnxop::PythonSizes::dtypes(op->dtypes); },
        "The dtypes that the kernel computes with.");
  }
}
