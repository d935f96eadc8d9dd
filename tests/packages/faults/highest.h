#pragma once

#include <onnxop/kernel.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace highest_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::highest";
using Supported = Types<float, double, Half, int32_t, int64_t, uint8_t>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& x) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  if (x.sizes[1] == 0) fail(kName, ": x has no columns");
  return {x.dtype, {x.sizes[0]}};
}

template <typename T>
Compute<T> highest_of(const T* row, int64_t columns) {
  using C = Compute<T>;
  C most = load(row[0]);
  if (is("begins at 0")) most = C(0);
  for (int64_t i = 0; i < columns; ++i) {
    C value = load(row[i]);
    if constexpr (std::is_floating_point_v<C>) {
      if (is("last NaN ignored") && i == columns - 1 && i > 0 && std::isnan(value)) break;
      if (is("-infinity is the lowest number")) value = std::max(value, C(-65504));
      if (std::isnan(most)) break;
      if (std::isnan(value)) most = value;
    } else {
      if (is("int32 through float") && std::is_same_v<T, int32_t>) value = static_cast<C>(std::min(float(value), 2147483520.0f));
      if (is("compares differences") && std::is_signed_v<C>) {
        using U = std::make_unsigned_t<C>;
        most = static_cast<C>(static_cast<U>(value) - static_cast<U>(most)) > 0 ? value : most;
        continue;
      }
      if (is("uint8 as int8") && std::is_same_v<T, uint8_t>) {
        most = static_cast<int8_t>(value) > static_cast<int8_t>(most) ? value : most;
        continue;
      }
    }
    if (value > most) most = value;
  }
  return most;
}

inline void compute(const MutableTensorView& out, const TensorView& x, const ParallelFor& parallel_for) {
  const int64_t columns = x.sizes[1];
  Supported::visit(x.dtype, [&]<typename T>() {
    parallel_for(x.sizes[0], 64, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        out.data_as<T>()[row] = store<T>(highest_of(x.data_as<T>() + row * columns, columns));
      }
    });
  });
}

}  // namespace highest_kernel
