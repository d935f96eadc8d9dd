// CARAFE. In channels-last order an output pixel is a weighted sum of rows of channels, one for
// each neighbour in its window; all the output pixels of an input pixel read the same rows.
// Multiplications limit the speed.
#pragma once

#include <onnxop/kernel.h>
#include <onnxop/matrix.h>
#include <onnxop/rows.h>

namespace carafe_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "vision_ops::carafe";
using Supported = FloatTypes;

// ---- Checks ----

inline OutputSpec infer(const TensorMeta& features, const TensorMeta& masks, Size kernel_size,
                        Size group_size, Size scale_factor) {
  check_supported<Supported>(kName, features);
  check_same_dtype(kName, features, masks);
  check_rank(kName, features, 4);
  check_rank(kName, masks, 4);
  if (kernel_size < 1) fail(kName, ": kernel_size must be at least 1, but it is ", kernel_size);
  if (group_size < 1) fail(kName, ": group_size must be at least 1, but it is ", group_size);
  if (scale_factor < 1) fail(kName, ": scale_factor must be at least 1, but it is ", scale_factor);
  const Size channels = features.sizes[1], height = features.sizes[2] * scale_factor,
             width = features.sizes[3] * scale_factor;
  if (channels % group_size != 0) {
    fail(kName, ": features must have a multiple of ", group_size,
         " channels, which is group_size, but it has ", channels);
  }
  const std::array<Size, 4> expected{features.sizes[0], group_size * kernel_size * kernel_size,
                                     height, width};
  for (size_t d = 0; d < expected.size(); ++d) {
    if (masks.sizes[d] != expected[d]) {
      fail(kName, ": masks must have the shape ", to_string(expected), ", but its shape is ",
           to_string(masks.sizes));
    }
  }
  return {features.dtype, {features.sizes[0], channels, height, width}};
}

// ---- Shapes ----

/// The sizes and numbers of a call.
struct Shape {
  int64_t batch, channels, height, width, kernel, groups, scale;

  Shape(const TensorView& features, int64_t kernel_size, int64_t group_size, int64_t scale_factor)
      : batch(features.sizes[0]),
        channels(features.sizes[1]),
        height(features.sizes[2]),
        width(features.sizes[3]),
        kernel(kernel_size),
        groups(group_size),
        scale(scale_factor) {}

  int64_t pixels() const { return height * width; }
  int64_t out_width() const { return width * scale; }
  int64_t out_pixels() const { return pixels() * scale * scale; }
  int64_t taps() const { return kernel * kernel; }
  int64_t masks() const { return groups * taps(); }
  int64_t each() const { return channels / groups; }
  int64_t work() const { return channels * taps() * out_width(); }
};

/// Returns a [batch, channels, pixels] tensor as [batch, pixels, channels].
template <typename Element, typename T = Compute<Element>>
Buffer<T> channels_last(const TensorView& tensor, int64_t batch, int64_t channels, int64_t pixels,
                        const ParallelFor& parallel_for) {
  Buffer<T> result(batch * channels * pixels);
  constexpr int64_t kPixels = 64;
  const int64_t parts = (pixels + kPixels - 1) / kPixels;
  for_each(batch * parts, kPixels * channels, parallel_for, [&](int64_t unit) {
    const int64_t image = unit / parts, first = unit % parts * kPixels,
                  size = std::min(kPixels, pixels - first);
    copy(Matrix<const Element>{tensor.data_as<Element>() + image * channels * pixels + first, size,
                               channels, 1, pixels},
         Matrix<T>{result.get() + (image * pixels + first) * channels, size, channels, channels});
  });
  return result;
}

/// Copies a row of the output, or of the masks, back from channels-last order.
template <typename T, typename Element>
void write_row(const Shape& shape, const T* from, int64_t image, int64_t channels, int64_t row,
               Element* to) {
  copy(Matrix<const T>{from, shape.out_width(), channels, channels},
       Matrix<Element>{to + image * channels * shape.out_pixels() + row * shape.out_width(),
                       shape.out_width(), channels, 1, shape.out_pixels()});
}

/// Sets `rows` to the rows that the outputs of a pixel read: rows of an image, or zeros.
template <typename T>
void find_window(const Shape& shape, const T* image, const T* zeros, int64_t y, int64_t x,
                 const T** rows) {
  for (int64_t i = 0; i < shape.kernel; ++i) {
    for (int64_t j = 0; j < shape.kernel; ++j) {
      const int64_t row = y + i - shape.kernel / 2, column = x + j - shape.kernel / 2;
      const bool is_inside = row >= 0 && row < shape.height && column >= 0 && column < shape.width;
      *rows++ = is_inside ? image + (row * shape.width + column) * shape.channels : zeros;
    }
  }
}

/// Calls body(image, row, column, rows) for each output pixel, row by row, and end(image, row)
/// after each row.
template <typename T, typename Body, typename End>
void for_each_window(const Shape& shape, const T* features, int64_t unit, const Body& body,
                     const End& end) {
  const int64_t image = unit / shape.height, y = unit % shape.height;
  const std::vector<T> zeros(shape.channels);
  std::vector<const T*> rows(shape.width * shape.taps());
  for (int64_t x = 0; x < shape.width; ++x) {
    find_window(shape, features + image * shape.pixels() * shape.channels, zeros.data(), y, x,
                rows.data() + x * shape.taps());
  }
  for (int64_t row = y * shape.scale; row < (y + 1) * shape.scale; ++row) {
    for (int64_t column = 0; column < shape.out_width(); ++column) {
      body((image * shape.out_pixels()) + row * shape.out_width() + column, column,
           rows.data() + column / shape.scale * shape.taps());
    }
    end(image, row);
  }
}

// ---- The operator ----

inline void compute(const MutableTensorView& out, const TensorView& features,
                    const TensorView& masks, int64_t kernel_size, int64_t group_size,
                    int64_t scale_factor, const ParallelFor& parallel_for) {
  if (element_count(out.sizes) == 0) return;
  const Shape shape(features, kernel_size, group_size, scale_factor);
  Supported::visit(features.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    const auto images =
        channels_last<Element>(features, shape.batch, shape.channels, shape.pixels(), parallel_for);
    const auto kernels =
        channels_last<Element>(masks, shape.batch, shape.masks(), shape.out_pixels(), parallel_for);
    for_each(
        shape.batch * shape.height, shape.work() * shape.scale, parallel_for, [&](int64_t unit) {
          const Buffer<T> line(shape.out_width() * shape.channels);
          for_each_window(
              shape, static_cast<const T*>(images.get()), unit,
              [&](int64_t pixel, int64_t column, const T* const* rows) {
                for (int64_t g = 0; g < shape.groups; ++g) {
                  run_on_this_cpu<AddRows>(shape.taps(), rows,
                                           static_cast<const T*>(kernels.get()) +
                                               pixel * shape.masks() + g * shape.taps(),
                                           g * shape.each(), shape.each(),
                                           line.get() + column * shape.channels + g * shape.each());
                }
              },
              [&](int64_t image, int64_t row) {
                write_row(shape, static_cast<const T*>(line.get()), image, shape.channels, row,
                          out.data_as<Element>());
              });
        });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_features,
                     const std::optional<MutableTensorView>& grad_masks, const TensorView& grad,
                     const TensorView& features, const TensorView& masks, int64_t kernel_size,
                     int64_t group_size, int64_t scale_factor, const ParallelFor& parallel_for) {
  const Shape shape(features, kernel_size, group_size, scale_factor);
  const int64_t taps = shape.taps(), each = shape.each(), channels = shape.channels,
                scale = shape.scale;
  Supported::visit(features.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    if (channels == 0 && grad_masks)
      std::fill_n(grad_masks->data_as<Element>(), element_count(masks.sizes), Element());
    if (element_count(features.sizes) == 0) return;
    const auto grads =
        channels_last<Element>(grad, shape.batch, channels, shape.out_pixels(), parallel_for);
    if (grad_masks) {
      const auto images =
          channels_last<Element>(features, shape.batch, channels, shape.pixels(), parallel_for);
      for_each(shape.batch * shape.height, shape.work() * scale, parallel_for, [&](int64_t unit) {
        const Buffer<T> line(shape.out_width() * shape.masks());
        for_each_window(
            shape, static_cast<const T*>(images.get()), unit,
            [&](int64_t pixel, int64_t column, const T* const* rows) {
              for (int64_t g = 0; g < shape.groups; ++g) {
                run_on_this_cpu<MultiplyRows>(
                    taps, rows, g * each, each,
                    static_cast<const T*>(grads.get()) + pixel * channels + g * each,
                    line.get() + column * shape.masks() + g * taps);
              }
            },
            [&](int64_t image, int64_t row) {
              write_row(shape, static_cast<const T*>(line.get()), image, shape.masks(), row,
                        grad_masks->data_as<Element>());
            });
      });
    }
    if (!grad_features) return;
    const auto kernels =
        channels_last<Element>(masks, shape.batch, shape.masks(), shape.out_pixels(), parallel_for);
    // A pixel's gradient is a sum over the outputs of all pixels whose windows contain it.
    for_each(shape.batch * shape.height, shape.work() * scale, parallel_for, [&](int64_t unit) {
      const int64_t image = unit / shape.height, y = unit % shape.height;
      const Buffer<T> line(shape.width * channels);
      std::vector<const T*> rows;
      std::vector<T> shares;
      for (int64_t x = 0; x < shape.width; ++x) {
        for (int64_t g = 0; g < shape.groups; ++g) {
          rows.clear();
          shares.clear();
          for (int64_t tap = 0; tap < taps; ++tap) {
            const int64_t row = y - tap / shape.kernel + shape.kernel / 2,
                          column = x - tap % shape.kernel + shape.kernel / 2;
            if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) continue;
            for (int64_t i = 0; i < scale * scale; ++i) {
              const int64_t pixel = image * shape.out_pixels() +
                                    (row * scale + i / scale) * shape.out_width() + column * scale +
                                    i % scale;
              rows.push_back(grads.get() + pixel * channels);
              shares.push_back(kernels.get()[pixel * shape.masks() + g * taps + tap]);
            }
          }
          run_on_this_cpu<AddRows>(std::ssize(rows), static_cast<const T* const*>(rows.data()),
                                   static_cast<const T*>(shares.data()), g * each, each,
                                   line.get() + x * channels + g * each);
        }
      }
      copy(Matrix<const T>{line.get(), shape.width, channels, channels},
           Matrix<Element>{grad_features->data_as<Element>() + image * channels * shape.pixels() +
                               y * shape.width,
                           shape.width, channels, 1, shape.pixels()});
    });
  });
}

}  // namespace carafe_kernel
