#pragma once
#include <onnxop/kernel.h>

namespace thrice_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "other_lib::thrice";
using Supported = Types<float>;

inline OutputSpec infer(const TensorMeta& x, std::span<const Size> to) {
  check_supported<Supported>(kName, x);
  return {x.dtype, {to[0] * 3}};
}

inline void compute(const MutableTensorView& out, const TensorView&, std::span<const int64_t> to,
                    const ParallelFor& parallel_for) {
  parallel_for(element_count(out.sizes), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out.data_as<float>()[i] = 3;
  });
}

}  // namespace thrice_kernel
