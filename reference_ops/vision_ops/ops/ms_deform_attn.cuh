// Multi-scale deformable attention on GPUs. A block has some queries of one head of an image. Its
// threads find the corners of the queries' samples, in shared memory, and then add the corners'
// rows of `value`: a thread has 16 bytes of the channels of a query. Blocks of a head run together,
// so that the caches hold its rows. A level that does not lie within `value` gives NaN: a kernel
// cannot raise an error.
#pragma once

#include <onnxop/team.h>
#include <onnxop/cuda/group.cuh>
#include <onnxop/cuda/sums.cuh>

#include <cmath>

#include "ms_deform_attn.h"

namespace ms_deform_attn_kernel {

using cuda::Group;
inline constexpr int kThreads = 256;           // of a block
inline constexpr int kSamples = 2 * kThreads;  // of a block, at a time

/// The tensors and sizes of a call.
template <typename Element>
struct Call {
  const Element *value, *locations, *attention;
  const int64_t *shapes, *starts;
  int64_t images, length, heads, channels, queries;
  int levels, points;

  static Call of(const TensorView& value, const TensorView& shapes, const TensorView& starts,
                 const TensorView& locations, const TensorView& attention) {
    const auto levels = static_cast<int>(locations.sizes[3]);
    const auto points = static_cast<int>(locations.sizes[4]);
    return {.value = value.data_as<Element>(),
            .locations = locations.data_as<Element>(),
            .attention = attention.data_as<Element>(),
            .shapes = shapes.data_as<int64_t>(),
            .starts = starts.data_as<int64_t>(),
            .images = value.sizes[0],
            .length = value.sizes[1],
            .heads = value.sizes[2],
            .channels = value.sizes[3],
            .queries = locations.sizes[1],
            .levels = levels,
            .points = points};
  }

  ONNXOP_DEVICE int samples() const { return levels * points; }
  ONNXOP_DEVICE int64_t stride() const { return heads * channels; }
};

/// How blocks share the queries of each head, and threads the channels of each query.
struct Layout {
  int lanes;       // threads of a query
  unsigned parts;  // blocks of a head

  template <typename Element>
  static Layout of(const Call<Element>& call, int lanes) {
    const int64_t queries = kThreads / lanes;
    return {lanes, static_cast<unsigned>((call.queries + queries - 1) / queries)};
  }

  template <typename Element>
  cuda::Grid grid(const Call<Element>& call) const {
    return {call.images * call.heads * parts, kThreads};
  }

  /// The number of a block's queries.
  __device__ int queries() const { return kThreads / lanes; }

  /// The number of samples of a query that fit into shared memory.
  __device__ int samples() const { return kSamples / queries(); }
};

/// A thread's query and head.
struct Place {
  int64_t image, head, query;
  int query_of_block, lane;
  bool is_query;

  template <typename Element>
  __device__ Place(const Call<Element>& call, const Layout& layout) {
    const auto heads = static_cast<unsigned>(call.heads);
    const auto lanes = static_cast<unsigned>(layout.lanes);
    const unsigned head_of_batch = blockIdx.x / layout.parts, part = blockIdx.x % layout.parts;
    image = head_of_batch / heads;
    head = head_of_batch % heads;
    query_of_block = static_cast<int>(threadIdx.x / lanes);
    lane = static_cast<int>(threadIdx.x % lanes);
    query = static_cast<int64_t>(part) * layout.queries() + query_of_block;
    is_query = query_of_block < layout.queries() && query < call.queries;
  }

  /// The number of the query's head, in tensors that have a row for each.
  template <typename Element>
  __device__ int64_t row(const Call<Element>& call) const {
    return (image * call.queries + query) * call.heads + head;
  }
};

/// A sample of a query: its corners' rows in `value`, -1 outside of the level, and where it is
/// between them.
template <typename T>
struct alignas(16) Sample {
  int32_t rows[4];
  T down, along, weight;
  int32_t level;  // -1 if it does not lie within `value`

  __device__ T share(int k) const {
    return rows[k] < 0 ? T(0) : corner_share<T>(k / 2, k % 2, down, along);
  }
};

template <typename Element, typename T = Compute<Element>>
__device__ Sample<T> sample_of(const Call<Element>& call, int64_t row, int number) {
  const auto level =
      static_cast<int>(static_cast<unsigned>(number) / static_cast<unsigned>(call.points));
  const int64_t rows = call.shapes[2 * level], columns = call.shapes[2 * level + 1];
  const int64_t start = call.starts[level], index = row * call.samples() + number;
  const bool is_valid = is_level(rows, columns, start, call.length);
  const T height = static_cast<T>(rows), width = static_cast<T>(columns);
  const T x = load(call.locations[2 * index]) * width - T(0.5);
  const T y = load(call.locations[2 * index + 1]) * height - T(0.5);
  // Also false for NaN. Only numbers near the level become integers.
  const bool is_near = is_valid && x >= -1 && x < width && y >= -1 && y < height;
  const T left = is_near ? std::floor(x) : T(0), top = is_near ? std::floor(y) : T(0);
  Sample<T> sample;
  sample.along = is_near ? x - left : T(0);
  sample.down = is_near ? y - top : T(0);
  sample.weight = load(call.attention[index]);
  sample.level = is_valid ? level : -1;
  const auto row_count = static_cast<int32_t>(rows), row_length = static_cast<int32_t>(columns);
  const auto first_row = static_cast<int32_t>(top), first_column = static_cast<int32_t>(left);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int32_t y_of_corner = first_row + k / 2, x_of_corner = first_column + k % 2;
    const bool is_row = y_of_corner >= 0 && y_of_corner < row_count;
    const bool is_column = x_of_corner >= 0 && x_of_corner < row_length;
    const int32_t corner = static_cast<int32_t>(start) + y_of_corner * row_length + x_of_corner;
    sample.rows[k] = is_near && is_row && is_column ? corner : -1;
  }
  return sample;
}

// ---- Forward ----

/// The corners of a sample: their groups of channels in an image, from the head's first one on, -1
/// outside of the level, and their weights.
template <typename T>
struct alignas(16) Corners {
  int32_t groups[4];
  T weights[4];

  Corners() = default;
  __device__ Corners(const Sample<T>& sample, int32_t stride) {
    constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      groups[k] = sample.rows[k] < 0 ? -1 : sample.rows[k] * stride;
      weights[k] = sample.level < 0 ? kNaN : sample.share(k) * sample.weight;
    }
  }
};

/// Adds the corners' channels to sums. All four are read before the first is added.
template <typename Element, int kCount, typename T = Compute<Element>>
__device__ void add(const Corners<T>& corners, const Element* from, T (&sums)[kCount]) {
  Group<Element, kCount> groups[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    groups[k] = {};
    const int64_t channel = static_cast<int64_t>(corners.groups[k]) * kCount;
    if (corners.groups[k] >= 0) groups[k] = cuda::read<kCount>(from + channel);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
#pragma unroll
    for (int c = 0; c < kCount; ++c) {
      sums[c] = std::fma(corners.weights[k], load(groups[k].items[c]), sums[c]);
    }
  }
}

template <typename Element, int kCount>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(Call<Element> call, Layout layout, Element* out) {
  using T = Compute<Element>;
  __shared__ Corners<T> corners[kSamples];
  const Place place(call, layout);
  const int groups = static_cast<int>(call.channels / kCount);
  const int32_t stride = static_cast<int32_t>(call.heads) * groups;
  const Element* const first_row =
      call.value + place.image * call.length * call.stride() + place.head * call.channels;
  for (int first_group = 0; first_group < groups; first_group += layout.lanes) {
    const int group = first_group + place.lane;
    const bool is_active = place.is_query && group < groups;
    T sums[kCount] = {};
    for (int first = 0; first < call.samples(); first += layout.samples()) {
      const int count = std::min(call.samples() - first, layout.samples());
      __syncthreads();  // until the samples before are added
      for (int s = place.lane; place.is_query && s < count; s += layout.lanes) {
        const Sample<T> sample = sample_of(call, place.row(call), first + s);
        corners[s * layout.queries() + place.query_of_block] = Corners<T>(sample, stride);
      }
      __syncthreads();
      for (int s = 0; is_active && s < count; ++s) {
        add(corners[s * layout.queries() + place.query_of_block], first_row + group * kCount, sums);
      }
    }
    if (!is_active) continue;
    Group<Element, kCount> results;
    for (int c = 0; c < kCount; ++c) results.items[c] = store<Element>(sums[c]);
    cuda::write(results, out + (place.row(call) * groups + group) * kCount);
  }
}

// ---- Backward ----

/// The gradients of a call: sums for `value`, to which threads add in an order that varies from run
/// to run. Null ones are not wanted.
template <typename Element>
struct Gradients {
  Compute<Element>* value;
  Element *locations, *attention;
};

/// Returns the sum over the lanes of a query, to all of them. All threads of a warp call it.
template <typename T>
__device__ T sum_of_lanes(T sum, int lanes) {
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  return sum;
}

/// Writes the gradients of a sample's location and weight, from the products of its corners' rows
/// with the gradient of the result.
template <typename Element, typename T = Compute<Element>>
__device__ void write_gradients(const Call<Element>& call, const Sample<T>& sample,
                                const T (&products)[4], int64_t index,
                                const Gradients<Element>& gradients) {
  if (gradients.attention != nullptr) {
    T sum = 0;
    for (int k = 0; k < 4; ++k) sum += sample.share(k) * products[k];
    gradients.attention[index] = store<Element>(sum);
  }
  if (gradients.locations == nullptr) return;
  const int level = sample.level < 0 ? 0 : sample.level;  // any: the products are 0
  const T height = static_cast<T>(call.shapes[2 * level]);
  const T width = static_cast<T>(call.shapes[2 * level + 1]);
  const auto along = place_gradient(products, sample.down, sample.along);
  gradients.locations[2 * index] = store<Element>(sample.weight * width * along[0]);
  gradients.locations[2 * index + 1] = store<Element>(sample.weight * height * along[1]);
}

/// Adds to the gradient of a sample's corners in the thread's channels of `value`, and to the
/// products of the corners with the gradient of the result.
template <typename Element, int kCount, typename T = Compute<Element>>
__device__ void differentiate(const Call<Element>& call, const Layout& layout, const Place& place,
                              const Sample<T>& sample, const Element* grad, T* value_sums,
                              T (&products)[4]) {
  const int64_t first = place.image * call.length * call.stride() + place.head * call.channels;
  const int step = layout.lanes * kCount;
  for (int64_t channel = place.lane * kCount; channel < call.channels; channel += step) {
    const auto gradient = cuda::read<kCount>(grad + channel);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (sample.rows[k] < 0) continue;
      const int64_t at = first + sample.rows[k] * call.stride() + channel;
      const auto values = cuda::read<kCount>(call.value + at);
      const T weight = sample.share(k) * sample.weight;
      T terms[kCount];
#pragma unroll
      for (int c = 0; c < kCount; ++c) {
        products[k] = std::fma(load(values.items[c]), load(gradient.items[c]), products[k]);
        terms[c] = weight * load(gradient.items[c]);
      }
      if (value_sums != nullptr) cuda::add_to(value_sums + at, terms);
    }
  }
}

/// The lanes of a query are a power of two, at most a warp.
template <typename Element, int kCount>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(Call<Element> call, Layout layout, const Element* grad,
                    Gradients<Element> gradients) {
  using T = Compute<Element>;
  __shared__ Sample<T> samples[kSamples];
  const Place place(call, layout);
  const int64_t row = place.row(call);
  for (int first = 0; first < call.samples(); first += layout.samples()) {
    const int count = std::min(call.samples() - first, layout.samples());
    __syncthreads();  // until the samples before are read
    for (int s = place.lane; place.is_query && s < count; s += layout.lanes) {
      samples[s * layout.queries() + place.query_of_block] = sample_of(call, row, first + s);
    }
    __syncthreads();
    for (int s = 0; s < count; ++s) {
      const Sample<T>& sample = samples[s * layout.queries() + place.query_of_block];
      T products[4] = {};
      if (place.is_query) {
        const Element* const from = grad + row * call.channels;
        differentiate<Element, kCount>(call, layout, place, sample, from, gradients.value,
                                       products);
      }
      for (int k = 0; k < 4; ++k) products[k] = sum_of_lanes(products[k], layout.lanes);
      if (!place.is_query || place.lane != 0) continue;
      write_gradients(call, sample, products, row * call.samples() + first + s, gradients);
    }
  }
}

// ---- The operator ----

/// Calls body.operator()<kCount>() for the number of channels that a thread reads at once: a group,
/// if it can.
template <int kGroup, typename Element, typename Body>
void with_groups(const Call<Element>& call, bool is_aligned, const Body& body) {
  const bool is_wide =
      is_aligned && cuda::is_aligned<kGroup>(call.value) && call.channels % kGroup == 0;
  const int64_t groups = call.length * call.stride() / (is_wide ? kGroup : 1);
  if (groups > std::numeric_limits<int32_t>::max()) {
    fail(kName, ": an image of value is too large for a GPU, with ", call.length, " x ", call.heads,
         " x ", call.channels, " elements");
  }
  if (is_wide) {
    body.template operator()<kGroup>();
  } else {
    body.template operator()<1>();
  }
}

inline void compute(const MutableTensorView& out, const TensorView& value,
                    const TensorView& spatial_shapes, const TensorView& level_start_index,
                    const TensorView& sampling_locations, const TensorView& attention_weights,
                    const cuda::Stream& stream) {
  if (element_count(out.sizes) == 0) return;
  Supported::visit(value.dtype, [&]<typename Element>() {
    const auto call = Call<Element>::of(value, spatial_shapes, level_start_index,
                                        sampling_locations, attention_weights);
    constexpr int kGroup = cuda::kGroup<Element>;
    auto* const results = out.data_as<Element>();
    with_groups<kGroup>(call, cuda::is_aligned<kGroup>(results), [&]<int kCount>() {
      const auto lanes = static_cast<int>(std::min<int64_t>(call.channels / kCount, kThreads));
      const Layout layout = Layout::of(call, lanes);
      cuda::launch(forward_kernel<Element, kCount>, layout.grid(call), stream, call, layout,
                   results);
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_value,
                     const std::optional<MutableTensorView>& grad_sampling_locations,
                     const std::optional<MutableTensorView>& grad_attention_weights,
                     const TensorView& grad, const TensorView& value,
                     const TensorView& spatial_shapes, const TensorView& level_start_index,
                     const TensorView& sampling_locations, const TensorView& attention_weights,
                     const cuda::Stream& stream) {
  Supported::visit(value.dtype, [&]<typename Element>() {
    const auto data = [](const std::optional<MutableTensorView>& gradient) {
      return gradient ? gradient->data_as<Element>() : nullptr;
    };
    const int64_t elements = element_count(value.sizes);
    auto* const sums = grad_value ? cuda::new_sums(data(grad_value), elements, stream) : nullptr;
    const Gradients<Element> gradients{sums, data(grad_sampling_locations),
                                       data(grad_attention_weights)};
    const auto call = Call<Element>::of(value, spatial_shapes, level_start_index,
                                        sampling_locations, attention_weights);
    constexpr int kGroup = cuda::kGroup<Compute<Element>>;  // what add_to() adds at once
    const auto* const from = grad.data_as<Element>();
    const bool is_aligned = cuda::is_aligned<kGroup>(from) && cuda::is_aligned<kGroup>(sums);
    with_groups<kGroup>(call, is_aligned, [&]<int kCount>() {
      int lanes = 1;
      while (lanes < cuda::kWarp && lanes * kCount < call.channels) lanes *= 2;
      const Layout layout = Layout::of(call, lanes);
      cuda::launch(backward_kernel<Element, kCount>, layout.grid(call), stream, call, layout, from,
                   gradients);
    });
    if (grad_value) cuda::write_sums(sums, data(grad_value), elements, stream);
  });
}

}  // namespace ms_deform_attn_kernel
