// RoIAlign of rotated boxes on GPUs. A block has some channels of a box. Its threads find the
// pixels around the box's points, in shared memory, and then each sums up channels of a bin. Blocks
// of the same channels run together, so that the caches hold these channels of the images. A box
// with a wrong image index, or with too many points, gives NaN: a kernel cannot raise an error.
#pragma once

#include <onnxop/team.h>
#include <onnxop/cuda/sums.cuh>

#include "roi_align_rotated.h"

namespace roi_align_rotated_kernel {

inline constexpr int kThreads = 256;      // of a block
inline constexpr int kMostChannels = 64;  // of a block
inline constexpr int kAtOnce = 4;         // channels of a thread
inline constexpr int kPoints = 256;       // of a block, in shared memory

/// A box and the index of its image, -1 if it has none.
struct Located {
  Box box;
  double share;  // of a point in its bin
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
    out[number] = {box, box.share(), is_image && is_small ? static_cast<int64_t>(image) : -1};
  }
};

/// The distances of points from the centre of their box along one side: those of the first bins in
/// shared memory, since divisions of float64 take long.
struct Side {
  static constexpr int kOffsets = 128;
  double offsets[kOffsets];

  __device__ void fill(double count, double length, int bins) {
    const auto points = static_cast<int64_t>(count);
    const int64_t all = std::min<int64_t>(bins * points, kOffsets);
    for (int i = static_cast<int>(threadIdx.x); i < all; i += kThreads) {
      offsets[i] = offset_of(i / points, i % points, count, length, bins);
    }
  }

  __device__ double at(int bin, int point, double count, double length, int bins) const {
    const int64_t i = bin * static_cast<int64_t>(count) + point;
    return i < kOffsets ? offsets[i] : offset_of(bin, point, count, length, bins);
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
  Side down, across;

  __device__ void set(int i, const Corners<int32_t>& corners, double share) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      pixels[i].at[k] = corners.pixels[k];
      shares[i].at[k] = static_cast<T>(corners.shares[k] * share);
    }
  }
};

/// Bins of a box whose points are in shared memory, and how a block's threads share them. A team of
/// threads has a bin and some channels.
struct Tile {
  int first, bins, points;  // points of each bin at a time
  int lanes;                // teams of each bin
  int bin, lane, member;    // the bin of this thread, its team and its place in the team

  __device__ Tile(int first, int bins, int all_points, int team_size)
      : first(first),
        bins(bins),
        points(std::min(all_points, kPoints / bins)),
        lanes(kThreads / team_size / bins) {
    const int thread = static_cast<int>(threadIdx.x), team = thread / team_size;
    bin = team % bins;
    lane = team / bins;
    member = thread % team_size;
  }

  /// Returns how many channels the thread has of some that the teams of a bin share; none or less
  /// if it has no bin.
  __device__ int channels_of_lane(int channels) const {
    return lane < lanes ? (channels - lane + lanes - 1) / lanes : 0;
  }

  /// Returns the most bins of a tile. If not all points of a bin fit, the teams have all of the
  /// block's channels.
  __device__ static int most_bins(int bins, int all_points, int team_size) {
    const int teams = kThreads / team_size, least = teams * kAtOnce / kMostChannels;
    if (all_points > kPoints / least) return std::min(bins, least);
    return std::min(bins, all_points == 0 ? teams : std::min(teams, kPoints / all_points));
  }
};

/// Finds `count` points of each bin of a tile. A thread has points of one bin.
template <typename T>
__device__ void find_points(const Shape& shape, const Located& located, const Tile& tile,
                            int first_point, int count, Points<T>& points) {
  const Box& box = located.box;
  const int rows = static_cast<int>(shape.rows), columns = static_cast<int>(shape.columns);
  const int across = static_cast<int>(box.across), thread = static_cast<int>(threadIdx.x);
  const int bin = thread % tile.bins, step = kThreads / tile.bins;
  const int row = (tile.first + bin) / columns, column = (tile.first + bin) % columns;
  __syncthreads();  // until the points before are added
  for (int p = thread / tile.bins; thread < step * tile.bins && p < count; p += step) {
    const int i = (first_point + p) / across, j = (first_point + p) % across;
    const double yy = points.down.at(row, i, box.down, box.height, rows);
    const double xx = points.across.at(column, j, box.across, box.width, columns);
    Corners<int32_t> corners;
    if (!corners.find_around(shape, box, yy, xx)) corners.pixels[0] = -1;
    points.set(p * tile.bins + bin, corners, located.share);
  }
  __syncthreads();
}

/// A thread's channels of a bin: the first one's element of the result and plane of the input, and
/// the steps to the others.
struct Channels {
  int64_t element, plane, element_step, plane_step;
  int count;

  __device__ int64_t element_of(int j) const { return element + j * element_step; }
  __device__ int64_t plane_of(int j) const { return plane + j * plane_step; }
};

/// For each bin and some channels, calls add() of a Body::Sums(body, shape, channels) for each
/// point, and finish() in all threads.
template <typename T, typename Body>
__global__ void __launch_bounds__(kThreads)
    boxes_kernel(Shape shape, const Located* boxes, int channels_of_block, Body body) {
  __shared__ Points<T> points;
  const int64_t box = blockIdx.x % shape.boxes;
  const int64_t first_channel = blockIdx.x / shape.boxes * channels_of_block;
  const Located& located = boxes[box];
  const int64_t channels_left = shape.channels - first_channel;
  const int channels = static_cast<int>(std::min<int64_t>(channels_of_block, channels_left));
  const int bins = static_cast<int>(shape.bins()), all_points = located.points();
  const int most_bins = Tile::most_bins(bins, all_points, Body::kTeam);
  if (all_points > 0) {
    points.down.fill(located.box.down, located.box.height, static_cast<int>(shape.rows));
    points.across.fill(located.box.across, located.box.width, static_cast<int>(shape.columns));
  }
  for (int first_bin = 0; first_bin < bins; first_bin += most_bins) {
    const Tile tile(first_bin, std::min(most_bins, bins - first_bin), all_points, Body::kTeam);
    for (int c = 0; c < channels; c += tile.lanes * kAtOnce) {
      const int64_t channel = first_channel + c + tile.lane;
      const int left = tile.channels_of_lane(channels - c);
      const Channels of_thread{
          .element = (box * shape.channels + channel) * bins + tile.first + tile.bin,
          .plane = located.image * shape.channels + channel,
          .element_step = static_cast<int64_t>(tile.lanes) * bins,
          .plane_step = tile.lanes,
          .count = std::clamp(left, 0, int{kAtOnce})};
      typename Body::Sums sums(body, shape, of_thread);
      for (int first = 0; first < all_points; first += tile.points) {
        const int count = std::min(all_points - first, tile.points);
        if (c == 0) find_points(shape, located, tile, first, count, points);
        for (int i = tile.bin; of_thread.count > 0 && i < count * tile.bins; i += tile.bins) {
          if (points.pixels[i].at[0] >= 0) sums.add(points, i, tile.member);
        }
      }
      sums.finish(body, of_thread, tile.member, located.image >= 0);
    }
  }
}

// Two threads have a pixel and the one on its right: the GPU reads, or adds to, both at once.

template <typename Element>
struct Forward {
  using T = Compute<Element>;
  static constexpr int kTeam = 2;
  const Element* input;
  Element* out;

  struct Sums {
    const Element* planes[kAtOnce];
    T sums[kAtOnce] = {};

    __device__ Sums(const Forward& call, const Shape& shape, const Channels& channels) {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        // The first plane again where there is no other: reads without a condition run at once.
        planes[j] = call.input + channels.plane_of(j < channels.count ? j : 0) * shape.pixels();
      }
    }

    __device__ void add(const Points<T>& points, int i, int member) {
#pragma unroll
      for (int k = 0; k < 4; k += kTeam) {
        const int32_t pixel = points.pixels[i].at[k + member];
        const T share = points.shares[i].at[k + member];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          sums[j] = std::fma(share, load(planes[j][pixel]), sums[j]);
        }
      }
    }

    __device__ void finish(const Forward& call, const Channels& channels, int member,
                           bool has_image) const {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const T both = sums[j] + __shfl_xor_sync(0xffffffffu, sums[j], 1);
        const T sum = has_image ? both : std::numeric_limits<T>::quiet_NaN();
        const bool is_mine = j % kTeam == member && j < channels.count;
        if (is_mine) call.out[channels.element_of(j)] = store<Element>(sum);
      }
    }
  };
};

/// Adds elements' gradients to the pixels that they read, in an order that varies from run to run.
template <typename Element>
struct Backward {
  using T = Compute<Element>;
  static constexpr int kTeam = 2;
  const Element* grad;
  T* out;

  struct Sums {
    T* planes[kAtOnce];
    T gradients[kAtOnce];
    int count;

    __device__ Sums(const Backward& call, const Shape& shape, const Channels& channels)
        : count(channels.count) {
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        if (j >= count) continue;
        planes[j] = call.out + channels.plane_of(j) * shape.pixels();
        gradients[j] = load(call.grad[channels.element_of(j)]);
      }
    }

    __device__ void add(const Points<T>& points, int i, int member) const {
#pragma unroll
      for (int k = 0; k < 4; k += kTeam) {
        const int32_t pixel = points.pixels[i].at[k + member];
        const T share = points.shares[i].at[k + member];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          if (j < count) atomicAdd(planes[j] + pixel, share * gradients[j]);
        }
      }
    }

    __device__ void finish(const Backward&, const Channels&, int, bool) const {}
  };
};

/// Returns the number of channels of a block: less for a few boxes, so that there are enough
/// blocks.
inline int channels_of_block(const Shape& shape) {
  constexpr int64_t kEnough = 256;  // blocks
  int channels = kMostChannels;
  while (channels > kAtOnce && shape.boxes * shape.channels / channels < kEnough) channels /= 2;
  return channels;
}

template <typename T, typename Element, typename Body>
void run(const Shape& shape, const Element* rois, const Body& body, const cuda::Stream& stream) {
  auto* const boxes = stream.scratch<Located>(shape.boxes);
  for_each(shape.boxes, 1, stream, Locate<Element>{shape, rois, boxes});
  const int channels = channels_of_block(shape);
  const int64_t parts = (shape.channels + channels - 1) / channels;
  cuda::launch(boxes_kernel<T, Body>, {shape.boxes * parts, kThreads}, stream, shape,
               static_cast<const Located*>(boxes), channels, body);
}

inline void check_size(const Shape& shape) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (shape.pixels() <= kMost && shape.bins() <= kMost) return;
  fail(kName, ": input or output is too large for a GPU, with ", shape.height, " x ", shape.width,
       " pixels and ", shape.rows, " x ", shape.columns, " bins");
}

inline void compute(const MutableTensorView& out, const TensorView& input, const TensorView& rois,
                    double spatial_scale, int64_t output_height, int64_t output_width,
                    int64_t sampling_ratio, bool aligned, bool clockwise,
                    const cuda::Stream& stream) {
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width,
                               sampling_ratio, aligned, clockwise);
  check_size(shape);
  if (element_count(out.sizes) == 0) return;
  Supported::visit(input.dtype, [&]<typename Element>() {
    const Forward<Element> body{input.data_as<Element>(), out.data_as<Element>()};
    run<Compute<Element>>(shape, rois.data_as<Element>(), body, stream);
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_input, const TensorView& grad,
                     const TensorView& input, const TensorView& rois, double spatial_scale,
                     int64_t output_height, int64_t output_width, int64_t sampling_ratio,
                     bool aligned, bool clockwise, const cuda::Stream& stream) {
  if (!grad_input) return;
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width,
                               sampling_ratio, aligned, clockwise);
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
