// RoIAlign of rotated boxes. On CPUs, images are first copied to channels-last order; then a bin is
// a weighted sum of rows of channels, four for each of its points in the image. The caches that
// hold these rows limit the speed.
//
// roi_align_rotated.cuh has the loops for GPUs, and includes this file for the checks and the
// geometry of boxes.
#pragma once

#include <onnxop/kernel.h>
#if !defined(ONNXOP_CUDA)
#include <onnxop/matrix.h>
#include <onnxop/rows.h>
#endif

#include <cmath>
#include <limits>

namespace roi_align_rotated_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "vision_ops::roi_align_rotated";
using Supported = FloatTypes;

// ---- Checks ----

inline OutputSpec infer(const TensorMeta& input, const TensorMeta& rois, double, Size output_height,
                        Size output_width, Size, bool, bool) {
  check_supported<Supported>(kName, input);
  check_same_dtype(kName, input, rois);
  check_rank(kName, input, 4);
  if (rois.rank() != 2 || rois.sizes[1] != 6) {
    fail(kName, ": rois must have the shape [k, 6], but its shape is ", to_string(rois.sizes));
  }
  if (output_height < 1)
    fail(kName, ": output_height must be at least 1, but it is ", output_height);
  if (output_width < 1) fail(kName, ": output_width must be at least 1, but it is ", output_width);
  if (input.sizes[2] < 1 || input.sizes[3] < 1) {
    fail(kName, ": input must have pixels, but its shape is ", to_string(input.sizes));
  }
  return {input.dtype, {rois.sizes[0], input.sizes[1], output_height, output_width}};
}

// ---- Points ----

/// The sizes and numbers of a call.
struct Shape {
  int64_t batch, channels, height, width, boxes, rows, columns, ratio;
  double scale;
  bool aligned, clockwise;

  ONNXOP_DEVICE int64_t pixels() const { return height * width; }
  ONNXOP_DEVICE int64_t bins() const { return rows * columns; }
};

inline Shape shape_of(const TensorView& input, const TensorView& rois, double scale, int64_t rows,
                      int64_t columns, int64_t ratio, bool aligned, bool clockwise) {
  return {input.sizes[0], input.sizes[1], input.sizes[2], input.sizes[3], rois.sizes[0], rows,
          columns, ratio, scale, aligned, clockwise};
}

// Positions are float64, as in the mapping: every host then agrees whether a point is inside the
// image.

/// A box in pixels, and the numbers of points of each bin along its sides.
struct Box {
  double cx, cy, width, height, sine, cosine, down, across;

  /// The share of a point in its bin.
  ONNXOP_DEVICE double share() const {
    const double points = down * across;
    return 1 / (points > 1 ? points : 1.0);
  }
};

/// Returns the number of points of a bin along one side: the sampling ratio, or the number of
/// pixels.
ONNXOP_DEVICE inline double count_of(const Shape& shape, double side, int64_t bins) {
  if (shape.ratio > 0) return static_cast<double>(shape.ratio);
  const double count = std::ceil(side / static_cast<double>(bins));
  return count > 0 || count != count ? count : 0.0;
}

template <typename Element>
ONNXOP_DEVICE Box box_of(const Shape& shape, const Element* roi) {
  const double scale = shape.scale, offset = shape.aligned ? 0.5 : 0.0;
  const double least = shape.aligned ? std::numeric_limits<double>::lowest() : 1.0;
  const double width = load(roi[3]) * scale, height = load(roi[4]) * scale;
  const double angle = shape.clockwise ? -load(roi[5]) : load(roi[5]);
  Box box{.cx = load(roi[1]) * scale - offset,
          .cy = load(roi[2]) * scale - offset,
          .width = width < least ? least : width,
          .height = height < least ? least : height,
          .sine = std::sin(angle),
          .cosine = std::cos(angle),
          .down = 0,
          .across = 0};
  box.down = count_of(shape, box.height, shape.rows);
  box.across = count_of(shape, box.width, shape.columns);
  return box;
}

/// Returns a point's distance from the centre of its box along one side.
template <typename Index>
ONNXOP_DEVICE double offset_of(Index bin, Index point, double count, double side, int64_t bins) {
  return ((static_cast<double>(bin) + (static_cast<double>(point) + 0.5) / count) /
              static_cast<double>(bins) -
          0.5) *
         side;
}

/// Finds the pixels on both sides of a coordinate, and their weights. Returns false if it is
/// outside.
template <typename Index>
ONNXOP_DEVICE bool find(double at, Index size, Index (&pixel)[2], double (&share)[2]) {
  const double last = static_cast<double>(size - 1);
  if (!(at >= -1 && at <= static_cast<double>(size))) return false;
  at = at < 0 ? 0.0 : at > last ? last
                                : at;
  pixel[0] = static_cast<Index>(at);
  pixel[1] = pixel[0] + 1 < size ? pixel[0] + 1 : size - 1;
  share[1] = at - static_cast<double>(pixel[0]);
  share[0] = 1 - share[1];
  return true;
}

/// The pixels around a point, upper left to lower right, and their weights.
template <typename Index>
struct Corners {
  Index pixels[4];
  double shares[4];

  /// Finds them for a point at a distance from the centre of its box. Returns false if it is
  /// outside of the image.
  ONNXOP_DEVICE bool find_around(const Shape& shape, const Box& box, double yy, double xx) {
    const auto height = static_cast<Index>(shape.height), width = static_cast<Index>(shape.width);
    Index y[2], x[2];
    double y_share[2], x_share[2];
    if (!find(yy * box.cosine - xx * box.sine + box.cy, height, y, y_share)) return false;
    if (!find(yy * box.sine + xx * box.cosine + box.cx, width, x, x_share)) return false;
    for (int k = 0; k < 4; ++k) {
      pixels[k] = y[k / 2] * width + x[k % 2];
      shares[k] = y_share[k / 2] * x_share[k % 2];
    }
    return true;
  }
};

#if !defined(ONNXOP_CUDA)

/// The pixels that each bin of a box reads, and their weights.
template <typename T>
struct Taps {
  int64_t image;
  std::vector<int64_t> pixels, ends;  // all bins' pixels, and where each bin's end
  std::vector<T> shares;
};

/// Calls body(pixel, share) for the pixels around a bin's points that are in the image.
template <typename Body>
void for_each_pixel(const Shape& shape, const Box& box, int64_t row, int64_t column,
                    const Body& body) {
  const auto down = static_cast<int64_t>(box.down), across = static_cast<int64_t>(box.across);
  const double share = box.share();
  Corners<int64_t> corners;
  for (int64_t i = 0; i < down; ++i) {
    const double yy = offset_of(row, i, box.down, box.height, shape.rows);
    for (int64_t j = 0; j < across; ++j) {
      const double xx = offset_of(column, j, box.across, box.width, shape.columns);
      if (!corners.find_around(shape, box, yy, xx)) continue;
      for (int k = 0; k < 4; ++k) body(corners.pixels[k], corners.shares[k] * share);
    }
  }
}

/// Returns the index of a box's image.
template <typename Element>
int64_t image_of(const Shape& shape, const Element* rois, int64_t box) {
  const auto image = load(rois[box * 6]);
  if (!(image >= 0 && image < static_cast<Compute<Element>>(shape.batch))) {
    fail(kName, ": rois[", box, "] has image index ", image, ", but the batch size of input is ",
         shape.batch);
  }
  return static_cast<int64_t>(image);
}

inline void check_count(int64_t box, double count) {
  if (!(count < 1 << 20))
    fail(kName, ": rois[", box, "] is too large, with ", count, " points along a side of a bin");
}

template <typename Element, typename T>
void locate(const Shape& shape, const Element* rois, int64_t number, Taps<T>& taps) {
  const Box box = box_of(shape, rois + number * 6);
  check_count(number, box.down);
  check_count(number, box.across);
  taps.image = image_of(shape, rois, number);
  taps.pixels.clear();
  taps.shares.clear();
  taps.ends.clear();
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t column = 0; column < shape.columns; ++column) {
      for_each_pixel(shape, box, row, column, [&](int64_t pixel, double share) {
        taps.pixels.push_back(pixel);
        taps.shares.push_back(static_cast<T>(share));
      });
      taps.ends.push_back(std::ssize(taps.pixels));
    }
  }
}

/// Calls body(bin, count, rows, shares) for each bin, with the rows of its pixels.
template <typename T, typename Row, typename Body>
void for_each_bin(const Taps<T>& taps, Row base, int64_t stride, const Body& body) {
  std::vector<Row> rows(taps.pixels.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = base + taps.pixels[i] * stride;
  int64_t first = 0;
  for (int64_t bin = 0; bin < std::ssize(taps.ends); ++bin) {
    body(bin, taps.ends[bin] - first, rows.data() + first, taps.shares.data() + first);
    first = taps.ends[bin];
  }
}

// ---- The operator ----

inline void compute(const MutableTensorView& out, const TensorView& input, const TensorView& rois,
                    double spatial_scale, int64_t output_height, int64_t output_width,
                    int64_t sampling_ratio, bool aligned, bool clockwise,
                    const ParallelFor& parallel_for) {
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width,
                               sampling_ratio, aligned, clockwise);
  if (element_count(out.sizes) == 0) return;
  Supported::visit(input.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    const int64_t channels = shape.channels, pixels = shape.pixels(), bins = shape.bins();
    const Buffer<T> images(shape.batch * pixels * channels);
    for_each(shape.batch * shape.height, shape.width * channels, parallel_for, [&](int64_t unit) {
      const int64_t image = unit / shape.height, first = unit % shape.height * shape.width;
      copy(Matrix<const Element>{input.data_as<Element>() + image * channels * pixels + first,
                                 shape.width, channels, 1, pixels},
           Matrix<T>{images.get() + (image * pixels + first) * channels, shape.width, channels,
                     channels});
    });
    for_each(shape.boxes, bins * channels * 16, parallel_for, [&](int64_t box) {
      Taps<T> taps;
      locate(shape, rois.data_as<Element>(), box, taps);
      const Buffer<T> sums(bins * channels);
      for_each_bin(taps, static_cast<const T*>(images.get()) + taps.image * pixels * channels,
                   channels,
                   [&](int64_t bin, int64_t count, const T* const* rows, const T* shares) {
                     run_on_this_cpu<AddRows>(count, rows, shares, int64_t{0}, channels,
                                              sums.get() + bin * channels);
                   });
      copy(
          Matrix<const T>{sums.get(), bins, channels, channels},
          Matrix<Element>{out.data_as<Element>() + box * channels * bins, bins, channels, 1, bins});
    });
  });
}

/// Each task computes some channels of an image for all boxes; no other task writes to these
/// channels.
inline void backward(const std::optional<MutableTensorView>& grad_input, const TensorView& grad,
                     const TensorView& input, const TensorView& rois, double spatial_scale,
                     int64_t output_height, int64_t output_width, int64_t sampling_ratio,
                     bool aligned, bool clockwise, const ParallelFor& parallel_for) {
  if (!grad_input) return;
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width,
                               sampling_ratio, aligned, clockwise);
  constexpr int64_t kChannels = 64;
  const int64_t channels = shape.channels, pixels = shape.pixels(), bins = shape.bins();
  const int64_t parts = (channels + kChannels - 1) / kChannels;
  Supported::visit(input.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    for_each(
        shape.batch * parts, shape.boxes * bins * kChannels * 16, parallel_for, [&](int64_t unit) {
          const int64_t image = unit / parts, first = unit % parts * kChannels,
                        size = std::min(kChannels, channels - first);
          std::vector<T> sums(pixels * size);
          const Buffer<T> grads(bins * size);
          Taps<T> taps;
          for (int64_t box = 0; box < shape.boxes; ++box) {
            if (image_of(shape, rois.data_as<Element>(), box) != image) continue;
            locate(shape, rois.data_as<Element>(), box, taps);
            copy(Matrix<const Element>{grad.data_as<Element>() + (box * channels + first) * bins,
                                       bins, size, 1, bins},
                 Matrix<T>{grads.get(), bins, size, size});
            for_each_bin(taps, sums.data(), size,
                         [&](int64_t bin, int64_t count, T* const* rows, const T* shares) {
                           run_on_this_cpu<ScatterRows>(
                               count, rows, shares, int64_t{0}, size,
                               static_cast<const T*>(grads.get()) + bin * size);
                         });
          }
          copy(Matrix<const T>{sums.data(), pixels, size, size},
               Matrix<Element>{grad_input->data_as<Element>() + (image * channels + first) * pixels,
                               pixels, size, 1, pixels});
        });
  });
}

#endif

}  // namespace roi_align_rotated_kernel
