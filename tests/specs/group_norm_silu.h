// The kernel of my_lib::group_norm_silu, written by hand.
#pragma once

#include <onnxop/kernel.h>

#include <cmath>

namespace group_norm_silu_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::group_norm_silu";
using Supported = Types<float, double>;

inline OutputSpec infer(const TensorMeta& x, Size groups, const TensorMeta& weight,
                        const TensorMeta& bias, double) {
  check_supported<Supported>(kName, x);
  check_same_dtype(kName, x, weight);
  check_same_dtype(kName, x, bias);
  check_rank(kName, weight, 1);
  check_rank(kName, bias, 1);
  if (x.rank() < 2 || x.sizes[1] != weight.sizes[0] || x.sizes[1] != bias.sizes[0]) {
    fail(kName, ": x must have weight's and bias's elements in its second dimension");
  }
  if (groups <= 0 || x.sizes[1] % groups != 0) {
    fail(kName, ": x's channels do not divide into the groups");
  }
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

inline void compute(const MutableTensorView& out, const TensorView& x, int64_t groups,
                    const TensorView& weight, const TensorView& bias, double eps,
                    const ParallelFor&) {
  const int64_t count = element_count(x.sizes);
  if (count == 0) return;
  Supported::visit(x.dtype, [&]<typename T>() {
    const int64_t channels = x.sizes[1], rows = x.sizes[0] * groups, columns = count / rows;
    const int64_t inner = count / (x.sizes[0] * channels), own = channels / groups;
    for (int64_t row = 0; row < rows; ++row) {
      const T* from = x.data_as<T>() + row * columns;
      T* to = out.data_as<T>() + row * columns;
      double mean = 0, square = 0;
      for (int64_t i = 0; i < columns; ++i) mean += from[i];
      mean /= columns;
      for (int64_t i = 0; i < columns; ++i) square += (from[i] - mean) * (from[i] - mean);
      const double scale = 1 / std::sqrt(square / columns + eps);
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t channel = row % groups * own + i / inner;
        const double y = (from[i] - mean) * scale * weight.data_as<T>()[channel] + bias.data_as<T>()[channel];
        to[i] = y / (1 + std::exp(-y));
      }
    }
  });
}

}  // namespace group_norm_silu_kernel
