// The memory format of an elementwise result: its input's, as with PyTorch's own operators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "../tensor.h"
#include "../values.h"

namespace onnxop {

/// Dimensions, the outermost in memory first.
using Order = std::vector<size_t>;

/// Returns the order of a result with these sizes: the order of the first input that has the same sizes and
/// no stride of 0. Returns an empty order for row-major order, or if there is no such input.
inline Order order_of(std::span<const Value> values, std::span<const int64_t> sizes) {
  for (const Value& value : values) {
    const auto* input = std::get_if<TensorView>(&value);
    if (input == nullptr || !std::ranges::equal(input->sizes, sizes)) continue;
    bool repeats = false, descends = true;
    int64_t outer = std::numeric_limits<int64_t>::max();
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) continue;
      repeats = repeats || input->strides[d] == 0;
      descends = descends && input->strides[d] <= outer;
      outer = input->strides[d];
    }
    if (repeats) continue;
    if (descends) return {};
    Order order;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != 1) order.push_back(d);
    }
    const auto stride = [&](size_t d) { return input->strides[d]; };
    std::ranges::stable_sort(order, std::ranges::greater(), stride);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) order.push_back(d);
    }
    return order;
  }
  return {};
}

/// Writes the strides of a tensor without gaps, with dimensions in this order.
inline void write_strides(std::span<int64_t> strides, std::span<const int64_t> sizes, const Order& order) {
  int64_t stride = 1;
  for (size_t place = sizes.size(); place-- > 0;) {
    const size_t d = order.empty() ? place : order[place];
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
}

inline std::vector<int64_t> strides_of(std::span<const int64_t> sizes, const Order& order) {
  std::vector<int64_t> strides(sizes.size());
  write_strides(strides, sizes, order);
  return strides;
}

/// Views with dimensions in an order; it owns their sizes and strides.
class Reordered {
 public:
  explicit Reordered(const Order& order) : order_(order) {}

  TensorView view(TensorView input) {
    // Missing leading dimensions are broadcast.
    const size_t missing = order_.size() - input.rank();
    std::vector<int64_t>& sizes = storage_.emplace_back();
    std::vector<int64_t>& strides = storage_.emplace_back();
    for (const size_t d : order_) {
      sizes.push_back(d < missing ? 1 : input.sizes[d - missing]);
      strides.push_back(d < missing ? 0 : input.strides[d - missing]);
    }
    input.sizes = sizes;
    input.strides = strides;
    return input;
  }

  MutableTensorView view(MutableTensorView output) {
    std::vector<int64_t>& sizes = storage_.emplace_back();
    for (const size_t d : order_) sizes.push_back(output.sizes[d]);
    output.sizes = sizes;
    output.strides = storage_.emplace_back(strides_of(sizes, {}));
    return output;
  }

 private:
  const Order& order_;
  std::deque<std::vector<int64_t>> storage_;  // a deque, which does not move its items
};

}  // namespace onnxop
