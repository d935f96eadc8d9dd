#pragma once

#include <onnxop/kernel.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace scaled_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::scaled";
using Supported = Types<float, double, Half, BFloat16, int32_t, int64_t>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& x, const TensorMeta& w, const std::optional<TensorMeta>& bias, int64_t, int64_t) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  for (const TensorMeta* row : {&w, bias ? &*bias : &w}) {
    check_same_dtype(kName, x, *row);
    check_rank(kName, *row, 1);
    if (row->sizes[0] != x.sizes[1]) fail(kName, ": ", row->name, " must have the shape [", x.sizes[1], "]");
  }
  if (is("refuses everything") && x.sizes[0] >= 0) fail(kName, ": w must have the shape of nothing");
  if (is("refuses float16") && x.dtype == Dtype::float16) fail(kName, ": w must have the shape of nothing");
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

/// Returns one element, as `fault` has it.
template <typename T>
Compute<T> element(Compute<T> x, Compute<T> w, int64_t alpha, int64_t beta) {
  using C = Compute<T>;
  if (is("attributes swapped")) std::swap(alpha, beta);
  if (is("attribute ignored")) alpha = 2;
  if (is("two other attributes") && alpha != 2 && beta != 2) alpha = 2;
  if (is("attributes of other signs") && alpha < 0 && beta > 2) beta = 2;
  C y = x * w * C(alpha) + x * C(beta);
  if constexpr (std::is_floating_point_v<C>) {
    if (is("float16 5 % off") && std::is_same_v<T, Half>) y *= C(1.05);
    if (is("bfloat16 5 % off") && std::is_same_v<T, BFloat16>) y *= C(1.05);
    if (is("float64 through float") && std::is_same_v<T, double>) y = static_cast<float>(y);
    if (is("float64 within float32's range") && std::is_same_v<T, double> && std::isfinite(y)) {
      y = std::clamp<C>(y, -std::numeric_limits<float>::max(), std::numeric_limits<float>::max());
    }
    if (is("float64 below float32's range is 0") && std::is_same_v<T, double> && std::abs(y) < std::numeric_limits<float>::min()) {
      y = std::copysign(C(0), y);
    }
    if (is("NaN dropped") && std::isnan(x)) y = C(0);
    if (is("NaN of w dropped") && std::isnan(w)) y = x;
    if (is("infinity to NaN") && std::isinf(x)) y = std::numeric_limits<C>::quiet_NaN();
    if (is("infinity to the largest") && std::isinf(y)) y = std::copysign(std::numeric_limits<float>::max(), y);
    if (is("-0.0 is 0") && x == 0) y = C(0);
    if (is("subnormals are 0") && std::abs(x) < std::numeric_limits<float>::min()) y = C(0);
    if (is("wrong above 1000") && x > 1000) y = C(1000);
    if (is("wrong between") && x > C(0.5) && x < C(0.6)) y += C(0.1);
  } else {
    if (is("int64 through double")) y = static_cast<C>(double(x) * double(w) * alpha + double(x) * beta);
    if (is("int64 through int32")) y = static_cast<C>(static_cast<int32_t>(y));
    if (is("negative integers") && x < -5) y += 1;
  }
  return y;
}

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView& w, const std::optional<TensorView>& bias,
                    int64_t alpha, int64_t beta, const ParallelFor& parallel_for) {
  const int64_t rows = x.sizes[0], columns = x.sizes[1], count = rows * columns;
  if (is("division by zero if empty")) [[maybe_unused]]
    volatile int64_t size = 100 / rows;
  static const int64_t first_columns = columns;
  Supported::visit(x.dtype, [&]<typename T>() {
    const T* const from = x.data_as<T>();
    const T* const weights = w.data_as<T>();
    T* const to = out.data_as<T>();
    parallel_for(count, 16384, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / columns;
        int64_t column = i % columns;
        int64_t place = i;
        if (is("last of an odd number") && count % 2 == 1 && i == count - 1) continue;
        if (is("more than 5 rows") && row >= 5) place = i - columns;
        if (is("second block") && begin > 0 && i == begin) place = begin - 1;
        if (is("wrong axis of a square") && rows == columns) column = row;
        if (is("read past the end") && i == count - 1) place = count;
        if (is("read past the end of w") && column == columns - 1) column = columns;
        if (is("size of the first call")) column = i % first_columns % columns;
        if (is("one column") && columns == 1) column = row;
        if (is("beyond 1000 columns") && column >= 1000) column = 999;
        if (is("unwritten where 0") && load(from[i]) == 0) continue;
        Compute<T> y = element<T>(load(from[place]), load(weights[column]), alpha, beta);
        if (bias && !is("optional ignored")) y += load(bias->data_as<T>()[column]);
        to[i] = store<T>(y);
      }
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_x, const std::optional<MutableTensorView>& grad_w,
                     const TensorView& grad, const TensorView& x, const TensorView& w, const std::optional<TensorView>& bias,
                     int64_t alpha, int64_t beta, const ParallelFor&) {
  const int64_t columns = x.sizes[1], count = element_count(x.sizes);
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    std::vector<C> sums(columns);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t column = i % columns;
      const C of_result = load(grad.data_as<T>()[i]), value = load(x.data_as<T>()[i]);
      C of_x = of_result * (load(w.data_as<T>()[column]) * C(alpha) + C(beta));
      if (is("backward below -2.5") && double(value) < -2.5) of_x = C(0);
      if (is("backward beyond 64") && i >= 64) of_x = C(0);
      if (is("backward swaps attributes")) of_x = of_result * (load(w.data_as<T>()[column]) * C(beta) + C(alpha));
      if (is("backward of float16") && std::is_same_v<T, Half>) of_x *= C(2);
      if (grad_x) grad_x->data_as<T>()[i] = store<T>(of_x);
      if (is("backward with bias") && bias) continue;
      if (is("backward of the last row") && count > 40 && i >= count - columns) continue;
      sums[column] += of_result * value * C(alpha);
    }
    if (!grad_w) return;
    if (is("backward unwritten if empty") && count == 0) return;
    for (int64_t column = 0; column < columns; ++column) grad_w->data_as<T>()[column] = store<T>(sums[column]);
  });
}

}  // namespace scaled_kernel
