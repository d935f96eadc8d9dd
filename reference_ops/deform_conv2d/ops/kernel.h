// Deformable convolution in two dimensions, with and without a mask, and its gradients.
//
// It is a matrix product: the weights times columns. There is one column for each output position,
// which holds all that a filter reads there. As many columns as fit a cache are gathered and
// multiplied at a time. Images are first copied to channels-last order, so that a sample is a sum
// of four runs of consecutive channels, which every compiler vectorises. They also get a border of
// zeros, so that samples need no bounds checks.
#pragma once

#include <onnxop/kernel.h>
#include <onnxop/matrix.h>
#include <onnxop/vector.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

namespace deform_conv2d_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "deform_conv2d::deform_conv2d";
using Supported = FloatTypes;

// ---- Checks ----

namespace detail {

inline void check_at_least(std::string_view name, Size value, int64_t least) {
  if (value < least) {
    fail(kName, ": ", name, " must be at least ", least, ", but it is ", value);
  }
}

/// Throws if the shape differs from the expected one; `meaning` describes that in words.
template <size_t N>
void check_shape(const TensorMeta& tensor, const std::array<Size, N>& expected,
                 std::string_view meaning) {
  check_rank(kName, tensor, N);
  for (size_t d = 0; d < N; ++d) {
    if (tensor.sizes[d] != expected[d]) {
      fail(kName, ": ", tensor.name, " must have the shape ", to_string(expected), ", which is ",
           meaning, ", but its shape is ", to_string(tensor.sizes));
    }
  }
}

inline Size output_size(Size size, Size kernel, Size stride, Size pad, Size dilation) {
  return (size + pad * 2 - dilation * (kernel - 1) - 1) / stride + 1;
}

}  // namespace detail

/// Checks the inputs; returns the output's dtype and shape.
inline OutputSpec infer(const TensorMeta& input, const TensorMeta& weight, const TensorMeta& offset,
                        const TensorMeta& mask, const TensorMeta& bias, Size stride_h,
                        Size stride_w, Size pad_h, Size pad_w, Size dilation_h, Size dilation_w,
                        Size groups, Size offset_groups, bool use_mask) {
  check_supported<Supported>(kName, input);
  for (const TensorMeta* other : {&weight, &offset, &mask, &bias}) {
    check_same_dtype(kName, input, *other);
  }
  check_rank(kName, input, 4);
  check_rank(kName, weight, 4);
  detail::check_at_least("stride_h", stride_h, 1);
  detail::check_at_least("stride_w", stride_w, 1);
  detail::check_at_least("pad_h", pad_h, 0);
  detail::check_at_least("pad_w", pad_w, 0);
  detail::check_at_least("dilation_h", dilation_h, 1);
  detail::check_at_least("dilation_w", dilation_w, 1);
  detail::check_at_least("groups", groups, 1);
  detail::check_at_least("offset_groups", offset_groups, 1);

  const Size batch = input.sizes[0], channels = input.sizes[1];
  const Size height = input.sizes[2], width = input.sizes[3];
  const Size out_channels = weight.sizes[0];
  const Size kernel_h = weight.sizes[2], kernel_w = weight.sizes[3];
  detail::check_at_least("input's number of channels", channels, 1);
  detail::check_at_least("input's height", height, 1);
  detail::check_at_least("input's width", width, 1);
  detail::check_at_least("weight's kernel height", kernel_h, 1);
  detail::check_at_least("weight's kernel width", kernel_w, 1);
  // Positions in a bordered image are 32-bit numbers.
  if ((height + 3) * (width + 1) > std::numeric_limits<int32_t>::max()) {
    fail(kName, ": input must have fewer than 2^31 elements in a channel, a border included, but ",
         "its shape is ", to_string(input.sizes));
  }
  if (weight.sizes[1] * groups != channels) {
    fail(kName, ": input must have ", weight.sizes[1] * groups, " channels, which is weight's ",
         weight.sizes[1], " for each of ", groups, " groups, but it has ", channels);
  }
  if (out_channels % groups != 0) {
    fail(kName, ": weight must have a multiple of ", groups, " output channels, which is groups, ",
         "but it has ", out_channels);
  }
  if (channels % offset_groups != 0) {
    fail(kName, ": input must have a multiple of ", offset_groups, " channels, which is ",
         "offset_groups, but it has ", channels);
  }

  const Size out_h = detail::output_size(height, kernel_h, stride_h, pad_h, dilation_h);
  const Size out_w = detail::output_size(width, kernel_w, stride_w, pad_w, dilation_w);
  if (out_h < 1 || out_w < 1) {
    fail(kName, ": input must be as large as the dilated kernel, padding included, but the output ",
         "would be ", out_h, " x ", out_w);
  }
  const Size taps = offset_groups * kernel_h * kernel_w;
  detail::check_shape(offset, std::array{batch, taps * 2, out_h, out_w},
                      "[batch, 2 * offset_groups * kernel, output height, output width]");
  if (use_mask) {
    detail::check_shape(mask, std::array{batch, taps, out_h, out_w},
                        "[batch, offset_groups * kernel, output height, output width]");
  }
  detail::check_shape(bias, std::array{out_channels}, "[output channels]");
  return {input.dtype, {batch, out_channels, out_h, out_w}};
}

namespace detail {

// ---- Shapes ----

// The highest number of output positions in a tile.
inline constexpr int64_t kTile = 256;

/// Some consecutive channels that lie in one group.
struct Slice {
  int64_t first, size, group;
};

/// Some consecutive channels that lie in one offset group.
struct Block {
  int64_t first, size, offset_group;
  std::vector<Slice> slices;
};

/// The sizes and numbers of a call, and what follows from them.
struct Shape {
  int64_t batch, channels, height, width;
  int64_t out_channels, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int64_t groups, offset_groups;

  int64_t taps() const { return kernel_h * kernel_w; }
  int64_t area() const { return height * width; }
  int64_t positions() const { return out_height * out_width; }
  int64_t group_channels() const { return channels / groups; }
  int64_t group_out_channels() const { return out_channels / groups; }
  int64_t offset_group_channels() const { return channels / offset_groups; }
  /// Returns the size of a filter. Its order, as in columns: for each tap, the channels of the
  /// group.
  int64_t filter() const { return group_channels() * taps(); }

  // An image with its border has a row of zeros above and two below, and a column of zeros on the
  // left, which also ends the row before.
  int64_t row() const { return width + 1; }
  int64_t plane() const { return (height + 3) * row(); }
  /// Returns the position of a sample outside of the image: all four corners are zeros of the
  /// border.
  int64_t outside() const { return (height + 1) * row(); }

  /// Returns all channels, in blocks of at most this size.
  std::vector<Block> blocks(int64_t max_size) const {
    std::vector<Block> blocks;
    for (int64_t first = 0; first < channels; first += blocks.back().size) {
      const int64_t offset_group = first / offset_group_channels();
      const int64_t last = std::min(first + max_size, (offset_group + 1) * offset_group_channels());
      Block& block = blocks.emplace_back(first, last - first, offset_group);
      for (int64_t begin = first; begin < last; begin += block.slices.back().size) {
        const int64_t group = begin / group_channels();
        const int64_t end = std::min(last, (group + 1) * group_channels());
        block.slices.push_back({begin, end - begin, group});
      }
    }
    return blocks;
  }
};

/// Returns the number of columns of this size that fit a cache of 512 KB, together with other data.
inline int64_t tile_size(int64_t column) {
  constexpr int64_t kElements = 98304, kLeast = 12, kMost = 96;
  return std::clamp(kElements / column / kLeast * kLeast, kLeast, kMost);
}

// ---- Sampling ----

/// Some consecutive output positions of an image.
template <typename T>
struct Tile {
  int64_t image, begin, size;
  std::array<T, kTile> y, x;  // where the kernel starts, without dilation and offsets

  Tile(const Shape& shape, int64_t image, int64_t begin, int64_t most)
      : image(image), begin(begin), size(std::min(most, shape.positions() - begin)) {
    for (int64_t i = 0; i < size; ++i) {
      const int64_t row = (begin + i) / shape.out_width, column = (begin + i) % shape.out_width;
      y[i] = static_cast<T>(row * shape.stride_h - shape.pad_h);
      x[i] = static_cast<T>(column * shape.stride_w - shape.pad_w);
    }
  }
};

/// The positions of a tile's samples for one tap and one offset group.
template <typename T>
struct Samples {
  std::array<int32_t, kTile> place;  // of the upper left corner in the bordered image
  std::array<T, kTile> y, x;         // from there to the sample, 0 to 1
  std::array<T, kTile> mask;
  // The weights of the corners: upper left, upper right, lower left, lower right.
  std::array<std::array<T, kTile>, 4> weights;
};

/// The arguments that say where to sample.
template <typename Element>
struct Sampling {
  using T = Compute<Element>;

  Shape shape;
  const Element* offset;
  const Element* mask;  // null without one
  // Samples at or below this are outside: -1 in the forward pass; in the backward pass the number
  // before -1, because the derivative at -1 is the one from above.
  T lowest;

  int64_t index(const Tile<T>& tile, int64_t tap, int64_t offset_group) const {
    return (tile.image * shape.offset_groups + offset_group) * shape.taps() + tap;
  }
};

template <typename Element, typename T>
ONNXOP_EACH_CPU void locate(int64_t size, const Shape& shape, T lowest, T tap_y, T tap_x,
                            const Tile<T>& tile, const Element* __restrict offset_y,
                            const Element* __restrict offset_x, Samples<T>& __restrict samples) {
  const T height = static_cast<T>(shape.height), width = static_cast<T>(shape.width);
  const int32_t row = static_cast<int32_t>(shape.row());
  const int32_t outside = static_cast<int32_t>(shape.outside());
  std::array<int32_t, kTile> is_inside;  // kept, because a loop with branches is not vectorised
  for (int64_t i = 0; i < size; ++i) {
    const T y = tile.y[i] + tap_y + load(offset_y[i]), x = tile.x[i] + tap_x + load(offset_x[i]);
    // Also false for NaN.
    is_inside[i] = (y > lowest) & (y < height) & (x > lowest) & (x < width);
    // Only numbers near the image become integers.
    samples.y[i] = std::min(height, std::max(T(-1), y));
    samples.x[i] = std::min(width, std::max(T(-1), x));
  }
  for (int64_t i = 0; i < size; ++i) {
    const T y = samples.y[i], x = samples.x[i], given = samples.mask[i];
    // Round towards zero, then down.
    const int32_t cut_y = static_cast<int32_t>(y), cut_x = static_cast<int32_t>(x);
    const int32_t top = cut_y - (static_cast<T>(cut_y) > y ? 1 : 0);
    const int32_t left = cut_x - (static_cast<T>(cut_x) > x ? 1 : 0);
    const T down = y - static_cast<T>(top), right = x - static_cast<T>(left);
    const T mask = is_inside[i] != 0 ? given : T(0);
    const int32_t place = (top + 1) * row + left + 1;
    samples.place[i] = is_inside[i] != 0 ? place : outside;
    samples.y[i] = down;
    samples.x[i] = right;
    samples.mask[i] = mask;
    samples.weights[0][i] = (1 - down) * (1 - right) * mask;
    samples.weights[1][i] = (1 - down) * right * mask;
    samples.weights[2][i] = down * (1 - right) * mask;
    samples.weights[3][i] = down * right * mask;
  }
}

template <typename Element, typename T>
void locate(const Sampling<Element>& sampling, const Tile<T>& tile, int64_t tap,
            int64_t offset_group, Samples<T>& samples) {
  const Shape& shape = sampling.shape;
  const int64_t index = sampling.index(tile, tap, offset_group);
  if (sampling.mask == nullptr) {
    samples.mask.fill(1);
  } else {
    const Element* const mask = sampling.mask + index * shape.positions() + tile.begin;
    std::transform(mask, mask + tile.size, samples.mask.begin(), load<Element>);
  }
  const Element* const offset_y = sampling.offset + 2 * index * shape.positions() + tile.begin;
  locate(tile.size, shape, sampling.lowest, static_cast<T>(tap / shape.kernel_w * shape.dilation_h),
         static_cast<T>(tap % shape.kernel_w * shape.dilation_w), tile, offset_y,
         offset_y + shape.positions(), samples);
}

/// Sets columns[i][c] to the sample of channel c at position i. `image` starts at the first of
/// these channels; it has `stride` channels.
template <typename T>
ONNXOP_EACH_CPU void gather_samples(const Samples<T>& samples, int64_t size, int64_t channels,
                                    int64_t row, int64_t stride, const T* __restrict image,
                                    int64_t column_stride, T* __restrict columns) {
  for (int64_t i = 0; i < size; ++i) {
    const T* const top = image + samples.place[i] * stride;
    const T* const bottom = top + row * stride;
    const T w0 = samples.weights[0][i], w1 = samples.weights[1][i];
    const T w2 = samples.weights[2][i], w3 = samples.weights[3][i];
    T* const column = columns + i * column_stride;
    const auto sum = [&](int64_t c) {
      return (w0 * top[c] + w1 * top[c + stride]) + (w2 * bottom[c] + w3 * bottom[c + stride]);
    };
    int64_t c = 0;
    for (; c + kLanes <= channels; c += kLanes) {
      T sums[kLanes];
      for (int64_t l = 0; l < kLanes; ++l) sums[l] = sum(c + l);
      std::memcpy(column + c, sums, sizeof(sums));
    }
    for (; c < channels; ++c) column[c] = sum(c);
  }
}

/// Differentiates `gather_samples`: adds each column to its sample's corners, with their weights.
template <typename T>
ONNXOP_EACH_CPU void scatter_samples(const Samples<T>& samples, int64_t size, int64_t channels,
                                     int64_t row, int64_t stride, T* __restrict image,
                                     int64_t column_stride, const T* __restrict columns) {
  for (int64_t i = 0; i < size; ++i) {
    const T* const column = columns + i * column_stride;
    T* const top = image + samples.place[i] * stride;
    T* const bottom = top + row * stride;
    T* const corners[] = {top, top + stride, bottom, bottom + stride};
    int64_t c = 0;
    for (; c + kLanes <= channels; c += kLanes) {
      T sums[4][kLanes];
      for (int64_t k = 0; k < 4; ++k) {
        for (int64_t l = 0; l < kLanes; ++l) {
          sums[k][l] = corners[k][c + l] + samples.weights[k][i] * column[c + l];
        }
      }
      for (int64_t k = 0; k < 4; ++k) std::memcpy(corners[k] + c, sums[k], sizeof(sums[k]));
    }
    for (; c < channels; ++c) {
      for (int64_t k = 0; k < 4; ++k) corners[k][c] += samples.weights[k][i] * column[c];
    }
  }
}

template <typename T>
using Corners = std::array<std::array<T, kTile>, 4>;

/// Adds to products[corner][i] the sum over channels of column i times the corner of its sample.
struct MultiplyCorners {
  template <int64_t kBytes, typename T>
  ONNXOP_INLINE static void run(const Samples<T>* samples, int64_t size, int64_t channels,
                                int64_t row, int64_t stride, const T* image, int64_t column_stride,
                                const T* columns, Corners<T>* products) {
    for (int64_t i = 0; i < size; ++i) {
      const T* const column = columns + i * column_stride;
      const T* const top = image + samples->place[i] * stride;
      const T* const bottom = top + row * stride;
      const T* const corners[] = {top, top + stride, bottom, bottom + stride};
      Lanes<T, kBytes> sums[4];
      int64_t c = 0;
      for (; c + kLanes <= channels; c += kLanes) {
        Lanes<T, kBytes> factor;
        factor.read(column + c);
        for (int64_t k = 0; k < 4; ++k) {
          Lanes<T, kBytes> corner;
          corner.read(corners[k] + c);
          sums[k].add_product(factor, corner);
        }
      }
      T found[4];
      Lanes<T, kBytes>::sums_of_four(sums, found);
      for (int64_t k = 0; k < 4; ++k) {
        for (int64_t rest = c; rest < channels; ++rest) found[k] += column[rest] * corners[k][rest];
        (*products)[k][i] += found[k];
      }
    }
  }
};

/// Computes the derivatives by y, by x and by the mask, `distance` apart, from those products.
template <typename T>
ONNXOP_EACH_CPU void differentiate(const Samples<T>& samples, const Corners<T>& products,
                                   int64_t size, int64_t distance, T* __restrict to) {
  const auto& [p0, p1, p2, p3] = products;
  for (int64_t i = 0; i < size; ++i) {
    const T y = samples.y[i], x = samples.x[i], mask = samples.mask[i];
    to[i] = mask * ((1 - x) * (p2[i] - p0[i]) + x * (p3[i] - p1[i]));
    to[i + distance] = mask * ((1 - y) * (p1[i] - p0[i]) + y * (p3[i] - p2[i]));
    to[i + 2 * distance] =
        (1 - y) * ((1 - x) * p0[i] + x * p1[i]) + y * ((1 - x) * p2[i] + x * p3[i]);
  }
}

// ---- Preparations ----

inline Shape shape_of(const TensorView& input, const TensorView& weight, const TensorView& offset,
                      int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                      int64_t dilation_h, int64_t dilation_w, int64_t groups,
                      int64_t offset_groups) {
  return {
      .batch = input.sizes[0],
      .channels = input.sizes[1],
      .height = input.sizes[2],
      .width = input.sizes[3],
      .out_channels = weight.sizes[0],
      .out_height = offset.sizes[2],
      .out_width = offset.sizes[3],
      .kernel_h = weight.sizes[2],
      .kernel_w = weight.sizes[3],
      .stride_h = stride_h,
      .stride_w = stride_w,
      .pad_h = pad_h,
      .pad_w = pad_w,
      .dilation_h = dilation_h,
      .dilation_w = dilation_w,
      .groups = groups,
      .offset_groups = offset_groups,
  };
}

/// Returns the input in channels-last order, each image with its border.
template <typename Element, typename T = Compute<Element>>
Buffer<T> border(const Shape& shape, const Element* input, const ParallelFor& parallel_for) {
  const int64_t rows = shape.height + 3, length = shape.row() * shape.channels;
  Buffer<T> images(shape.batch * rows * length);
  for_each(shape.batch * rows, length, parallel_for, [&](int64_t row) {
    const int64_t image = row / rows, y = row % rows - 1;
    const bool is_border = y < 0 || y >= shape.height;
    T* const to = images.get() + row * length;
    std::fill_n(to, is_border ? length : shape.channels, T(0));
    if (is_border) return;
    const Element* const from = input + image * shape.channels * shape.area() + y * shape.width;
    copy(Matrix<const Element>{from, shape.width, shape.channels, 1, shape.area()},
         Matrix<T>{to + shape.channels, shape.width, shape.channels, shape.channels});
  });
  return images;
}

/// Returns a tile of the output, or of its gradient, as positions x channels of one group.
template <typename Element, typename T>
Matrix<Element> outputs(const Shape& shape, Element* data, const Tile<T>& tile, int64_t group) {
  const int64_t outs = shape.group_out_channels();
  return {data + (tile.image * shape.out_channels + group * outs) * shape.positions() + tile.begin,
          tile.size, outs, 1, shape.positions()};
}

/// Returns the weights of a slice at one tap, as input channels x output channels.
template <typename Element>
Matrix<Element> filters_of(const Shape& shape, Element* weight, const Slice& slice, int64_t tap) {
  const int64_t outs = shape.group_out_channels();
  const int64_t first = slice.group * outs * shape.filter();
  const int64_t channel = slice.first % shape.group_channels();
  return {weight + first + channel * shape.taps() + tap, slice.size, outs, shape.taps(),
          shape.filter()};
}

// ---- The output ----

/// Returns the weights of each group, packed as the right operand of a product.
template <typename Element, typename T = Compute<Element>>
std::vector<Packed<T>> pack_filters(const Shape& shape, const Element* weight,
                                    const ParallelFor& parallel_for) {
  const int64_t channels = shape.group_channels(), outs = shape.group_out_channels();
  std::vector<Packed<T>> packed;
  for (int64_t g = 0; g < shape.groups; ++g) packed.emplace_back(shape.filter(), outs);
  constexpr int64_t kSome = 16;  // channels whose weights the nearest cache holds
  const std::vector<Block> blocks = shape.blocks(kSome);
  for_each(std::ssize(blocks), kSome * shape.taps() * outs, parallel_for, [&](int64_t b) {
    for (const Slice& slice : blocks[b].slices) {
      for (int64_t tap = 0; tap < shape.taps(); ++tap) {
        packed[slice.group].set(tap * channels + slice.first % channels, 0,
                                filters_of(shape, weight, slice, tap));
      }
    }
  });
  return packed;
}

template <typename Element, typename T>
void forward(const Sampling<Element>& sampling, const T* images,
             const std::vector<Packed<T>>& filters, const Element* bias, Element* out,
             const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const int64_t channels = shape.group_channels(), outs = shape.group_out_channels();
  // The stride of rows is not a power of two, because such rows share few cache sets.
  const int64_t length = shape.channels * shape.taps(), stride = length + 16;
  const int64_t size = tile_size(length), tiles = (shape.positions() + size - 1) / size;
  const std::vector<Block> blocks = shape.blocks(shape.channels);
  const auto run = [&](const Tile<T>& tile, T* columns) {
    const T* const image = images + tile.image * shape.plane() * shape.channels;
    Samples<T> samples;
    for (int64_t tap = 0; tap < shape.taps(); ++tap) {
      for (const Block& block : blocks) {
        locate(sampling, tile, tap, block.offset_group, samples);
        for (const Slice& slice : block.slices) {
          const int64_t place = slice.group * shape.filter() + tap * channels;
          gather_samples(samples, tile.size, slice.size, shape.row(), shape.channels,
                         image + slice.first, stride, columns + place + slice.first % channels);
        }
      }
    }
    for (int64_t g = 0; g < shape.groups; ++g) {
      const Matrix<Element> result = outputs(shape, out, tile, g);
      for (int64_t o = 0; o < outs; ++o) {
        std::fill_n(result.at(0, o), tile.size, bias[g * outs + o]);
      }
      const T* const from = columns + g * shape.filter();
      multiply_add(Matrix<const T>{from, tile.size, shape.filter(), stride}, filters[g], result);
    }
  };
  const int64_t work = size * length * outs;
  for_each(shape.batch * tiles, work, parallel_for, [&](int64_t unit) {
    const Buffer<T> columns(size * stride);
    run(Tile<T>(shape, unit / tiles, unit % tiles * size, size), columns.get());
  });
}

// ---- Gradients ----

// The number of channels of a task.
inline constexpr int64_t kBlock = 32;

/// Returns the output's gradient in channels-last order.
template <typename Element, typename T = Compute<Element>>
Buffer<T> channels_last(const Shape& shape, const Element* grad, const ParallelFor& parallel_for) {
  const int64_t outs = shape.out_channels, positions = shape.positions(), row = shape.out_width;
  Buffer<T> result(shape.batch * positions * outs);
  for_each(shape.batch * shape.out_height, row * outs, parallel_for, [&](int64_t unit) {
    const int64_t image = unit / shape.out_height, first = unit % shape.out_height * row;
    copy(Matrix<const Element>{grad + image * outs * positions + first, row, outs, 1, positions},
         Matrix<T>{result.get() + (image * positions + first) * outs, row, outs, outs});
  });
  return result;
}

/// Computes those gradients of input, offset and mask that are not null. A sample may lie anywhere
/// in an image, so each task computes some channels at all positions. The tasks' parts of the
/// gradients of offset and mask are added up in the order of channels.
template <typename Element, typename T>
void backward_samples(const Sampling<Element>& sampling, const T* images, const T* grad,
                      const Element* weight, Element* grad_input, Element* grad_offset,
                      Element* grad_mask, const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const int64_t taps = shape.taps(), positions = shape.positions();
  const int64_t outs = shape.group_out_channels();
  const std::vector<Block> blocks = shape.blocks(kBlock);
  const int64_t count = std::ssize(blocks);
  const bool samples_too = grad_offset != nullptr || grad_mask != nullptr;
  // For each image, block, tap and position: the derivatives by y, by x and by the mask.
  const Buffer<T> parts(samples_too ? shape.batch * count * taps * 3 * positions : 0);

  const auto run = [&](int64_t image, int64_t index) {
    const Block& block = blocks[index];
    std::vector<Packed<T>> filters;  // of each slice: outputs x (taps x input channels)
    for (const Slice& slice : block.slices) {
      Packed<T>& filter = filters.emplace_back(outs, taps * slice.size);
      for (int64_t tap = 0; tap < taps; ++tap) {
        filter.set(0, tap * slice.size, filters_of(shape, weight, slice, tap).transposed());
      }
    }
    const int64_t length = taps * block.size, size = tile_size(length + shape.out_channels);
    const Buffer<T> columns(size * length);
    const T* const from = images + image * shape.plane() * shape.channels + block.first;
    std::vector<T> sums(grad_input == nullptr ? 0 : shape.plane() * block.size);
    Samples<T> samples;
    for (int64_t begin = 0; begin < positions; begin += size) {
      const Tile<T> tile(shape, image, begin, size);
      const T* const grads = grad + (image * positions + begin) * shape.out_channels;
      for (size_t s = 0; s < filters.size(); ++s) {
        const Slice& slice = block.slices[s];
        multiply(Matrix<const T>{grads + slice.group * outs, tile.size, outs, shape.out_channels},
                 filters[s],
                 Matrix<T>{columns.get() + (slice.first - block.first) * taps, tile.size,
                           slice.size * taps, length});
      }
      for (int64_t tap = 0; tap < taps; ++tap) {
        locate(sampling, tile, tap, block.offset_group, samples);
        Corners<T> products{};
        for (const Slice& slice : block.slices) {
          const int64_t first = slice.first - block.first;
          const T* const column = columns.get() + first * taps + tap * slice.size;
          if (samples_too) {
            run_on_this_cpu<MultiplyCorners>(&samples, tile.size, slice.size, shape.row(),
                                             shape.channels, from + first, length, column,
                                             &products);
          }
          if (grad_input != nullptr) {
            scatter_samples(samples, tile.size, slice.size, shape.row(), block.size,
                            sums.data() + first, length, column);
          }
        }
        if (samples_too) {
          differentiate(
              samples, products, tile.size, positions,
              parts.get() + ((image * count + index) * taps + tap) * 3 * positions + begin);
        }
      }
    }
    if (grad_input == nullptr) return;
    Element* const to = grad_input + (image * shape.channels + block.first) * shape.area();
    for (int64_t y = 0; y < shape.height; ++y) {
      const T* const row = sums.data() + ((y + 1) * shape.row() + 1) * block.size;
      copy(Matrix<const T>{row, shape.width, block.size, block.size},
           Matrix<Element>{to + y * shape.width, shape.width, block.size, 1, shape.area()});
    }
  };
  for_each(shape.batch * count, positions * taps * kBlock * outs, parallel_for,
           [&](int64_t unit) { run(unit / count, unit % count); });
  if (!samples_too) return;

  const int64_t each = count / shape.offset_groups;
  const auto add_up = [&](const T* part, Element* to) {
    std::vector<T> sums(part, part + positions);
    for (int64_t block = 1; block < each; ++block) {
      const T* const more = part + block * taps * 3 * positions;
      for (int64_t i = 0; i < positions; ++i) sums[i] += more[i];
    }
    std::transform(sums.begin(), sums.end(), to, store<Element>);
  };
  for_each(shape.batch * shape.offset_groups * taps, each * 3 * positions, parallel_for,
           [&](int64_t index) {
             const int64_t first = index / taps * each * taps + index % taps;
             const T* const part = parts.get() + first * 3 * positions;
             if (grad_offset != nullptr) {
               add_up(part, grad_offset + 2 * index * positions);
               add_up(part + positions, grad_offset + (2 * index + 1) * positions);
             }
             if (grad_mask != nullptr) add_up(part + 2 * positions, grad_mask + index * positions);
           });
}

/// Computes the gradient of the weights. Each task computes some channels and a row of the kernel,
/// over all images.
template <typename Element, typename T>
void backward_weight(const Sampling<Element>& sampling, const T* images, const Element* grad,
                     Element* grad_weight, const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const int64_t outs = shape.group_out_channels(), taps = shape.kernel_w;
  const std::vector<Block> blocks = shape.blocks(kBlock);
  const int64_t count = std::ssize(blocks);
  const auto run = [&](const Block& block, int64_t first_tap) {
    const int64_t length = taps * block.size;
    const Buffer<T> columns(kTile * length);
    std::vector<T> sums(outs * length);  // of each slice: outputs x (taps x input channels)
    Samples<T> samples;
    for (int64_t image = 0; image < shape.batch; ++image) {
      const T* const from = images + image * shape.plane() * shape.channels;
      for (int64_t begin = 0; begin < shape.positions(); begin += kTile) {
        const Tile<T> tile(shape, image, begin, kTile);
        for (int64_t tap = 0; tap < taps; ++tap) {
          locate(sampling, tile, first_tap + tap, block.offset_group, samples);
          for (const Slice& slice : block.slices) {
            gather_samples(samples, tile.size, slice.size, shape.row(), shape.channels,
                           from + slice.first, length,
                           columns.get() + (slice.first - block.first) * taps + tap * slice.size);
          }
        }
        for (const Slice& slice : block.slices) {
          const int64_t width = taps * slice.size, place = (slice.first - block.first) * taps;
          multiply_add(outputs(shape, grad, tile, slice.group).transposed(),
                       Packed<T>(Matrix<const T>{columns.get() + place, tile.size, width, length}),
                       Matrix<T>{sums.data() + place * outs, outs, width, width});
        }
      }
    }
    for (const Slice& slice : block.slices) {
      const int64_t width = taps * slice.size, place = (slice.first - block.first) * taps;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const T* const from = sums.data() + place * outs + tap * slice.size;
        copy(Matrix<const T>{from, outs, slice.size, width},
             filters_of(shape, grad_weight, slice, first_tap + tap).transposed());
      }
    }
  };
  for_each(shape.kernel_h * count, shape.batch * shape.positions() * taps * kBlock * outs,
           parallel_for, [&](int64_t unit) { run(blocks[unit % count], unit / count * taps); });
}

/// Computes the gradient of the bias; `grad` has channels first.
template <typename Element>
void backward_bias(const Shape& shape, const Element* grad, Element* grad_bias,
                   const ParallelFor& parallel_for) {
  const int64_t positions = shape.positions();
  for_each(shape.out_channels, shape.batch * positions, parallel_for, [&](int64_t out) {
    double sum = 0;
    for (int64_t image = 0; image < shape.batch; ++image) {
      const Element* const from = grad + (image * shape.out_channels + out) * positions;
      for (int64_t i = 0; i < positions; ++i) sum += load(from[i]);
    }
    grad_bias[out] = store<Element>(static_cast<Compute<Element>>(sum));
  });
}

template <typename T>
T* data_of(const std::optional<MutableTensorView>& tensor) {
  return tensor ? tensor->template data_as<T>() : nullptr;
}

}  // namespace detail

// ---- The operator ----

/// Computes the output into `out`, which has the shape that `infer` returned.
inline void compute(const MutableTensorView& out, const TensorView& input, const TensorView& weight,
                    const TensorView& offset, const TensorView& mask, const TensorView& bias,
                    int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                    int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups,
                    bool use_mask, const ParallelFor& parallel_for) {
  if (element_count(out.sizes) == 0) return;
  const detail::Shape shape =
      detail::shape_of(input, weight, offset, stride_h, stride_w, pad_h, pad_w, dilation_h,
                       dilation_w, groups, offset_groups);
  Supported::visit(out.dtype, [&]<typename Element>() {
    const detail::Sampling<Element> sampling{shape, offset.data_as<Element>(),
                                             use_mask ? mask.data_as<Element>() : nullptr, -1};
    const auto images = detail::border(shape, input.data_as<Element>(), parallel_for);
    const auto filters = detail::pack_filters(shape, weight.data_as<Element>(), parallel_for);
    detail::forward(sampling, images.get(), filters, bias.data_as<Element>(),
                    out.template data_as<Element>(), parallel_for);
  });
}

/// Computes the gradients that are not null, each of its input's shape, from `grad`, the output's.
inline void backward(const std::optional<MutableTensorView>& grad_input,
                     const std::optional<MutableTensorView>& grad_weight,
                     const std::optional<MutableTensorView>& grad_offset,
                     const std::optional<MutableTensorView>& grad_mask,
                     const std::optional<MutableTensorView>& grad_bias, const TensorView& grad,
                     const TensorView& input, const TensorView& weight, const TensorView& offset,
                     const TensorView& mask, [[maybe_unused]] const TensorView& bias,
                     int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                     int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups,
                     bool use_mask, const ParallelFor& parallel_for) {
  const detail::Shape shape =
      detail::shape_of(input, weight, offset, stride_h, stride_w, pad_h, pad_w, dilation_h,
                       dilation_w, groups, offset_groups);
  Supported::visit(input.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    const T edge = -1;
    const detail::Sampling<Element> sampling{shape, offset.data_as<Element>(),
                                             use_mask ? mask.data_as<Element>() : nullptr,
                                             edge - std::numeric_limits<T>::epsilon()};
    Element* const to_input = detail::data_of<Element>(grad_input);
    Element* const to_offset = detail::data_of<Element>(grad_offset);
    Element* const to_mask = use_mask ? detail::data_of<Element>(grad_mask) : nullptr;
    const Element* const from = grad.data_as<Element>();
    if (grad_mask && !use_mask) {
      std::fill_n(detail::data_of<Element>(grad_mask), element_count(grad_mask->sizes), Element());
    }
    if (grad_bias) {
      detail::backward_bias(shape, from, detail::data_of<Element>(grad_bias), parallel_for);
    }
    const bool wants_samples = to_input != nullptr || to_offset != nullptr || to_mask != nullptr;
    if (!wants_samples && !grad_weight) return;
    const auto images = detail::border(shape, input.data_as<Element>(), parallel_for);
    if (wants_samples) {
      const auto last = detail::channels_last(shape, from, parallel_for);
      detail::backward_samples(sampling, images.get(), last.get(), weight.data_as<Element>(),
                               to_input, to_offset, to_mask, parallel_for);
    }
    if (grad_weight) {
      detail::backward_weight(sampling, images.get(), from, detail::data_of<Element>(grad_weight),
                              parallel_for);
    }
  });
}

}  // namespace deform_conv2d_kernel
