// The kernel of my_lib::softmax, written by hand: rows that are reduced, and a function of their elements.
#pragma once

#include <onnxop/kernel.h>
#include <onnxop/reduce.h>

namespace softmax_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::softmax";
using Supported = FloatTypes;

inline OutputSpec infer(const TensorMeta& x, const std::optional<TensorMeta>& lengths) {
  check_supported<Supported>(kName, x);
  if (x.rank() == 0) fail(kName, ": x must have at least one dimension");
  if (lengths) {
    check_dtype(kName, *lengths, Dtype::int64);
    check_rank(kName, *lengths, x.rank() - 1);
    for (size_t i = 0; i < lengths->sizes.size(); ++i) {
      if (lengths->sizes[i] != x.sizes[i]) fail(kName, ": lengths must have one element for each row of x");
    }
  }
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

inline void compute(const MutableTensorView& out, const TensorView& x,
                    const std::optional<TensorView>& lengths, const ParallelFor& parallel_for) {
  const int64_t count = element_count(x.sizes);
  if (count == 0) return;
  const int64_t columns = x.sizes.back();
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    for_each(count / columns, 8 * columns, parallel_for, [&](int64_t row) {
      const T* const from = x.data_as<T>() + row * columns;
      T* const to = out.data_as<T>() + row * columns;
      const int64_t length = lengths ? std::clamp(lengths->data_as<int64_t>()[row], int64_t{0}, columns) : columns;
      const C most = largest(length, [&](int64_t i) { return load(from[i]); });
      const Buffer<C> powers(length);
      C* const power = powers.get();
      map(length, power, [&](C value) { return std::exp(value - most); }, from);
      const C scale = 1 / sum(length, [&](int64_t i) { return power[i]; });
      fill(length, to, [&](int64_t i) { return power[i] * scale; });
      const C rest = length > 0 ? 0 : std::numeric_limits<C>::quiet_NaN();  // as for a row of -inf
      fill(columns - length, to + length, [&](int64_t) { return rest; });
    });
  });
}

}  // namespace softmax_kernel
