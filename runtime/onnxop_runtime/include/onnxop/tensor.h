// Tensors for kernels: plain views, the same for each host (PyTorch, ONNX Runtime, OpenVINO, a test).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu.h"

namespace onnxop {

// ---- Errors ----

/// Throws std::runtime_error, which each host converts to its own error. The parts form one
/// sentence.
template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::runtime_error(message.str());
}

/// Fails with the place of an unwritten kernel.
[[noreturn]] inline void not_implemented(
    std::string_view op, std::source_location here = std::source_location::current()) {
  fail(op, " is not implemented: write it at ", here.file_name(), ":", here.line());
}

/// "[2, 3]"
inline std::string to_string(std::span<const int64_t> sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

// ---- Dtypes ----

/// All dtypes that a host may pass, so that messages can name them; a kernel supports some of
/// them.
enum class Dtype : uint8_t {
  float32,
  float64,
  float16,
  bfloat16,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  boolean,
  complex64,
  complex128,
  other,
};

constexpr std::string_view name(Dtype dtype) {
  constexpr std::array<std::string_view, 16> kNames{
      "float32", "float64", "float16", "bfloat16", "uint8", "uint16",
      "uint32", "uint64", "int8", "int16", "int32", "int64",
      "bool", "complex64", "complex128", "of another dtype"};
  return kNames[static_cast<size_t>(dtype)];
}

constexpr bool is_floating(Dtype dtype) { return dtype <= Dtype::bfloat16; }

// ---- Numbers ----

/// PyTorch's Scalar: an integer of 64 bits (also for a boolean), or a real
/// number.
class Scalar {
 public:
  constexpr Scalar(std::integral auto value) : integer_(value), is_integral_(true) {}
  constexpr Scalar(double value) : real_(value), is_integral_(false) {}

  constexpr bool is_integral() const { return is_integral_; }

  /// The nearest real number. For integers above 2^53 write `static_cast<int64_t>(scalar)`.
  constexpr operator double() const { return is_integral_ ? static_cast<double>(integer_) : real_; }

  /// Converts with one rounding, to any type.
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit operator T() const {
    return is_integral_ ? static_cast<T>(integer_) : static_cast<T>(real_);
  }

 private:
  int64_t integer_ = 0;
  double real_ = 0;
  bool is_integral_;
};

// ---- Elements ----

/// IEEE binary16, for storage only: compute in float. The conversions have no branches, so that loops
/// over them vectorise, and no subnormal floats, so that they are exact in hosts that flush
/// those to zero.
struct Half {
  uint16_t bits;

  ONNXOP_DEVICE explicit operator float() const {
#if defined(__CUDA_ARCH__)
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    const uint32_t sign = (bits & 0x8000u) << 16;
    const uint32_t magnitude = bits & 0x7fffu;
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
    const uint32_t normal = (magnitude << 13) + ((127u - 15u) << 23);
    const uint32_t inf_or_nan = (magnitude << 13) | 0x7f800000u;
    const uint32_t finite = magnitude < 0x0400u ? subnormal : normal;
    return std::bit_cast<float>(sign | (magnitude < 0x7c00u ? finite : inf_or_nan));
#endif
  }

  /// Rounds to nearest, ties to even.
  ONNXOP_DEVICE static Half from(float value) {
#if defined(__CUDA_ARCH__)
    uint16_t rounded;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
    return {rounded};
#else
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = word & 0x7fffffffu;
    // Adding 0.5 leaves a multiple of the smallest half, 2^-24, in the low bits, rounded by the
    // addition.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    const uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
    const uint32_t rebiased = magnitude - ((127u - 15u) << 23);
    const uint32_t normal =
        (rebiased + 0x0fffu + ((magnitude >> 13) & 1u)) >> 13;           // may carry into infinity
    const uint32_t large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;  // NaN, infinity
    const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    const uint32_t rounded = magnitude < 0x47800000u ? finite : large;
    return {static_cast<uint16_t>(((word >> 16) & 0x8000u) | rounded)};
#endif
  }
};

/// bfloat16, the upper half of a float, for storage only: compute in float.
struct BFloat16 {
  uint16_t bits;

  ONNXOP_DEVICE explicit operator float() const {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(static_cast<uint32_t>(bits) << 16);
#else
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
#endif
  }

  /// Rounds to nearest, ties to even.
  ONNXOP_DEVICE static BFloat16 from(float value) {
#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
    uint16_t converted;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(converted) : "f"(value));
    return {converted};
#endif
    const uint32_t word = __float_as_uint(value);
#else
    const uint32_t word = std::bit_cast<uint32_t>(value);
#endif
    // A NaN becomes a quiet NaN, because rounding could make it an infinity.
    const uint32_t rounded =
        value != value ? word | 0x00400000u : word + 0x7fffu + ((word >> 16) & 1u);
    return {static_cast<uint16_t>(rounded >> 16)};
  }
};

template <Dtype kDtype, typename ComputeType>
struct Traits {
  static constexpr Dtype dtype = kDtype;
  using Compute = ComputeType;
};

/// The Dtype of a C++ type, and the type to compute in: itself, or float for 16-bit floats.
template <typename T>
struct TypeTraits;
template <>
struct TypeTraits<float> : Traits<Dtype::float32, float> {};
template <>
struct TypeTraits<double> : Traits<Dtype::float64, double> {};
template <>
struct TypeTraits<Half> : Traits<Dtype::float16, float> {};
template <>
struct TypeTraits<BFloat16> : Traits<Dtype::bfloat16, float> {};
template <>
struct TypeTraits<uint8_t> : Traits<Dtype::uint8, uint8_t> {};
template <>
struct TypeTraits<int8_t> : Traits<Dtype::int8, int8_t> {};
template <>
struct TypeTraits<int16_t> : Traits<Dtype::int16, int16_t> {};
template <>
struct TypeTraits<int32_t> : Traits<Dtype::int32, int32_t> {};
template <>
struct TypeTraits<int64_t> : Traits<Dtype::int64, int64_t> {};
template <>
struct TypeTraits<bool> : Traits<Dtype::boolean, bool> {};

template <typename T>
using Compute = typename TypeTraits<T>::Compute;

template <typename T>
ONNXOP_DEVICE Compute<T> load(T value) {
  return static_cast<Compute<T>>(value);
}

template <typename T>
ONNXOP_DEVICE T store(Compute<T> value) {
  if constexpr (requires { T::from(value); }) {
    return T::from(value);
  } else {
    return value;
  }
}

/// The dtypes that a kernel is compiled for.
template <typename... T>
struct Types {
  static constexpr std::array dtypes{TypeTraits<T>::dtype...};

  static constexpr bool contain(Dtype dtype) { return ((dtype == TypeTraits<T>::dtype) || ...); }

  /// Calls `visitor.operator()<T>()` for the type of `dtype`, which must be one of them.
  template <typename Visitor>
  static void visit(Dtype dtype, const Visitor& visitor) {
    ((dtype == TypeTraits<T>::dtype ? visitor.template operator()<T>() : void()), ...);
  }

  /// "float32, float64 and float16"
  static std::string names() {
    std::string text;
    size_t left = sizeof...(T);
    ((text.append(name(TypeTraits<T>::dtype))
          .append(--left > 1  ? ", "
                  : left == 1 ? " and "
                              : "")),
     ...);
    return text;
  }
};

using FloatTypes = Types<float, double, Half, BFloat16>;
using IntegerTypes = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using NumberTypes =
    Types<float, double, Half, BFloat16, uint8_t, int8_t, int16_t, int32_t, int64_t>;
using AllTypes =
    Types<float, double, Half, BFloat16, uint8_t, int8_t, int16_t, int32_t, int64_t, bool>;

// ---- Tensors ----

/// A view of a tensor: it owns nothing, and the host keeps the memory alive during the call. A
/// missing optional tensor is a std::nullopt.
template <typename Void>
struct BasicTensorView {
  std::string_view name;  // the argument's, for messages
  Void* data;             // the first element; may be null if there are no elements
  Dtype dtype;
  std::span<const int64_t> sizes;
  std::span<const int64_t> strides;  // in elements, one per size, not negative; 0 repeats

  size_t rank() const { return sizes.size(); }

  template <typename T>
  auto data_as() const {
    if constexpr (std::is_const_v<Void>) {
      return static_cast<const T*>(data);
    } else {
      return static_cast<T*>(data);
    }
  }
};

using TensorView = BasicTensorView<const void>;
using MutableTensorView =
    BasicTensorView<void>;  // outputs, which are always contiguous, in row-major order

/// The dtype and sizes of an output, from the kernel; the host allocates it.
struct TensorSpec {
  Dtype dtype;
  std::vector<int64_t> sizes;
};

inline int64_t element_count(std::span<const int64_t> sizes) {
  // Other sizes may be anything if one is 0.
  if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

/// The strides of a contiguous tensor, for hosts that have no strides.
inline std::vector<int64_t> contiguous_strides(std::span<const int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size());
  if (element_count(sizes) == 0) return strides;
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) strides[d] = stride;
  return strides;
}

// ---- Checks ----

/// Throws for a dtype that the kernel is not compiled for.
template <typename Supported, typename View>
void check_supported(std::string_view op, const View& tensor) {
  if (!Supported::contain(tensor.dtype)) {
    fail(op, " supports ", Supported::names(), ", but ", tensor.name, " is ", name(tensor.dtype));
  }
}

template <typename View>
void check_same_dtype(std::string_view op, const View& first, const View& other) {
  if (other.dtype != first.dtype) {
    fail(op, ": ", first.name, " and ", other.name, " must have the same dtype, but ", first.name,
         " is ", name(first.dtype), " and ", other.name, " is ", name(other.dtype));
  }
}

template <typename View>
void check_dtype(std::string_view op, const View& tensor, Dtype dtype) {
  if (tensor.dtype != dtype) {
    fail(op, ": ", tensor.name, " must be ", name(dtype), ", but it is ", name(tensor.dtype));
  }
}

template <typename View>
void check_rank(std::string_view op, const View& tensor, size_t rank) {
  if (tensor.rank() != rank) {
    fail(op, ": ", tensor.name, " must have ", rank, " dimensions, but its shape is ",
         to_string(tensor.sizes));
  }
}

/// Throws for a real number with integer tensors, for which PyTorch would compute in another dtype.
template <typename View>
void check_scalar(std::string_view op, const View& tensor, std::string_view argument,
                  const std::optional<Scalar>& value) {
  if (value && !value->is_integral() && !is_floating(tensor.dtype)) {
    fail(op, ": ", argument, " is a float, but ", tensor.name, " is ", name(tensor.dtype),
         ", and the result would have another dtype; convert ", tensor.name,
         ", or give an integer");
  }
}

}  // namespace onnxop
