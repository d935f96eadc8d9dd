// Rows of 16-bit floats to floats, which kernels compute in, and back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "cpu.h"
#include "tensor.h"

namespace onnxop {

/// Whether elements of the type are computed in a wider one.
template <typename T>
inline constexpr bool is_narrow = !std::is_same_v<T, Compute<T>>;

namespace detail {

template <typename From, typename To>
ONNXOP_EACH_CPU void convert_each(const From* __restrict from, int64_t count, To* __restrict to) {
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (is_narrow<To>) {
      to[i] = store<To>(from[i]);
    } else {
      to[i] = load(from[i]);
    }
  }
}

#ifdef ONNXOP_HAS_EACH_CPU
// GCC 12 vectorises no conversion of binary16, but CPUs have one: of 16 elements, or of 8.

template <typename T, size_t count>
using Lanes [[gnu::vector_size(count * sizeof(T)), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;

inline constexpr int kToNearest = 0;

struct Avx512 {
  static constexpr int64_t kCount = 16;
  static bool is_there() { return __builtin_cpu_supports("avx512f"); }

  [[gnu::target("avx512f")]] static void convert(const Half* from, float* to) {
    constexpr int kAsSet = 4;  // the rounding, which widening needs none of
    *reinterpret_cast<Lanes<float, 16>*>(to) = __builtin_ia32_vcvtph2ps512_mask(
        *reinterpret_cast<const Lanes<short, 16>*>(from), Lanes<float, 16>{}, -1, kAsSet);
  }
  [[gnu::target("avx512f")]] static void convert(const float* from, Half* to) {
    *reinterpret_cast<Lanes<short, 16>*>(to) = __builtin_ia32_vcvtps2ph512_mask(
        *reinterpret_cast<const Lanes<float, 16>*>(from), kToNearest, Lanes<short, 16>{}, -1);
  }
};

struct F16c {
  static constexpr int64_t kCount = 8;
  static bool is_there() { return __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c"); }

  [[gnu::target("avx,f16c")]] static void convert(const Half* from, float* to) {
    *reinterpret_cast<Lanes<float, 8>*>(to) =
        __builtin_ia32_vcvtph2ps256(*reinterpret_cast<const Lanes<short, 8>*>(from));
  }
  [[gnu::target("avx,f16c")]] static void convert(const float* from, Half* to) {
    *reinterpret_cast<Lanes<short, 8>*>(to) = __builtin_ia32_vcvtps2ph256(
        *reinterpret_cast<const Lanes<float, 8>*>(from), kToNearest);
  }
};

template <typename Cpu, typename From, typename To>
[[gnu::always_inline]] inline void convert_with(const From* from, int64_t count, To* to) {
  int64_t i = 0;
  for (; i + Cpu::kCount <= count; i += Cpu::kCount) Cpu::convert(from + i, to + i);
  if (i == count) return;
  std::array<From, Cpu::kCount> last{};
  std::array<To, Cpu::kCount> converted;
  std::copy_n(from + i, count - i, last.data());
  Cpu::convert(last.data(), converted.data());
  std::copy_n(converted.data(), count - i, to + i);
}

template <typename From, typename To>
[[gnu::target("avx512f")]] void convert_with_avx512(const From* from, int64_t count, To* to) {
  convert_with<Avx512>(from, count, to);
}
template <typename From, typename To>
[[gnu::target("avx,f16c")]] void convert_with_f16c(const From* from, int64_t count, To* to) {
  convert_with<F16c>(from, count, to);
}
#endif

}  // namespace detail

/// Widens or narrows consecutive elements, each as `load` and `store` do: rounded to nearest, ties to
/// even.
template <typename From, typename To>
void convert(const From* from, int64_t count, To* to) {
#ifdef ONNXOP_HAS_EACH_CPU
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<To, Half>) {
    if (detail::Avx512::is_there()) return detail::convert_with_avx512(from, count, to);
    if (detail::F16c::is_there()) return detail::convert_with_f16c(from, count, to);
  }
#endif
  detail::convert_each(from, count, to);
}

}  // namespace onnxop
