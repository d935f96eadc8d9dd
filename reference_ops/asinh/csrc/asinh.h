// The kernel of asinh::asinh: its arithmetic, the arguments that it accepts, and its result.
#pragma once

#include <onnxop/elementwise.h>

namespace asinh_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "asinh::asinh";
inline constexpr int64_t kGrain = 16384;  // elements worth another thread
using Supported = FloatTypes;

/// Computes an element of Stored in T; its members are the arguments that are not tensors.
template <typename T, typename Stored>
struct Element {
  ONNXOP_DEVICE T operator()(T self) const {
    using namespace functions;
    return asinh<Stored>(self);
  }
};

/// Checks the inputs, and returns the dtype and the sizes of the result.
inline OutputSpec infer(const TensorMeta& self) {
  return infer_elementwise<Supported>(kName, std::array{self});
}

/// Computes `out`, allocated with the sizes that `infer` returned.
inline void compute(const MutableTensorView& out, const TensorView& self, const Worker& worker) {
  Supported::visit(out.dtype, [&]<typename T>() {
    elementwise<T>(out, std::array{self}, kGrain, worker, Element<Compute<T>, T>{});
  });
}

}  // namespace asinh_kernel
