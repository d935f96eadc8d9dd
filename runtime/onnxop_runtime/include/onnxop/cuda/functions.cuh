// Functions for results of 16 bits on GPUs: cheaper than those of CUDA, and exact enough for float16 and bfloat16.
#pragma once

#include <cmath>

#include "../cpu.h"

namespace onnxop::cuda {

ONNXOP_DEVICE inline float approximate_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  return x;
#else
  return std::sqrt(x);
#endif
}

ONNXOP_DEVICE inline float approximate_log2(float x) {
#if defined(__CUDA_ARCH__)
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  return x;
#else
  return std::log2(x);
#endif
}

/// Returns asinh(x) = log(|x| + sqrt(x^2 + 1)), with the sign of x; near zero by its series.
ONNXOP_DEVICE inline float asinh_of_16_bits(float x) {
  constexpr float kLog2 = 0.693147181f;
  constexpr float kLarge = 1e9f;  // the square of larger numbers may be infinite, and sqrt(x^2 + 1) is |x|
  constexpr float kSmall = 0.25f;
  const float magnitude = std::fabs(x), square = magnitude * magnitude;
  const bool is_large = magnitude > kLarge;  // then it is log(2 |x|) = log(|x|) + log(2)
  const float log2 = approximate_log2(is_large ? magnitude : magnitude + approximate_sqrt(square + 1));
  const float by_logarithm = std::fma(log2, kLog2, is_large ? kLog2 : 0.0f);
  const float by_series = std::fma(square * magnitude, std::fma(square, 3.0f / 40, -1.0f / 6), magnitude);
  return std::copysign(magnitude < kSmall ? by_series : by_logarithm, x);
}

}  // namespace onnxop::cuda
