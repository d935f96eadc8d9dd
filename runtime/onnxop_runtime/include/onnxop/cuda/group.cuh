// Groups of consecutive elements, which a thread reads or writes at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../cpu.h"

namespace onnxop::cuda {

template <typename T, int kCount>
struct alignas(kCount * sizeof(T) < 16 ? kCount * sizeof(T) : 16) Group {
  T items[kCount];
};

/// The number of elements in a group: 16 bytes of the widest type.
template <typename... T>
inline constexpr int kGroup = 16 / static_cast<int>(std::max({sizeof(T)...}));

/// Returns whether a group can be read or written at this address.
template <int kCount, typename T>
ONNXOP_DEVICE bool is_aligned(const T* at) {
  return reinterpret_cast<uintptr_t>(at) % alignof(Group<T, kCount>) == 0;
}

template <int kCount, typename T>
__device__ Group<T, kCount> read(const T* from) {
  return *reinterpret_cast<const Group<T, kCount>*>(from);
}

template <int kCount, typename T>
__device__ void write(const Group<T, kCount>& group, T* to) {
  *reinterpret_cast<Group<T, kCount>*>(to) = group;
}

}  // namespace onnxop::cuda
