// infer() on the sizes of Python's tensors, which may be dynamic while PyTorch traces a model. The GIL
// must be held.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "../values.h"

namespace onnxop {

/// The sizes of one call of infer(); it owns the dynamic ones.
class PythonSizes {
 public:
  PythonSizes() = default;
  PythonSizes(const PythonSizes&) = delete;
  PythonSizes& operator=(const PythonSizes&) = delete;

  /// Returns the size of an int or of PyTorch's SymInt.
  Size size(pybind11::handle object) {
    if (PyLong_Check(object.ptr())) return object.cast<int64_t>();
    return Size(dynamic_.emplace_back(*this, pybind11::reinterpret_borrow<pybind11::object>(object)));
  }

  std::vector<Size> list(pybind11::handle objects) {
    std::vector<Size> sizes;
    for (const pybind11::handle object : objects) sizes.push_back(size(object));
    return sizes;
  }

  TensorMeta tensor(Metas& metas, const char* name, pybind11::handle object) {
    const Dtype dtype = dtype_from(object.attr("dtype"));
    return metas.tensor(name, nullptr, dtype, list(object.attr("shape")));
  }

  void add_tensors(Metas& metas, const char* name, pybind11::handle objects) {
    std::vector<TensorMeta> tensors;
    for (const pybind11::handle object : objects) {
      tensors.push_back(tensor(metas, metas.item_name(name, tensors.size()), object));
    }
    metas.add_tensors(std::move(tensors));
  }

  /// Returns the dtype and the list of sizes; None for a size that depends on data.
  pybind11::tuple output(const OutputSpec& output) {
    pybind11::list sizes;
    for (const Size size : output.sizes) {
      const bool is_number = size.symbol() == nullptr;
      if (is_number && size.value() == kDataDependent.value()) {
        sizes.append(pybind11::none());
      } else {
        sizes.append(object_of(size));
      }
    }
    return pybind11::make_tuple(object_of(output.dtype), sizes);
  }

  static pybind11::list dtypes(std::span<const Dtype> dtypes) {
    pybind11::list objects;
    for (const Dtype dtype : dtypes) objects.append(object_of(dtype));
    return objects;
  }

 private:
  class DynamicSize : public Symbol {
   public:
    DynamicSize(PythonSizes& sizes, pybind11::object object)
        : sizes_(sizes), object_(std::move(object)) {}

    const pybind11::object& object() const { return object_; }

    Size compute(Operation operation, Size left, Size right) const override {
      const pybind11::object a = object_of(left);
      const pybind11::object b = object_of(right);
      return sizes_.size(result_of(operation, a, b));
    }

    bool is_known(Comparison comparison, Size left, Size right) const override {
      constexpr int kComparisons[] = {Py_EQ, Py_NE, Py_LT, Py_LE};
      const pybind11::object a = object_of(left);
      const pybind11::object b = object_of(right);
      const auto holds = checked(PyObject_RichCompare(
          a.ptr(), b.ptr(), kComparisons[static_cast<size_t>(comparison)]));
      const auto shapes = pybind11::module_::import("torch.fx.experimental.symbolic_shapes");
      return shapes.attr("statically_known_true")(holds).cast<bool>();
    }

   private:
    static pybind11::object result_of(Operation operation, const pybind11::object& a,
                                      const pybind11::object& b) {
      switch (operation) {
        case Operation::add:
          return checked(PyNumber_Add(a.ptr(), b.ptr()));
        case Operation::subtract:
          return checked(PyNumber_Subtract(a.ptr(), b.ptr()));
        case Operation::multiply:
          return checked(PyNumber_Multiply(a.ptr(), b.ptr()));
        case Operation::divide:
          return checked(PyNumber_FloorDivide(a.ptr(), b.ptr()));
        case Operation::modulo:
          return checked(PyNumber_Remainder(a.ptr(), b.ptr()));
        case Operation::min:
          return pybind11::module_::import("torch").attr("sym_min")(a, b);
        case Operation::max:
          return pybind11::module_::import("torch").attr("sym_max")(a, b);
      }
      fail("an unknown operation on sizes");
    }

    static pybind11::object checked(PyObject* result) {
      if (result == nullptr) throw pybind11::error_already_set();
      return pybind11::reinterpret_steal<pybind11::object>(result);
    }

    PythonSizes& sizes_;
    pybind11::object object_;
  };

  static pybind11::object object_of(Dtype dtype) {
    return pybind11::module_::import("torch").attr(std::string(name(dtype)).c_str());
  }

  static pybind11::object object_of(Size size) {
    if (size.symbol() == nullptr) return pybind11::int_(size.value());
    return static_cast<const DynamicSize*>(size.symbol())->object();
  }

  /// Returns the dtype of a name in Python, "torch.float32".
  static Dtype dtype_from(pybind11::handle dtype) {
    const std::string text = pybind11::str(dtype);
    for (auto value = Dtype::float32; value != Dtype::other;
         value = static_cast<Dtype>(static_cast<uint8_t>(value) + 1)) {
      if (text == "torch." + std::string(name(value))) return value;
    }
    return Dtype::other;
  }

  std::deque<DynamicSize> dynamic_;  // a deque, which does not move its items
};

}  // namespace onnxop
