// The kernel of my_lib::my_add: its arithmetic, what it accepts and what it gives.
#pragma once

#include <onnxop/elementwise.h>

namespace onnxop::my_add_op {

inline constexpr std::string_view kName = "my_lib::my_add";
inline constexpr int64_t kGrain = 32768;  // elements worth another thread
using Supported = NumberTypes;

/// One element of the result.
template <typename T>
T element(T a, T b) {
  using namespace functions;
  return T(2) * a + b;
}

/// The same for the loop, which gives the tensors' elements.
template <typename T>
auto function() {
  return [](T a, T b) {
    return element(a, b);
  };
}

/// Checks the inputs and says what comes out.
inline OutputSpec infer(
    const TensorMeta& a,
    const TensorMeta& b) {
  return infer_elementwise<Supported>(kName, std::array{a, b});
}

/// Computes into `out`, allocated as `infer` said.
inline void compute(
    const MutableTensorView& out,
    const TensorView& a,
    const TensorView& b,
    const ParallelFor& parallel_for) {
  Supported::visit(out.dtype, [&]<typename T>() {
    elementwise<T>(out, std::array{a, b}, kGrain, parallel_for, function<Compute<T>>());
  });
}

}  // namespace onnxop::my_add_op
