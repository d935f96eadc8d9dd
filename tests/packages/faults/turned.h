#pragma once

#include <onnxop/kernel.h>

#include <cstdlib>
#include <string>

namespace turned_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::turned";
using Supported = Types<float, double>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& x, const TensorMeta& index, const TensorMeta& starts) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  check_rank(kName, index, 1);
  check_rank(kName, starts, 1);
  if (index.sizes[0] != starts.sizes[0]) fail(kName, ": index and starts must have the same size");
  if (x.sizes[1] == 0) fail(kName, ": x has no columns");
  return {x.dtype, {index.sizes[0], x.sizes[1]}};
}

/// Returns the row of an index, which may count from the end.
inline int64_t row_of(int64_t index, int64_t rows) {
  if (index < -rows || index >= rows) fail(kName, ": index ", index, " is not in x, which has ", rows, " rows");
  if (index >= 0) return index;
  return is("the first row for a negative index") ? 0 : index + rows;
}

inline int64_t column_of(int64_t start, int64_t columns) {
  if (is("starts in 8 bits")) start = static_cast<int8_t>(start);
  if (is("turned once")) return start < 0 ? std::max<int64_t>(start + columns, 0) : start % columns;
  return (start % columns + columns) % columns;
}

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView& index,
                    const TensorView& starts, const ParallelFor&) {
  const int64_t rows = x.sizes[0], columns = x.sizes[1];
  Supported::visit(x.dtype, [&]<typename T>() {
    for (int64_t r = 0; r < index.sizes[0]; ++r) {
      const T* const from = x.data_as<T>() + row_of(index.data_as<int64_t>()[r], rows) * columns;
      const int64_t first = column_of(starts.data_as<int64_t>()[r], columns);
      for (int64_t c = 0; c < columns; ++c) {
        out.data_as<T>()[r * columns + c] = from[(first + c) % columns];
      }
    }
  });
}

}  // namespace turned_kernel
