// The functions of <cmath>, for elementwise expressions. Functions of a float return a float, functions of a
// double a double.
#pragma once

#include <cmath>
#include <concepts>

#include "cpu.h"
#if defined(__CUDACC__)
#include "cuda/functions.cuh"
#endif

// glibc's vector variants of functions (libmvec), with errors of at most 4 units in the last place. With
// these declarations, loops that GCC vectorises call the variant for their CPU; elsewhere, loops call
// the scalar functions. A library built with them needs glibc 2.35 (2.22 for the first few).
#ifdef ONNXOP_HAS_EACH_CPU
#define ONNXOP_UNARY(name)                                                   \
  __attribute__((simd("notinbranch"), const)) float name##f(float) noexcept; \
  __attribute__((simd("notinbranch"), const)) double name(double) noexcept
#define ONNXOP_BINARY(name)                                                         \
  __attribute__((simd("notinbranch"), const)) float name##f(float, float) noexcept; \
  __attribute__((simd("notinbranch"), const)) double name(double, double) noexcept
extern "C" {
#if __GLIBC_PREREQ(2, 22)
ONNXOP_UNARY(cos);
ONNXOP_UNARY(exp);
ONNXOP_UNARY(log);
ONNXOP_UNARY(sin);
ONNXOP_BINARY(pow);
#endif
#if __GLIBC_PREREQ(2, 35)
ONNXOP_UNARY(acos);
ONNXOP_UNARY(acosh);
ONNXOP_UNARY(asin);
ONNXOP_UNARY(asinh);
ONNXOP_UNARY(atan);
ONNXOP_UNARY(atanh);
ONNXOP_UNARY(cbrt);
ONNXOP_UNARY(cosh);
ONNXOP_UNARY(erf);
ONNXOP_UNARY(erfc);
ONNXOP_UNARY(exp2);
ONNXOP_UNARY(expm1);
ONNXOP_UNARY(log10);
ONNXOP_UNARY(log1p);
ONNXOP_UNARY(log2);
ONNXOP_UNARY(sinh);
ONNXOP_UNARY(tan);
ONNXOP_UNARY(tanh);
ONNXOP_BINARY(atan2);
ONNXOP_BINARY(hypot);
#endif
}
#undef ONNXOP_UNARY
#undef ONNXOP_BINARY
#endif

namespace onnxop::functions {

using std::abs, std::fabs, std::fmod, std::fmax, std::fmin;
using std::acos, std::asin, std::atan, std::atan2, std::cos, std::sin, std::tan;
using std::acosh, std::asinh, std::atanh, std::cosh, std::sinh, std::tanh;
using std::cbrt, std::hypot, std::pow, std::sqrt;
using std::ceil, std::floor, std::nearbyint, std::rint, std::round, std::trunc;
using std::copysign, std::nextafter;
using std::erf, std::erfc, std::lgamma, std::tgamma;
using std::exp, std::exp2, std::expm1, std::log, std::log10, std::log1p, std::log2;
using std::isfinite, std::isinf, std::isnan, std::signbit;
using std::isgreater, std::isgreaterequal, std::isless, std::islessequal;

/// Returns an integer power in the type of the base: std::pow(float, int) would compute in double. A square is a
/// product, which is faster and more exact than any library's pow.
template <std::floating_point T, std::integral Integer>
ONNXOP_DEVICE T pow(T base, Integer exponent) {
  return exponent == 2 ? base * base : std::pow(base, static_cast<T>(exponent));
}

/// Returns asinh(x), as exact as a result needs that is stored as Stored: on GPUs, 16 bits take half the time.
template <typename Stored, std::floating_point T>
ONNXOP_DEVICE T asinh(T x) {
#if defined(__CUDACC__)
  if constexpr (sizeof(Stored) == 2) return cuda::asinh_of_16_bits(x);
#endif
  return std::asinh(x);
}

}  // namespace onnxop::functions
