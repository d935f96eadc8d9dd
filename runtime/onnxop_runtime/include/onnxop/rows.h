// Weighted sums of rows of channels at any addresses: bilinear samples, sums over neighbours. For points
// outside of an image, use a row of zeros. Call run_on_this_cpu<AddRows>(...).
#pragma once

#include "vector.h"

namespace onnxop {

/// Sets out[c] to the sum over rows of shares[r] * rows[r][first + c].
struct AddRows {
  template <int64_t kBytes, typename T>
  ONNXOP_INLINE static void run(int64_t count, const T* const* rows, const T* shares, int64_t first, int64_t channels, T* out) {
    int64_t c = 0;
    for (; c + 4 * kLanes <= channels; c += 4 * kLanes) add<kBytes, 4>(count, rows, shares, first + c, out + c);
    for (; c + 2 * kLanes <= channels; c += 2 * kLanes) add<kBytes, 2>(count, rows, shares, first + c, out + c);
    for (; c + kLanes <= channels; c += kLanes) add<kBytes, 1>(count, rows, shares, first + c, out + c);
    for (; c < channels; ++c) {
      out[c] = 0;
      for (int64_t r = 0; r < count; ++r) out[c] += shares[r] * rows[r][first + c];
    }
  }

  template <int64_t kBytes, int64_t kCount, typename T>
  ONNXOP_INLINE static void add(int64_t count, const T* const* rows, const T* shares, int64_t c, T* out) {
    Lanes<T, kBytes> sums[kCount];
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < kCount; ++i) sums[i].add_share(shares[r], rows[r] + c + i * kLanes);
    }
    for (int64_t i = 0; i < kCount; ++i) sums[i].write(out + i * kLanes);
  }
};

/// Differentiates AddRows: adds shares[r] * grad[c] to rows[r][first + c], one row after the other.
struct ScatterRows {
  template <int64_t kBytes, typename T>
  ONNXOP_INLINE static void run(int64_t count, T* const* rows, const T* shares, int64_t first, int64_t channels, const T* grad) {
    for (int64_t r = 0; r < count; ++r) {
      T* const row = rows[r] + first;
      int64_t c = 0;
      for (; c + kLanes <= channels; c += kLanes) Lanes<T, kBytes>(row + c).add_share(shares[r], grad + c).write(row + c);
      for (; c < channels; ++c) row[c] += shares[r] * grad[c];
    }
  }
};

/// Sets products[r] to the sum over channels of rows[r][first + c] * grad[c].
struct MultiplyRows {
  template <int64_t kBytes, typename T>
  ONNXOP_INLINE static void run(int64_t count, const T* const* rows, int64_t first, int64_t channels, const T* grad, T* products) {
    for (int64_t r = 0; r < count; ++r) {
      const T* const row = rows[r] + first;
      Lanes<T, kBytes> sums;
      int64_t c = 0;
      for (; c + kLanes <= channels; c += kLanes) sums.add_product(Lanes<T, kBytes>(row + c), Lanes<T, kBytes>(grad + c));
      products[r] = sums.sum();
      for (; c < channels; ++c) products[r] += row[c] * grad[c];
    }
  }
};

}  // namespace onnxop
