#pragma once

#include <onnxop/kernel.h>

#include <cstdlib>
#include <string>

namespace joined_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::joined";
using Supported = Types<float, double, Half, BFloat16>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(std::span<const TensorMeta> xs, double) {
  if (xs.empty()) fail(kName, ": there is no tensor");
  check_supported<Supported>(kName, xs[0]);
  for (const TensorMeta& x : xs) {
    check_same_dtype(kName, xs[0], x);
    check_rank(kName, x, 1);
    if (x.sizes[0] != xs[0].sizes[0]) fail(kName, ": all tensors must have one size");
  }
  return {xs[0].dtype, {xs[0].sizes[0]}};
}

inline void compute(const MutableTensorView& out, std::span<const TensorView> xs, double weight, const ParallelFor&) {
  Supported::visit(out.dtype, [&]<typename T>() {
    using C = Compute<T>;
    for (int64_t i = 0; i < out.sizes[0]; ++i) {
      C y = load(xs[0].data_as<T>()[i]);
      for (size_t k = 1; k < xs.size(); ++k) {
        if (is("third tensor dropped") && k == 2) continue;
        y = y * static_cast<C>(weight) + load(xs[k].data_as<T>()[i]);
      }
      if (is("one tensor is weighted") && xs.size() == 1) y *= static_cast<C>(weight);
      if (is("weight above 1") && weight > 1) y /= static_cast<C>(weight);
      out.data_as<T>()[i] = store<T>(y);
    }
  });
}

}  // namespace joined_kernel
