// Python's torch.Tensor objects through DLPack, the interface of PyTorch before 2.14. The GIL must be
// held.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "../torch/tensor.h"

namespace onnxop::dlpack {

// ---- The structs of DLPack's version 1: https://dmlc.github.io/dlpack ----

struct Device {
  int32_t type;
  int32_t index;
};
inline constexpr int32_t kCpu = 1;

struct DataType {
  uint8_t kind;
  uint8_t bits;
  uint16_t lanes = 1;

  bool operator==(const DataType&) const = default;
};

struct Tensor {
  void* data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t* sizes;
  int64_t* strides;
  uint64_t byte_offset;
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

/// A tensor that lives until `deleter` is called.
struct ManagedTensor {
  Version version;
  void* owner;
  void (*deleter)(ManagedTensor* self);
  uint64_t flags;
  Tensor tensor;
};

/// The object of `torch.Tensor.__dlpack_c_exchange_api__`. A function that fails sets Python's error and
/// returns -1.
struct ExchangeApi {
  Version version;
  ExchangeApi* earlier;
  void* allocate;
  int (*own)(void* object, ManagedTensor** tensor);
  int (*to_python)(ManagedTensor* tensor, void** object);
  int (*borrow)(void* object, Tensor* tensor);
  void* current_stream;
};

// ---- Dtypes ----

/// In the order of Dtype.
inline constexpr DataType kDataTypes[] = {
    {.kind = 2, .bits = 32},
    {.kind = 2, .bits = 64},
    {.kind = 2, .bits = 16},
    {.kind = 4, .bits = 16},
    {.kind = 1, .bits = 8},
    {.kind = 1, .bits = 16},
    {.kind = 1, .bits = 32},
    {.kind = 1, .bits = 64},
    {.kind = 0, .bits = 8},
    {.kind = 0, .bits = 16},
    {.kind = 0, .bits = 32},
    {.kind = 0, .bits = 64},
    {.kind = 6, .bits = 8},
    {.kind = 5, .bits = 64},
    {.kind = 5, .bits = 128},
};
static_assert(std::size(kDataTypes) == static_cast<size_t>(Dtype::other));

// ---- Tensors ----

inline const ExchangeApi& api() {
  static const auto* const kApi = [] {
    const auto tensor = pybind11::module_::import("torch").attr("Tensor");
    const pybind11::object capsule = tensor.attr("__dlpack_c_exchange_api__");
    void* const exchange = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
    if (exchange == nullptr) throw pybind11::error_already_set();
    return static_cast<const ExchangeApi*>(exchange);
  }();
  return *kApi;
}

/// Returns the object's memory as a tensor, which the object must outlive.
inline onnxop::Tensor borrow(const char* op, const char* name, pybind11::handle object) {
  if (!object.attr("is_cpu").cast<bool>()) {
    fail(op, " runs on the CPU, but ", name, " is on another device");
  }
  Tensor borrowed{};
  if (api().borrow(object.ptr(), &borrowed) != 0) {
    PyErr_Clear();
    fail(op, " needs dense tensors with data, but ", name, " is sparse, is fake, or has no data");
  }
  const auto* dtype = std::ranges::find(kDataTypes, borrowed.dtype);
  if (dtype == std::end(kDataTypes)) fail(op, ": ", name, " has a dtype that no kernel supports");
  const TorchCodes& codes = torch_codes();
  aten::TensorObject* made = nullptr;
  aten::check(aten::functions().aoti_torch_create_tensor_from_blob(
                  static_cast<char*>(borrowed.data) + borrowed.byte_offset, borrowed.rank, borrowed.sizes,
                  borrowed.strides, 0, codes.dtypes[dtype - kDataTypes], codes.device, 0, &made),
              "take an argument");
  return onnxop::Tensor(made);
}

/// Returns a new object that owns the tensor.
inline void* give(onnxop::Tensor tensor) {
  struct Owned {
    onnxop::Tensor tensor;
    ManagedTensor managed;
  };
  const TensorView view = onnxop::view("", "result", tensor);
  auto* const owned = new Owned{.tensor = std::move(tensor), .managed = {}};
  owned->managed = {
      .version = {1, 0},
      .owner = owned,
      .deleter = [](ManagedTensor* self) { delete static_cast<Owned*>(self->owner); },
      .flags = 0,
      .tensor = {
          .data = const_cast<void*>(view.data),
          .device = {kCpu, 0},
          .rank = static_cast<int32_t>(view.rank()),
          .dtype = kDataTypes[static_cast<size_t>(view.dtype)],
          .sizes = const_cast<int64_t*>(view.sizes.data()),
          .strides = const_cast<int64_t*>(view.strides.data()),
          .byte_offset = 0,
      },
  };
  void* object = nullptr;
  if (api().to_python(&owned->managed, &object) != 0) throw pybind11::error_already_set();
  return object;
}

}  // namespace onnxop::dlpack
