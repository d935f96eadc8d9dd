// Multi-scale deformable attention: each head of a query is a weighted sum of bilinear samples,
// which is one of four times as many rows of a head's channels. The nearest caches limit the speed.
// So a task reads the rows of one head, of all levels, for one query after the other.
//
// ms_deform_attn.cuh has the loops for GPUs, and includes this file for the checks and the corners
// of samples.
#pragma once

#include <onnxop/kernel.h>
#if !defined(ONNXOP_CUDA)
#include <onnxop/matrix.h>
#include <onnxop/rows.h>
#endif

#include <limits>

namespace ms_deform_attn_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "vision_ops::ms_deform_attn";
using Supported = FloatTypes;

// ---- Checks ----

template <size_t N>
void check_shape(const TensorMeta& tensor, const std::array<Size, N>& expected) {
  check_rank(kName, tensor, N);
  for (size_t d = 0; d < N; ++d) {
    if (tensor.sizes[d] != expected[d]) {
      fail(kName, ": ", tensor.name, " must have the shape ", to_string(expected),
           ", but its shape is ", to_string(tensor.sizes));
    }
  }
}

inline OutputSpec infer(const TensorMeta& value, const TensorMeta& spatial_shapes,
                        const TensorMeta& level_start_index, const TensorMeta& sampling_locations,
                        const TensorMeta& attention_weights) {
  check_supported<Supported>(kName, value);
  check_same_dtype(kName, value, sampling_locations);
  check_same_dtype(kName, value, attention_weights);
  check_dtype(kName, spatial_shapes, Dtype::int64);
  check_dtype(kName, level_start_index, Dtype::int64);
  check_rank(kName, value, 4);
  check_rank(kName, sampling_locations, 6);
  const Size batch = value.sizes[0], heads = value.sizes[2];
  const Size queries = sampling_locations.sizes[1], levels = sampling_locations.sizes[3];
  const Size points = sampling_locations.sizes[4];
  check_shape(sampling_locations, std::array<Size, 6>{batch, queries, heads, levels, points, 2});
  check_shape(attention_weights, std::array<Size, 5>{batch, queries, heads, levels, points});
  check_shape(spatial_shapes, std::array<Size, 2>{levels, 2});
  check_shape(level_start_index, std::array<Size, 1>{levels});
  // Positions are 32-bit numbers.
  if (value.sizes[1] > std::numeric_limits<int32_t>::max())
    fail(kName, ": value must have fewer than 2^31 places");
  return {value.dtype, {batch, queries, heads * value.sizes[3]}};
}

// ---- Samples ----

/// Returns whether a level lies within `value`, which has `length` places.
ONNXOP_DEVICE inline bool is_level(int64_t height, int64_t width, int64_t start, int64_t length) {
  if (height < 0 || width < 0 || start < 0 || start > length) return false;
  if (height == 0 || width == 0) return true;
  return height <= length && width <= length && height * width <= length - start;
}

/// Returns the weight of a corner, upper left to lower right, at a distance from the upper left
/// one.
template <typename T>
ONNXOP_DEVICE T corner_share(int32_t lower, int32_t right, T down, T along) {
  const T first_y = static_cast<T>(1 - lower), sign_y = static_cast<T>(2 * lower - 1);
  const T first_x = static_cast<T>(1 - right), sign_x = static_cast<T>(2 * right - 1);
  return (first_y + sign_y * down) * (first_x + sign_x * along);
}

/// Returns the gradients of a sample's place in pixels, of x and then of y, from the products of
/// its corners' rows with the incoming gradient.
template <typename T>
ONNXOP_DEVICE std::array<T, 2> place_gradient(const T (&products)[4], T down, T along) {
  return {(1 - down) * (products[1] - products[0]) + down * (products[3] - products[2]),
          (1 - along) * (products[2] - products[0]) + along * (products[3] - products[1])};
}

#if !defined(ONNXOP_CUDA)

/// The sizes of a call, and the size and start of the level of each sample of a query's head.
template <typename T>
struct Shape {
  int64_t batch, length, heads, channels, queries, samples;
  std::vector<T> height, width;
  std::vector<int32_t> row, start;

  Shape(const TensorView& value, const TensorView& spatial_shapes,
        const TensorView& level_start_index, const TensorView& locations)
      : batch(value.sizes[0]),
        length(value.sizes[1]),
        heads(value.sizes[2]),
        channels(value.sizes[3]),
        queries(locations.sizes[1]),
        samples(locations.sizes[3] * locations.sizes[4]) {
    const auto* const shapes = spatial_shapes.data_as<int64_t>();
    const auto* const starts = level_start_index.data_as<int64_t>();
    for (int64_t level = 0; level < locations.sizes[3]; ++level) {
      const int64_t h = shapes[2 * level], w = shapes[2 * level + 1], first = starts[level];
      if (!is_level(h, w, first, length)) {
        fail(kName, ": level ", level, " has ", h, " x ", w, " positions from ", first,
             " on, but value has ", length);
      }
      for (int64_t point = 0; point < locations.sizes[4]; ++point) {
        height.push_back(static_cast<T>(h));
        width.push_back(static_cast<T>(w));
        row.push_back(static_cast<int32_t>(w));
        start.push_back(static_cast<int32_t>(first));
      }
    }
  }

  int64_t stride() const { return heads * channels; }
  /// Returns where the samples of a query's head begin, in an array with one number for each
  /// sample.
  int64_t place(int64_t image, int64_t query, int64_t head) const {
    return ((image * queries + query) * heads + head) * samples;
  }
};

/// The corners of a query's samples of one head: all upper left, then upper right, lower left,
/// lower right ones.
template <typename T>
struct Corners {
  std::vector<int32_t> place;               // in a head's rows; -1 outside
  std::vector<T> shares;                    // without the attention's weight
  std::vector<T> weighted;                  // with it
  std::vector<T> x, y, attention;           // as they are given
  std::vector<T> down, along;               // from the upper left corner to the sample, 0 to 1
  std::vector<int32_t> left, top;           // of that corner
  std::vector<int32_t> is_near, is_inside;  // kept, because a loop with branches is not vectorised
  std::vector<const T*> rows;

  explicit Corners(int64_t samples)
      : place(4 * samples),
        shares(4 * samples),
        weighted(4 * samples),
        x(samples),
        y(samples),
        attention(samples),
        down(samples),
        along(samples),
        left(samples),
        top(samples),
        is_near(samples),
        is_inside(samples),
        rows(4 * samples) {}
};

template <typename T>
ONNXOP_EACH_CPU void locate(int64_t samples, const T* __restrict height, const T* __restrict width,
                            const int32_t* __restrict row_length, const int32_t* __restrict start,
                            Corners<T>& corners) {
  T* const __restrict xs = corners.x.data(), * const __restrict ys = corners.y.data();
  T* const __restrict down = corners.down.data(), * const __restrict along = corners.along.data();
  int32_t* const __restrict is_near = corners.is_near.data(), * const __restrict is_inside =
                                                                  corners.is_inside.data();
  int32_t* const __restrict lefts = corners.left.data(), * const __restrict tops =
                                                             corners.top.data();
  int32_t* __restrict places = corners.place.data();
  T* __restrict shares = corners.shares.data(), * __restrict weighted = corners.weighted.data();
  const T* const __restrict attention = corners.attention.data();
  for (int64_t i = 0; i < samples; ++i) {
    const T x = xs[i] * width[i] - T(0.5), y = ys[i] * height[i] - T(0.5);
    // Also false for NaN. Only numbers near the level become integers.
    is_near[i] = (x >= -1) & (x < width[i]) & (y >= -1) & (y < height[i]);
    xs[i] = std::min(width[i], std::max(T(-1), x));
    ys[i] = std::min(height[i], std::max(T(-1), y));
  }
  for (int64_t i = 0; i < samples; ++i) {
    // Round towards zero, then down.
    const int32_t cut_x = static_cast<int32_t>(xs[i]), cut_y = static_cast<int32_t>(ys[i]);
    lefts[i] = cut_x - (static_cast<T>(cut_x) > xs[i] ? 1 : 0);
    tops[i] = cut_y - (static_cast<T>(cut_y) > ys[i] ? 1 : 0);
    along[i] = xs[i] - static_cast<T>(lefts[i]);
    down[i] = ys[i] - static_cast<T>(tops[i]);
  }
  for (int32_t k = 0; k < 4; ++k) {
    const int32_t lower = k / 2, right = k % 2;
    for (int64_t i = 0; i < samples; ++i) {
      const T x = static_cast<T>(lefts[i] + right), y = static_cast<T>(tops[i] + lower);
      is_inside[i] = is_near[i] & (x >= 0) & (x < width[i]) & (y >= 0) & (y < height[i]);
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < samples; ++i) {
      const int32_t place = start[i] + (tops[i] + lower) * row_length[i] + lefts[i] + right;
      const T share = corner_share(lower, right, down[i], along[i]), product = share * attention[i];
      places[i] = is_inside[i] != 0 ? place : -1;
      shares[i] = is_inside[i] != 0 ? share : T(0);
      weighted[i] = is_inside[i] != 0 ? product : T(0);
    }
    places += samples;
    shares += samples;
    weighted += samples;
  }
}

/// Sets rows[i] to the row at place[i], or to `outside`.
template <typename Row>
ONNXOP_EACH_CPU void find_rows(int64_t count, const int32_t* __restrict place, Row base,
                               int64_t stride, Row outside, Row* __restrict rows) {
  for (int64_t i = 0; i < count; ++i) rows[i] = place[i] < 0 ? outside : base + place[i] * stride;
}

template <typename Element, typename T>
void locate(const Shape<T>& shape, const Element* locations, const Element* weights, int64_t place,
            const T* base, const T* zeros, Corners<T>& corners) {
  for (int64_t i = 0; i < shape.samples; ++i) {
    corners.x[i] = load(locations[2 * (place + i)]);
    corners.y[i] = load(locations[2 * (place + i) + 1]);
    corners.attention[i] = load(weights[place + i]);
  }
  locate(shape.samples, shape.height.data(), shape.width.data(), shape.row.data(),
         shape.start.data(), corners);
  find_rows(4 * shape.samples, corners.place.data(), base, shape.channels, zeros,
            corners.rows.data());
}

/// Returns a [batch, rows, heads, channels] tensor as [batch, heads, rows, channels]. The rows of a
/// head are then consecutive; with a stride, they would share a few cache sets.
template <typename Element, typename T = Compute<Element>>
Buffer<T> heads_first(const Shape<T>& shape, const TensorView& tensor,
                      const ParallelFor& parallel_for) {
  const int64_t length = tensor.sizes[1];
  Buffer<T> result(shape.batch * length * shape.stride());
  for_each(shape.batch * shape.heads, length * shape.channels, parallel_for, [&](int64_t unit) {
    const int64_t first =
        unit / shape.heads * length * shape.stride() + unit % shape.heads * shape.channels;
    copy(Matrix<const Element>{tensor.data_as<Element>() + first, length, shape.channels,
                               shape.stride()},
         Matrix<T>{result.get() + unit * length * shape.channels, length, shape.channels,
                   shape.channels});
  });
  return result;
}

// ---- The operator ----

inline void compute(const MutableTensorView& out, const TensorView& value,
                    const TensorView& spatial_shapes, const TensorView& level_start_index,
                    const TensorView& sampling_locations, const TensorView& attention_weights,
                    const ParallelFor& parallel_for) {
  Supported::visit(value.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    const Shape<T> shape(value, spatial_shapes, level_start_index, sampling_locations);
    if (element_count(out.sizes) == 0) return;
    const Buffer<T> values = heads_first<Element>(shape, value, parallel_for);
    const std::vector<T> zeros(shape.channels);
    constexpr int64_t kQueries = 64;
    const int64_t parts = (shape.queries + kQueries - 1) / kQueries;
    for_each(shape.batch * shape.heads * parts, kQueries * shape.samples * 4 * shape.channels,
             parallel_for, [&](int64_t unit) {
               const int64_t image = unit / parts / shape.heads, head = unit / parts % shape.heads;
               const int64_t first = unit % parts * kQueries,
                             last = std::min(shape.queries, first + kQueries);
               const T* const base = values.get() + unit / parts * shape.length * shape.channels;
               Corners<T> corners(shape.samples);
               std::vector<T> sums(shape.channels);
               for (int64_t query = first; query < last; ++query) {
                 locate(shape, sampling_locations.data_as<Element>(),
                        attention_weights.data_as<Element>(), shape.place(image, query, head), base,
                        zeros.data(), corners);
                 auto* const to =
                     out.data_as<Element>() +
                     ((image * shape.queries + query) * shape.heads + head) * shape.channels;
                 run_on_this_cpu<AddRows>(4 * shape.samples, corners.rows.data(),
                                          corners.weighted.data(), int64_t{0}, shape.channels,
                                          sums.data());
                 for (int64_t c = 0; c < shape.channels; ++c) to[c] = store<Element>(sums[c]);
               }
             });
  });
}

/// Each task computes one head of an image; no other task writes to its rows of the gradient.
inline void backward(const std::optional<MutableTensorView>& grad_value,
                     const std::optional<MutableTensorView>& grad_sampling_locations,
                     const std::optional<MutableTensorView>& grad_attention_weights,
                     const TensorView& grad, const TensorView& value,
                     const TensorView& spatial_shapes, const TensorView& level_start_index,
                     const TensorView& sampling_locations, const TensorView& attention_weights,
                     const ParallelFor& parallel_for) {
  Supported::visit(value.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    const Shape<T> shape(value, spatial_shapes, level_start_index, sampling_locations);
    const int64_t channels = shape.channels, samples = shape.samples;
    const Buffer<T> values = heads_first<Element>(shape, value, parallel_for);
    const std::vector<T> zeros(channels);
    for_each(
        shape.batch * shape.heads, shape.queries * samples * 12 * channels, parallel_for,
        [&](int64_t unit) {
          const int64_t image = unit / shape.heads, head = unit % shape.heads;
          const T* const base = values.get() + unit * shape.length * channels;
          Corners<T> corners(samples);
          std::vector<T> products(4 * samples), from(channels),
              sums(grad_value ? (shape.length + 1) * channels : 0);
          std::vector<T*> to(4 * samples);
          for (int64_t query = 0; query < shape.queries; ++query) {
            const int64_t place = shape.place(image, query, head);
            locate(shape, sampling_locations.data_as<Element>(),
                   attention_weights.data_as<Element>(), place, base, zeros.data(), corners);
            const Element* const given =
                grad.data_as<Element>() +
                ((image * shape.queries + query) * shape.heads + head) * channels;
            std::transform(given, given + channels, from.begin(), load<Element>);
            if (grad_value) {
              T* const outside = sums.data() + shape.length * channels;
              find_rows(4 * samples, corners.place.data(), sums.data(), channels, outside,
                        to.data());
              run_on_this_cpu<ScatterRows>(4 * samples, to.data(), corners.weighted.data(),
                                           int64_t{0}, channels,
                                           static_cast<const T*>(from.data()));
            }
            if (!grad_sampling_locations && !grad_attention_weights) continue;
            run_on_this_cpu<MultiplyRows>(4 * samples, corners.rows.data(), int64_t{0}, channels,
                                          static_cast<const T*>(from.data()), products.data());
            const T *const p0 = products.data(), *const p1 = p0 + samples, *const p2 = p1 + samples,
                           *const p3 = p2 + samples;
            for (int64_t i = 0; i < samples; ++i) {
              const T y = corners.down[i],
                      x = corners.along[i], *const shares = corners.shares.data() + i;
              if (grad_attention_weights) {
                grad_attention_weights->data_as<Element>()[place + i] =
                    store<Element>((shares[0] * p0[i] + shares[samples] * p1[i]) +
                                   (shares[2 * samples] * p2[i] + shares[3 * samples] * p3[i]));
              }
              if (grad_sampling_locations) {
                const T weight = load(attention_weights.data_as<Element>()[place + i]);
                Element* const location =
                    grad_sampling_locations->data_as<Element>() + 2 * (place + i);
                const auto [along_x, along_y] = place_gradient({p0[i], p1[i], p2[i], p3[i]}, y, x);
                location[0] = store<Element>(weight * shape.width[i] * along_x);
                location[1] = store<Element>(weight * shape.height[i] * along_y);
              }
            }
          }
          if (grad_value) {
            copy(Matrix<const T>{sums.data(), shape.length, channels, channels},
                 Matrix<Element>{grad_value->data_as<Element>() +
                                     image * shape.length * shape.stride() + head * channels,
                                 shape.length, channels, shape.stride()});
          }
        });
  });
}

#endif

}  // namespace ms_deform_attn_kernel
