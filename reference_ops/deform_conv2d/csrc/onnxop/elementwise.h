// Elementwise kernels over any number of tensors: the checks, broadcasting, and one vectorised
// loop.
//
// That loop computes all elements, wherever they are: whole vectors of consecutive ones. The compiler
// sees one loop, and an element's result does not depend on its place, on strides or on threads, though
// the vector and the scalar variant of a function such as exp differ in their last bits. What lies
// otherwise in memory (repeated, transposed, sliced, 16-bit floats) is first copied, a tile that fits
// the nearest cache at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "convert.h"
#include "functions.h"
#include "kernel.h"

namespace onnxop {

// ---- Checks ----

namespace detail {

/// Says which two inputs keep the shapes from being broadcast together, and where.
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

/// What two sizes become together, or std::nullopt where they are numbers that do not match.
inline std::optional<Size> broadcast(Size left, Size right) {
  const auto is_number = [](Size size) { return size.symbol() == nullptr; };
  const auto is_one = [&](Size size) { return is_number(size) && size.value() == 1; };
  if (is_one(right)) return left;
  if (is_one(left)) return right;
  if (is_number(left) && is_number(right)) {
    return left == right ? std::optional(left) : std::nullopt;
  }
  if (is_number(left)) return left;  // one that is open turns out to be the same, or 1
  if (is_number(right)) return right;
  return max(left, right);
}

}  // namespace detail

/// Checks that the inputs have one dtype, a supported one, and shapes that broadcast as in NumPy;
/// says what comes out: of the same dtype, if no other is given.
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

namespace detail {

/// How many elements the widest vector of any CPU holds.
template <typename... T>
inline constexpr int64_t kLanes = 64 / std::min({sizeof(T)...});

/// out[i] = function(in[i]...) for a number of whole vectors: no element is left to scalar code.
template <typename Out, typename Function, typename... Input>
ONNXOP_EACH_CPU void map_vectors(const Function& function, int64_t vectors, Out* __restrict out,
                                 const Input* __restrict... in) {
  const int64_t count = vectors * kLanes<Out, Input...>;
  for (int64_t i = 0; i < count; ++i) out[i] = function(in[i]...);
}

/// The same for any number of elements.
template <typename Out, typename Function, typename... Input>
void map_run(const Function& function, int64_t count, Out* out, const Input*... in) {
  constexpr int64_t lanes = kLanes<Out, Input...>;
  if (count >= lanes) {
    map_vectors(function, count / lanes, out, in...);
    const int64_t last = count - lanes;  // where they overlap, the results are the same
    if (count % lanes != 0) map_vectors(function, 1, out + last, (in + last)...);
  } else if (count > 0) {
    const auto fill = [&]<typename T>(const T* from, T* to) {
      std::fill(std::copy_n(from, count, to), to + lanes, *from);
      return to;
    };
    std::array<Out, lanes> results;
    map_vectors(function, 1, results.data(), fill(in, std::array<Input, lanes>().data())...);  // arrays of this statement
    std::copy_n(results.begin(), count, out);
  }
}

/// The same for consecutive elements of T, which may be 16-bit floats: those are converted in pieces
/// that are short enough for the CPU to fetch all inputs ahead.
template <typename T, typename Out, typename Function, size_t... I>
void map_row(const Function& function, int64_t count, Out* out,
             const std::array<const T*, sizeof...(I)>& in, std::index_sequence<I...>) {
  if constexpr (!is_narrow<T>) {
    map_run(function, count, out, in[I]...);
  } else {
    constexpr int64_t kPiece = 1024;
    alignas(64) Compute<T> wide[sizeof...(I)][kPiece];
    alignas(64) Compute<Out> results[kPiece];
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      const int64_t length = std::min(kPiece, count - begin);
      (convert(in[I] + begin, length, wide[I]), ...);
      if constexpr (is_narrow<Out>) {
        map_run(function, length, results, wide[I]...);
        convert(results, length, out + begin);
      } else {
        map_run(function, length, out + begin, wide[I]...);
      }
    }
  }
}

/// Copies rows x columns elements into consecutive memory, along the direction of the shorter walk.
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

/// One dimension of the loop: its length, and how far a step along it goes in the output and in
/// each input.
template <size_t N>
struct Dimension {
  int64_t size = 1;
  int64_t out_stride = 0;
  std::array<int64_t, N> strides{};
};

/// A loop nest over the output, cut into tiles. The two last dimensions are a tile's rows and
/// columns; a run is what is computed at once, a row or, where rows are short and adjacent in the
/// output, a whole tile.
template <size_t N>
struct Plan {
  // In elements: a tile of each input should fit a near cache, both sides of a transposition the
  // nearest; and for rows shorter than kShortRow, calls would cost more than copies.
  static constexpr int64_t kTileSize = 2048;
  static constexpr int64_t kTransposedSide = 32;
  static constexpr int64_t kShortRow = 64;

  std::vector<Dimension<N>> dims;
  int64_t tile_rows, tile_columns;  // one tile's size
  int64_t row_tiles, column_tiles;  // how many there are along each
  bool whole_tiles;                 // a run is a tile

  Plan(std::span<const int64_t> sizes, const std::array<TensorView, N>& inputs) {
    dims.reserve(sizes.size() + 2);
    dims.push_back({});  // so that there are always rows
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

  /// Adds an inner dimension, as part of the previous one where every input walks the two as one.
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

  /// Where an input's shortest stride is not in the columns, that dimension becomes the rows: a
  /// tile of both directions then uses all of every cache line it touches.
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

/// Computes tiles, one after the other; each thread has its own.
template <typename T, typename Out, size_t N, typename Function>
class TileRunner {
 public:
  TileRunner(const Plan<N>& plan, Out* out, const std::array<const T*, N>& in,
             const Function& function)
      : plan_(plan), out_(out), in_(in), function_(function) {}

  void run(int64_t tile) {
    const Place place = find(tile);
    std::array<const Compute<T>*, N> from;
    std::array<int64_t, N> step;  // from one run to the next
    for (size_t i = 0; i < N; ++i) {
      const int64_t row_stride = plan_.rows().strides[i];
      step[i] = place.columns;
      if constexpr (!is_narrow<T>) {
        if (plan_.columns().strides[i] == 1 &&
            (!plan_.whole_tiles || row_stride == place.columns)) {
          from[i] = place.in[i];
          step[i] = row_stride;
          continue;
        }
      }
      from[i] = copy(i, place);
    }
    const int64_t runs = plan_.whole_tiles ? 1 : place.rows;
    const int64_t length = plan_.whole_tiles ? place.rows * place.columns : place.columns;
    Out* out = place.out;
    for (int64_t r = 0; r < runs; ++r, out += plan_.rows().out_stride) {
      run(length, out, from, std::make_index_sequence<N>());
      for (size_t i = 0; i < N; ++i) from[i] += step[i];
    }
  }

 private:
  struct Place {
    int64_t rows, columns;
    Out* out;
    std::array<const T*, N> in;
  };

  template <size_t... I>
  void run(int64_t length, Out* out, const std::array<const Compute<T>*, N>& from,
           std::index_sequence<I...>) {
    if constexpr (is_narrow<Out>) {
      map_run(function_, length, results_, from[I]...);
      convert(results_, length, out);
    } else {
      map_run(function_, length, out, from[I]...);
    }
  }

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

  /// Input i's tile in consecutive memory, in the type to compute in. A repeated input gives the
  /// same tile many times: it is copied once.
  const Compute<T>* copy(size_t i, const Place& place) {
    Copy& copy = copies_[i];
    if (copy.from != place.in[i] || copy.rows != place.rows || copy.columns != place.columns) {
      copy_to(copy.to, place.in[i], place.rows, place.columns, plan_.rows().strides[i],
              plan_.columns().strides[i]);
      copy.from = place.in[i];
      copy.rows = place.rows;
      copy.columns = place.columns;
    }
    return copy.to;
  }

  void copy_to(Compute<T>* to, const T* from, int64_t rows, int64_t columns, int64_t row_stride,
               int64_t column_stride) {
    if constexpr (!is_narrow<T>) {
      gather(from, rows, columns, row_stride, column_stride, to);
    } else if (column_stride == 1) {
      for (int64_t r = 0; r < rows; ++r) convert(from + r * row_stride, columns, to + r * columns);
    } else {
      gather(from, rows, columns, row_stride, column_stride, gathered_);
      convert(gathered_, rows * columns, to);
    }
  }

  struct Copy {
    const T* from = nullptr;
    int64_t rows, columns;
    alignas(64) Compute<T> to[Plan<N>::kTileSize];
  };

  const Plan<N>& plan_;
  Out* out_;
  std::array<const T*, N> in_;
  const Function& function_;
  std::array<Copy, N> copies_;
  alignas(64) Compute<Out> results_[is_narrow<Out> ? Plan<N>::kTileSize : 1];
  alignas(64) T gathered_[is_narrow<T> ? Plan<N>::kTileSize : 1];
};

}  // namespace detail

/// Computes `out = function(inputs...)` for elements of type T, which give elements of type Out.
/// `infer_elementwise` has checked the inputs. `function` takes and gives what T and Out are computed
/// in: the dtypes of one such type share its loop.
///
/// `grain` is in elements: as many as are worth another thread.
template <typename T, typename Out = T, size_t N, typename Function>
void elementwise(const MutableTensorView& out, const std::array<TensorView, N>& inputs,
                 int64_t grain, const ParallelFor& parallel_for, const Function& function) {
  const int64_t count = element_count(out.sizes);
  if (count == 0) return;
  const detail::Plan<N> plan(out.sizes, inputs);
  Out* const to = out.data_as<Out>();
  const auto run = [&]<size_t... I>(std::index_sequence<I...>) {
    const std::array<const T*, N> from{inputs[I].template data_as<T>()...};
    if (plan.is_one_run()) {
      parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        detail::map_row<T>(function, end - begin, to + begin, {(from[I] + begin)...},
                           std::index_sequence<I...>());
      });
      return;
    }
    const int64_t tiles = plan.tile_count();
    parallel_for(tiles, std::max<int64_t>(1, grain * tiles / count),
                 [&](int64_t begin, int64_t end) {
                   detail::TileRunner<T, Out, N, Function> runner(plan, to, from, function);
                   for (int64_t tile = begin; tile < end; ++tile) runner.run(tile);
                 });
  };
  run(std::make_index_sequence<N>());
}

}  // namespace onnxop
