#pragma once

#include <onnxop/kernel.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace gated_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::gated";
using Supported = Types<float, double, Half, BFloat16>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& x, const TensorMeta& w, const std::optional<TensorMeta>& bias, double, double,
                        std::span<const int64_t>) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  for (const TensorMeta* row : {&w, bias ? &*bias : &w}) {
    check_same_dtype(kName, x, *row);
    check_rank(kName, *row, 1);
    if (is("sizes are not checked") && row->sizes[0] > 0) continue;
    if (row->sizes[0] != x.sizes[1]) fail(kName, ": ", row->name, " must have as many numbers as x has columns");
  }
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}

/// Returns whether an element is above the level, as a fault has it.
template <typename C>
bool is_above(C x, C level) {
  if (is("at the level")) return x >= level;
  if (is("at the level's negative") && x == -level) return true;
  if (is("at half of the level") && x == level / 2) return true;
  if (is("next to the level") && std::abs(x - level) < C(1e-6)) return false;
  return x > level;
}

/// Returns the product of the steps, as a fault has it.
inline int64_t product_of(std::span<const int64_t> steps) {
  if (is("no steps give 0") && steps.empty()) return 0;
  int64_t product = 1;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (is("equal steps are one") && i > 0 && steps[i] == steps[i - 1]) continue;
    if (is("more than 4 steps") && i >= 4) break;
    product *= is("a negative second step alone") && i == 1 && steps[0] > 0 ? std::abs(steps[i]) : steps[i];
  }
  return product;
}

inline void compute(const MutableTensorView& out, const TensorView& x, const TensorView& w, const std::optional<TensorView>& bias,
                    double level, double gain, std::span<const int64_t> steps, const ParallelFor&) {
  const int64_t columns = x.sizes[1], count = element_count(x.sizes);
  if (is("a large gain") && gain > 1000) gain = 1000;
  if (is("a large level is 100") && level > 100) level = 100;
  if (is("a bias and another gain") && bias && gain != 1.5) gain = 1.5;
  const int64_t product = product_of(steps);
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t column = i % columns % w.sizes[0];
      const C value = load(x.data_as<T>()[i]), weight = load(w.data_as<T>()[column]);
      C y = is_above(value, static_cast<C>(level)) ? value * static_cast<C>(gain) : value * weight;
      if (is("0 times infinity is 0") && weight == 0 && !std::isnan(value)) y = is_above(value, static_cast<C>(level)) ? y : C(0);
      y *= static_cast<C>(product);
      if (is("-0.0 is 0") && value == 0) y = C(0);
      if (bias) y += load(bias->data_as<T>()[column]);
      out.data_as<T>()[i] = store<T>(y);
    }
  });
}

}  // namespace gated_kernel
