// The functions an elementwise expression may call: <cmath>, where float stays float and double
// stays double.
#pragma once

#include <cmath>
#include <concepts>

namespace onnxop::functions {

using std::abs, std::fabs, std::fmod, std::remainder, std::fma, std::fmax, std::fmin, std::fdim;
using std::acos, std::asin, std::atan, std::atan2, std::cos, std::sin, std::tan;
using std::acosh, std::asinh, std::atanh, std::cosh, std::sinh, std::tanh;
using std::cbrt, std::hypot, std::pow, std::sqrt;
using std::ceil, std::floor, std::nearbyint, std::rint, std::round, std::trunc;
using std::copysign, std::nextafter;
using std::erf, std::erfc, std::lgamma, std::tgamma;
using std::exp, std::exp2, std::expm1, std::log, std::log10, std::log1p, std::log2, std::logb;
using std::isfinite, std::isinf, std::isnan, std::isnormal, std::signbit;
using std::isgreater, std::isgreaterequal, std::isless, std::islessequal, std::islessgreater,
    std::isunordered;

/// std::pow(float, int) would compute in double, and no library squares as fast or as exactly as a
/// product.
template <std::floating_point T, std::integral Integer>
T pow(T base, Integer exponent) {
  return exponent == 2 ? base * base : std::pow(base, static_cast<T>(exponent));
}

}  // namespace onnxop::functions
