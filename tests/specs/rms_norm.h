// The kernel of my_lib::rms_norm, written by hand: rows that are reduced and scaled.
#pragma once

#include <onnxop/kernel.h>
#include <onnxop/reduce.h>

#include <cmath>

namespace rms_norm_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::rms_norm";
using Supported = FloatTypes;

inline OutputSpec infer(const TensorMeta& x, const TensorMeta& weight, double) {
  check_supported<Supported>(kName, x);
  check_same_dtype(kName, x, weight);
  check_rank(kName, weight, 1);
  if (x.rank() == 0 || x.sizes.back() != weight.sizes[0]) {
    fail(kName, ": x must have weight's ", weight.sizes[0], " elements in its last dimension, but ",
         "its shape is ", to_string(x.sizes));
  }
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

/// Returns 1 / sqrt(mean(x^2) + eps).
template <typename T>
Compute<T> scale_of(const T* x, int64_t columns, double eps) {
  const auto squares = sum(columns, [&](int64_t i) { return load(x[i]) * load(x[i]); });
  return 1 / std::sqrt(squares / static_cast<Compute<T>>(columns) + static_cast<Compute<T>>(eps));
}

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView& weight,
                    double eps, const ParallelFor& parallel_for) {
  const int64_t count = element_count(x.sizes), columns = weight.sizes[0];
  if (count == 0) return;
  Supported::visit(x.dtype, [&]<typename T>() {
    const T* const weights = weight.data_as<T>();
    for_each(count / columns, columns, parallel_for, [&](int64_t row) {
      const T* const from = x.data_as<T>() + row * columns;
      const auto scale = scale_of(from, columns, eps);
      map(
          columns, out.data_as<T>() + row * columns,
          [&](auto value, auto factor) { return value * scale * factor; }, from, weights);
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_x,
                     const std::optional<MutableTensorView>& grad_weight, const TensorView& grad,
                     const TensorView& x, const TensorView& weight, double eps,
                     const ParallelFor& parallel_for) {
  const int64_t columns = weight.sizes[0];
  const int64_t rows = columns == 0 ? 0 : element_count(x.sizes) / columns;
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    const T* const weights = weight.data_as<T>();
    const auto differentiate = [&](int64_t row, C* sums) {
      const T* const from = x.data_as<T>() + row * columns;
      const T* const grads = grad.data_as<T>() + row * columns;
      const C scale = scale_of(from, columns, eps);
      if (grad_x) {
        const C product = sum(
            columns, [&](int64_t i) { return load(grads[i]) * load(weights[i]) * load(from[i]); });
        const C share = product * scale * scale / static_cast<C>(columns);
        map(
            columns, grad_x->data_as<T>() + row * columns,
            [&](C gradient, C factor, C value) { return scale * (gradient * factor - value * share); },
            grads, weights, from);
      }
      if (grad_weight) {
        fill(columns, sums,
             [&](int64_t i) { return sums[i] + load(grads[i]) * load(from[i]) * scale; });
      }
    };
    std::vector<T> unwanted(grad_weight ? 0 : columns);
    T* const to = grad_weight ? grad_weight->data_as<T>() : unwanted.data();
    sum_of_rows<C>(rows, columns, to, parallel_for, differentiate);
  });
}

}  // namespace rms_norm_kernel
