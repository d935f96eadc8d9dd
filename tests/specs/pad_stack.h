// The kernel of my_lib::pad_stack: rows of any lengths as one matrix.
#pragma once

#include <onnxop/kernel.h>

#include <algorithm>

namespace pad_stack_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::pad_stack";

using Supported = Types<float, double>;

inline OutputSpec infer(std::span<const TensorMeta> rows, double) {
  if (rows.empty()) fail(kName, ": rows has no tensor");
  check_supported<Supported>(kName, rows[0]);
  Size width = 0;
  for (const TensorMeta& row : rows) {
    check_same_dtype(kName, rows[0], row);
    check_rank(kName, row, 1);
    width = max(width, row.sizes[0]);
  }
  return {rows[0].dtype, {static_cast<int64_t>(rows.size()), width}};
}

inline void compute(const MutableTensorView& out, std::span<const TensorView> rows, double fill,
                    const ParallelFor& parallel_for) {
  Supported::visit(out.dtype, [&]<typename T>() {
    const int64_t width = out.sizes[1];
    parallel_for(out.sizes[0], 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const to = out.data_as<T>() + i * width;
        T* const rest = std::copy_n(rows[i].data_as<T>(), rows[i].sizes[0], to);
        std::fill(rest, to + width, static_cast<T>(fill));
      }
    });
  });
}

}  // namespace pad_stack_kernel
