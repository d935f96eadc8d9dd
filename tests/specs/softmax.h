// The kernel of my_lib::softmax, written by hand: rows that are reduced, and a function of their elements.
#pragma once

#include <onnxop/kernel.h>
#include <onnxop/reduce.h>

namespace onnxop::softmax_op {

inline constexpr std::string_view kName = "my_lib::softmax";
using Supported = FloatTypes;

inline OutputSpec infer(const TensorMeta& x) {
  check_supported<Supported>(kName, x);
  if (x.rank() == 0) fail(kName, ": x must have at least one dimension");
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

inline void compute(const MutableTensorView& out, const TensorView& x,
                    const ParallelFor& parallel_for) {
  const int64_t count = element_count(x.sizes);
  if (count == 0) return;
  const int64_t columns = x.sizes.back();
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    for_each(count / columns, 8 * columns, parallel_for, [&](int64_t row) {
      const T* const from = x.data_as<T>() + row * columns;
      const C most = largest(columns, [&](int64_t i) { return load(from[i]); });
      const Buffer<C> powers(columns);
      C* const power = powers.get();
      map(columns, power, [&](C value) { return std::exp(value - most); }, from);
      const C scale = 1 / sum(columns, [&](int64_t i) { return power[i]; });
      fill(columns, out.data_as<T>() + row * columns, [&](int64_t i) { return power[i] * scale; });
    });
  });
}

}  // namespace onnxop::softmax_op
