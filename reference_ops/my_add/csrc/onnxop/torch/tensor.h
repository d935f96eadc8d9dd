// PyTorch's tensors, through its stable ABI, as the views that kernels take.
#pragma once

#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "../parallel.h"
#include "../tensor.h"

namespace onnxop {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

inline constexpr std::pair<ScalarType, Dtype> kDtypes[] = {
    {ScalarType::Float, Dtype::float32},
    {ScalarType::Double, Dtype::float64},
    {ScalarType::Half, Dtype::float16},
    {ScalarType::BFloat16, Dtype::bfloat16},
    {ScalarType::Byte, Dtype::uint8},
    {ScalarType::UInt16, Dtype::uint16},
    {ScalarType::UInt32, Dtype::uint32},
    {ScalarType::UInt64, Dtype::uint64},
    {ScalarType::Char, Dtype::int8},
    {ScalarType::Short, Dtype::int16},
    {ScalarType::Int, Dtype::int32},
    {ScalarType::Long, Dtype::int64},
    {ScalarType::Bool, Dtype::boolean},
    {ScalarType::ComplexFloat, Dtype::complex64},
    {ScalarType::ComplexDouble, Dtype::complex128},
};

/// A view of an argument, for the kernel of `op`. The tensor must outlive it.
inline TensorView view(std::string_view op, std::string_view name, const Tensor& tensor) {
  if (!tensor.is_cpu()) {
    fail(op, " runs on the CPU, but ", name, " is on another device");
  }
  // Sparse tensors have no storage, fake ones a storage without memory.
  const void* data = tensor.has_storage() ? tensor.const_data_ptr() : nullptr;
  if (data == nullptr && (!tensor.has_storage() || tensor.numel() != 0)) {
    fail(op, " needs dense tensors with data, but ", name, " is sparse, fake or otherwise without");
  }
  const auto* dtype =
      std::ranges::find(kDtypes, tensor.scalar_type(), &std::pair<ScalarType, Dtype>::first);
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  return {
      .name = name,
      .data = data,
      .dtype = dtype == std::end(kDtypes) ? Dtype::other : dtype->second,
      .sizes = {sizes.data(), sizes.size()},
      .strides = {strides.data(), strides.size()},
  };
}

/// A new contiguous tensor in the CPU's memory.
inline Tensor allocate(const TensorSpec& spec) {
  const auto* dtype = std::ranges::find(kDtypes, spec.dtype, &std::pair<ScalarType, Dtype>::second);
  return torch::stable::empty(spec.sizes, dtype->first);
}

inline MutableTensorView view(std::string_view name, const Tensor& tensor,
                              const TensorSpec& spec) {
  const auto strides = tensor.strides();
  return {
      .name = name,
      .data = tensor.mutable_data_ptr(),
      .dtype = spec.dtype,
      .sizes = spec.sizes,
      .strides = {strides.data(), strides.size()},
  };
}

/// PyTorch's threads.
class TorchThreads final : public ParallelFor {
 protected:
  void run(int64_t count, int64_t grain, const Range& body) const override {
    torch::stable::parallel_for(0, count, grain, body);
  }
};

}  // namespace onnxop
