// The kernel of my_lib::my_add: its arithmetic, the arguments that it accepts, and its result.
#pragma once

#include <onnxop/elementwise.h>

namespace my_add_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::my_add";
inline constexpr int64_t kGrain = 32768;  // elements worth another thread
using Supported = NumberTypes;

/// Computes an element of Stored in T; its members are the arguments that are not tensors.
template <typename T, typename Stored>
struct Element {
  ONNXOP_DEVICE T operator()(T a, T b) const {
    using namespace functions;
    return T(2) * a + b;
  }
};

/// Checks the inputs, and returns the dtype and the sizes of the result.
inline OutputSpec infer(const TensorMeta& a, const TensorMeta& b) {
  return infer_elementwise<Supported>(kName, std::array{a, b});
}

/// Computes `out`, allocated with the sizes that `infer` returned.
inline void compute(
    const MutableTensorView& out,
    const TensorView& a,
    const TensorView& b,
    const Worker& worker) {
  Supported::visit(out.dtype, [&]<typename T>() {
    elementwise<T>(out, std::array{a, b}, kGrain, worker, Element<Compute<T>, T>{});
  });
}

}  // namespace my_add_kernel
