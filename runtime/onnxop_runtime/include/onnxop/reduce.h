// Reductions of rows, for kernels written by hand: sums, norms, softmax.
//
//   for_each(rows, columns, parallel_for, [&](int64_t row) {   // on all threads, from parallel.h
//     const T* const in = x + row * columns;
//     const auto squares = sum(columns, [&](int64_t i) { return load(in[i]) * load(in[i]); });
//     const auto scale = 1 / std::sqrt(squares / columns);
//     map(columns, out + row * columns, [&](Compute<T> value) { return value * scale; }, in);
//   });
//
// All loops are vectorised. The order of a sum depends on the number of terms only: its bits depend
// neither on threads, nor on the CPU, nor on a row's place. Call functions such as exp in `map` only: their
// vector and scalar variants differ in bits, and `map` always uses the vector variant.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "convert.h"
#include "cpu.h"
#include "elementwise.h"
#include "parallel.h"
#include "tensor.h"
#include "vector.h"

namespace onnxop {

namespace detail {

/// Combines all 2 * kHalf lanes into lanes[0], by halves.
template <int64_t kHalf, typename T, typename Combine>
ONNXOP_INLINE void combine_halves(T* lanes, const Combine& combine) {
  for (int64_t l = 0; l < kHalf; ++l) lanes[l] = combine(lanes[l], lanes[l + kHalf]);
  if constexpr (kHalf > 1) combine_halves<kHalf / 2>(lanes, combine);
}

/// Combines term(0) ... term(count - 1); `start` is neutral.
template <typename T, typename Term, typename Combine>
ONNXOP_EACH_CPU T reduce(int64_t count, T start, const Term& term, const Combine& combine) {
  // Term i goes to lane i % kWide.
  constexpr int64_t kWide = 2 * kLanes;
  T lanes[kWide];
  for (T& lane : lanes) lane = start;
  int64_t i = 0;
  for (; i + kWide <= count; i += kWide) {
    for (int64_t l = 0; l < kWide; ++l) lanes[l] = combine(lanes[l], term(i + l));
  }
  for (T* lane = lanes; i < count; ++i, ++lane) *lane = combine(*lane, term(i));
  combine_halves<kWide / 2>(lanes, combine);
  return lanes[0];
}

template <typename T, typename Value>
ONNXOP_EACH_CPU void fill(int64_t count, T* out, const Value& value) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = value(i);
}

}  // namespace detail

/// The sum of term(i) for i below count, in the type of the terms: float for 16-bit floats from `load`.
/// Terms are arithmetic on elements; call functions such as exp in a `map` before.
template <typename Term>
auto sum(int64_t count, const Term& term) {
  using T = decltype(term(0));
  return detail::reduce(count, T(0), term, [](T left, T right) { return left + right; });
}

/// The largest term, or NaN if one is NaN; minus infinity for no terms.
template <typename Term>
auto largest(int64_t count, const Term& term) {
  using T = decltype(term(0));
  return detail::reduce(count, -std::numeric_limits<T>::infinity(), term, [](T left, T right) {
    return (right > left) | (right != right) ? right : left;
  });
}

/// Sets out[i] to value(i), rounded to the type of `out`. value(i) may read out[i], and is arithmetic, like
/// terms of sums.
template <typename Out, typename Value>
void fill(int64_t count, Out* out, const Value& value) {
  if constexpr (is_narrow<Out>) {
    constexpr int64_t kPiece = 1024;
    Compute<Out> piece[kPiece];
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      const int64_t length = std::min(kPiece, count - begin);
      detail::fill(length, piece, [&](int64_t i) { return value(begin + i); });
      convert(piece, length, out + begin);
    }
  } else {
    detail::fill(count, out, value);
  }
}

/// Sets out[i] to function(in[i]...), rounded to the type of `out`, which must not be an input. Inputs have one
/// type, and `function` takes the type to compute in: 16-bit floats are converted in registers, faster
/// than by `load`. The bits of a result do not depend on its place, for any function.
template <typename Out, typename Function, typename T, typename... More>
void map(int64_t count, Out* out, const Function& function, const T* in, const More*... more) {
  if (count == 0) return;
  const detail::Rows<T, Out, 1 + sizeof...(More)> rows{
      .count = 1,
      .columns = count,
      .out = out,
      .in = {in, more...},
      .in_steps = {},
  };
  detail::map_rows(function, rows);
}

/// Sets out[c] to the sum over rows. `add(row, sums)` adds a row's `columns` elements to `sums`, and may do
/// other work. Parts of the rows are summed on all threads; the number of parts depends on the rows
/// only.
template <typename T, typename Out, typename Add>
void sum_of_rows(int64_t rows, int64_t columns, Out* out, const ParallelFor& parallel_for,
                 const Add& add) {
  constexpr int64_t kMostParts = 64, kLeastRows = 8;
  const int64_t parts = std::clamp<int64_t>(rows / kLeastRows, 1, kMostParts);
  std::vector<T> sums(parts * columns);
  for_each(parts, (rows / parts + 1) * columns, parallel_for, [&](int64_t part) {
    const int64_t last = rows * (part + 1) / parts;
    for (int64_t row = rows * part / parts; row < last; ++row) {
      add(row, sums.data() + part * columns);
    }
  });
  for (int64_t part = 1; part < parts; ++part) {
    const T* const more = sums.data() + part * columns;
    fill(columns, sums.data(), [&](int64_t c) { return sums[c] + more[c]; });
  }
  fill(columns, out, [&](int64_t c) { return sums[c]; });
}

}  // namespace onnxop
