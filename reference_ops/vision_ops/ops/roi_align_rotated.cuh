// RoIAlign of rotated boxes on GPUs: a thread for each element of the result. Boxes are located once, in a kernel before.
// A box with a wrong image index, or with too many points, gives NaN: a kernel cannot raise an error.
#pragma once

#include <onnxop/team.h>
#include <onnxop/cuda/sums.cuh>

#include "roi_align_rotated.h"

namespace roi_align_rotated_kernel {

/// A box and the index of its image, -1 if it has none.
struct Located {
  Box box;
  int64_t image;
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
    const bool is_small = box.down < 1 << 20 && box.across < 1 << 20;
    out[number] = {box, is_image && is_small ? static_cast<int64_t>(image) : -1};
  }
};

/// An element of the result, by its place: box, channel, row and column of the bin.
struct Place {
  int64_t box, channel, row, column;

  __device__ static Place of(const Shape& shape, int64_t i) {
    const int64_t bin = i % shape.bins(), plane = i / shape.bins();
    return {plane / shape.channels, plane % shape.channels, bin / shape.columns, bin % shape.columns};
  }
};

template <typename Element>
struct Forward {
  using T = Compute<Element>;
  Shape shape;
  const Located* boxes;
  const Element* input;
  Element* out;

  __device__ void operator()(int64_t i) const {
    const Place place = Place::of(shape, i);
    const Located& located = boxes[place.box];
    if (located.image < 0) {
      out[i] = store<Element>(std::numeric_limits<T>::quiet_NaN());
      return;
    }
    const Element* const pixels = input + (located.image * shape.channels + place.channel) * shape.pixels();
    T sum = 0;
    for_each_pixel(shape, located.box, place.row, place.column,
                   [&](int64_t pixel, double share) { sum += static_cast<T>(share) * load(pixels[pixel]); });
    out[i] = store<Element>(sum);
  }
};

/// Adds an element's gradient to the pixels that it read, in an order that varies from run to run.
template <typename Element>
struct Backward {
  using T = Compute<Element>;
  Shape shape;
  const Located* boxes;
  const Element* grad;
  T* sums;

  __device__ void operator()(int64_t i) const {
    const Place place = Place::of(shape, i);
    const Located& located = boxes[place.box];
    if (located.image < 0) return;
    T* const pixels = sums + (located.image * shape.channels + place.channel) * shape.pixels();
    const T gradient = load(grad[i]);
    for_each_pixel(shape, located.box, place.row, place.column,
                   [&](int64_t pixel, double share) { atomicAdd(pixels + pixel, static_cast<T>(share) * gradient); });
  }
};

template <typename Element>
const Located* locate(const Shape& shape, const TensorView& rois, const cuda::Stream& stream) {
  auto* const boxes = stream.scratch<Located>(shape.boxes);
  for_each(shape.boxes, 1, stream, Locate<Element>{shape, rois.data_as<Element>(), boxes});
  return boxes;
}

inline void compute(const MutableTensorView& out, const TensorView& input, const TensorView& rois, double spatial_scale,
                    int64_t output_height, int64_t output_width, int64_t sampling_ratio, bool aligned, bool clockwise,
                    const cuda::Stream& stream) {
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width, sampling_ratio, aligned, clockwise);
  const int64_t count = element_count(out.sizes);
  if (count == 0) return;
  Supported::visit(input.dtype, [&]<typename Element>() {
    const Located* const boxes = locate<Element>(shape, rois, stream);
    for_each(count, 1, stream, Forward<Element>{shape, boxes, input.data_as<Element>(), out.data_as<Element>()});
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_input, const TensorView& grad, const TensorView& input,
                     const TensorView& rois, double spatial_scale, int64_t output_height, int64_t output_width,
                     int64_t sampling_ratio, bool aligned, bool clockwise, const cuda::Stream& stream) {
  if (!grad_input) return;
  const Shape shape = shape_of(input, rois, spatial_scale, output_height, output_width, sampling_ratio, aligned, clockwise);
  const int64_t pixels = element_count(grad_input->sizes), count = element_count(grad.sizes);
  Supported::visit(input.dtype, [&]<typename Element>() {
    auto* const sums = cuda::new_sums<Element>(pixels, stream);
    if (count != 0) {
      const Located* const boxes = locate<Element>(shape, rois, stream);
      for_each(count, 1, stream, Backward<Element>{shape, boxes, grad.data_as<Element>(), sums});
    }
    cuda::write_sums(sums, grad_input->data_as<Element>(), pixels, stream);
  });
}

}  // namespace roi_align_rotated_kernel
