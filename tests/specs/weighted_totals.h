// The kernel of my_lib::weighted_totals: the sums of tensors of any dtypes.
#pragma once

#include <onnxop/kernel.h>

namespace weighted_totals_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::weighted_totals";

using Supported = Types<float, double>;
using Summed = NumberTypes;  // the tensors of the list

inline std::array<OutputSpec, 2> infer(const TensorMeta& weights, std::span<const TensorMeta> xs,
                                       Scalar) {
  if (xs.empty()) fail(kName, ": xs has no tensor");
  check_supported<Supported>(kName, weights);
  check_rank(kName, weights, 1);
  for (const TensorMeta& x : xs) check_supported<Summed>(kName, x);
  const Size count = static_cast<int64_t>(xs.size());
  if (weights.sizes[0] != count) {
    fail(kName, ": there are ", weights.sizes[0], " weights of ", count, " tensors");
  }
  return {OutputSpec{weights.dtype, {count}}, OutputSpec{Dtype::int64, {count}}};
}

inline double total(const TensorView& x) {
  double sum = 0;
  Summed::visit(x.dtype, [&]<typename X>() {
    const int64_t count = element_count(x.sizes);
    for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(load(x.data_as<X>()[i]));
  });
  return sum;
}

inline void compute(const MutableTensorView& totals, const MutableTensorView& counts,
                    const TensorView& weights, std::span<const TensorView> xs, Scalar offset,
                    const ParallelFor& parallel_for) {
  Supported::visit(weights.dtype, [&]<typename T>() {
    parallel_for(static_cast<int64_t>(xs.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto sum = static_cast<T>(total(xs[i]));
        totals.data_as<T>()[i] = sum * weights.data_as<T>()[i] + static_cast<T>(offset);
        counts.data_as<int64_t>()[i] = element_count(xs[i].sizes);
      }
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_weights,
                     const TensorView& grad_totals, const TensorView&, const TensorView& weights,
                     std::span<const TensorView> xs, Scalar, const ParallelFor& parallel_for) {
  if (!grad_weights) return;
  Supported::visit(weights.dtype, [&]<typename T>() {
    parallel_for(static_cast<int64_t>(xs.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        grad_weights->data_as<T>()[i] =
            static_cast<T>(total(xs[i])) * grad_totals.data_as<T>()[i];
      }
    });
  });
}

}  // namespace weighted_totals_kernel
