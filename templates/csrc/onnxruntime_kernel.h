// A node of a model: its kernel, on the session's threads, and its shapes.
//
// A class describes the node, here called Node. It has the constants kDomain, kOpType, kInputs and
// kOutputs (arrays of Port), is made from the node's Attributes, and has
//   infer(inputs...), which gives an OutputSpec, or an array of them where there are several, and
//   compute(outputs..., inputs..., parallel_for).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "infer.h"
#include "onnxruntime_abi.h"
#include "onnxruntime_attributes.h"
#include "onnxruntime_infer.h"
#include "onnxruntime_tensor.h"
#include "operator.h"
#include "tensor.h"

namespace op::ort {

/// An input or an output of a node.
struct Port {
  const char* name;
  std::optional<ElementType> type = std::nullopt;  // std::nullopt: the dtype of the custom op
  bool is_optional = false;

  /// Whether infer() is to say the type.
  constexpr bool is_open() const { return type == ElementType::any; }
};

// ---- Threads ----

/// The session's threads, as kernels ask for them.
class ParallelFor {
 public:
  ParallelFor(const Api& api, const KernelContext* context) : api_(api), context_(context) {}

  template <typename Body>
  void operator()(int64_t count, int64_t grain, const Body& body) const {
    // How many threads the session has is not known; with some chunks for each that there may be,
    // all of them are busy to the end.
    static const int64_t kMostChunks = 8 * std::max(1u, std::thread::hardware_concurrency());
    const int64_t chunks = std::min(count / std::max<int64_t>(1, grain), kMostChunks);
    if (chunks > 1) {
      Loop<Body> loop{.body = body, .count = count, .chunks = chunks};
      check(api_.parallel_for(context_, &Loop<Body>::run, chunks, 0, &loop));
      if (loop.error) std::rethrow_exception(loop.error);
    } else if (count > 0) {
      body(0, count);
    }
  }

 private:
  template <typename Body>
  struct Loop {
    const Body& body;
    int64_t count, chunks;
    std::atomic<bool> has_failed = false;
    std::exception_ptr error = nullptr;  // the first: no exception may leave a thread

    int64_t begin(int64_t chunk) const {
      return count / chunks * chunk + std::min(chunk, count % chunks);
    }

    static void run(void* data, size_t index) {
      Loop& loop = *static_cast<Loop*>(data);
      const auto chunk = static_cast<int64_t>(index);
      try {
        if (!loop.has_failed) loop.body(loop.begin(chunk), loop.begin(chunk + 1));
      } catch (...) {
        if (!loop.has_failed.exchange(true)) loop.error = std::current_exception();
      }
    }
  };

  Api api_;
  const KernelContext* context_;
};

// ---- A node ----

/// Calls `function` with a node's inputs: an optional one as a std::optional, any other as it is.
template <typename Node, typename Tensor, size_t N, typename Function>
auto with_inputs(const std::array<std::optional<Tensor>, N>& inputs, const Function& function) {
  const auto argument = [&]<size_t I>() -> const auto& {
    if constexpr (Node::kInputs[I].is_optional) {
      return inputs[I];
    } else {
      if (!inputs[I]) fail(kName, ": the node leaves out its input ", Node::kInputs[I].name);
      return *inputs[I];
    }
  };
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return function(argument.template operator()<I>()...);
  }(std::make_index_sequence<N>());
}

/// What `get` gives of each input that is there.
template <typename Tensor, size_t N, typename Get>
auto map_inputs(const std::array<std::optional<Tensor>, N>& inputs, const Get& get) {
  std::array<std::optional<decltype(get(*inputs[0]))>, N> found;
  for (size_t i = 0; i < N; ++i) {
    if (inputs[i]) found[i] = get(*inputs[i]);
  }
  return found;
}

inline std::array<OutputSpec, 1> as_array(OutputSpec spec) { return {std::move(spec)}; }
template <size_t N>
std::array<OutputSpec, N> as_array(std::array<OutputSpec, N> specs) {
  return specs;
}

/// `Tensor` is an InputTensor or a ModelTensor.
template <typename Node, typename Tensor, size_t N>
auto infer_outputs(const Node& node, const std::array<std::optional<Tensor>, N>& inputs) {
  const auto metas = map_inputs(inputs, [](const Tensor& tensor) { return tensor.meta(); });
  const auto infer = [&](const auto&... input) { return as_array(node.infer(input...)); };
  return with_inputs<Node>(metas, infer);
}

/// A node in a session.
template <typename Node>
class Kernel {
 public:
  Kernel(const Api& api, const KernelInfo* info) : api_(api), node_(KernelAttributes(api, info)) {}

  const Api& api() const { return api_; }

  void compute(KernelContext* context) const {
    const auto inputs = read_inputs(context);
    const auto views = map_inputs(inputs, [](const InputTensor& input) { return input.view(); });
    const auto outputs =
        allocate(context, infer_outputs(node_, inputs), std::make_index_sequence<kOutputCount>());
    const auto call = [&](const auto&... input) {
      std::apply(
          [&](const auto&... output) {
            node_.compute(output.view()..., input..., ParallelFor(api_, context));
          },
          outputs);
    };
    with_inputs<Node>(views, call);
  }

 private:
  static constexpr size_t kInputCount = Node::kInputs.size();
  static constexpr size_t kOutputCount = Node::kOutputs.size();

  auto read_inputs(const KernelContext* context) const {
    std::array<std::optional<InputTensor>, kInputCount> inputs;
    size_t count = 0;
    check(api_.get_input_count(context, &count));
    for (size_t i = 0; i < std::min(count, kInputCount); ++i) {
      const Value* value = nullptr;
      check(api_.get_input(context, i, &value));
      if (value != nullptr) inputs[i].emplace(api_, Node::kInputs[i].name, value);
    }
    return inputs;
  }

  template <size_t... I>
  auto allocate(KernelContext* context, const std::array<OutputSpec, kOutputCount>& specs,
                std::index_sequence<I...>) const {
    return std::array<OutputTensor, kOutputCount>{OutputTensor(
        api_, context, I, Node::kOutputs[I].name, concrete(kName, specs[I]))...};
  }

  Api api_;
  Node node_;
};

/// Says the outputs' shapes, in so far as they are known while a model is loaded: of all outputs,
/// or of those that are there for sure.
template <typename Node>
void infer_shapes(const Api& api, const ShapeInferContext* context, bool all_outputs) {
  std::array<std::optional<ModelTensor>, Node::kInputs.size()> inputs;
  OpenSizes open;
  size_t count = 0;
  check(api.get_input_count(context, &count));
  for (size_t i = 0; i < std::min(count, inputs.size()); ++i) {
    TensorInfo* info = nullptr;
    check(api.get_input_info(context, i, &info));
    const Dtype dtype = dtype_of(api, info);
    std::vector<Size> sizes = open.of(api, info);
    if (dtype != Dtype::other) {
      // A tensor of which nothing is known looks like a scalar.
      if (sizes.empty()) return;
      inputs[i].emplace(Node::kInputs[i].name, dtype, std::move(sizes));
    }
  }
  const Node node{InferenceAttributes(api, context)};
  try {
    const auto outputs = infer_outputs(node, inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool is_there = i == 0 || all_outputs || Node::kOutputs[i].is_open();
      if (is_there) set_output(api, context, i, outputs[i]);
    }
  } catch (const std::runtime_error&) {
    // With sizes that are open, that proves nothing: the kernel looks again.
    if (open.empty()) throw;
  }
}

}  // namespace op::ort
