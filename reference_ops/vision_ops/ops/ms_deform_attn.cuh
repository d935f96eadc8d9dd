// Multi-scale deformable attention on GPUs: forward, a thread for each channel of a query's head; backward, a thread for
// each sample. A level that does not lie within `value` gives NaN: a kernel cannot raise an error.
#pragma once

#include <onnxop/team.h>
#include <onnxop/cuda/sums.cuh>

#include <cmath>

#include "ms_deform_attn.h"

namespace ms_deform_attn_kernel {

/// The tensors and sizes of a call.
template <typename Element>
struct Call {
  const Element *value, *locations, *attention;
  const int64_t *shapes, *starts;
  int64_t length, heads, channels, queries, levels, points;

  static Call of(const TensorView& value, const TensorView& shapes, const TensorView& starts,
                 const TensorView& locations, const TensorView& attention) {
    return {value.data_as<Element>(), locations.data_as<Element>(), attention.data_as<Element>(),
            shapes.data_as<int64_t>(), starts.data_as<int64_t>(), value.sizes[1], value.sizes[2], value.sizes[3],
            locations.sizes[1], locations.sizes[3], locations.sizes[4]};
  }

  __device__ int64_t samples() const { return levels * points; }
};

/// A sample: its level, and the corners around it.
template <typename T>
struct Sample {
  bool is_valid;  // the level lies within `value`
  T height, width, down, along;
  int64_t places[4];  // in `value`; -1 outside of the level

  template <typename Element>
  __device__ Sample(const Call<Element>& call, int64_t level, const Element* location) {
    const int64_t rows = call.shapes[2 * level], columns = call.shapes[2 * level + 1], start = call.starts[level];
    is_valid = is_level(rows, columns, start, call.length);
    height = static_cast<T>(rows);
    width = static_cast<T>(columns);
    const T x = load(location[0]) * width - T(0.5), y = load(location[1]) * height - T(0.5);
    // Also false for NaN. Only numbers near the level become integers.
    const bool is_near = is_valid && x >= -1 && x < width && y >= -1 && y < height;
    const T left = is_near ? std::floor(x) : T(0), top = is_near ? std::floor(y) : T(0);
    along = is_near ? x - left : T(0);
    down = is_near ? y - top : T(0);
    for (int k = 0; k < 4; ++k) {
      const T row = top + static_cast<T>(k / 2), column = left + static_cast<T>(k % 2);
      const bool is_inside = is_near && column >= 0 && column < width && row >= 0 && row < height;
      places[k] = is_inside ? start + static_cast<int64_t>(row) * columns + static_cast<int64_t>(column) : -1;
    }
  }

  __device__ T share(int k) const { return places[k] < 0 ? T(0) : corner_share<T>(k / 2, k % 2, down, along); }
};

template <typename Element>
struct Forward {
  using T = Compute<Element>;
  Call<Element> call;
  Element* out;

  __device__ void operator()(int64_t i) const {
    const int64_t channel = i % call.channels, head_of_query = i / call.channels;
    const int64_t head = head_of_query % call.heads, image = head_of_query / call.heads / call.queries;
    const Element* const base = call.value + (image * call.length * call.heads + head) * call.channels + channel;
    T sum = 0;
    bool is_valid = true;
    for (int64_t s = 0; s < call.samples(); ++s) {
      const int64_t place = head_of_query * call.samples() + s;
      const Sample<T> sample(call, s / call.points, call.locations + 2 * place);
      is_valid = is_valid && sample.is_valid;
      const T weight = load(call.attention[place]);
      for (int k = 0; k < 4; ++k) {
        if (sample.places[k] < 0) continue;
        sum += sample.share(k) * weight * load(base[sample.places[k] * call.heads * call.channels]);
      }
    }
    out[i] = store<Element>(is_valid ? sum : std::numeric_limits<T>::quiet_NaN());
  }
};

/// Adds to the gradient of `value` in an order that varies from run to run. Null gradients are not wanted.
template <typename Element>
struct Backward {
  using T = Compute<Element>;
  Call<Element> call;
  const Element* grad;
  T* value_sums;
  Element *grad_locations, *grad_attention;

  __device__ void operator()(int64_t place) const {
    const int64_t head_of_query = place / call.samples();
    const int64_t head = head_of_query % call.heads, image = head_of_query / call.heads / call.queries;
    const int64_t first = (image * call.length * call.heads + head) * call.channels, stride = call.heads * call.channels;
    const Element* const given = grad + head_of_query * call.channels;
    const Sample<T> sample(call, place % call.samples() / call.points, call.locations + 2 * place);
    const T weight = load(call.attention[place]);
    T products[4] = {};
    T to_weight = 0;
    for (int k = 0; k < 4; ++k) {
      if (sample.places[k] < 0) continue;
      const int64_t row = first + sample.places[k] * stride;
      const T share = sample.share(k);
      for (int64_t c = 0; c < call.channels; ++c) {
        const T gradient = load(given[c]);
        products[k] += load(call.value[row + c]) * gradient;
        if (value_sums != nullptr) atomicAdd(value_sums + row + c, share * weight * gradient);
      }
      to_weight += share * products[k];
    }
    if (grad_attention != nullptr) grad_attention[place] = store<Element>(to_weight);
    if (grad_locations == nullptr) return;
    const auto along = place_gradient(products, sample.down, sample.along);
    grad_locations[2 * place] = store<Element>(weight * sample.width * along[0]);
    grad_locations[2 * place + 1] = store<Element>(weight * sample.height * along[1]);
  }
};

inline void compute(const MutableTensorView& out, const TensorView& value, const TensorView& spatial_shapes,
                    const TensorView& level_start_index, const TensorView& sampling_locations,
                    const TensorView& attention_weights, const cuda::Stream& stream) {
  Supported::visit(value.dtype, [&]<typename Element>() {
    const auto call = Call<Element>::of(value, spatial_shapes, level_start_index, sampling_locations, attention_weights);
    for_each(element_count(out.sizes), 1, stream, Forward<Element>{call, out.data_as<Element>()});
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_value,
                     const std::optional<MutableTensorView>& grad_sampling_locations,
                     const std::optional<MutableTensorView>& grad_attention_weights, const TensorView& grad,
                     const TensorView& value, const TensorView& spatial_shapes, const TensorView& level_start_index,
                     const TensorView& sampling_locations, const TensorView& attention_weights,
                     const cuda::Stream& stream) {
  const int64_t elements = element_count(value.sizes), samples = element_count(attention_weights.sizes);
  Supported::visit(value.dtype, [&]<typename Element>() {
    const auto data = [](const std::optional<MutableTensorView>& gradient) {
      return gradient ? gradient->data_as<Element>() : nullptr;
    };
    auto* const sums = grad_value ? cuda::new_sums<Element>(elements, stream) : nullptr;
    const auto call = Call<Element>::of(value, spatial_shapes, level_start_index, sampling_locations, attention_weights);
    const Backward<Element> sample{call, grad.data_as<Element>(), sums, data(grad_sampling_locations),
                                   data(grad_attention_weights)};
    for_each(samples, 1, stream, sample);
    if (grad_value) cuda::write_sums(sums, grad_value->data_as<Element>(), elements, stream);
  });
}

}  // namespace ms_deform_attn_kernel
