// The kernel of my_lib::picked_rows: integers and booleans beside floats.
#pragma once

#include <onnxop/kernel.h>

namespace picked_rows_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::picked_rows";
using Supported = Types<float, double>;

inline OutputSpec infer(const TensorMeta& table, const TensorMeta& index,
                        const std::optional<TensorMeta>& keep) {
  check_supported<Supported>(kName, table);
  check_rank(kName, table, 2);
  check_dtype(kName, index, Dtype::int64);
  check_rank(kName, index, 1);
  if (keep) {
    check_dtype(kName, *keep, Dtype::boolean);
    check_rank(kName, *keep, 1);
    if (keep->sizes[0] != index.sizes[0]) {
      fail(kName, ": keep must have as many elements as index");
    }
  }
  return {table.dtype, {index.sizes[0], table.sizes[1]}};
}

inline void compute(const MutableTensorView& out, const TensorView& table, const TensorView& index,
                    const std::optional<TensorView>& keep, const ParallelFor& parallel_for) {
  Supported::visit(table.dtype, [&]<typename T>() {
    const int64_t count = table.sizes[0], width = table.sizes[1];
    for (int64_t i = 0; i < out.sizes[0]; ++i) {
      const int64_t row = index.data_as<int64_t>()[i];
      if (row < 0 || row >= count) fail(kName, ": there is no row ", row);
      T* to = out.data_as<T>() + i * width;
      if (keep && !keep->data_as<bool>()[i]) {
        std::fill_n(to, width, T(0));
      } else {
        std::copy_n(table.data_as<T>() + row * width, width, to);
      }
    }
  });
}

}  // namespace picked_rows_kernel
