// The kernel of asinh::asinh: its arithmetic, the arguments that it accepts, and its result.
#pragma once

#include <onnxop/elementwise.h>

namespace onnxop::asinh_op {

inline constexpr std::string_view kName = "asinh::asinh";
inline constexpr int64_t kGrain = 16384;  // elements worth another thread
using Supported = FloatTypes;

/// Returns one element of the result.
template <typename T>
T element(T self) {
  using namespace functions;
  return asinh(self);
}

/// Returns the same as a function of the tensors' elements, for the loop.
template <typename T>
auto function() {
  return [](T self) {
    return element(self);
  };
}

/// Checks the inputs, and returns the dtype and the sizes of the result.
inline OutputSpec infer(
    const TensorMeta& self) {
  return infer_elementwise<Supported>(kName, std::array{self});
}

/// Computes `out`, allocated with the sizes that `infer` returned.
inline void compute(
    const MutableTensorView& out,
    const TensorView& self,
    const ParallelFor& parallel_for) {
  Supported::visit(out.dtype, [&]<typename T>() {
    elementwise<T>(out, std::array{self}, kGrain, parallel_for, function<Compute<T>>());
  });
}

}  // namespace onnxop::asinh_op
