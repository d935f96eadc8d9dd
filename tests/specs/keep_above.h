// The kernel of my_lib::keep_above, written by hand.
#pragma once

#include <onnxop/kernel.h>

namespace keep_above_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::keep_above";
using Supported = Types<float, double>;

template <typename T, typename Body>
void each(const T* x, int64_t n, double limit, bool above, const Body& body) {
  for (int64_t i = 0; i < n; ++i) {
    if ((x[i] > static_cast<T>(limit)) == above) body(x[i]);
  }
}

inline OutputSpec infer(const TensorMeta& x, std::span<const Size> margin,
                        std::optional<double> limit, std::string_view side) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 1);
  const Size n = x.sizes[0] - margin[0] - margin[1];
  if (margin[0] < 0 || margin[1] < 0 || n < 0) {
    fail(kName, ": the margins ", margin[0], " and ", margin[1], " do not lie within x");
  }
  if (x.data == nullptr) return {x.dtype, {kDataDependent}};
  int64_t count = 0;
  Supported::visit(x.dtype, [&]<typename T>() {
    each(x.data_as<T>() + margin[0].value(), n.value(), limit.value_or(0.0), side == "above",
         [&](T) { ++count; });
  });
  return {x.dtype, {count}};
}

inline void compute(const MutableTensorView& out, const TensorView& x,
                    std::span<const int64_t> margin, std::optional<double> limit,
                    std::string_view side, const ParallelFor& parallel_for) {
  Supported::visit(x.dtype, [&]<typename T>() {
    T* to = out.data_as<T>();
    each(x.data_as<T>() + margin[0], x.sizes[0] - margin[0] - margin[1], limit.value_or(0.0),
         side == "above", [&](T value) { *to++ = value; });
  });
}

}  // namespace keep_above_kernel
