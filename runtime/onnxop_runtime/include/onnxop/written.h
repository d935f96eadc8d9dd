/// Arguments that a kernel writes to: the functional form of the op has each as one more result.
#pragma once

#include <algorithm>

#include <onnxop/kernel.h>

namespace onnxop {

/// Describes the result that holds a written tensor.
inline OutputSpec like(const TensorMeta& tensor) {
  return {tensor.dtype, {tensor.sizes.begin(), tensor.sizes.end()}};
}

/// Copies the elements of a tensor to a result of the same dtype and sizes, to which the kernel then writes.
inline void copy_elements(const TensorView& from, const MutableTensorView& to) {
  AllTypes::visit(from.dtype, [&]<typename T>() {
    std::copy_n(from.data_as<T>(), element_count(from.sizes), to.data_as<T>());
  });
}

}  // namespace onnxop
