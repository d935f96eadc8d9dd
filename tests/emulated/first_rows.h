// The kernel of my_lib::first_rows, for CPUs and GPUs: the number of rows is in a tensor, which infer() reads.
#pragma once

#include <onnxop/team.h>

namespace first_rows_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::first_rows";
using Supported = NumberTypes;

inline OutputSpec infer(const TensorMeta& x, const TensorMeta& count) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  check_dtype(kName, count, Dtype::int64);
  if (count.data == nullptr) return {x.dtype, {kDataDependent, x.sizes[1]}};
  const int64_t rows = *static_cast<const int64_t*>(count.data);
  if (rows < 0 || rows > x.sizes[0].value()) fail(kName, ": count is ", rows, ", but x has ", x.sizes[0], " rows");
  return {x.dtype, {rows, x.sizes[1]}};
}

template <typename T>
struct Copy {
  const T* from;
  T* to;
  ONNXOP_DEVICE void operator()(int64_t i) const { to[i] = from[i]; }
};

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView&, const Worker& worker) {
  Supported::visit(x.dtype, [&]<typename T>() {
    for_each(element_count(out.sizes), 1, worker, Copy<T>{x.data_as<T>(), out.data_as<T>()});
  });
}

}  // namespace first_rows_kernel
