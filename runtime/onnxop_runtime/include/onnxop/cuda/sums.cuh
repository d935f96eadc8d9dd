// Sums to which threads add in any order: cleared before, and rounded to the elements of a tensor
// afterwards.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../tensor.h"
#include "for_each.cuh"

namespace onnxop {
namespace cuda {

template <typename Element>
struct Round {
  const Compute<Element>* sums;
  Element* out;
  __device__ void operator()(int64_t i) const { out[i] = store<Element>(sums[i]); }
};

/// Returns `count` sums that are zero: the elements of a tensor, or memory for the call if these
/// are narrower.
template <typename Element>
Compute<Element>* new_sums(Element* out, int64_t count, const Stream& stream) {
  using T = Compute<Element>;
  T* sums;
  if constexpr (std::is_same_v<T, Element>) {
    sums = out;
  } else {
    sums = stream.scratch<T>(count);
  }
  if (count == 0) return sums;
  check(cudaMemsetAsync(sums, 0, static_cast<size_t>(count) * sizeof(T), stream.handle()),
        "clear memory");
  return sums;
}

/// Writes sums of new_sums(), rounded, to the elements of the tensor.
template <typename Element>
void write_sums(const Compute<Element>* sums, Element* out, int64_t count, const Stream& stream) {
  if constexpr (!std::is_same_v<Compute<Element>, Element>) {
    for_each(count, 1, stream, Round<Element>{sums, out});
  }
}

/// Adds to consecutive sums in global memory; four floats, which must be aligned to 16 bytes, by one
/// instruction where the GPU has it. Shared memory has no such instruction.
template <int kCount, typename T>
__device__ void add_to(T* sums, const T (&terms)[kCount]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float> && kCount % 4 == 0) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
      const float4 four = make_float4(terms[i], terms[i + 1], terms[i + 2], terms[i + 3]);
      atomicAdd(reinterpret_cast<float4*>(sums + i), four);
    }
    return;
  }
#endif
#pragma unroll
  for (int i = 0; i < kCount; ++i) atomicAdd(sums + i, terms[i]);
}

}  // namespace cuda
}  // namespace onnxop
