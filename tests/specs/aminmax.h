// The kernel of aten::aminmax, written by hand.
#pragma once

#include <onnxop/kernel.h>

#include <algorithm>

namespace aminmax_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "aminmax::aminmax";
using Supported = Types<float, double>;

inline std::array<OutputSpec, 2> infer(const TensorMeta& self, std::optional<int64_t> dim,
                                       bool keepdim) {
  check_supported<Supported>(kName, self);
  const auto rank = static_cast<int64_t>(self.rank());
  std::vector<Size> sizes(self.sizes.begin(), self.sizes.end());
  if (dim && rank > 0) {
    if (*dim < -rank || *dim >= rank) fail(kName, ": dim must be within the rank ", rank);
    const int64_t place = *dim < 0 ? *dim + rank : *dim;
    if (sizes[place] == 0) fail(kName, ": dimension ", place, " has no elements");
    if (keepdim) sizes[place] = 1;
    if (!keepdim) sizes.erase(sizes.begin() + place);
  } else {
    for (const Size size : sizes) {
      if (size == 0) fail(kName, ": there are no elements");
    }
    sizes.assign(keepdim ? rank : 0, 1);
  }
  const OutputSpec reduced{self.dtype, sizes};
  return {reduced, reduced};
}

inline void compute(const MutableTensorView& min, const MutableTensorView& max,
                    const TensorView& self, std::optional<int64_t> dim, bool,
                    const ParallelFor& parallel_for) {
  int64_t length = element_count(self.sizes), inner = 1;
  if (dim && self.rank() > 0) {
    const size_t place = *dim < 0 ? *dim + self.rank() : *dim;
    length = self.sizes[place];
    inner = element_count(self.sizes.subspan(place + 1));
  }
  Supported::visit(self.dtype, [&]<typename T>() {
    const T* const from = self.data_as<T>();
    parallel_for(element_count(min.sizes), 1 + 32768 / length, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const first = from + i / inner * length * inner + i % inner;
        T low = *first, high = *first;
        for (int64_t k = 1; k < length; ++k) {
          low = std::min(low, first[k * inner]);
          high = std::max(high, first[k * inner]);
        }
        min.data_as<T>()[i] = low;
        max.data_as<T>()[i] = high;
      }
    });
  });
}

}  // namespace aminmax_kernel
