// The kernel of my_lib::max_last, written by hand.
#pragma once

#include <onnxop/kernel.h>

#include <algorithm>

namespace max_last_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::max_last";
using Supported = Types<float, double, Half>;

inline std::array<OutputSpec, 2> infer(const TensorMeta& x, bool) {
  check_supported<Supported>(kName, x);
  if (x.rank() == 0 || x.sizes.back() == 0) {
    fail(kName, ": x must have elements in its last dimension, but its shape is ",
         to_string(x.sizes));
  }
  const std::vector<Size> sizes(x.sizes.begin(), x.sizes.end() - 1);
  return {OutputSpec{x.dtype, sizes}, OutputSpec{Dtype::int64, sizes}};
}

template <typename T>
int64_t place_of(const T* row, int64_t count, bool lowest) {
  int64_t place = 0;
  for (int64_t i = 1; i < count; ++i) {
    const bool is_better =
        lowest ? load(row[i]) < load(row[place]) : load(row[i]) > load(row[place]);
    if (is_better) place = i;
  }
  return place;
}

inline void compute(const MutableTensorView& values, const MutableTensorView& indices,
                    const TensorView& x, bool lowest, const ParallelFor& parallel_for) {
  const int64_t columns = x.sizes.back();
  Supported::visit(x.dtype, [&]<typename T>() {
    parallel_for(element_count(values.sizes), 1 + 32768 / columns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* row = x.data_as<T>() + i * columns;
        const int64_t place = place_of(row, columns, lowest);
        values.data_as<T>()[i] = row[place];
        indices.data_as<int64_t>()[i] = place;
      }
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_x, const TensorView& grad_values,
                     const TensorView&, const TensorView& x, bool lowest, const ParallelFor&) {
  if (!grad_x) return;
  const int64_t columns = x.sizes.back();
  Supported::visit(x.dtype, [&]<typename T>() {
    T* const to = grad_x->data_as<T>();
    std::fill_n(to, element_count(x.sizes), T{});
    for (int64_t i = 0; i < element_count(grad_values.sizes); ++i) {
      const int64_t place = place_of(x.data_as<T>() + i * columns, columns, lowest);
      to[i * columns + place] = grad_values.data_as<T>()[i];
    }
  });
}

}  // namespace max_last_kernel
