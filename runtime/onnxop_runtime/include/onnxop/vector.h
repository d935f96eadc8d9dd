// Vector registers, for loops that a compiler does not vectorise, such as sums, whose order it must not
// change.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cpu.h"

namespace onnxop {

/// The type of a register; arithmetic works on each lane.
template <typename T, int64_t kBytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kBytes)));
};
template <typename T, int64_t kBytes>
using Vector = typename VectorOf<T, kBytes>::Type;

/// The size of this CPU's registers, or -DONNXOP_REGISTER_BYTES to try another CPU's.
inline int64_t register_bytes() {
#if defined(ONNXOP_REGISTER_BYTES)
  return ONNXOP_REGISTER_BYTES;
#elif defined(ONNXOP_HAS_EACH_CPU)
  static const int64_t bytes = __builtin_cpu_supports("x86-64-v4")   ? 64
                               : __builtin_cpu_supports("x86-64-v3") ? 32
                                                                     : 16;
  return bytes;
#else
  return 16;
#endif
}

namespace detail {

template <typename Function, typename... Arguments>
void run_16(Arguments... arguments) {
  Function::template run<16>(arguments...);
}
#ifdef ONNXOP_HAS_EACH_CPU
template <typename Function, typename... Arguments>
__attribute__((target("arch=x86-64-v3"))) void run_32(Arguments... arguments) {
  Function::template run<32>(arguments...);
}
template <typename Function, typename... Arguments>
__attribute__((target("arch=x86-64-v4"))) void run_64(Arguments... arguments) {
  Function::template run<64>(arguments...);
}
#endif

}  // namespace detail

// Marks a function that is inlined into all its callers.
#define ONNXOP_INLINE [[gnu::always_inline]] inline

/// Calls `Function::run<kBytes>(arguments...)`, compiled for this CPU, whose registers have kBytes. Mark it
/// and the functions that it calls ONNXOP_INLINE.
template <typename Function, typename... Arguments>
void run_on_this_cpu(Arguments... arguments) {
#ifdef ONNXOP_HAS_EACH_CPU
  if (register_bytes() == 64) return detail::run_64<Function>(arguments...);
  if (register_bytes() == 32) return detail::run_32<Function>(arguments...);
#endif
  detail::run_16<Function>(arguments...);
}

// ---- Memory ----

/// Uninitialised elements at an address that is a multiple of 64 bytes, so that no register is read
/// from two cache lines.
template <typename T>
class Buffer {
 public:
  explicit Buffer(int64_t count)
      : data_(static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(64)))) {}

  T* get() const { return data_.get(); }

 private:
  struct Delete {
    void operator()(T* data) const { ::operator delete(data, std::align_val_t(64)); }
  };
  std::unique_ptr<T, Delete> data_;
};

inline constexpr size_t kCacheLine = 64;

// The caches of most CPUs do not hold more than this.
#if !defined(ONNXOP_CACHE_BYTES)
#define ONNXOP_CACHE_BYTES (32 << 20)
#endif

/// Writes whole cache lines, bypassing the caches if the address is that of a line: the memory is then
/// not read before it is written. Other threads see it after `finish_stream`.
template <size_t kSize>
ONNXOP_INLINE void stream(const void* from, void* to) {
  static_assert(kSize % kCacheLine == 0);
#if defined(__SSE2__)
  if (reinterpret_cast<uintptr_t>(to) % kCacheLine == 0) {
    const auto* parts = static_cast<const __m128i*>(from);
    for (size_t i = 0; i < kSize / sizeof(__m128i); ++i) {
      _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_loadu_si128(parts + i));
    }
    return;
  }
#endif
  std::memcpy(to, from, kSize);
}

inline void finish_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// ---- Lanes ----

/// The number of elements that are processed at once, on every CPU.
inline constexpr int64_t kLanes = 16;

namespace detail {

/// Replaces each group of kGroup lanes, of left and then of right, by the sum of its halves.
template <size_t kGroup, typename From, typename To, size_t... I>
ONNXOP_INLINE void add_halves(const From& left, const From& right, To& to,
                              std::index_sequence<I...>) {
  constexpr size_t kHalf = kGroup / 2;
  to = __builtin_shufflevector(left, right, (I / kHalf * kGroup + I % kHalf)...) +
       __builtin_shufflevector(left, right, (I / kHalf * kGroup + I % kHalf + kHalf)...);
}

/// Sets to[i] to the sum of the i-th of kCount groups of kGroup lanes.
template <size_t kGroup, size_t kCount, typename T, typename Register>
ONNXOP_INLINE void add_groups(const Register& lanes, T* to) {
  if constexpr (kGroup == 1) {
    std::memcpy(to, &lanes, sizeof(lanes));
  } else if constexpr (kCount == 2) {
    *to = lanes[0] + lanes[1];
  } else {
    Vector<T, kCount / 2 * sizeof(T)> sums;
    add_halves<kGroup>(lanes, lanes, sums, std::make_index_sequence<kCount / 2>());
    add_groups<kGroup / 2, kCount / 2>(sums, to);
  }
}

}  // namespace detail

/// kLanes elements in registers of kBytes.
template <typename T, int64_t kBytes>
struct Lanes {
  static constexpr int64_t kEach = kBytes / sizeof(T), kCount = kLanes / kEach;

  Vector<T, kBytes> part[kCount] = {};

  Lanes() = default;
  ONNXOP_INLINE explicit Lanes(const T* from) { read(from); }

  ONNXOP_INLINE void read(const T* from) {
    for (int64_t i = 0; i < kCount; ++i) std::memcpy(&part[i], from + i * kEach, kBytes);
  }

  ONNXOP_INLINE void write(T* to) const {
    for (int64_t i = 0; i < kCount; ++i) std::memcpy(to + i * kEach, &part[i], kBytes);
  }

  ONNXOP_INLINE void add_product(const Lanes& left, const Lanes& right) {
    for (int64_t i = 0; i < kCount; ++i) part[i] += left.part[i] * right.part[i];
  }

  /// Adds the elements at `from`, multiplied by a factor.
  ONNXOP_INLINE Lanes& add_share(T share, const T* from) {
    const Lanes more(from);
    for (int64_t i = 0; i < kCount; ++i) part[i] += share * more.part[i];
    return *this;
  }

  /// The sum of all lanes, added by halves in the same order on every CPU.
  ONNXOP_INLINE T sum() const {
    Lanes sums = *this;
    sums.fold();
    T sum;
    detail::add_groups<kEach, kEach>(sums.part[0], &sum);
    return sum;
  }

  /// The same for four, at less than half the cost.
  ONNXOP_INLINE static void sums_of_four(const Lanes (&of)[4], T* to) {
    Lanes sums[4];
    Vector<T, kBytes> pairs[2];
    for (int64_t i = 0; i < 4; ++i) {
      sums[i] = of[i];
      sums[i].fold();
    }
    constexpr auto kAll = std::make_index_sequence<kEach>();
    for (int64_t i = 0; i < 2; ++i) {
      detail::add_halves<kEach>(sums[2 * i].part[0], sums[2 * i + 1].part[0], pairs[i], kAll);
    }
    if constexpr (kEach == 2) {
      std::memcpy(to, pairs, sizeof(pairs));
    } else {
      Vector<T, kBytes> all;
      detail::add_halves<kEach / 2>(pairs[0], pairs[1], all, kAll);
      detail::add_groups<kEach / 4, kEach>(all, to);
    }
  }

 private:
  /// Adds all registers to the first one.
  ONNXOP_INLINE void fold() {
    for (int64_t half = kCount / 2; half > 0; half /= 2) {
      for (int64_t i = 0; i < half; ++i) part[i] += part[i + half];
    }
  }
};

}  // namespace onnxop
