// The kernel of my_lib::softmax_rows, for CPUs and GPUs: what one function of a team writes, the next one reads.
#pragma once

#include <onnxop/team.h>

#include <cmath>

namespace softmax_rows_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "my_lib::softmax_rows";
using Supported = Types<float, double>;

inline OutputSpec infer(const TensorMeta& x) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

template <typename T>
struct Softmax {
  int64_t columns;
  const T* x;
  T* out;

  template <typename Team>
  ONNXOP_DEVICE void operator()(const Team& team, int64_t row) const {
    const T* const from = x + row * columns;
    T* const to = out + row * columns;
    const T most = team.largest(columns, [](T value) { return value; }, from);
    team.map(columns, to, [&](auto value) { return std::exp(value - most); }, from);
    // Element by element: by other threads than those that wrote them.
    const T sum = team.sum(columns, [&](int64_t i) { return to[i]; });
    team.fill(columns, to, [&](T power) { return power / sum; }, to);
  }
};

inline void compute(const MutableTensorView& out, const TensorView& x, const Worker& worker) {
  const int64_t columns = x.sizes[1];
  Supported::visit(x.dtype, [&]<typename T>() {
    const Softmax<T> row{columns, x.data_as<T>(), out.data_as<T>()};
    for_each_row(x.sizes[0], columns, worker, row);
  });
}

}  // namespace softmax_rows_kernel
