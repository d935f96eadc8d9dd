// RoIAlign of rotated boxes on GPUs. A block has some channels of a box. Its threads find the pixels around the
// box's points, in shared memory, and then each sums up channels of a bin. Blocks of the same channels run
// together, so that the caches hold these channels of the images. A box with a wrong image index, or with too
// many points, gives NaN: a kernel cannot raise an error.
#pragma once

#include <onnxop/team.h>
#include <onnxop/cuda/sums.cuh>

#include "roi_align_rotated.h"

namespace roi_align_rotated_kernel {

using cuda::kThreads;
inline constexpr int kChannels = 64;  // of a block
inline constexpr int kAtOnce = 4;     // of a thread
inline constexpr int kPoints = 256;   // of a block, in shared memory

/// A box and the index of its image, -1 if it has none.
struct Located {
  Box box;
  int64_t image;

  /// The number of points of a bin.
  __device__ int points() const { return image < 0 ? 0 : static_cast<int>(box.down * box.across); }
};

template <typename Element>
struct Locate {
  Shape shape;
  const Element* rois;
  Located* out;

  __device__ void operator()(int64_t number) const {
    const Element* const roi = rois + number * 6;
    const auto image = load(roi[0]);
    const Box box = box_of(shape, roi);
    const bool is_image = image >= 0 && image < static_cast<Compute<Element>>(shape.batch);
    const bool is_short = box.down < 1 << 20 && box.across < 1 << 20;
    const bool is_small = is_short && box.down * box.across < 1 << 30;
    out[number] = {box, is_image && is_small ? static_cast<int64_t>(image) : -1};
  }
};

/// Points of some bins: the pixels around them, and their weights.
template <typename T>
struct Points {
  struct alignas(16) Pixels {
    int32_t at[4];  // the first is -1 if the point is outside of the image
  };
  struct alignas(16) Shares {
    T at[4];
  };
  Pixels pixels[kPoints];
  Shares shares[kPoints];

  __device__ void find(int i, const Shape& shape, const Box& box, uint32_t bin, uint32_t point) {
    const auto columns = static_cast<uint32_t>(shape.columns), across = static_cast<uint32_t>(box.across);
    const double yy = offset_of(bin / columns, point / across, box.down, box.height, shape.rows);
    const double xx = offset_of(bin % columns, point % across, box.across, box.width, shape.columns);
    Corners<int32_t> corners;
    if (!corners.find_around(shape, box, yy, xx)) {
      pixels[i].at[0] = -1;
      return;
    }
    const double share = box.share();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      pixels[i].at[k] = corners.pixels[k];
      shares[i].at[k] = static_cast<T>(corners.shares[k] * share);
    }
  }
};

/// A thread's channels of a bin: the first one's element of the result and plane of the input, and the steps to
/// the others.
struct Channels {
  int64_t element, plane;
  int element_step, plane_step, count;
};

/// Returns the number of bins whose points are in shared memory at once. If these are some of their points, the
/// threads have all of the block's channels.
__device__ inline int bins_at_once(int bins, int points) {
  constexpr int kLeast = kThreads * kAtOnce / kChannels;
  const int most = points == 0 ? kThreads : points > kPoints / kLeast ? kLeast : kPoints / points;
  return std::min(bins, most);
}

/// For each bin and some channels, calls add() of a Body::Sums(body, shape, channels) for each point, and finish().
template <typename T, typename Body>
__global__ void __launch_bounds__(kThreads) boxes_kernel(Shape shape, const Located* boxes, Body body) {
  __shared__ Points<T> points;
  const int64_t box = blockIdx.x % shape.boxes, first_channel = blockIdx.x / shape.boxes * kChannels;
  const Located& located = boxes[box];
  const int channels = static_cast<int>(std::min<int64_t>(kChannels, shape.channels - first_channel));
  const int bins = static_cast<int>(shape.bins()), all_points = located.points();
  const int most_bins = bins_at_once(bins, all_points);
  for (int first_bin = 0; first_bin < bins; first_bin += most_bins) {
    const int bin_count = std::min(most_bins, bins - first_bin), lanes = kThreads / bin_count;
    const int bin = static_cast<int>(threadIdx.x) % bin_count, lane = static_cast<int>(threadIdx.x) / bin_count;
    const int most_points = std::min(all_points, kPoints / bin_count);
    for (int c = 0; c < channels; c += lanes * kAtOnce) {
      const int64_t channel = first_channel + c + lane;
      const int left = lane < lanes ? (channels - c - lane + lanes - 1) / lanes : 0;
      const Channels of_thread{(box * shape.channels + channel) * bins + first_bin + bin,
                               located.image * shape.channels + channel, lanes * bins, lanes,
                               std::clamp(left, 0, int{kAtOnce})};
      typename Body::Sums sums(body, shape, of_thread);
      for (int first = 0; first < all_points; first += most_points) {
        const int count = std::min(all_points - first, most_points) * bin_count;
        if (c == 0) {
          __syncthreads();  // until the points before are added
          for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
            points.find(i, shape, located.box, first_bin + i % bin_count, first + i / bin_count);
          }
          __syncthreads();
        }
        for (int i = bin; of_thread.count > 0 && i < count; i += bin_count) {
          const auto pixels = points.pixels[i];
          if (pixels.at[0] >= 0) sums.add(pixels.at, points.shares[i].at);
        }
      }
      sums.finish(body, of_thread, located.image >= 0);
    }
  }
}

template <typename Element>
struct Forward {
  using T = Compute<Element>;
  const Element* input;
  Element* out;

  struct Sums {
    const Element* planes[kAtOnce];
    T sums[kAtOnce] = {};

    __device__ Sums(const Forward& call, const Shape& shape, const Channels& channels) {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        // The first plane again where there is no other: reads without a condition run at once.
        const int step = j < channels.count ? j * channels.plane_step : 0;
        planes[j] = call.input + (channels.plane + step) * shape.pixels();
      }
    }

    __device__ void add(const int32_t (&pixels)[4], const T (&shares)[4]) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) sums[j] = std::fma(shares[k], load(planes[j][pixels[k]]), sums[j]);
      }
    }

    __device__ void finish(const Forward& call, const Channels& channels, bool has_image) const {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const T sum = has_image ? sums[j] : std::numeric_limits<T>::quiet_NaN();
        if (j >= channels.count) continue;
        call.out[channels.element + static_cast<int64_t>(j) * channels.element_step] = store<Element>(sum);
      }
    }
  };
};

/// Adds elements' gradients to the pixels that they read, in an order that varies from run to run.
template <typename Element>
struct Backward {
  using T = Compute<Element>;
  const Element* grad;
  T* out;

  struct Sums {
    T* planes[kAtOnce];
    T gradients[kAtOnce];
    int count;

    __device__ Sums(const Backward& call, const Shape& shape, const Channels& channels) : count(channels.count) {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        if (j >= count) continue;
        planes[j] = call.out + (channels.plane + j * channels.plane_step) * shape.pixels();
        gradients[j] = load(call.grad[channels.element + static_cast<int64_t>(j) * channels.element_step]);
      }
    }

    __device__ void add(const int32_t (&pixels)[4], const T (&shares)[4]) const {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        if (j >= count) continue;
#pragma unroll
        for (int k = 0; k < 4; ++k) atomicAdd(planes[j] + pixels[k], shares[k] * gradients[j]);
      }
    }

    __device__ void finish(const Backward&, const Channels&, bool) const {}
  };
};

template <typename T, typename Element, typename Body>
void run(const Shape& shape, const Element* rois, const Body& body, const cuda::Stream& stream) {
  auto* const boxes = stream.scratch<Located>(shape.boxes);
  for_each(shape.boxes, 1, stream, Locate<Element>{shape, rois, boxes});
  const int64_t parts = (shape.channels + kChannels - 1) / kChannels;
  cuda::launch(boxes_kernel<T, Body>, {shape.boxes * parts}, stream, shape, static_cast<const Located*>(boxes), body);
}

inline void check_size(const Shape& shape) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (shape.pixels() <= kMost && shape.bins() <= kMost / kThreads) return;
  fail(kName, ": input or output is too large for a GPU, with ", shape.height, " x ", shape.width, " pixels and ",
       shape.rows, " x ", shape.columns, " bins");
}

inline void compute(const MutableTensorView& out, const TensorView& input, const TensorView& rois, double spatial_scale,
                    int64_t output_height, int64_t output_width, int64_t sampling_ratio, bool aligned, bool clockwise,
                    const cuda::Stream& stream) {
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width, sampling_ratio, aligned, clockwise);
  check_size(shape);
  if (element_count(out.sizes) == 0) return;
  Supported::visit(input.dtype, [&]<typename Element>() {
    const Forward<Element> body{input.data_as<Element>(), out.data_as<Element>()};
    run<Compute<Element>>(shape, rois.data_as<Element>(), body, stream);
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_input, const TensorView& grad, const TensorView& input,
                     const TensorView& rois, double spatial_scale, int64_t output_height, int64_t output_width,
                     int64_t sampling_ratio, bool aligned, bool clockwise, const cuda::Stream& stream) {
  if (!grad_input) return;
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width, sampling_ratio, aligned, clockwise);
  check_size(shape);
  const int64_t pixels = element_count(grad_input->sizes);
  Supported::visit(input.dtype, [&]<typename Element>() {
    auto* const result = grad_input->data_as<Element>();
    auto* const sums = cuda::new_sums(result, pixels, stream);
    if (element_count(grad.sizes) != 0) {
      const Backward<Element> body{grad.data_as<Element>(), sums};
      run<Compute<Element>>(shape, rois.data_as<Element>(), body, stream);
    }
    cuda::write_sums(sums, result, pixels, stream);
  });
}

}  // namespace roi_align_rotated_kernel
