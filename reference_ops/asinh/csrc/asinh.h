// The kernel of asinh::asinh: its arithmetic, what it accepts and what it gives.
#pragma once

#include <onnxop/elementwise.h>

namespace onnxop::asinh_op {

inline constexpr std::string_view kName = "asinh::asinh";
inline constexpr int64_t kGrain = 2048;  // elements worth another thread
using Supported = FloatTypes;

/// One element of the result.
template <typename T>
T element(T self) {
  using namespace functions;
  return asinh(self);
}

/// The same for the loop, which gives the tensors' elements.
template <typename T>
auto function() {
  return [](T self) {
    return element(self);
  };
}

/// Checks the inputs and says what comes out.
inline OutputSpec infer(
    const TensorMeta& self) {
  return infer_elementwise<Supported>(kName, std::array{self});
}

/// Computes into `out`, allocated as `infer` said.
inline void compute(
    const MutableTensorView& out,
    const TensorView& self,
    const ParallelFor& parallel_for) {
  Supported::visit(out.dtype, [&]<typename T>() {
    elementwise<T>(out, std::array{self}, kGrain, parallel_for, function<Compute<T>>());
  });
}

}  // namespace onnxop::asinh_op
