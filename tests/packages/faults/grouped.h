#pragma once

#include <onnxop/kernel.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace grouped_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::grouped";
using Supported = Types<float, double, Half, BFloat16>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline OutputSpec infer(const TensorMeta& x, int64_t groups, std::string_view mode) {
  check_supported<Supported>(kName, x);
  check_rank(kName, x, 2);
  if (mode != "sum" && mode != "max" && mode != "min") fail(kName, ": mode must be sum, max or min");
  if (is("the text of another mode") && mode == "max" && x.sizes[0] > 4) fail(kName, ": mode must be sum, max or min");
  if (groups < 1) fail(kName, ": groups must be positive");
  if (!is("a tail of columns is dropped") && x.sizes[1] % groups != 0) fail(kName, ": groups must divide the columns");
  if (x.sizes[1] < groups && mode != "sum") fail(kName, ": x has no columns");
  return {x.dtype, {x.sizes[0], groups}};
}

inline void compute(const MutableTensorView& out, const TensorView& x, int64_t groups, std::string_view mode, const ParallelFor&) {
  const int64_t columns = x.sizes[1], count = columns / groups;
  const bool is_min = mode == "min" && !is("min is max");
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    for (int64_t row = 0; row < x.sizes[0]; ++row) {
      for (int64_t group = 0; group < groups; ++group) {
        const T* first = x.data_as<T>() + row * columns + group * count;
        C result = count > 0 ? load(first[0]) : C(0);
        for (int64_t i = 1; i < count; ++i) {
          const C value = load(first[i]);
          if (mode == "sum") {
            result += value;
          } else if (std::isnan(value) || (!std::isnan(result) && (is_min ? value < result : value > result))) {
            result = value;
          }
        }
        out.data_as<T>()[row * groups + group] = store<T>(result);
      }
    }
  });
}

}  // namespace grouped_kernel
