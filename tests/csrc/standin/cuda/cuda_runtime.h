// CUDA's words for g++, where no GPU is: a kernel's blocks run one after the other, and the threads of a block take turns
// on one thread of the CPU. A thread runs until it waits for others, in __syncthreads or in a shuffle.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#define __CUDACC__
#define __host__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define __shared__ thread_local  // one block runs at a time, on one thread

struct CUstream_st;
using cudaStream_t = CUstream_st*;

enum cudaError_t { cudaSuccess };
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  if (bytes > 0) std::memset(to, value, bytes);
  return cudaSuccess;
}

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 3;
  return cudaSuccess;
}

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {

/// A meeting of some of a block's threads.
struct Barrier {
  int arrived = 0;
  int64_t meetings = 0;
};

/// A block of threads, each with a stack of its own.
class Block {
 public:
  static constexpr int kWarp = 32, kMostThreads = 1024;

  /// Runs `body` in all threads.
  void run(int count, const std::function<void()>& body) {
    body_ = &body;
    threads_ = running_ = count;
    all_ = {};
    for (int i = 0; i < count; ++i) start(i);
    while (running_ > 0) {
      for (int i = 0; i < count; ++i) {
        if (!has_ended_[i]) take_turn(i);
      }
    }
  }

  /// Waits for all threads that have not ended.
  void meet_all() {
    const int64_t before = all_.meetings;
    ++all_.arrived;
    release(all_, running_);
    while (all_.meetings == before) leave();
  }

  /// Waits for the lanes of the mask in this thread's warp.
  void meet_lanes(unsigned mask) {
    const int first_lane = current_ - current_ % kWarp + __builtin_ctz(mask);
    meet(of_lanes_[first_lane], __builtin_popcount(mask));
  }

  /// Returns the value of another lane of the warp.
  template <typename T>
  T exchange(unsigned mask, T value, int lane) {
    static_assert(sizeof(T) <= sizeof(int64_t));
    const int first = current_ - current_ % kWarp;
    std::memcpy(&values_[current_], &value, sizeof(T));
    meet_lanes(mask);
    T other = value;
    if (lane >= 0 && lane < kWarp && first + lane < threads_) std::memcpy(&other, &values_[first + lane], sizeof(T));
    meet_lanes(mask);
    return other;
  }

  int lane() const { return current_ % kWarp; }

 private:
  static constexpr size_t kStack = 128 << 10;

  void start(int i) {
    if (!stacks_[i]) stacks_[i] = std::make_unique<char[]>(kStack);
    has_ended_[i] = false;
    of_lanes_[i] = {};
    getcontext(&contexts_[i]);
    contexts_[i].uc_stack.ss_sp = stacks_[i].get();
    contexts_[i].uc_stack.ss_size = kStack;
    contexts_[i].uc_link = &main_;
    makecontext(&contexts_[i], &Block::enter, 0);
  }

  void take_turn(int i) {
    current_ = i;
    threadIdx.x = static_cast<unsigned>(i) % blockDim.x;
    threadIdx.y = static_cast<unsigned>(i) / blockDim.x;
    swapcontext(&main_, &contexts_[i]);
  }

  void meet(Barrier& barrier, int count) {
    const int64_t before = barrier.meetings;
    ++barrier.arrived;
    release(barrier, count);
    while (barrier.meetings == before) leave();
  }

  void leave() { swapcontext(&contexts_[current_], &main_); }

  static void release(Barrier& barrier, int needed) {
    if (barrier.arrived < needed || barrier.arrived == 0) return;
    barrier.arrived = 0;
    ++barrier.meetings;
  }

  static void enter();

  const std::function<void()>* body_ = nullptr;
  int threads_ = 0, running_ = 0, current_ = 0;
  Barrier all_, of_lanes_[kMostThreads];
  int64_t values_[kMostThreads];
  bool has_ended_[kMostThreads];
  std::unique_ptr<char[]> stacks_[kMostThreads];
  ucontext_t main_, contexts_[kMostThreads];
};

inline Block& block() {
  static auto& only = *new Block;
  return only;
}

inline void Block::enter() {
  Block& self = block();
  (*self.body_)();
  self.has_ended_[self.current_] = true;
  --self.running_;
  release(self.all_, self.running_);
}

}  // namespace emulation

inline void __syncthreads() { emulation::block().meet_all(); }
inline void __syncwarp(unsigned mask) { emulation::block().meet_lanes(mask); }

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned step) {
  emulation::Block& block = emulation::block();
  return block.exchange(mask, value, block.lane() + static_cast<int>(step));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int other) {
  emulation::Block& block = emulation::block();
  return block.exchange(mask, value, block.lane() ^ other);
}

template <typename T>
T atomicAdd(T* to, T value) {
  const T before = *to;
  *to = before + value;
  return before;
}

/// The block's memory of a size that its launch gives.
struct alignas(16) double2 {
  double x, y;
};
namespace onnxop::cuda {
inline constinit thread_local double2 dynamic_memory[(48 << 10) / sizeof(double2)];
}

inline uint32_t __umulhi(uint32_t left, uint32_t right) { return static_cast<uint32_t>((uint64_t{left} * right) >> 32); }

// ---- Launches ----

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  gridDim = config->gridDim;
  blockDim = config->blockDim;
  const std::function<void()> body = [&] { kernel(arguments...); };
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
    emulation::block().run(static_cast<int>(blockDim.x * blockDim.y), body);
  }
  return cudaSuccess;
}
