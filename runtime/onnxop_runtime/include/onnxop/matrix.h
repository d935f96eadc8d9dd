// Matrix products, for kernels written by hand: convolutions, attention, distances.
//
//   multiply(left, right, result, parallel_for);  // result = left * right, on all threads
//
//   const Packed<float> packed(right);            // once, for many products with it
//   multiply_add(left, packed, result);           // result += left * right, on this thread
//
// Matrices are views with any strides and floating dtypes; 16-bit floats are computed in float and
// rounded once. The bits of a product's element depend on its row and its column only, not on the
// matrices' sizes, strides, or threads. A CPU with fused multiply-add rounds once, another one
// twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu.h"
#include "parallel.h"
#include "tensor.h"
#include "vector.h"

namespace onnxop {

// ---- Views ----

/// A view of a matrix. Strides are in elements.
template <typename T>
struct Matrix {
  T* data;
  int64_t rows, columns;
  int64_t row_stride, column_stride = 1;

  T* at(int64_t row, int64_t column) const {
    return data + row * row_stride + column * column_stride;
  }

  Matrix block(int64_t row, int64_t column, int64_t height, int64_t width) const {
    return {at(row, column), height, width, row_stride, column_stride};
  }

  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }

  operator Matrix<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, rows, columns, row_stride, column_stride};
  }
};

namespace detail {

/// Sets to[r][c] to from[r][c], or adds it. The columns of `to` are consecutive.
template <bool kAdds, typename From, typename To>
ONNXOP_EACH_CPU void copy_rows(int64_t rows, int64_t columns, const From* __restrict from,
                               int64_t row_stride, int64_t column_stride, To* __restrict to,
                               int64_t to_stride, int64_t to_column_stride) {
  const auto copy = [](const From& value, To& place) {
    const auto sum = static_cast<Compute<To>>(load(value));
    place = store<To>(kAdds ? load(place) + sum : sum);
  };
  // If the columns of both are consecutive, rows are copied; else squares, which use whole cache
  // lines.
  if (column_stride == 1 && to_column_stride == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) copy(from[r * row_stride + c], to[r * to_stride + c]);
    }
    return;
  }
  constexpr int64_t kSide = 16;
  for (int64_t first = 0; first < columns; first += kSide) {
    const int64_t last = std::min(columns, first + kSide);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = first; c < last; ++c) {
        copy(from[r * row_stride + c * column_stride], to[r * to_stride + c * to_column_stride]);
      }
    }
  }
}

template <bool kAdds, typename From, typename To>
void copy(Matrix<const From> from, Matrix<To> to) {
  if (to.column_stride > to.row_stride) {
    from = from.transposed();
    to = to.transposed();
  }
  copy_rows<kAdds>(to.rows, to.columns, from.data, from.row_stride, from.column_stride, to.data,
                   to.row_stride, to.column_stride);
}

}  // namespace detail

/// to = from, of the same size, converted to the type of `to`.
template <typename From, typename To>
void copy(const Matrix<From>& from, const Matrix<To>& to) {
  detail::copy<false>(Matrix<const From>(from), to);
}

// ---- The block in registers ----

namespace detail {

/// Hides from GCC that a sum continues the last one. It does not fuse the products of a lone chain of
/// sums, which some CPUs add faster apart; bits would then depend on the number of rows.
template <typename V>
ONNXOP_INLINE void hide_chain([[maybe_unused]] V& sum) {
#if defined(__GNUC__) && defined(__x86_64__)
  asm("" : "+v"(sum));
#elif defined(__GNUC__) && defined(__aarch64__)
  asm("" : "+w"(sum));
#endif
}

/// Sets sums[r][c] to the sum over d of left[r][d] * panel[d][c], or adds it, for the columns of kVectors
/// registers, out of the `width` columns of panel and sums.
template <int64_t kRows, int64_t kVectors, int64_t kBytes, typename T>
ONNXOP_INLINE void multiply_block(int64_t depth, const T* left, int64_t left_stride, const T* panel,
                                  int64_t width, bool adds, T* sums, int64_t sums_stride) {
  constexpr int64_t kEach = kBytes / sizeof(T);
  Vector<T, kBytes> block[kRows][kVectors] = {};
  for (int64_t d = 0; d < depth; ++d) {
    Vector<T, kBytes> right[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) {
      std::memcpy(&right[v], panel + d * width + v * kEach, kBytes);
    }
    for (int64_t r = 0; r < kRows; ++r) {
      const T factor = left[r * left_stride + d];
      for (int64_t v = 0; v < kVectors; ++v) block[r][v] += factor * right[v];
    }
    if constexpr (kRows * kVectors == 1) hide_chain(block[0][0]);
  }
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      T* const to = sums + r * sums_stride + v * kEach;
      Vector<T, kBytes> before = {};
      if (adds) std::memcpy(&before, to, kBytes);
      before += block[r][v];
      std::memcpy(to, &before, kBytes);
    }
  }
}

/// Computes all rows in blocks of kRows, the rest in smaller blocks.
template <int64_t kRows, int64_t kVectors, int64_t kBytes, typename T>
ONNXOP_INLINE void multiply_rows(int64_t rows, int64_t depth, const T* left, int64_t left_stride,
                                 const T* panel, int64_t width, bool adds, T* sums,
                                 int64_t sums_stride) {
  for (; rows >= kRows; rows -= kRows) {
    multiply_block<kRows, kVectors, kBytes>(depth, left, left_stride, panel, width, adds, sums,
                                            sums_stride);
    left += kRows * left_stride;
    sums += kRows * sums_stride;
  }
  if constexpr (kRows > 1) {
    multiply_rows<kRows / 2, kVectors, kBytes>(rows, depth, left, left_stride, panel, width, adds,
                                               sums, sums_stride);
  }
}

/// Computes a panel of two registers' width, of which `columns` are used.
template <int64_t kRows, int64_t kBytes, typename T>
ONNXOP_INLINE void multiply_panel(int64_t rows, int64_t columns, int64_t depth, const T* left,
                                  int64_t left_stride, const T* panel, bool adds, T* sums,
                                  int64_t sums_stride) {
  constexpr int64_t kEach = kBytes / sizeof(T), kWidth = 2 * kEach;
  if (columns > kEach) {
    multiply_rows<kRows, 2, kBytes>(rows, depth, left, left_stride, panel, kWidth, adds, sums,
                                    sums_stride);
  } else {
    multiply_rows<kRows, 1, kBytes>(rows, depth, left, left_stride, panel, kWidth, adds, sums,
                                    sums_stride);
  }
}

// Packages are compiled without fused multiply-add; here it is enabled.
#if defined(__GNUC__) && !defined(__clang__)
#define ONNXOP_FUSED __attribute__((optimize("fp-contract=fast")))
#else
#define ONNXOP_FUSED
#endif

// As many registers for the sums as each level has, besides those for two vectors and a factor, and for a
// product if it is not fused.
template <typename T>
ONNXOP_FUSED void multiply_panel_16(int64_t rows, int64_t columns, int64_t depth, const T* left,
                                    int64_t left_stride, const T* panel, bool adds, T* sums,
                                    int64_t sums_stride) {
  multiply_panel<4, 16>(rows, columns, depth, left, left_stride, panel, adds, sums, sums_stride);
}
#ifdef ONNXOP_HAS_EACH_CPU
template <typename T>
ONNXOP_FUSED
    __attribute__((target("arch=x86-64-v3"))) void multiply_panel_32(int64_t rows, int64_t columns,
                                                                     int64_t depth, const T* left,
                                                                     int64_t left_stride,
                                                                     const T* panel, bool adds,
                                                                     T* sums, int64_t sums_stride) {
  multiply_panel<6, 32>(rows, columns, depth, left, left_stride, panel, adds, sums, sums_stride);
}
template <typename T>
ONNXOP_FUSED __attribute__((target("arch=x86-64-v4"))) void multiply_panel_64(
    int64_t rows, int64_t columns, int64_t depth, const T* left, int64_t left_stride,
    const T* panel, bool adds, T* sums, int64_t sums_stride) {
  multiply_panel<12, 64>(rows, columns, depth, left, left_stride, panel, adds, sums, sums_stride);
}
#endif
#undef ONNXOP_FUSED

/// The code for one kind of CPU, and the size of its registers in bytes.
template <typename T>
struct PanelCode {
  int64_t bytes;
  void (*multiply)(int64_t rows, int64_t columns, int64_t depth, const T* left, int64_t left_stride,
                   const T* panel, bool adds, T* sums, int64_t sums_stride);

  int64_t width() const { return 2 * bytes / static_cast<int64_t>(sizeof(T)); }
};

/// The code for a CPU with such registers.
template <typename T>
PanelCode<T> panel_code(int64_t bytes = register_bytes()) {
#ifdef ONNXOP_HAS_EACH_CPU
  if (bytes == 64) return {bytes, &multiply_panel_64<T>};
  if (bytes == 32) return {bytes, &multiply_panel_32<T>};
#endif
  return {16, &multiply_panel_16<T>};
}

// Sums of this depth are added to the result at once, so that long sums stay exact; a panel of this depth
// fits the nearest cache, and a task's rows and columns the second one.
inline constexpr int64_t kDepth = 256, kTaskRows = 96, kTaskColumns = 512;

// The stride of copied rows: not a power of two, of which a cache holds few.
inline constexpr int64_t kStride = kDepth + 16;

}  // namespace detail

// ---- Products ----

/// A right matrix in the order in which products read it. It owns its elements, in the type to compute
/// in: float or double.
template <typename T>
class Packed {
 public:
  /// Creates a matrix whose elements `set` sets.
  Packed(int64_t rows, int64_t columns, const detail::PanelCode<T>& code = detail::panel_code<T>())
      : code_(code),
        rows_(rows),
        columns_(columns),
        panels_((columns + code.width() - 1) / code.width() * rows * code.width()) {
    const int64_t rest = columns % width();
    for (int64_t r = 0; rest != 0 && r < rows; ++r) {
      std::fill_n(at(r, columns), width() - rest, T(0));
    }
  }

  template <typename Element>
  explicit Packed(const Matrix<Element>& matrix,
                  const detail::PanelCode<T>& code = detail::panel_code<T>())
      : Packed(matrix.rows, matrix.columns, code) {
    set(0, 0, matrix);
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  /// Consecutive columns, row by row.
  int64_t width() const { return code_.width(); }
  T* at(int64_t row, int64_t column) const {
    return panels_.get() + (column / width() * rows_ + row) * width() + column % width();
  }
  const detail::PanelCode<T>& code() const { return code_; }

  /// Sets the elements from a row and column on to those of `matrix`. Threads may set parts in parallel.
  template <typename Element>
  void set(int64_t row, int64_t column, const Matrix<Element>& matrix) {
    for (int64_t done = 0; done < matrix.columns;) {
      const int64_t to = column + done;
      const int64_t count = std::min(matrix.columns - done, width() - to % width());
      copy(matrix.block(0, done, matrix.rows, count),
           Matrix<T>{at(row, to), matrix.rows, count, width()});
      done += count;
    }
  }

 private:
  detail::PanelCode<T> code_;
  int64_t rows_, columns_;
  Buffer<T> panels_;
};

namespace detail {

/// Sets result to left * right, or adds it, for some panels of `right` and a few rows of `left`.
template <bool kAdds, typename Left, typename T, typename Result>
void multiply_task(const Matrix<const Left>& left, const Packed<T>& right, int64_t first_column,
                   const Matrix<Result>& result) {
  constexpr bool kLeftIsReady = std::is_same_v<Left, T>,
                 kResultIsReady = std::is_same_v<Result, T> && !kAdds;
  const int64_t width = right.width(), panels = (result.columns + width - 1) / width;
  // Full speed needs rows of the left matrix of this type, with consecutive elements and, for many
  // panels, consecutive rows.
  const bool copies = !kLeftIsReady || left.column_stride != 1 || result.columns > 256;
  const Buffer<T> copied(copies ? left.rows * kStride : 0);
  // Sums are written directly to the result if full registers fit.
  const bool writes =
      !kResultIsReady || result.column_stride != 1 || result.columns % (width / 2) != 0;
  const Buffer<T> written(writes ? left.rows * panels * width : 0);
  T* sums = written.get();
  int64_t sums_stride = panels * width;
  if constexpr (kResultIsReady) {
    if (!writes) {
      sums = result.data;
      sums_stride = result.row_stride;
    }
  }
  int64_t first = 0;
  do {  // once if the depth is 0
    const int64_t depth = std::min(kDepth, left.columns - first);
    const T* rows = copied.get();
    int64_t stride = kStride;
    if (copies) {
      copy(left.block(0, first, left.rows, depth),
           Matrix<T>{copied.get(), left.rows, depth, stride});
    } else if constexpr (kLeftIsReady) {
      rows = left.at(0, first);
      stride = left.row_stride;
    }
    for (int64_t p = 0; p < panels; ++p) {
      right.code().multiply(left.rows, std::min(width, result.columns - p * width), depth, rows,
                            stride, right.at(first, first_column + p * width), first != 0,
                            sums + p * width, sums_stride);
    }
    first += depth;
  } while (first < left.columns);
  if (writes) copy<kAdds>(Matrix<const T>{sums, left.rows, result.columns, sums_stride}, result);
}

/// Computes the product in parts that fit the caches.
template <bool kAdds, typename Left, typename T, typename Result>
void multiply_in_tasks(const Matrix<const Left>& left, const Packed<T>& right,
                       const Matrix<Result>& result, const ParallelFor& parallel_for) {
  if (left.columns != right.rows() || result.rows != left.rows ||
      result.columns != right.columns()) {
    fail("the product of ", left.rows, " x ", left.columns, " and ", right.rows(), " x ",
         right.columns(), " elements is not of ", result.rows, " x ", result.columns);
  }
  const int64_t side = (result.columns + kTaskColumns - 1) / kTaskColumns;
  const int64_t tasks = (result.rows + kTaskRows - 1) / kTaskRows * side;
  const int64_t work = kTaskRows * std::min(kTaskColumns, result.columns) * left.columns;
  for_each(tasks, work, parallel_for, [&](int64_t task) {
    const int64_t row = task / side * kTaskRows, column = task % side * kTaskColumns;
    const int64_t rows = std::min(kTaskRows, result.rows - row);
    const int64_t columns = std::min(kTaskColumns, result.columns - column);
    multiply_task<kAdds>(left.block(row, 0, rows, left.columns), right, column,
                         result.block(row, column, rows, columns));
  });
}

}  // namespace detail

/// result = left * right. Throws if sizes do not match.
template <typename Left, typename T, typename Result>
void multiply(const Matrix<Left>& left, const Packed<T>& right, const Matrix<Result>& result,
              const ParallelFor& parallel_for = ThisThread()) {
  detail::multiply_in_tasks<false>(Matrix<const Left>(left), right, result, parallel_for);
}

/// result += left * right. Throws if sizes do not match.
template <typename Left, typename T, typename Result>
void multiply_add(const Matrix<Left>& left, const Packed<T>& right, const Matrix<Result>& result,
                  const ParallelFor& parallel_for = ThisThread()) {
  detail::multiply_in_tasks<true>(Matrix<const Left>(left), right, result, parallel_for);
}

/// Packs right, and sets result = left * right. Throws if sizes do not match.
template <typename Left, typename Right, typename Result>
void multiply(const Matrix<Left>& left, const Matrix<Right>& right, const Matrix<Result>& result,
              const ParallelFor& parallel_for = ThisThread()) {
  Packed<Compute<std::remove_const_t<Right>>> packed(right.rows, right.columns);
  constexpr int64_t kRows = 64;
  const int64_t parts = (right.rows + kRows - 1) / kRows;
  for_each(parts, kRows * right.columns, parallel_for, [&](int64_t part) {
    const int64_t first = part * kRows, rows = std::min(kRows, right.rows - first);
    packed.set(first, 0, right.block(first, 0, rows, right.columns));
  });
  multiply(left, packed, result, parallel_for);
}

}  // namespace onnxop
