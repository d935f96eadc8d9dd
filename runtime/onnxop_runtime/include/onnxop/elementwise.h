// Elementwise kernels of any number of tensors: checks, broadcasting, and one vectorised
// loop.
//
// The loop computes all elements as whole vectors of consecutive elements. So an element's result does
// not depend on its place, on strides or on threads, though the vector and the scalar variant of a
// function such as exp differ in their last bits. 16-bit floats are converted in registers. Inputs that
// are not consecutive in memory (repeated, transposed, sliced) are first copied, in tiles that fit the
// nearest cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "functions.h"
#include "kernel.h"
#if !defined(ONNXOP_CUDA)
#include "convert.h"
#endif

namespace onnxop {

// ---- Checks ----

namespace detail {

/// Fails with the two inputs, and the dimension, whose sizes do not broadcast.
template <size_t N>
[[noreturn]] void fail_to_broadcast(std::string_view op, const std::array<TensorMeta, N>& inputs,
                                    size_t rank, size_t dim) {
  const auto size = [&](const TensorMeta& input) {
    return dim + input.rank() < rank ? Size(1) : input.sizes[dim + input.rank() - rank];
  };
  const auto is_large = [&](const TensorMeta& input) {
    return size(input).symbol() == nullptr && size(input).value() != 1;
  };
  const TensorMeta& one = *std::ranges::find_if(inputs, is_large);
  const TensorMeta& other = *std::ranges::find_if(inputs, [&](const TensorMeta& input) {
    return is_large(input) && size(input) != size(one);
  });
  fail(op, ": ", one.name, " and ", other.name, " of shapes ", to_string(one.sizes), " and ",
       to_string(other.sizes), " cannot be broadcast together: they differ in dimension ", dim,
       " (", size(one), " and ", size(other), ")");
}

/// Returns the broadcast of two sizes, or std::nullopt if they are numbers that do not match.
inline std::optional<Size> broadcast(Size left, Size right) {
  const auto is_number = [](Size size) { return size.symbol() == nullptr; };
  const auto is_one = [&](Size size) { return is_number(size) && size.value() == 1; };
  if (is_one(right)) return left;
  if (is_one(left)) return right;
  if (is_number(left) && is_number(right)) {
    return left == right ? std::optional(left) : std::nullopt;
  }
  if (is_number(left)) return left;  // a dynamic size must be equal, or 1
  if (is_number(right)) return right;
  return max(left, right);
}

}  // namespace detail

/// Checks that the inputs have one supported dtype, and shapes that broadcast as in NumPy. Returns
/// the output's dtype and sizes: the same dtype by default.
template <typename Supported, size_t N>
OutputSpec infer_elementwise(std::string_view op, const std::array<TensorMeta, N>& inputs,
                             std::optional<Dtype> dtype = std::nullopt) {
  size_t rank = 0;
  for (const TensorMeta& input : inputs) {
    check_supported<Supported>(op, input);
    check_same_dtype(op, inputs[0], input);
    rank = std::max(rank, input.rank());
  }
  OutputSpec output{dtype.value_or(inputs[0].dtype), std::vector<Size>(rank, 1)};
  for (const TensorMeta& input : inputs) {
    for (size_t d = rank - input.rank(); d < rank; ++d) {
      const auto size =
          detail::broadcast(output.sizes[d], input.sizes[d + input.rank() - rank]);
      if (!size) detail::fail_to_broadcast(op, inputs, rank, d);
      output.sizes[d] = *size;
    }
  }
  return output;
}

// ---- The loop ----

#if !defined(ONNXOP_CUDA)

namespace detail {

/// Rows of results, and of the inputs that they are computed of.
template <typename T, typename Out, size_t N>
struct Rows {
  int64_t count, columns;
  Out* out;
  int64_t out_step = 0;             // from one row to the next
  std::array<const T*, N> in;       // each input's first row
  std::array<int64_t, N> in_steps;  // from one row of it to the next
  bool past_caches = false;         // results are larger than the caches, and bypass them
};

/// Computes rows, out[i] = function(in[i]...), in whole vectors only, without scalar code.
template <typename T, typename Out, typename Function, size_t... I>
struct MapRows {
  using AllRows = Rows<T, Out, sizeof...(I)>;
  using Inputs = std::array<const T*, sizeof...(I)>;

  // The number of elements of the narrower type in the widest register of any CPU.
  static constexpr int64_t kBlock = 64 / std::min(sizeof(T), sizeof(Out));

  template <int64_t kBytes>
  ONNXOP_INLINE static void run(const Function* function, const AllRows* all) {
    const AllRows rows = *all;  // a copy, which results cannot overwrite
    const int64_t columns = rows.columns;
    const bool is_short = columns < kBlock;
    const bool streams = rows.past_caches && !is_short;
    const int64_t length = std::max(columns, kBlock);
    for (int64_t r = 0; r < rows.count; ++r) {
      Inputs from{rows.in[I] + r * rows.in_steps[I]...};
      Out* const out = rows.out + r * rows.out_step;
      Out* to = out;
      T padded[sizeof...(I)][kBlock];
      Out results[kBlock];
      if (is_short) {
        to = results;
        for (size_t i = 0; i < sizeof...(I); ++i) {
          std::fill(std::copy_n(from[i], columns, padded[i]), padded[i] + kBlock, *from[i]);
          from[i] = padded[i];
        }
      }
      // Blocks that overlap compute the same results.
      for (int64_t i = streams ? -past_line(to) : 0; i < length; i += kBlock) {
        const int64_t at = std::clamp<int64_t>(i, 0, length - kBlock);
        run_block<kBytes>(*function, streams ? results : to + at, (from[I] + at)...);
        if (streams) stream<sizeof(results)>(results, to + at);
      }
      if (is_short) std::copy_n(results, columns, out);
    }
    if (streams) finish_stream();
  }

  /// Returns the number of elements since the start of the cache line.
  ONNXOP_INLINE static int64_t past_line(const Out* out) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kCacheLine / sizeof(Out));
  }

  template <int64_t kBytes, typename... From>
  ONNXOP_INLINE static void run_block(const Function& function, Out* to, const From*... from) {
    if constexpr (is_narrow<Out>) {
      Compute<Out> results[kBlock];
      run_wide<kBytes>(function, results, from...);
      convert_block<kBytes, kBlock>(results, to);
    } else {
      run_wide<kBytes>(function, to, from...);
    }
  }

  template <int64_t kBytes, typename... From>
  ONNXOP_INLINE static void run_wide(const Function& function, Compute<Out>* to,
                                     const From*... from) {
    if constexpr (is_narrow<T>) {
      Compute<T> wide[sizeof...(I)][kBlock];
      (convert_block<kBytes, kBlock>(from, wide[I]), ...);
#pragma GCC ivdep
#pragma GCC unroll 1  // the vectoriser ignores unrolled loops
      for (int64_t l = 0; l < kBlock; ++l) to[l] = function(wide[I][l]...);
    } else {
#pragma GCC ivdep
#pragma GCC unroll 1  // the vectoriser ignores unrolled loops
      for (int64_t l = 0; l < kBlock; ++l) to[l] = function(from[l]...);
    }
  }
};

/// The same, compiled for this CPU.
template <typename T, typename Out, size_t N, typename Function>
void map_rows(const Function& function, const Rows<T, Out, N>& rows) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    run_on_this_cpu<MapRows<T, Out, Function, I...>>(&function, &rows);
  }(std::make_index_sequence<N>());
}

/// Copies rows x columns elements into consecutive memory, in the direction of the smaller stride.
template <typename T>
ONNXOP_EACH_CPU void gather(const T* from, int64_t rows, int64_t columns, int64_t row_stride,
                            int64_t column_stride, T* to) {
  if (row_stride != 0 && row_stride < column_stride) {
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r) {
        to[r * columns + c] = from[r * row_stride + c * column_stride];
      }
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r, from += row_stride, to += columns) {
    if (column_stride == 0) {
      std::fill_n(to, columns, *from);
    } else if (column_stride == 1) {
      std::copy_n(from, columns, to);
    } else {
      for (int64_t c = 0; c < columns; ++c) to[c] = from[c * column_stride];
    }
  }
}

/// A dimension of the loop: its length, and its strides in the output and in each
/// input.
template <size_t N>
struct Dimension {
  int64_t size = 1;
  int64_t out_stride = 0;
  std::array<int64_t, N> strides{};
};

/// A loop nest over the output, divided into tiles. The last two dimensions are a tile's rows and
/// columns. A run is computed at once: a row or, if rows are short and adjacent in the output, a
/// whole tile.
template <size_t N>
struct Plan {
  // In elements. A tile of each input should fit a near cache, both sides of a transposition the
  // nearest. For rows shorter than kShortRow, calls would cost more than copies.
  static constexpr int64_t kTileSize = 2048;
  static constexpr int64_t kTransposedSide = 32;
  static constexpr int64_t kShortRow = 64;

  std::vector<Dimension<N>> dims;
  int64_t tile_rows, tile_columns;  // one tile's size
  int64_t row_tiles, column_tiles;  // the number of tiles along each
  bool whole_tiles;                 // a run is a tile

  Plan(std::span<const int64_t> sizes, const std::array<TensorView, N>& inputs) {
    dims.reserve(sizes.size() + 2);
    dims.push_back({});  // so that rows always exist
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != 1) append(dimension(sizes, inputs, d));
    }
    if (dims.size() == 1) dims.push_back({.size = 1, .out_stride = 1, .strides = ones()});
    int64_t out_stride = 1;
    for (size_t d = dims.size(); d-- > 0; out_stride *= dims[d].size) {
      dims[d].out_stride = out_stride;
    }

    const bool transposed = bring_transposed_dimension_to_rows();
    const int64_t side = transposed ? kTransposedSide : kTileSize;
    tile_columns = std::min(columns().size, side);
    tile_rows = std::min(rows().size, kTileSize / tile_columns);
    tile_columns = std::min(columns().size, kTileSize / tile_rows);
    row_tiles = (rows().size + tile_rows - 1) / tile_rows;
    column_tiles = (columns().size + tile_columns - 1) / tile_columns;
    whole_tiles = columns().size < kShortRow && tile_columns == columns().size &&
                  rows().out_stride == columns().size;
  }

  const Dimension<N>& rows() const { return dims[dims.size() - 2]; }
  const Dimension<N>& columns() const { return dims.back(); }
  bool is_one_run() const {
    return dims.size() == 2 && rows().size == 1 && columns().strides == ones();
  }

  int64_t tile_count() const {
    int64_t count = row_tiles * column_tiles;
    for (size_t d = 0; d + 2 < dims.size(); ++d) count *= dims[d].size;
    return count;
  }

 private:
  static constexpr std::array<int64_t, N> ones() {
    std::array<int64_t, N> strides;
    strides.fill(1);
    return strides;
  }

  static Dimension<N> dimension(std::span<const int64_t> sizes,
                                const std::array<TensorView, N>& inputs, size_t d) {
    Dimension<N> dim{.size = sizes[d]};
    for (size_t i = 0; i < N; ++i) {
      const size_t missing = sizes.size() - inputs[i].rank();
      const bool repeats = d < missing || inputs[i].sizes[d - missing] == 1;
      dim.strides[i] = repeats ? 0 : inputs[i].strides[d - missing];
    }
    return dim;
  }

  /// Adds an inner dimension; merges it with the previous one if all strides allow it.
  void append(const Dimension<N>& inner) {
    Dimension<N>& outer = dims.back();
    bool joins = dims.size() > 1;
    for (size_t i = 0; i < N; ++i) {
      joins = joins && outer.strides[i] == inner.strides[i] * inner.size;
    }
    if (joins) {
      outer.size *= inner.size;
      outer.strides = inner.strides;
    } else {
      dims.push_back(inner);
    }
  }

  /// If an input's smallest stride is not in the columns, its dimension becomes the rows: a tile then
  /// uses whole cache lines in both directions.
  bool bring_transposed_dimension_to_rows() {
    for (size_t i = 0; i < N; ++i) {
      if (columns().strides[i] <= 1) continue;
      size_t shortest = dims.size() - 1;
      for (size_t d = 0; d < dims.size(); ++d) {
        const int64_t stride = dims[d].strides[i];
        if (stride != 0 && stride < dims[shortest].strides[i]) shortest = d;
      }
      if (shortest + 1 == dims.size()) continue;
      std::swap(dims[shortest], dims[dims.size() - 2]);
      return true;
    }
    return false;
  }
};

/// Computes tiles, one after the other; each thread has its own object.
template <typename T, typename Out, size_t N, typename Function>
class TileRunner {
 public:
  TileRunner(const Plan<N>& plan, Out* out, const std::array<const T*, N>& in,
             const Function& function, bool past_caches)
      : plan_(plan), out_(out), in_(in), function_(function), past_caches_(past_caches) {}

  void run(int64_t tile) {
    const Place place = find(tile);
    const int64_t runs = plan_.whole_tiles ? 1 : place.rows;
    Rows<T, Out, N> rows{
        .count = runs,
        .columns = place.rows * place.columns / runs,
        .out = place.out,
        .out_step = plan_.rows().out_stride,
        .in = {},
        .in_steps = {},
        .past_caches = past_caches_,
    };
    for (size_t i = 0; i < N; ++i) {
      const int64_t row_stride = plan_.rows().strides[i];
      const bool is_in_a_row = plan_.columns().strides[i] == 1 &&
                               (!plan_.whole_tiles || row_stride == place.columns);
      rows.in[i] = is_in_a_row ? place.in[i] : copy(i, place);
      rows.in_steps[i] = is_in_a_row ? row_stride : place.columns;
    }
    map_rows(function_, rows);
  }

 private:
  struct Place {
    int64_t rows, columns;
    Out* out;
    std::array<const T*, N> in;
  };

  Place find(int64_t tile) const {
    Place place{0, 0, out_, in_};
    const auto move = [&](const Dimension<N>& dim, int64_t steps) {
      place.out += steps * dim.out_stride;
      for (size_t i = 0; i < N; ++i) place.in[i] += steps * dim.strides[i];
    };
    const int64_t column = tile % plan_.column_tiles * plan_.tile_columns;
    tile /= plan_.column_tiles;
    const int64_t row = tile % plan_.row_tiles * plan_.tile_rows;
    tile /= plan_.row_tiles;
    move(plan_.columns(), column);
    move(plan_.rows(), row);
    for (size_t d = plan_.dims.size() - 2; d-- > 0; tile /= plan_.dims[d].size) {
      move(plan_.dims[d], tile % plan_.dims[d].size);
    }
    place.columns = std::min(plan_.tile_columns, plan_.columns().size - column);
    place.rows = std::min(plan_.tile_rows, plan_.rows().size - row);
    return place;
  }

  /// Returns input i's tile in consecutive memory. A repeated input has the same tile many times,
  /// which is copied once.
  const T* copy(size_t i, const Place& place) {
    Copy& copy = copies_[i];
    if (copy.from != place.in[i] || copy.rows != place.rows || copy.columns != place.columns) {
      gather(place.in[i], place.rows, place.columns, plan_.rows().strides[i],
             plan_.columns().strides[i], copy.to);
      copy.from = place.in[i];
      copy.rows = place.rows;
      copy.columns = place.columns;
    }
    return copy.to;
  }

  struct Copy {
    const T* from = nullptr;
    int64_t rows, columns;
    alignas(64) T to[Plan<N>::kTileSize];
  };

  const Plan<N>& plan_;
  Out* out_;
  std::array<const T*, N> in_;
  const Function& function_;
  bool past_caches_;
  std::array<Copy, N> copies_;
};

}  // namespace detail

/// Computes `out = function(inputs...)` for elements of type T, with results of type Out, after
/// `infer_elementwise` has checked the inputs. `function` takes and returns the types to compute in;
/// dtypes with the same one share its loop.
///
/// `grain` is the number of elements that are worth another thread.
template <typename T, typename Out = T, size_t N, typename Function>
void elementwise(const MutableTensorView& out, const std::array<TensorView, N>& inputs,
                 int64_t grain, const ParallelFor& parallel_for, const Function& function) {
  const int64_t count = element_count(out.sizes);
  if (count == 0) return;
  const detail::Plan<N> plan(out.sizes, inputs);
  Out* const to = out.data_as<Out>();
  std::array<const T*, N> from;
  for (size_t i = 0; i < N; ++i) from[i] = inputs[i].template data_as<T>();
  const auto bytes = count * static_cast<int64_t>(sizeof(Out) + N * sizeof(T));
  const bool past_caches = bytes > ONNXOP_CACHE_BYTES;
  if (plan.is_one_run()) {
    parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      detail::Rows<T, Out, N> rows{
          .count = 1,
          .columns = end - begin,
          .out = to + begin,
          .in = from,
          .in_steps = {},
          .past_caches = past_caches,
      };
      for (const T*& each : rows.in) each += begin;
      detail::map_rows(function, rows);
    });
    return;
  }
  const int64_t tiles = plan.tile_count();
  parallel_for(tiles, std::max<int64_t>(1, grain * tiles / count),
               [&](int64_t begin, int64_t end) {
                 detail::TileRunner<T, Out, N, Function> runner(plan, to, from, function,
                                                                past_caches);
                 for (int64_t tile = begin; tile < end; ++tile) runner.run(tile);
               });
}

#endif

}  // namespace onnxop

#if defined(__CUDACC__)
#include "cuda/elementwise.cuh"
#endif
