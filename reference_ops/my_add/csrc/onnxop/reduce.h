// Rows that become numbers, for kernels written by hand: sums, norms, softmax.
//
//   for_each(rows, columns, parallel_for, [&](int64_t row) {   // on all threads, from parallel.h
//     const T* const in = x + row * columns;
//     const auto squares = sum(columns, [&](int64_t i) { return load(in[i]) * load(in[i]); });
//     const auto scale = 1 / std::sqrt(squares / columns);
//     fill(columns, out + row * columns, [&](int64_t i) { return load(in[i]) * scale; });
//   });
//
// Sums are vectorised, and taken in an order that the number of terms fixes: their bits depend
// neither on threads, nor on the CPU, nor on a row's place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu.h"
#include "parallel.h"
#include "tensor.h"
#include "vector.h"

namespace onnxop {

namespace detail {

/// lanes[0] = all 2 * kHalf lanes: halves are combined, and halves of these.
template <int64_t kHalf, typename T, typename Combine>
ONNXOP_INLINE void combine_halves(T* lanes, const Combine& combine) {
  for (int64_t l = 0; l < kHalf; ++l) lanes[l] = combine(lanes[l], lanes[l + kHalf]);
  if constexpr (kHalf > 1) combine_halves<kHalf / 2>(lanes, combine);
}

/// term(0) ... term(count - 1), combined; `start` combined with a term is that term.
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

}  // namespace detail

/// The sum of term(i) for i below count, in the terms' own type: float for halves that `load`
/// reads. Terms are arithmetic on elements: functions such as exp, whose vectors and scalars differ
/// in bits, are for `fill`, before.
template <typename Term>
auto sum(int64_t count, const Term& term) {
  using T = decltype(term(0));
  return detail::reduce(count, T(0), term, [](T left, T right) { return left + right; });
}

/// The largest of the same terms, a NaN where there is one; of none, minus infinity.
template <typename Term>
auto largest(int64_t count, const Term& term) {
  using T = decltype(term(0));
  return detail::reduce(count, -std::numeric_limits<T>::infinity(), term, [](T left, T right) {
    return (right > left) | (right != right) ? right : left;
  });
}

/// out[i] = value(i), rounded to the type of `out`. Elements of `out` may be read for their own
/// place.
template <typename Out, typename Value>
ONNXOP_EACH_CPU void fill(int64_t count, Out* out, const Value& value) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = store<Out>(value(i));
}

/// out[c] = the sum over rows, where `add(row, sums)` adds a row's `columns` elements to `sums`,
/// and may do other work. Parts of the rows are added up apart, on all threads; how many depends on
/// the rows alone.
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
