// The kernel of my_lib::append_row: it writes to an argument, and returns nothing.
#pragma once

#include <onnxop/kernel.h>

namespace append_row_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::append_row";
using Supported = Types<float, double>;

inline void infer(const TensorMeta& row, const TensorMeta& cache, int64_t) {
  check_supported<Supported>(kName, row);
  check_same_dtype(kName, row, cache);
  check_rank(kName, row, 1);
  check_rank(kName, cache, 2);
  if (cache.sizes[1] != row.sizes[0]) {
    fail(kName, ": row must have as many elements as a row of cache");
  }
  if (cache.sizes[0] == 0) fail(kName, ": cache has no row");
}

inline void compute(const TensorView& row, const MutableTensorView& cache, int64_t position,
                    const ParallelFor& parallel_for) {
  Supported::visit(row.dtype, [&]<typename T>() {
    const int64_t count = cache.sizes[0], width = cache.sizes[1];
    const int64_t place = (position % count + count) % count;
    std::copy_n(row.data_as<T>(), width, cache.data_as<T>() + place * width);
  });
}

}  // namespace append_row_kernel
