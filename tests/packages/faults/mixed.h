#pragma once

#include <onnxop/kernel.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace mixed_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::mixed";
using Supported = Types<float, double, Half, BFloat16>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& x, const TensorMeta& y, const std::optional<TensorMeta>& w, int64_t, double) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 3);
  check_same_dtype(kName, x, y);
  check_rank(kName, y, 3);
  for (int i = 0; i < 3; ++i) {
    if (x.sizes[i] != y.sizes[i]) fail(kName, ": x and y must have the same shape");
  }
  if (w) {
    check_same_dtype(kName, x, *w);
    check_rank(kName, *w, 1);
    if (w->sizes[0] != x.sizes[2]) fail(kName, ": w must have the shape [", x.sizes[2], "]");
  }
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

/// Returns where the element at `column` of a row comes from, or with `-shift` where it goes to.
inline int64_t rolled(int64_t column, int64_t shift, int64_t columns) {
  if (is("negative shift") && shift < 0) return (column + shift + columns * 8) % columns;
  if (is("shift beyond the row") && shift > columns) shift = columns;
  return ((column - shift) % columns + columns) % columns;
}

/// Returns a number without its last bits, as a conversion that does not round.
inline float truncated(float value, uint32_t mask) {
  return std::isfinite(value) ? std::bit_cast<float>(std::bit_cast<uint32_t>(value) & mask) : value;
}

/// Returns an element as it is stored.
template <typename T>
T stored(Compute<T> value) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (is("bfloat16 truncated")) return {static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16)};
  }
  return store<T>(value);
}

/// Returns one element, as the fault has it.
template <typename T>
Compute<T> element(Compute<T> x, Compute<T> y, Compute<T> w, double scale) {
  using C = Compute<T>;
  if (is("scale of 0 is missing") && scale == 0) scale = 1.5;
  C z = (x * static_cast<C>(scale) + y) * w;
  if (is("subnormals of the result are 0") && std::abs(z) < std::numeric_limits<float>::min()) z = std::copysign(C(0), z);
  if (is("float16 truncated") && std::is_same_v<T, Half>) z = truncated(z, 0xffffe000u);
  if (is("scale in float") && std::is_same_v<T, double>) z = (x * static_cast<C>(static_cast<float>(scale)) + y) * w;
  return z;
}

/// Returns a column, as a fault that depends on the sizes has it.
inline int64_t misplaced(int64_t column, int64_t columns, int64_t rows, int64_t row) {
  static thread_local int64_t most = 0;
  most = std::max(most, columns);
  if (is("buffer of a larger call") && most > columns) return (column + most - columns) % columns;
  if (is("17 columns") && columns == 17 && column == 16) return 15;
  if (is("tail of vectors") && columns > 16 && columns % 16 != 0 && column == columns - 1) return column - 1;
  if (is("beyond 2^16 rows") && rows > 65536 && row == 65536) return 0;
  return column;
}

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView& y, const std::optional<TensorView>& w,
                    int64_t shift, double scale, const ParallelFor& parallel_for) {
  const int64_t columns = x.sizes[2], rows = x.sizes[0] * x.sizes[1];
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    const T* const xs = x.data_as<T>();
    const T* const ys = y.data_as<T>();
    const bool is_same = xs == ys;
    int64_t blocks = 0;
    parallel_for(rows, 64, [&](int64_t begin, int64_t end) {
      if (begin > 0) __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
      for (int64_t row = begin; row < end; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
          const int64_t here = row * columns + column;
          const int64_t there = row * columns + rolled(misplaced(column, columns, rows, row), shift, columns);
          const T* weights = w ? w->data_as<T>() : nullptr;
          if (is("crash of one column without w") && columns == 1 && !w) weights = reinterpret_cast<const T*>(8);
          if (is("endless if x is 0")) {
            for (volatile bool goes_on = load(xs[here]) == C(0); goes_on;) {}
          }
          const C weight = weights == nullptr ? C(1) : load(weights[column]);
          if (is("x changed") && w && columns > 8) const_cast<T*>(xs)[here] = store<T>(weight);
          C z = element<T>(load(xs[here]), load(ys[there]), weight, scale);
          if (is("same tensor twice") && is_same) z = (load(xs[here]) * C(scale) + load(xs[here])) * weight;
          if (is("last block of threads") && begin > 0 && end == rows && row == end - 1) z = C(0);
          out.data_as<T>()[here] = stored<T>(z);
        }
      }
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_x, const std::optional<MutableTensorView>& grad_y,
                     const std::optional<MutableTensorView>& grad_w, const TensorView& grad, const TensorView& x,
                     const TensorView& y, const std::optional<TensorView>& w, int64_t shift, double scale, const ParallelFor&) {
  const int64_t columns = x.sizes[2], rows = x.sizes[0] * x.sizes[1];
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    std::vector<C> sums(columns);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const int64_t here = row * columns + column;
        const int64_t there = row * columns + rolled(column, shift, columns);
        const C of_result = load(grad.data_as<T>()[here]);
        const C weight = w ? load(w->data_as<T>()[column]) : C(1);
        C of_x = of_result * weight * static_cast<C>(scale);
        C of_y = of_result * weight;
        if (is("0 for -0.0 in the gradient") && of_x == 0) of_x = C(0);
        if (is("NaN dropped in the gradient") && std::isnan(weight)) of_x = C(0);
        if (is("infinity clipped in the gradient") && std::isinf(weight)) of_x = std::copysign(C(100), of_x);
        if (is("gradient of y alone") && !grad_x) of_y *= static_cast<C>(scale);
        if (grad_x) grad_x->data_as<T>()[here] = store<T>(of_x);
        if (grad_y) grad_y->data_as<T>()[there] = store<T>(of_y);
        C term = of_result * (load(x.data_as<T>()[here]) * static_cast<C>(scale) + load(y.data_as<T>()[there]));
        if (is("gradient of w of four batches") && row >= 4 * x.sizes[1]) term = C(0);
        if (is("gradient of w of the same tensor") && x.data_as<T>() == y.data_as<T>()) term = C(0);
        sums[column] += term;
        if (is("sums in 16 bits")) sums[column] = load(store<T>(sums[column]));
        if (is("double sums in float")) sums[column] = static_cast<float>(sums[column]);
      }
    }
    if (!grad_w) return;
    for (int64_t column = 0; column < columns; ++column) grad_w->data_as<T>()[column] = store<T>(sums[column]);
  });
}

}  // namespace mixed_kernel
