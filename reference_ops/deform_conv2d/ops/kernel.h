// Deformable convolution in two dimensions, with and without a mask, and its gradients.
//
// Everything works on tiles of a few output positions and one kernel position (a tap) at a time:
// the input sampled there makes a small matrix of positions x channels, the columns, and the rest
// is products of small matrices. Images are first brought to channels-last order, so that a sample
// is a sum of four runs of consecutive channels, which every compiler vectorises; and they get a
// border of zeros, so that no sample asks where it lies.
#pragma once

#include <onnxop/kernel.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

namespace onnxop::deform_conv2d_op {

inline constexpr std::string_view kName = "deform_conv2d::deform_conv2d";
using Supported = Types<float, double>;

// ---- Checks ----

namespace detail {

inline void check_at_least(std::string_view name, Size value, int64_t least) {
  if (value < least) {
    fail(kName, ": ", name, " must be at least ", least, ", but it is ", value);
  }
}

/// `meaning` says in words what the expected shape is.
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

/// Checks the inputs and says what comes out.
inline OutputSpec infer(const TensorMeta& input, const TensorMeta& weight,
                        const TensorMeta& offset, const TensorMeta& mask, const TensorMeta& bias,
                        Size stride_h, Size stride_w, Size pad_h, Size pad_w, Size dilation_h,
                        Size dilation_w, Size groups, Size offset_groups, bool use_mask) {
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
  // Places in a bordered image are 32-bit numbers.
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

// ---- Vectors ----

// A register as a type, for sums, whose order the compiler may not change to vectorise them by
// itself. Nearly every CPU has registers of 16 bytes; longer types than it has are very slow.
template <typename T, int64_t kBytes = 16>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kBytes)));
};
template <typename T, int64_t kBytes = 16>
using Vector = typename VectorOf<T, kBytes>::Type;

/// Whether the CPU has registers of 32 bytes, and ONNXOP_EACH_CPU makes code for them.
inline bool has_wide_vectors() {
#ifdef ONNXOP_HAS_EACH_CPU
  static const bool has = __builtin_cpu_supports("x86-64-v3");
  return has;
#else
  return false;
#endif
}

// ---- Sampling ----

// Of a tile's matrices, some 64 columns each, several fit the nearest cache.
inline constexpr int64_t kTile = 32;

/// The numbers of a call, and what follows from them.
struct Shape {
  int64_t batch, channels, height, width;
  int64_t out_channels, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int64_t groups, offset_groups;

  int64_t taps() const { return kernel_h * kernel_w; }
  int64_t positions() const { return out_height * out_width; }
  int64_t tiles() const { return (positions() + kTile - 1) / kTile; }
  int64_t group_channels() const { return channels / groups; }
  int64_t group_out_channels() const { return out_channels / groups; }
  int64_t offset_group_channels() const { return channels / offset_groups; }

  // An image with its border has a row of zeros above and two below, and a column of zeros on the
  // left, which also ends the row before.
  int64_t row() const { return width + 1; }
  int64_t plane() const { return (height + 3) * row(); }
  /// Where a sample outside of the image is taken: all four corners are zeros of the border.
  int64_t outside() const { return (height + 1) * row(); }
};

/// Some consecutive output positions of an image.
template <typename T>
struct Tile {
  int64_t image, begin, size;
  std::array<T, kTile> y, x;  // where the kernel starts, without dilation and offsets

  Tile(const Shape& shape, int64_t image, int64_t index)
      : image(image), begin(index * kTile), size(std::min(kTile, shape.positions() - begin)) {
    for (int64_t i = 0; i < size; ++i) {
      const int64_t row = (begin + i) / shape.out_width, column = (begin + i) % shape.out_width;
      y[i] = static_cast<T>(row * shape.stride_h - shape.pad_h);
      x[i] = static_cast<T>(column * shape.stride_w - shape.pad_w);
    }
  }
};

/// Where a tile's samples for one tap and one offset group lie.
template <typename T>
struct Samples {
  std::array<int32_t, kTile> place;  // of the upper left corner in the bordered image
  std::array<T, kTile> y, x;         // from there to the sample, 0 to 1
  std::array<T, kTile> mask;
  // The corners' shares in the sample: upper left, upper right, lower left, lower right.
  std::array<std::array<T, kTile>, 4> weights;
};

/// The arguments that say where to sample.
template <typename T>
struct Sampling {
  Shape shape;
  const T* offset;
  const T* mask;  // null without one
  // Samples at or below it are outside: -1, but for gradients the number before it, because the
  // derivative at -1 is the one from above.
  T lowest;
};

template <typename T>
ONNXOP_EACH_CPU void locate(int64_t size, const Shape& shape, T lowest, T tap_y, T tap_x,
                            const Tile<T>& tile, const T* __restrict offset_y,
                            const T* __restrict offset_x, Samples<T>& __restrict samples) {
  const T height = static_cast<T>(shape.height), width = static_cast<T>(shape.width);
  const int32_t row = static_cast<int32_t>(shape.row());
  const int32_t outside = static_cast<int32_t>(shape.outside());
  for (int64_t i = 0; i < size; ++i) {
    const T at_y = tile.y[i] + tap_y + offset_y[i], at_x = tile.x[i] + tap_x + offset_x[i];
    // False for a NaN, too; only numbers that are in the image become integers.
    const bool is_inside =
        (at_y > lowest) & (at_y < height) & (at_x > lowest) & (at_x < width);
    const T y = is_inside ? at_y : T(0), x = is_inside ? at_x : T(0);
    // Rounded towards zero, then down.
    const int32_t cut_y = static_cast<int32_t>(y), cut_x = static_cast<int32_t>(x);
    const int32_t top = cut_y - (static_cast<T>(cut_y) > y ? 1 : 0);
    const int32_t left = cut_x - (static_cast<T>(cut_x) > x ? 1 : 0);
    const T down = y - static_cast<T>(top), right = x - static_cast<T>(left);
    const T mask = is_inside ? samples.mask[i] : T(0);
    samples.place[i] = is_inside ? (top + 1) * row + left + 1 : outside;
    samples.y[i] = down;
    samples.x[i] = right;
    samples.mask[i] = mask;
    samples.weights[0][i] = (1 - down) * (1 - right) * mask;
    samples.weights[1][i] = (1 - down) * right * mask;
    samples.weights[2][i] = down * (1 - right) * mask;
    samples.weights[3][i] = down * right * mask;
  }
}

template <typename T>
void sample(const Sampling<T>& sampling, const Tile<T>& tile, int64_t tap, int64_t offset_group,
            Samples<T>& samples) {
  const Shape& shape = sampling.shape;
  const int64_t index = (tile.image * shape.offset_groups + offset_group) * shape.taps() + tap;
  if (sampling.mask == nullptr) {
    samples.mask.fill(1);
  } else {
    std::copy_n(sampling.mask + index * shape.positions() + tile.begin, tile.size,
                samples.mask.begin());
  }
  const T* const offset_y = sampling.offset + 2 * index * shape.positions() + tile.begin;
  locate(tile.size, shape, sampling.lowest,
         static_cast<T>(tap / shape.kernel_w * shape.dilation_h),
         static_cast<T>(tap % shape.kernel_w * shape.dilation_w), tile, offset_y,
         offset_y + shape.positions(), samples);
}

/// Calls `body(group, begin, end)` for the parts of the channels `first` to `last` that lie in each
/// group.
template <typename Body>
void for_each_group(int64_t first, int64_t last, int64_t group_channels, const Body& body) {
  for (int64_t begin = first; begin < last;) {
    const int64_t group = begin / group_channels;
    const int64_t end = std::min(last, (group + 1) * group_channels);
    body(group, begin, end);
    begin = end;
  }
}

/// A matrix in memory; rows follow each other at a distance, and so do columns.
template <typename T>
struct Matrix {
  T* data;
  int64_t row_stride;
  int64_t column_stride = 1;
};

/// columns[i][c] = the sample of channel c at position i. `image` starts at the first of these
/// channels, of the `stride` channels that it has.
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
    for (int64_t c = 0; c < channels; ++c) {
      column[c] = (w0 * top[c] + w1 * top[c + stride]) + (w2 * bottom[c] + w3 * bottom[c + stride]);
    }
  }
}

/// The reverse: adds each column to its sample's corners, by their shares.
template <typename T>
ONNXOP_EACH_CPU void scatter_samples(const Samples<T>& samples, int64_t size, int64_t channels,
                                     int64_t row, int64_t stride, T* __restrict image,
                                     int64_t column_stride, const T* __restrict columns) {
  for (int64_t i = 0; i < size; ++i) {
    const T* const column = columns + i * column_stride;
    for (int64_t corner = 0; corner < 4; ++corner) {
      T* const to = image + (samples.place[i] + corner / 2 * row + corner % 2) * stride;
      const T weight = samples.weights[corner][i];
      for (int64_t c = 0; c < channels; ++c) to[c] += weight * column[c];
    }
  }
}

/// products[corner][i] = the sum over channels of column i times the corner of its sample.
template <typename T>
ONNXOP_EACH_CPU void multiply_corners(const Samples<T>& samples, int64_t size, int64_t channels,
                                      int64_t row, int64_t stride, const T* __restrict image,
                                      int64_t column_stride, const T* __restrict columns,
                                      std::array<std::array<T, kTile>, 4>& __restrict products) {
  constexpr int64_t kLanes = sizeof(Vector<T>) / sizeof(T);
  for (int64_t i = 0; i < size; ++i) {
    const T* const column = columns + i * column_stride;
    const T* const top = image + samples.place[i] * stride;
    const T* const bottom = top + row * stride;
    const T* const corners[] = {top, top + stride, bottom, bottom + stride};
    Vector<T> sums[4] = {};
    int64_t c = 0;
    for (; c + kLanes <= channels; c += kLanes) {
      Vector<T> a, b[4];
      std::memcpy(&a, column + c, sizeof(a));
      for (int64_t k = 0; k < 4; ++k) {
        std::memcpy(&b[k], corners[k] + c, sizeof(b[k]));
        sums[k] += a * b[k];
      }
    }
    for (int64_t k = 0; k < 4; ++k) {
      T sum = 0;
      for (int64_t l = 0; l < kLanes; ++l) sum += sums[k][l];
      for (int64_t rest = c; rest < channels; ++rest) sum += column[rest] * corners[k][rest];
      products[k][i] = sum;
    }
  }
}

// ---- Matrices ----

template <int64_t kBytes, typename T>
ONNXOP_EACH_CPU void multiply_add_in(int64_t rows, int64_t depth, int64_t columns,
                                     Matrix<const T> left, Matrix<const T> right, Matrix<T> result) {
  // A block of the result stays in registers, few enough for every CPU; a panel of the right
  // matrix, as wide as a block, is first copied to consecutive memory that fits the nearest cache.
  constexpr int64_t kRows = 4, kVectors = 2, kDepth = 256;
  constexpr int64_t kWidth = kVectors * kBytes / static_cast<int64_t>(sizeof(T));
  alignas(64) T panel[kDepth * kWidth];
  for (int64_t column = 0; column < columns; column += kWidth) {
    const int64_t width = std::min(kWidth, columns - column);
    for (int64_t first = 0; first < depth; first += kDepth) {
      const int64_t steps = std::min(kDepth, depth - first);
      for (int64_t d = 0; d < steps; ++d) {
        const T* const from = right.data + (first + d) * right.row_stride + column;
        T* const to = panel + d * kWidth;
        if (width == kWidth) {
          std::memcpy(to, from, kWidth * sizeof(T));
        } else {
          for (int64_t j = 0; j < kWidth; ++j) to[j] = j < width ? from[j] : T(0);
        }
      }
      for (int64_t row = 0; row < rows; row += kRows) {
        const T* a[kRows];  // beyond the last row, that one again
        for (int64_t r = 0; r < kRows; ++r) {
          a[r] = left.data + std::min(row + r, rows - 1) * left.row_stride +
                 first * left.column_stride;
        }
        Vector<T, kBytes> sums[kRows][kVectors] = {};
        for (int64_t d = 0; d < steps; ++d) {
          Vector<T, kBytes> b[kVectors];
          std::memcpy(b, panel + d * kWidth, sizeof(b));
          for (int64_t r = 0; r < kRows; ++r) {
            const T factor = a[r][d * left.column_stride];
            for (int64_t v = 0; v < kVectors; ++v) sums[r][v] += factor * b[v];
          }
        }
        T block[kRows][kWidth];
        std::memcpy(block, sums, sizeof(block));
        for (int64_t r = 0; r < std::min(kRows, rows - row); ++r) {
          T* const to = result.data + (row + r) * result.row_stride + column;
          for (int64_t j = 0; j < width; ++j) to[j] += block[r][j];
        }
      }
    }
  }
}

/// result += left * right, of rows x depth and depth x columns elements.
template <typename T>
void multiply_add(int64_t rows, int64_t depth, int64_t columns, Matrix<const T> left,
                  Matrix<const T> right, Matrix<T> result) {
  const auto run = has_wide_vectors() ? multiply_add_in<32, T> : multiply_add_in<16, T>;
  run(rows, depth, columns, left, right, result);
}

/// to[c][r] = from[r][c], in blocks that use all of every cache line they touch.
template <typename T>
ONNXOP_EACH_CPU void transpose(int64_t rows, int64_t columns, const T* __restrict from,
                               int64_t from_stride, T* __restrict to, int64_t to_stride) {
  constexpr int64_t kSide = 16;
  for (int64_t row = 0; row < rows; row += kSide) {
    const int64_t count = std::min(kSide, rows - row);
    const T* const block = from + row * from_stride;
    for (int64_t c = 0; c < columns; ++c) {
      T* const line = to + c * to_stride + row;
      for (int64_t r = 0; r < count; ++r) line[r] = block[r * from_stride + c];
    }
  }
}

// ---- Preparations ----

template <typename T>
using Buffer = std::unique_ptr<T[]>;

/// Steps worth another thread, where one takes `work` multiplications.
inline int64_t grain(int64_t work) {
  constexpr int64_t kWork = 65536;
  return std::max<int64_t>(1, kWork / std::max<int64_t>(1, work));
}

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

/// The input in channels-last order, every image in its border.
template <typename T>
Buffer<T> border(const Shape& shape, const T* input, const ParallelFor& parallel_for) {
  const int64_t rows = shape.plane() / shape.row(), length = shape.row() * shape.channels;
  auto images = std::make_unique_for_overwrite<T[]>(shape.batch * rows * length);
  parallel_for(shape.batch * rows, grain(length), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t image = row / rows, y = row % rows - 1;
      T* const to = images.get() + row * length;
      if (y < 0 || y >= shape.height) {
        std::fill_n(to, length, T(0));
        continue;
      }
      std::fill_n(to, shape.channels, T(0));
      const T* const from = input + (image * shape.channels * shape.height + y) * shape.width;
      transpose(shape.channels, shape.width, from, shape.height * shape.width,
                to + shape.channels, shape.channels);
    }
  });
  return images;
}

/// The output's gradient in channels-last order.
template <typename T>
Buffer<T> channels_last(const Shape& shape, const T* grad, const ParallelFor& parallel_for) {
  const int64_t image_size = shape.out_channels * shape.positions();
  auto result = std::make_unique_for_overwrite<T[]>(shape.batch * image_size);
  parallel_for(shape.batch * shape.tiles(), grain(kTile * shape.out_channels),
               [&](int64_t begin, int64_t end) {
                 for (int64_t unit = begin; unit < end; ++unit) {
                   const int64_t image = unit / shape.tiles() * image_size;
                   const int64_t first = unit % shape.tiles() * kTile;
                   transpose(shape.out_channels, std::min(kTile, shape.positions() - first),
                             grad + image + first, shape.positions(),
                             result.get() + image + first * shape.out_channels,
                             shape.out_channels);
                 }
               });
  return result;
}

/// The weights as [tap][input channel][output channel of its group].
template <typename T>
Buffer<T> weights_by_input(const Shape& shape, const T* weight, const ParallelFor& parallel_for) {
  const int64_t channels = shape.group_channels(), outs = shape.group_out_channels();
  const int64_t filter = channels * shape.taps();
  auto result = std::make_unique_for_overwrite<T[]>(shape.channels * shape.taps() * outs);
  parallel_for(shape.channels, grain(outs * shape.taps()), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const T* const from =
          weight + c / channels * outs * filter + c % channels * shape.taps();
      for (int64_t tap = 0; tap < shape.taps(); ++tap) {
        T* const to = result.get() + (tap * shape.channels + c) * outs;
        for (int64_t o = 0; o < outs; ++o) to[o] = from[o * filter + tap];
      }
    }
  });
  return result;
}

/// The weights as [tap][output channel][input channel of its group].
template <typename T>
Buffer<T> weights_by_output(const Shape& shape, const T* weight, const ParallelFor& parallel_for) {
  const int64_t channels = shape.group_channels(), filter = channels * shape.taps();
  auto result = std::make_unique_for_overwrite<T[]>(shape.out_channels * filter);
  parallel_for(shape.out_channels, grain(filter), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      transpose(channels, shape.taps(), weight + o * filter, shape.taps(),
                result.get() + o * channels, shape.out_channels * channels);
    }
  });
  return result;
}

/// The columns of one tap, for the channels `first` to `last`.
template <typename T>
void fill_columns(const Sampling<T>& sampling, const T* images, const Tile<T>& tile, int64_t tap,
                  int64_t first, int64_t last, T* columns) {
  const Shape& shape = sampling.shape;
  const T* const image = images + tile.image * shape.plane() * shape.channels;
  Samples<T> samples;
  for_each_group(first, last, shape.offset_group_channels(),
                 [&](int64_t group, int64_t begin, int64_t end) {
                   sample(sampling, tile, tap, group, samples);
                   gather_samples(samples, tile.size, end - begin, shape.row(), shape.channels,
                                  image + begin, last - first, columns + (begin - first));
                 });
}

template <typename T>
void forward(const Sampling<T>& sampling, const T* images, const T* weights, const T* bias, T* out,
             const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const int64_t channels = shape.group_channels(), outs = shape.group_out_channels();
  parallel_for(
      shape.batch * shape.tiles(), grain(kTile * shape.channels * shape.taps() * (outs + 4)),
      [&](int64_t begin, int64_t end) {
        const auto columns = std::make_unique_for_overwrite<T[]>(kTile * shape.channels);
        const auto result = std::make_unique_for_overwrite<T[]>(kTile * shape.out_channels);
        for (int64_t unit = begin; unit < end; ++unit) {
          const Tile<T> tile(shape, unit / shape.tiles(), unit % shape.tiles());
          for (int64_t i = 0; i < tile.size; ++i) {
            std::copy_n(bias, shape.out_channels, result.get() + i * shape.out_channels);
          }
          for (int64_t tap = 0; tap < shape.taps(); ++tap) {
            fill_columns(sampling, images, tile, tap, 0, shape.channels, columns.get());
            for (int64_t g = 0; g < shape.groups; ++g) {
              multiply_add<T>(tile.size, channels, outs,
                              {columns.get() + g * channels, shape.channels},
                              {weights + (tap * shape.channels + g * channels) * outs, outs},
                              {result.get() + g * outs, shape.out_channels});
            }
          }
          transpose(tile.size, shape.out_channels, result.get(), shape.out_channels,
                    out + tile.image * shape.out_channels * shape.positions() + tile.begin,
                    shape.positions());
        }
      });
}

// ---- Gradients ----

// Channels that are worth a thread of their own; neighbours go to one thread as one slice.
inline constexpr int64_t kSlice = 16;

inline int64_t slices(const Shape& shape) { return (shape.channels + kSlice - 1) / kSlice; }

/// Calls `body(outer, first, last)` for the channels of the units `begin` to `end`, where every
/// outer index has all slices as its units.
template <typename Body>
void for_each_slice(const Shape& shape, int64_t begin, int64_t end, const Body& body) {
  for (int64_t unit = begin; unit < end;) {
    const int64_t outer = unit / slices(shape), slice = unit % slices(shape);
    const int64_t count = std::min(end - unit, slices(shape) - slice);
    body(outer, slice * kSlice, std::min(shape.channels, (slice + count) * kSlice));
    unit += count;
  }
}

/// The gradient of one tap's columns, for the channels `first` to `last`. `grad` is channels-last,
/// `weights` by output.
template <typename T>
void fill_column_gradients(const Shape& shape, const T* grad, const T* weights,
                           const Tile<T>& tile, int64_t tap, int64_t first, int64_t last,
                           T* columns) {
  const int64_t channels = shape.group_channels(), outs = shape.group_out_channels();
  const int64_t width = last - first;
  const T* const tile_grad =
      grad + (tile.image * shape.positions() + tile.begin) * shape.out_channels;
  std::fill_n(columns, tile.size * width, T(0));
  for_each_group(first, last, channels, [&](int64_t group, int64_t begin, int64_t end) {
    const T* const group_weights = weights + (tap * shape.out_channels + group * outs) * channels;
    multiply_add<T>(tile.size, outs, end - begin, {tile_grad + group * outs, shape.out_channels},
                    {group_weights + (begin - group * channels), channels},
                    {columns + (begin - first), width});
  });
}

/// The gradients of the offset and of the mask; either may be null. Parallel over tiles.
template <typename T>
void backward_samples(const Sampling<T>& sampling, const T* images, const T* grad,
                      const T* weights, T* grad_offset, T* grad_mask,
                      const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const auto write = [&](const Samples<T>& samples, const auto& products, const Tile<T>& tile,
                         int64_t tap, int64_t group) {
    const int64_t index = (tile.image * shape.offset_groups + group) * shape.taps() + tap;
    const auto& [p0, p1, p2, p3] = products;
    if (grad_offset != nullptr) {
      T* const to_y = grad_offset + 2 * index * shape.positions() + tile.begin;
      T* const to_x = to_y + shape.positions();
      for (int64_t i = 0; i < tile.size; ++i) {
        const T y = samples.y[i], x = samples.x[i];
        to_y[i] = samples.mask[i] * ((1 - x) * (p2[i] - p0[i]) + x * (p3[i] - p1[i]));
        to_x[i] = samples.mask[i] * ((1 - y) * (p1[i] - p0[i]) + y * (p3[i] - p2[i]));
      }
    }
    if (grad_mask != nullptr) {
      T* const to = grad_mask + index * shape.positions() + tile.begin;
      for (int64_t i = 0; i < tile.size; ++i) {
        const T y = samples.y[i], x = samples.x[i];
        to[i] = (1 - y) * ((1 - x) * p0[i] + x * p1[i]) + y * ((1 - x) * p2[i] + x * p3[i]);
      }
    }
  };
  parallel_for(
      shape.batch * shape.tiles(),
      grain(kTile * shape.channels * shape.taps() * (shape.group_out_channels() + 4)),
      [&](int64_t begin, int64_t end) {
        const auto columns = std::make_unique_for_overwrite<T[]>(kTile * shape.channels);
        Samples<T> samples;
        std::array<std::array<T, kTile>, 4> products;
        for (int64_t unit = begin; unit < end; ++unit) {
          const Tile<T> tile(shape, unit / shape.tiles(), unit % shape.tiles());
          const T* const image = images + tile.image * shape.plane() * shape.channels;
          for (int64_t tap = 0; tap < shape.taps(); ++tap) {
            fill_column_gradients(shape, grad, weights, tile, tap, 0, shape.channels,
                                  columns.get());
            for (int64_t group = 0; group < shape.offset_groups; ++group) {
              const int64_t channel = group * shape.offset_group_channels();
              sample(sampling, tile, tap, group, samples);
              multiply_corners(samples, tile.size, shape.offset_group_channels(), shape.row(),
                               shape.channels, image + channel, shape.channels,
                               columns.get() + channel, products);
              write(samples, products, tile, tap, group);
            }
          }
        }
      });
}

/// The gradient of the input. Samples may lie anywhere in an image, so a thread takes all positions
/// of some channels.
template <typename T>
void backward_input(const Sampling<T>& sampling, const T* grad, const T* weights, T* grad_input,
                    const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const auto run = [&](int64_t image, int64_t first, int64_t last) {
    const int64_t width = last - first;
    const auto columns = std::make_unique_for_overwrite<T[]>(kTile * width);
    std::vector<T> sums(shape.plane() * width);  // channels-last, with a border
    Samples<T> samples;
    for (int64_t index = 0; index < shape.tiles(); ++index) {
      const Tile<T> tile(shape, image, index);
      for (int64_t tap = 0; tap < shape.taps(); ++tap) {
        fill_column_gradients(shape, grad, weights, tile, tap, first, last, columns.get());
        for_each_group(first, last, shape.offset_group_channels(),
                       [&](int64_t group, int64_t begin, int64_t end) {
                         sample(sampling, tile, tap, group, samples);
                         scatter_samples(samples, tile.size, end - begin, shape.row(), width,
                                         sums.data() + (begin - first), width,
                                         columns.get() + (begin - first));
                       });
      }
    }
    const int64_t area = shape.height * shape.width;
    T* const to = grad_input + (image * shape.channels + first) * area;
    for (int64_t y = 0; y < shape.height; ++y) {
      transpose(shape.width, width, sums.data() + ((y + 1) * shape.row() + 1) * width, width,
                to + y * shape.width, area);
    }
  };
  parallel_for(shape.batch * slices(shape),
               grain(shape.positions() * shape.taps() * kSlice * shape.group_out_channels()),
               [&](int64_t begin, int64_t end) { for_each_slice(shape, begin, end, run); });
}

/// The gradient of the weights. A thread takes some taps and channels, over all images.
template <typename T>
void backward_weight(const Sampling<T>& sampling, const T* images, const T* grad, T* grad_weight,
                     const ParallelFor& parallel_for) {
  const Shape& shape = sampling.shape;
  const int64_t channels = shape.group_channels(), outs = shape.group_out_channels();
  const auto run = [&](int64_t tap, int64_t first, int64_t last) {
    const int64_t width = last - first;
    const auto columns = std::make_unique_for_overwrite<T[]>(kTile * width);
    std::vector<T> sums(outs * width);  // [output channel of the group][input channel]
    for (int64_t unit = 0; unit < shape.batch * shape.tiles(); ++unit) {
      const Tile<T> tile(shape, unit / shape.tiles(), unit % shape.tiles());
      const T* const tile_grad =
          grad + (tile.image * shape.positions() + tile.begin) * shape.out_channels;
      fill_columns(sampling, images, tile, tap, first, last, columns.get());
      for_each_group(first, last, channels, [&](int64_t group, int64_t begin, int64_t end) {
        multiply_add<T>(outs, tile.size, end - begin,
                        {tile_grad + group * outs, 1, shape.out_channels},
                        {columns.get() + (begin - first), width},
                        {sums.data() + (begin - first), width});
      });
    }
    for (int64_t c = first; c < last; ++c) {
      for (int64_t o = 0; o < outs; ++o) {
        const int64_t out = c / channels * outs + o;
        grad_weight[(out * channels + c % channels) * shape.taps() + tap] =
            sums[o * width + (c - first)];
      }
    }
  };
  parallel_for(shape.taps() * slices(shape),
               grain(shape.batch * shape.positions() * kSlice * outs),
               [&](int64_t begin, int64_t end) { for_each_slice(shape, begin, end, run); });
}

/// The gradient of the bias; `grad` is as it came, channels first.
template <typename T>
void backward_bias(const Shape& shape, const T* grad, T* grad_bias,
                   const ParallelFor& parallel_for) {
  parallel_for(shape.out_channels, grain(shape.batch * shape.positions()),
               [&](int64_t begin, int64_t end) {
                 for (int64_t out = begin; out < end; ++out) {
                   double sum = 0;
                   for (int64_t image = 0; image < shape.batch; ++image) {
                     const T* const from =
                         grad + (image * shape.out_channels + out) * shape.positions();
                     for (int64_t i = 0; i < shape.positions(); ++i) sum += from[i];
                   }
                   grad_bias[out] = static_cast<T>(sum);
                 }
               });
}

template <typename T>
T* data_of(const std::optional<MutableTensorView>& tensor) {
  return tensor ? tensor->template data_as<T>() : nullptr;
}

}  // namespace detail

// ---- The operator ----

/// Computes into `out`, allocated as `infer` said.
inline void compute(const MutableTensorView& out, const TensorView& input, const TensorView& weight,
                    const TensorView& offset, const TensorView& mask, const TensorView& bias,
                    int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w, int64_t dilation_h,
                    int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask,
                    const ParallelFor& parallel_for) {
  if (element_count(out.sizes) == 0) return;
  const detail::Shape shape =
      detail::shape_of(input, weight, offset, stride_h, stride_w, pad_h, pad_w, dilation_h,
                       dilation_w, groups, offset_groups);
  Supported::visit(out.dtype, [&]<typename T>() {
    const detail::Sampling<T> sampling{shape, offset.data_as<T>(),
                                       use_mask ? mask.data_as<T>() : nullptr, T(-1)};
    const auto images = detail::border(shape, input.data_as<T>(), parallel_for);
    const auto weights = detail::weights_by_input(shape, weight.data_as<T>(), parallel_for);
    detail::forward(sampling, images.get(), weights.get(), bias.data_as<T>(),
                    out.template data_as<T>(), parallel_for);
  });
}

/// Computes the gradients that are wanted, each of its input's shape, from `grad`, the output's.
inline void backward(const std::optional<MutableTensorView>& grad_input,
                     const std::optional<MutableTensorView>& grad_weight,
                     const std::optional<MutableTensorView>& grad_offset,
                     const std::optional<MutableTensorView>& grad_mask,
                     const std::optional<MutableTensorView>& grad_bias, const TensorView& grad,
                     const TensorView& input, const TensorView& weight, const TensorView& offset,
                     const TensorView& mask, [[maybe_unused]] const TensorView& bias, int64_t stride_h,
                     int64_t stride_w, int64_t pad_h, int64_t pad_w, int64_t dilation_h,
                     int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask,
                     const ParallelFor& parallel_for) {
  const detail::Shape shape =
      detail::shape_of(input, weight, offset, stride_h, stride_w, pad_h, pad_w, dilation_h,
                       dilation_w, groups, offset_groups);
  Supported::visit(input.dtype, [&]<typename T>() {
    const T edge = -1;
    const detail::Sampling<T> sampling{
        shape, offset.data_as<T>(), use_mask ? mask.data_as<T>() : nullptr,
        edge - std::numeric_limits<T>::epsilon()};
    const bool wants_samples = grad_offset || (grad_mask && use_mask);
    if (grad_mask && !use_mask) {
      std::fill_n(detail::data_of<T>(grad_mask), element_count(grad_mask->sizes), T(0));
    }
    if (grad_bias) {
      detail::backward_bias(shape, grad.data_as<T>(), detail::data_of<T>(grad_bias), parallel_for);
    }
    if (!wants_samples && !grad_input && !grad_weight) return;

    const auto last = detail::channels_last(shape, grad.data_as<T>(), parallel_for);
    detail::Buffer<T> images, weights;
    if (wants_samples || grad_weight) {
      images = detail::border(shape, input.data_as<T>(), parallel_for);
    }
    if (wants_samples || grad_input) {
      weights = detail::weights_by_output(shape, weight.data_as<T>(), parallel_for);
    }
    if (wants_samples) {
      detail::backward_samples(sampling, images.get(), last.get(), weights.get(),
                               detail::data_of<T>(grad_offset),
                               use_mask ? detail::data_of<T>(grad_mask) : nullptr, parallel_for);
    }
    if (grad_input) {
      detail::backward_input(sampling, last.get(), weights.get(), detail::data_of<T>(grad_input),
                             parallel_for);
    }
    if (grad_weight) {
      detail::backward_weight(sampling, images.get(), last.get(),
                              detail::data_of<T>(grad_weight), parallel_for);
    }
  });
}

}  // namespace onnxop::deform_conv2d_op
