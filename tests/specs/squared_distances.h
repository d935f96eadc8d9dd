// The kernel of my_lib::squared_distances, written by hand.
#pragma once

#include <onnxop/kernel.h>

namespace squared_distances_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::squared_distances";
using Supported = Types<float, double>;
inline constexpr int64_t kGrain = 4096;  // multiplications worth another thread

inline OutputSpec infer(const TensorMeta& a, const TensorMeta& b,
                        const std::optional<TensorMeta>& weight) {
  check_supported<Supported>(kName, a);
  check_same_dtype(kName, a, b);
  check_rank(kName, a, 2);
  check_rank(kName, b, 2);
  if (a.sizes[1] != b.sizes[1]) {
    fail(kName, ": a has ", a.sizes[1], " columns, but b has ", b.sizes[1]);
  }
  if (weight) {
    check_same_dtype(kName, a, *weight);
    check_rank(kName, *weight, 1);
    if (weight->sizes[0] != a.sizes[1]) {
      fail(kName, ": weight must have ", a.sizes[1], " elements, not ", weight->sizes[0]);
    }
  }
  return {a.dtype, {a.sizes[0], b.sizes[0]}};
}

inline void compute(const MutableTensorView& out, const TensorView& a, const TensorView& b,
                    const std::optional<TensorView>& weight, const ParallelFor& parallel_for) {
  const int64_t rows = b.sizes[0], columns = a.sizes[1];
  Supported::visit(out.dtype, [&]<typename T>() {
    const T* scale = weight ? weight->template data_as<T>() : nullptr;
    const int64_t grain = 1 + kGrain / (1 + rows * columns);
    parallel_for(a.sizes[0], grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < rows; ++j) {
          T sum = 0;
          for (int64_t k = 0; k < columns; ++k) {
            const T difference = a.data_as<T>()[i * columns + k] - b.data_as<T>()[j * columns + k];
            sum += difference * difference * (scale != nullptr ? scale[k] : T{1});
          }
          out.data_as<T>()[i * rows + j] = sum;
        }
      }
    });
  });
}

/// The gradient with respect to `x`, of which row i meets row j of `y` in grad[i * along + j *
/// across].
template <typename T>
void differentiate(const MutableTensorView& out, const T* grad, int64_t along, int64_t across,
                   const TensorView& x, const TensorView& y,
                   const std::optional<TensorView>& weight, const ParallelFor& parallel_for) {
  const int64_t columns = x.sizes[1];
  const T* scale = weight ? weight->template data_as<T>() : nullptr;
  parallel_for(x.sizes[0], 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t k = 0; k < columns; ++k) {
        T sum = 0;
        for (int64_t j = 0; j < y.sizes[0]; ++j) {
          const T difference = x.data_as<T>()[i * columns + k] - y.data_as<T>()[j * columns + k];
          sum += 2 * difference * grad[i * along + j * across];
        }
        out.data_as<T>()[i * columns + k] = sum * (scale != nullptr ? scale[k] : T{1});
      }
    }
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_a,
                     const std::optional<MutableTensorView>& grad_b, const TensorView& grad,
                     const TensorView& a, const TensorView& b,
                     const std::optional<TensorView>& weight, const ParallelFor& parallel_for) {
  const int64_t rows = b.sizes[0];
  Supported::visit(grad.dtype, [&]<typename T>() {
    const T* from = grad.data_as<T>();
    if (grad_a) differentiate(*grad_a, from, rows, 1, a, b, weight, parallel_for);
    if (grad_b) differentiate(*grad_b, from, 1, rows, b, a, weight, parallel_for);
  });
}

}  // namespace squared_distances_kernel
