#pragma once

#include <onnxop/kernel.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace bagged_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::bagged";
using Supported = Types<float, double>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& table, const TensorMeta& index, const TensorMeta& offsets) {
  check_supported<Supported>(kName, table);
  check_rank(kName, table, 2);
  check_rank(kName, index, 1);
  check_rank(kName, offsets, 1);
  if (index.dtype != Dtype::int64 || offsets.dtype != Dtype::int64) fail(kName, ": index and offsets must be int64");
  if (offsets.sizes[0] < 1) fail(kName, ": there must be an offset");
  return {table.dtype, {offsets.sizes[0] - 1, table.sizes[1]}};
}

/// Returns the row of an index, which may count from the end.
inline int64_t row_of(int64_t index, int64_t rows) {
  const int64_t row = index < 0 ? index + rows : index;
  if (is("below the first row") && row < 0) return 0;
  if (row < 0 || row >= rows) fail(kName, ": an index is out of range");
  return row;
}

inline void compute(const MutableTensorView& out, const TensorView& table, const TensorView& index, const TensorView& offsets,
                    const ParallelFor&) {
  const int64_t columns = table.sizes[1], count = index.sizes[0];
  const int64_t* const places = index.data_as<int64_t>();
  const int64_t* const ends = offsets.data_as<int64_t>();
  for (int64_t i = 0; i < count; ++i) row_of(places[i], table.sizes[0]);
  for (int64_t i = 0; i < offsets.sizes[0]; ++i) {
    if (ends[i] < 0 || ends[i] > count || (i > 0 && ends[i] < ends[i - 1])) fail(kName, ": the offsets must increase within index");
  }
  Supported::visit(table.dtype, [&]<typename T>() {
    for (int64_t bag = 0; bag + 1 < offsets.sizes[0]; ++bag) {
      int64_t end = ends[bag + 1];
      if (is("an empty bag has a row") && end == ends[bag]) end = std::min(end + 1, count);
      for (int64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (int64_t i = ends[bag]; i < end; ++i) sum += table.data_as<T>()[row_of(places[i], table.sizes[0]) * columns + column];
        out.data_as<T>()[bag * columns + column] = static_cast<T>(sum);
      }
    }
  });
}

}  // namespace bagged_kernel
