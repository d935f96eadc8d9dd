// Independent pieces of work on a GPU, one thread each.
#pragma once

#include <cstdint>

#include "launch.cuh"

namespace onnxop {
namespace cuda {

template <typename Function>
__global__ void __launch_bounds__(kThreads) each_kernel(Function function, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) function(i);
}

}  // namespace cuda

/// Calls function(i) for each i below `count`; consecutive ones, which should read consecutive memory, run at once.
/// `function` is an object with an ONNXOP_DEVICE or __device__ operator().
template <typename Function>
void for_each(int64_t count, int64_t /*work*/, const cuda::Stream& stream, const Function& function) {
  cuda::launch(cuda::each_kernel<Function>, {(count + cuda::kThreads - 1) / cuda::kThreads}, stream, function, count);
}

}  // namespace onnxop
