// Sums to which threads add in any order: cleared before, and rounded to the elements of a tensor afterwards.
#pragma once

#include <cstdint>

#include "../tensor.h"
#include "for_each.cuh"

namespace onnxop {
namespace cuda {

template <typename T>
struct Clear {
  T* sums;
  __device__ void operator()(int64_t i) const { sums[i] = 0; }
};

template <typename Element>
struct Round {
  const Compute<Element>* sums;
  Element* out;
  __device__ void operator()(int64_t i) const { out[i] = store<Element>(sums[i]); }
};

/// Returns `count` sums that are zero, in memory that lasts as long as the call of the kernel.
template <typename Element>
Compute<Element>* new_sums(int64_t count, const Stream& stream) {
  using T = Compute<Element>;
  T* const sums = stream.scratch<T>(count);
  for_each(count, 1, stream, Clear<T>{sums});
  return sums;
}

/// Writes the sums, rounded, to the elements of a tensor.
template <typename Element>
void write_sums(const Compute<Element>* sums, Element* out, int64_t count, const Stream& stream) {
  for_each(count, 1, stream, Round<Element>{sums, out});
}

}  // namespace cuda
}  // namespace onnxop
