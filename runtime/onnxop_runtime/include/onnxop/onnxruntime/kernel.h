// A node of a model: its kernel, on the session's threads, and its shapes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "../values.h"
#include "../worker.h"
#include "abi.h"
#include "attributes.h"
#include "infer.h"
#include "tensor.h"

#if defined(ONNXOP_CUDA)
// Of the CUDA runtime, whose headers hosts do not need.
extern "C" int cudaMallocAsync(void** memory, size_t bytes, CUstream_st* stream);
extern "C" int cudaFreeAsync(void* memory, CUstream_st* stream);
#endif

namespace onnxop::ort {

#if defined(ONNXOP_CUDA)
// ---- Stream ----

/// The provider's stream of a call.
class SessionStream final : public cuda::Stream {
 public:
  SessionStream(const Api& api, const KernelContext* context) : Stream(stream_of(api, context)) {}
  ~SessionStream() {
    for (void* const memory : taken_) cudaFreeAsync(memory, handle());
  }

 protected:
  // In the stream's order. The provider's arena would give it at once to another stream, of a concurrent run.
  void* allocate(size_t bytes) const override {
    void* memory = nullptr;
    const int error = cudaMallocAsync(&memory, bytes, handle());
    if (error != 0) fail("CUDA cannot allocate ", bytes, " bytes: error ", error);
    taken_.push_back(memory);
    return memory;
  }

 private:
  static CUstream_st* stream_of(const Api& api, const KernelContext* context) {
    void* stream = nullptr;
    check(api.get_stream(context, &stream));
    return static_cast<CUstream_st*>(stream);
  }

  mutable std::vector<void*> taken_;
};
using SessionWorker = SessionStream;
#else
// ---- Threads ----

/// The session's threads.
class SessionThreads final : public ParallelFor {
 public:
  SessionThreads(const Api& api, const KernelContext* context) : api_(api), context_(context) {}

 protected:
  void run(int64_t count, int64_t grain, const Range& body) const override {
    // The number of the session's threads is unknown.
    static const int64_t kThreads = std::max(1u, std::thread::hardware_concurrency());
    Loop loop{.body = body, .chunks = Chunks(count, grain, kThreads)};
    if (loop.chunks.size > 1) {
      check(api_.parallel_for(context_, &Loop::run, loop.chunks.size, 0, &loop));
      if (loop.error) std::rethrow_exception(loop.error);
    } else if (count > 0) {
      body(0, count);
    }
  }

 private:
  struct Loop {
    const Range& body;
    Chunks chunks;
    std::atomic<bool> has_failed = false;
    std::exception_ptr error = nullptr;  // the first one; an exception must not leave a thread

    static void run(void* data, size_t index) {
      Loop& loop = *static_cast<Loop*>(data);
      const auto chunk = static_cast<int64_t>(index);
      try {
        if (!loop.has_failed) loop.body(loop.chunks.begin(chunk), loop.chunks.begin(chunk + 1));
      } catch (...) {
        if (!loop.has_failed.exchange(true)) loop.error = std::current_exception();
      }
    }
  };

  Api api_;
  const KernelContext* context_;
};
using SessionWorker = SessionThreads;
#endif

// ---- A node ----

/// Returns the dtypes of a node's inputs; a missing input has none.
inline std::vector<std::optional<Dtype>> input_dtypes(const Api& api, const KernelInfo* node) {
  size_t count = 0;
  check(api.get_input_count(node, &count));
  std::vector<std::optional<Dtype>> dtypes(count);
  for (size_t i = 0; i < count; ++i) {
    TypeInfo* type = nullptr;
    if (!succeeds(api, api.get_input_type(node, i, &type)) || type == nullptr) continue;
    const TensorInfo* info = nullptr;
    if (succeeds(api, api.get_tensor_info(type, &info)) && info != nullptr) {
      dtypes[i] = dtype_of(api, info);
    }
    api.release_type(type);
  }
  return dtypes;
}

/// A node in a session, with tensors of the dtype.
class Kernel {
 public:
  Kernel(const Op& op, const Api& api, const KernelInfo* info, Dtype dtype)
      : op_(op),
        api_(api),
        constants_(constants_of(op, KernelAttributes(op.name, api, info))),
        widens_(widens(op, dtype)) {
    const KernelAttributes attributes(op.name, api, info);
    check_version(op, attributes);
    check_spelling(op, attributes);
    check_dtypes(op, input_dtypes(api, info));
  }

  const Api& api() const { return api_; }

  void compute(KernelContext* context) const {
    size_t count = 0;
    check(api_.get_input_count(context, &count));
    const SessionWorker worker(api_, context);
    const auto input = [&](size_t place) -> std::optional<RuntimeTensor> {
      const ort::Value* value = nullptr;
      check(api_.get_input(context, place, &value));
      if (value == nullptr) return std::nullopt;
      return tensor_of(api_, value);
    };
    const auto output = [&](size_t i, const TensorSpec& spec) -> std::optional<RuntimeTensor> {
      ort::Value* value = nullptr;
      check(api_.get_output(context, i, spec.sizes.data(), spec.sizes.size(), &value));
      if (value == nullptr) return discarded_output(spec, worker);
      return RuntimeTensor{data_of(api_, value), dtype_of(api_, info_of(api_, value).get()), {}};
    };
    onnxop::compute(op_, constants_, widens_, count, input, output, worker);
  }

 private:
  /// Returns memory for an output that the node leaves out; std::nullopt if compute() shall take some of the CPU's.
  static std::optional<RuntimeTensor> discarded_output([[maybe_unused]] const TensorSpec& spec,
                                            [[maybe_unused]] const SessionWorker& worker) {
#if defined(ONNXOP_CUDA)
    const int64_t bytes = element_count(spec.sizes) * static_cast<int64_t>(sizeof(int64_t));  // as wide as any element
    return RuntimeTensor{worker.scratch<std::byte>(std::max<int64_t>(bytes, 1)), spec.dtype, {}};
#else
    return std::nullopt;
#endif
  }

  const Op& op_;
  Api api_;
  std::vector<Constant> constants_;
  bool widens_;
};

/// Returns the tensors of each argument; a missing argument has none. Returns std::nullopt if a tensor has no
/// sizes: it may be a scalar, or unknown.
inline std::optional<std::vector<std::vector<ModelTensor>>> model_tensors(
    const Op& op, const Api& api, const ShapeInferContext* context, NamedSizes& dynamic) {
  std::vector<std::vector<ModelTensor>> tensors(op.arguments.size());
  size_t count = 0, place = 0;
  check(api.get_input_count(context, &count));
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    const Argument& argument = op.arguments[i];
    if (!argument.is_tensor()) continue;
    for (const size_t end = end_of(argument, place, count); place < end; ++place) {
      TensorInfo* info = nullptr;
      check(api.get_input_info(context, place, &info));
      ModelTensor tensor{dtype_of(api, info), sizes_of(api, info, dynamic)};
      const bool is_left_out = tensor.dtype == Dtype::other;
      if (is_left_out ? argument.type.is_list : tensor.sizes.empty()) return std::nullopt;
      if (!is_left_out) tensors[i].push_back(std::move(tensor));
    }
  }
  return tensors;
}

/// Sets the known shapes of a node's outputs while a model is loaded: of all outputs, or of those that
/// the node is known to have. The node's tensors have the dtype.
inline void infer_shapes(const Op& op, const Api& api, const ShapeInferContext* context,
                         Dtype node_dtype, bool all_outputs) {
  NamedSizes dynamic;
  auto tensors = model_tensors(op, api, context, dynamic);
  if (!tensors) return;
  const auto constants = constants_of(op, InferenceAttributes(op.name, api, context));
  const std::vector<OutputSpec> outputs =
      infer_outputs(op, *std::move(tensors), constants, node_dtype, !dynamic.empty());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool is_there = i == 0 || all_outputs || op.results[i].dtype == kAnyDtype;
    if (is_there) set_output(api, context, op.name, i, outputs[i]);
  }
}

}  // namespace onnxop::ort
