// The kernel of my_lib::my_add: its arithmetic, the arguments that it accepts, and its result.
#pragma once

#include <onnxop/elementwise.h>

namespace onnxop::my_add_op {

inline constexpr std::string_view kName = "my_lib::my_add";
inline constexpr int64_t kGrain = 32768;  // elements worth another thread
using Supported = NumberTypes;

/// Returns one element of the result.
template <typename T>
T element(T a, T b) {
  using namespace functions;
  return T(2) * a + b;
}

/// Returns the same as a function of the tensors' elements, for the loop.
template <typename T>
auto function() {
  return [](T a, T b) {
    return element(a, b);
  };
}

/// Checks the inputs, and returns the dtype and the sizes of the result.
inline OutputSpec infer(
    const TensorMeta& a,
    const TensorMeta& b) {
  return infer_elementwise<Supported>(kName, std::array{a, b});
}

/// Computes `out`, allocated with the sizes that `infer` returned.
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
