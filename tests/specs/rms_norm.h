// The kernel of my_lib::rms_norm, written by hand for CPUs and GPUs: rows that are reduced and scaled.
#pragma once

#include <onnxop/team.h>

#include <array>
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

struct Square {
  template <typename C>
  ONNXOP_DEVICE C operator()(C value) const {
    return value * value;
  }
};

/// Returns 1 / sqrt(mean(x^2) + eps), by the sum of squares.
template <typename C>
ONNXOP_DEVICE C scale_of(C squares, int64_t columns, double eps) {
  return 1 / std::sqrt(squares / static_cast<C>(columns) + static_cast<C>(eps));
}

template <typename T>
struct Forward {
  int64_t columns;
  double eps;
  const T *x, *weight;
  T* out;

  template <typename Team>
  ONNXOP_DEVICE void operator()(const Team& team, int64_t row) const {
    const T* const from = x + row * columns;
    const auto scale = scale_of(team.sum(columns, Square(), from), columns, eps);
    team.map(
        columns, out + row * columns,
        [&](auto value, auto factor) { return value * scale * factor; }, from, weight);
  }
};

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView& weight,
                    double eps, const Worker& worker) {
  const int64_t count = element_count(x.sizes), columns = weight.sizes[0];
  if (count == 0) return;
  Supported::visit(x.dtype, [&]<typename T>() {
    const Forward<T> row{columns, eps, x.data_as<T>(), weight.data_as<T>(), out.data_as<T>()};
    for_each_row(count / columns, columns, worker, row);
  });
}

template <typename T>
struct Backward {
  using C = Compute<T>;
  int64_t columns;
  double eps;
  const T *grad, *x, *weight;
  T* grad_x;  // null if it is not wanted

  /// Writes the gradient of x, if it is wanted; returns the row's scale.
  template <typename Team>
  ONNXOP_DEVICE C operator()(const Team& team, int64_t row) const {
    const T* const from = x + row * columns;
    const T* const grads = grad + row * columns;
    if (grad_x == nullptr) return scale_of(team.sum(columns, Square(), from), columns, eps);
    const auto [squares, product] = team.sum(
        columns,
        [](C gradient, C factor, C value) {
          return std::array{value * value, gradient * factor * value};
        },
        grads, weight, from);
    const C scale = scale_of(squares, columns, eps);
    const C share = product * scale * scale / static_cast<C>(columns);
    team.map(
        columns, grad_x + row * columns,
        [&](C gradient, C factor, C value) { return scale * (gradient * factor - value * share); },
        grads, weight, from);
    return scale;
  }

  /// The same, and adds the gradient of the weight to `sums`.
  template <typename Team>
  ONNXOP_DEVICE void operator()(const Team& team, int64_t row, C* sums) const {
    const T* const from = x + row * columns;
    const T* const grads = grad + row * columns;
    const C scale = (*this)(team, row);
    team.fill(
        columns, sums,
        [&](C sum, C gradient, C value) { return sum + gradient * value * scale; }, sums, grads,
        from);
  }
};

inline void backward(const std::optional<MutableTensorView>& grad_x,
                     const std::optional<MutableTensorView>& grad_weight, const TensorView& grad,
                     const TensorView& x, const TensorView& weight, double eps,
                     const Worker& worker) {
  const int64_t columns = weight.sizes[0];
  const int64_t rows = columns == 0 ? 0 : element_count(x.sizes) / columns;
  Supported::visit(x.dtype, [&]<typename T>() {
    const Backward<T> row{columns,
                          eps,
                          grad.data_as<T>(),
                          x.data_as<T>(),
                          weight.data_as<T>(),
                          grad_x ? grad_x->data_as<T>() : nullptr};
    if (grad_weight) {
      sum_of_rows<Compute<T>>(rows, columns, grad_weight->data_as<T>(), worker, row);
    } else {
      for_each_row(rows, columns, worker, row);
    }
  });
}

}  // namespace rms_norm_kernel
