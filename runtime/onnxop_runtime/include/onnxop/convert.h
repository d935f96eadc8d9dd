// Conversion of 16-bit floats to float, in which kernels compute, and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor.h"
#include "vector.h"

namespace onnxop {

/// Whether kernels compute in a wider type.
template <typename T>
inline constexpr bool is_narrow = !std::is_same_v<T, Compute<T>>;

namespace detail {

#ifdef ONNXOP_HAS_EACH_CPU
// GCC 12 does not vectorise conversions of binary16, but CPUs have one for 16 or 8 elements. Its warning
// on how registers are passed does not matter, because all of this code is inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

template <int64_t kBytes>
ONNXOP_INLINE void convert_register(const Half* from, float* to) {
  Vector<short, kBytes / 2> halves;
  Vector<float, kBytes> floats;
  std::memcpy(&halves, from, sizeof(halves));
  if constexpr (kBytes == 64) {
    constexpr int kAsSet = 4;  // the rounding; widening needs none
    floats = __builtin_ia32_vcvtph2ps512_mask(halves, Vector<float, 64>{}, -1, kAsSet);
  } else {
    floats = __builtin_ia32_vcvtph2ps256(halves);
  }
  std::memcpy(to, &floats, sizeof(floats));
}

template <int64_t kBytes>
ONNXOP_INLINE void convert_register(const float* from, Half* to) {
  constexpr int kToNearest = 0;
  Vector<float, kBytes> floats;
  Vector<short, kBytes / 2> halves;
  std::memcpy(&floats, from, sizeof(floats));
  if constexpr (kBytes == 64) {
    halves = __builtin_ia32_vcvtps2ph512_mask(floats, kToNearest, Vector<short, 32>{}, -1);
  } else {
    halves = __builtin_ia32_vcvtps2ph256(floats, kToNearest);
  }
  std::memcpy(to, &halves, sizeof(halves));
}

#pragma GCC diagnostic pop
#endif

}  // namespace detail

/// Widens or narrows kCount elements as `load` and `store` do: rounded to nearest, ties to even. For code
/// that is compiled for CPUs with registers of kBytes.
template <int64_t kBytes, int64_t kCount, typename From, typename To>
ONNXOP_INLINE void convert_block(const From* from, To* to) {
#ifdef ONNXOP_HAS_EACH_CPU
  if constexpr (kBytes > 16 && (std::is_same_v<From, Half> || std::is_same_v<To, Half>)) {
    constexpr int64_t kEach = kBytes / sizeof(float);
    for (int64_t i = 0; i < kCount; i += kEach) detail::convert_register<kBytes>(from + i, to + i);
    return;
  }
#endif
#pragma GCC unroll 1  // the vectoriser ignores unrolled loops
  for (int64_t i = 0; i < kCount; ++i) {
    if constexpr (is_narrow<To>) {
      to[i] = store<To>(from[i]);
    } else {
      to[i] = load(from[i]);
    }
  }
}

namespace detail {

struct Convert {
  template <int64_t kBytes, typename From, typename To>
  ONNXOP_INLINE static void run(const From* from, int64_t count, To* to) {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) convert_block<kBytes, kLanes>(from + i, to + i);
    if (i == count) return;
    From last[kLanes]{};
    To converted[kLanes];
    std::copy_n(from + i, count - i, last);
    convert_block<kBytes, kLanes>(last, converted);
    std::copy_n(converted, count - i, to + i);
  }
};

}  // namespace detail

/// The same for any number of elements, compiled for this CPU.
template <typename From, typename To>
void convert(const From* from, int64_t count, To* to) {
  run_on_this_cpu<detail::Convert>(from, count, to);
}

}  // namespace onnxop
