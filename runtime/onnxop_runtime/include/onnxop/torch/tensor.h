// PyTorch's tensors as views for kernels, through its C functions.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "../tensor.h"
#include "../worker.h"
#include "abi.h"
#include "layout.h"

namespace onnxop {

struct DeleteTensor {
  void operator()(aten::TensorObject* tensor) const {
    aten::functions().aoti_torch_delete_tensor_object(tensor);
  }
};

/// A reference to a PyTorch tensor.
using Tensor = std::unique_ptr<aten::TensorObject, DeleteTensor>;

#if defined(ONNXOP_CUDA)
inline constexpr const char* kPlace = "GPU";
inline constexpr const char* kKey = "CUDA";
#else
inline constexpr const char* kPlace = "CPU";
inline constexpr const char* kKey = "CPU";
#endif

/// PyTorch's numbers by our dtypes.
struct TorchCodes {
  TorchCodes() {
    const aten::Functions& torch = aten::functions();
    dtypes = {torch.aoti_torch_dtype_float32(), torch.aoti_torch_dtype_float64(),
              torch.aoti_torch_dtype_float16(), torch.aoti_torch_dtype_bfloat16(),
              torch.aoti_torch_dtype_uint8(), torch.aoti_torch_dtype_uint16(),
              torch.aoti_torch_dtype_uint32(), torch.aoti_torch_dtype_uint64(),
              torch.aoti_torch_dtype_int8(), torch.aoti_torch_dtype_int16(),
              torch.aoti_torch_dtype_int32(), torch.aoti_torch_dtype_int64(),
              torch.aoti_torch_dtype_bool(), torch.aoti_torch_dtype_complex64(),
              torch.aoti_torch_dtype_complex128()};
    strided = torch.aoti_torch_layout_strided();
#if defined(ONNXOP_CUDA)
    device = torch.aoti_torch_device_type_cuda();
#else
    device = torch.aoti_torch_device_type_cpu();
#endif
  }

  Dtype dtype(int32_t code) const {
    return static_cast<Dtype>(std::ranges::find(dtypes, code) - dtypes.begin());
  }
  int32_t code(Dtype dtype) const { return dtypes[static_cast<size_t>(dtype)]; }

  std::array<int32_t, static_cast<size_t>(Dtype::other)> dtypes;
  int32_t strided, device;
};

inline const TorchCodes& torch_codes() {
  static const TorchCodes codes;
  return codes;
}

/// Returns the result of a PyTorch function for a tensor.
template <typename T>
T ask(aten::Status (*function)(aten::TensorObject*, T*), const Tensor& tensor) {
  T answer{};
  aten::check(function(tensor.get(), &answer), "describe a tensor");
  return answer;
}

/// The index of the device of the call's tensors; 0 on CPUs.
inline int32_t& current_device() {
  static thread_local int32_t index = 0;
  return index;
}

/// Throws if an argument is not on the device on which the kernel reads it.
inline void check_device(std::string_view op, std::string_view name, const Tensor& tensor, [[maybe_unused]] bool on_host) {
  const aten::Functions& torch = aten::functions();
  const int32_t device = ask(torch.aoti_torch_get_device_type, tensor);
#if defined(ONNXOP_CUDA)
  if (on_host) {
    if (device == torch.aoti_torch_device_type_cpu()) return;
    fail(op, " reads ", name, " on the CPU to determine sizes, but it is on another device; pass ", name, ".cpu()");
  }
#endif
  if (device != torch_codes().device) fail(op, " runs on the ", kPlace, ", but ", name, " is on another device");
#if defined(ONNXOP_CUDA)
  if (ask(torch.aoti_torch_get_device_index, tensor) != current_device()) {
    fail(op, " runs on cuda:", current_device(), ", but ", name, " is on another GPU");
  }
#endif
}

/// Returns a view of an argument for the kernel of `op`. The tensor must outlive it.
inline TensorView view(std::string_view op, std::string_view name, const Tensor& tensor, bool on_host = false) {
  const aten::Functions& torch = aten::functions();
  const TorchCodes& codes = torch_codes();
  check_device(op, name, tensor, on_host);
  // Sparse tensors have no storage, fake tensors a storage without memory.
  const void* data = nullptr;
  const bool has_storage = ask(torch.aoti_torch_get_layout, tensor) == codes.strided &&
                           torch.torch_get_const_data_ptr(tensor.get(), &data) == 0;
  if (data == nullptr && !(has_storage && ask(torch.aoti_torch_get_numel, tensor) == 0)) {
    fail(op, " needs dense tensors with data, but ", name, " is sparse, is fake, or has no data");
  }
  const auto rank = static_cast<size_t>(ask(torch.aoti_torch_get_dim, tensor));
  return {
      .name = name,
      .data = data,
      .dtype = codes.dtype(ask(torch.aoti_torch_get_dtype, tensor)),
      .sizes = {ask(torch.aoti_torch_get_sizes, tensor), rank},
      .strides = {ask(torch.aoti_torch_get_strides, tensor), rank},
  };
}

/// Whether new memory for the CPU is filled, so that tests see the elements that a kernel leaves
/// unwritten. PyTorch fills only what its own operators make.
inline bool& fills_new_memory() {
  static bool fills = false;
  return fills;
}

/// Fills a new tensor with NaN, or with -1 if it holds integers: all bits are set.
inline void fill_new(const Tensor& tensor) {
  const aten::Functions& torch = aten::functions();
  const auto bytes = static_cast<size_t>(ask(torch.aoti_torch_get_storage_size, tensor));
  if (bytes != 0) std::memset(ask(torch.torch_get_mutable_data_ptr, tensor), 0xff, bytes);
}

/// Returns a new tensor without gaps on the call's device, of PyTorch's dtype `code`.
inline Tensor allocate(int32_t code, std::span<const int64_t> sizes, const Order& order = {}) {
  CallMemory memory;
  const std::span<int64_t> strides = memory.items<int64_t>(sizes.size());
  write_strides(strides, sizes, order);
  aten::TensorObject* made = nullptr;
  const auto rank = static_cast<int64_t>(sizes.size());
  aten::check(aten::functions().aoti_torch_empty_strided(rank, sizes.data(), strides.data(), code,
                                                         torch_codes().device, current_device(), &made),
              "make a result");
  Tensor tensor(made);
#if !defined(ONNXOP_CUDA)
  if (fills_new_memory()) fill_new(tensor);
#endif
  return tensor;
}

inline Tensor allocate(const TensorSpec& spec, const Order& order = {}) {
  return allocate(torch_codes().code(spec.dtype), spec.sizes, order);
}

inline MutableTensorView view(std::string_view name, const Tensor& tensor,
                              const TensorSpec& spec) {
  const aten::Functions& torch = aten::functions();
  return {
      .name = name,
      .data = ask(torch.torch_get_mutable_data_ptr, tensor),
      .dtype = spec.dtype,
      .sizes = spec.sizes,
      .strides = {ask(torch.aoti_torch_get_strides, tensor), spec.sizes.size()},
  };
}

inline bool is_contiguous(const Tensor& tensor) {
  return ask(aten::functions().aoti_torch_is_contiguous, tensor);
}

/// Returns a contiguous copy on the same device.
inline Tensor contiguous_copy(const Tensor& tensor) {
  const aten::Functions& torch = aten::functions();
  const std::span sizes(ask(torch.aoti_torch_get_sizes, tensor), static_cast<size_t>(ask(torch.aoti_torch_get_dim, tensor)));
  const std::vector<int64_t> strides = strides_of(sizes, {});
  aten::TensorObject* made = nullptr;
  aten::check(torch.aoti_torch_empty_strided(static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(),
                                             ask(torch.aoti_torch_get_dtype, tensor),
                                             ask(torch.aoti_torch_get_device_type, tensor),
                                             ask(torch.aoti_torch_get_device_index, tensor), &made),
              "make a copy");
  Tensor copy(made);
  aten::check(torch.aoti_torch_copy_(copy.get(), tensor.get(), 0), "copy an argument");
  return copy;
}

#if defined(ONNXOP_CUDA)
/// PyTorch's current stream on a tensor's device, which is the current device meanwhile.
class TorchStream {
 public:
  explicit TorchStream(const Tensor* tensor) {
    const aten::Functions& torch = aten::functions();
    if (tensor != nullptr) current_device() = ask(torch.aoti_torch_get_device_index, *tensor);
    aten::check(torch.aoti_torch_create_cuda_guard(current_device(), &guard_), "choose a device");
  }
  TorchStream(const TorchStream&) = delete;
  TorchStream& operator=(const TorchStream&) = delete;
  ~TorchStream() { aten::functions().aoti_torch_delete_cuda_guard(guard_); }

  class Stream final : public cuda::Stream {
   public:
    Stream() : cuda::Stream(current()) {}

   protected:
    // From PyTorch's caching allocator, which gives it to this stream's later work only.
    void* allocate(size_t bytes) const override {
      const std::vector<int64_t> sizes{static_cast<int64_t>(bytes)};
      tensors_.push_back(onnxop::allocate(aten::functions().aoti_torch_dtype_uint8(), sizes));
      return ask(aten::functions().torch_get_mutable_data_ptr, tensors_.back());
    }

   private:
    static CUstream_st* current() {
      void* stream = nullptr;
      aten::check(aten::functions().aoti_torch_get_current_cuda_stream(current_device(), &stream), "find its stream");
      return static_cast<CUstream_st*>(stream);
    }
    mutable std::vector<Tensor> tensors_;
  };

 private:
  aten::CudaGuard* guard_ = nullptr;
};
using TorchWorker = TorchStream::Stream;
#else
/// PyTorch's threads.
class TorchThreads final : public ParallelFor {
 protected:
  void run(int64_t count, int64_t grain, const Range& body) const override {
    Loop loop{.body = body};
    aten::check(aten::functions().torch_parallel_for(0, count, grain, &Loop::run, &loop),
                "run threads");
    if (loop.error) std::rethrow_exception(loop.error);
  }

 private:
  struct Loop {
    const Range& body;
    std::atomic<bool> has_failed = false;
    std::exception_ptr error = nullptr;  // the first one; an exception must not leave a C function

    static void run(int64_t begin, int64_t end, void* loop) {
      Loop& self = *static_cast<Loop*>(loop);
      try {
        self.body(begin, end);
      } catch (...) {
        if (!self.has_failed.exchange(true)) self.error = std::current_exception();
      }
    }
  };
};
using TorchWorker = TorchThreads;
#endif

}  // namespace onnxop
