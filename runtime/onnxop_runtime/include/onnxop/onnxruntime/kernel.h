// A node of a model: its kernel, on the session's threads, and its shapes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "../values.h"
#include "abi.h"
#include "attributes.h"
#include "infer.h"
#include "tensor.h"

namespace onnxop::ort {

// ---- Threads ----

/// The session's threads.
class SessionThreads final : public ParallelFor {
 public:
  SessionThreads(const Api& api, const KernelContext* context) : api_(api), context_(context) {}

 protected:
  void run(int64_t count, int64_t grain, const Range& body) const override {
    // How many threads the session has is not known; with some chunks for each that there may be,
    // all of them are busy to the end.
    static const int64_t kMostChunks = 8 * std::max(1u, std::thread::hardware_concurrency());
    const int64_t chunks = std::min(count / std::max<int64_t>(1, grain), kMostChunks);
    if (chunks > 1) {
      Loop loop{.body = body, .count = count, .chunks = chunks};
      check(api_.parallel_for(context_, &Loop::run, chunks, 0, &loop));
      if (loop.error) std::rethrow_exception(loop.error);
    } else if (count > 0) {
      body(0, count);
    }
  }

 private:
  struct Loop {
    const Range& body;
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

/// The arguments that are attributes of a node, in their places among all.
inline std::vector<Constant> constants_of(const Op& op, const Attributes& attributes) {
  std::vector<Constant> constants;
  for (const Argument& argument : op.arguments) {
    constants.push_back(argument.is_tensor() ? None() : attributes.value(argument));
  }
  return constants;
}

[[noreturn]] inline void fail_without(const Op& op, const Argument& input) {
  fail(op.name, ": the node leaves out its input ", input.name);
}

/// Whether the kernel computes with the dtype itself.
inline bool computes(const Op& op, Dtype dtype) {
  return std::ranges::find(op.dtypes, dtype) != op.dtypes.end();
}

/// Whether it computes with floats in place of the dtype.
inline bool widens(const Op& op, Dtype dtype) {
  return is_half(dtype) && !computes(op, dtype) && computes(op, Dtype::float32);
}

/// The dtypes of a node's inputs, in so far as it has them.
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

/// Where the inputs of an argument end that begin at a place: those of a list are all that are left.
inline size_t end_of(const Argument& argument, size_t place, size_t count) {
  return argument.is_list ? count : std::min(place + 1, count);
}

/// Refuses dtypes that do not go together. The runtime looks at one input alone.
inline void check_dtypes(const Op& op, const std::vector<std::optional<Dtype>>& dtypes) {
  const char* first = nullptr;
  std::optional<Dtype> wanted;
  size_t place = 0;
  for (const Argument& argument : op.arguments) {
    if (!argument.is_tensor()) continue;
    for (const size_t end = end_of(argument, place, dtypes.size()); place < end; ++place) {
      const std::optional<Dtype> dtype = dtypes[place];
      if (!dtype || argument.dtype == kAnyDtype) continue;
      if (argument.dtype && argument.dtype != dtype) {
        fail(op.name, ": ", argument.name, " must be ", name(*argument.dtype), ", but is ",
             name(*dtype));
      }
      if (argument.dtype) continue;
      if (wanted && wanted != dtype) {
        fail(op.name, ": ", first, " and ", argument.name, " must have the same dtype, but ",
             first, " is ", name(*wanted), " and ", argument.name, " is ", name(*dtype));
      }
      if (!wanted) first = argument.name;
      wanted = dtype;
    }
  }
}

/// Refuses a node that means what it came to mean after this kernel. Nodes of the first version do not
/// say theirs.
inline void check_version(const Op& op, const Api& api, const KernelInfo* node) {
  int64_t version = 1;
  if (!succeeds(api, api.get_attribute(node, "onnxop_version", &version))) return;
  if (version > op.version) {
    fail(op.name, ": the node is of version ", version, ", but this library, of ", op.package,
         ", knows version ", op.version, "; take that of the package which exported the model");
  }
}

/// The tensors that a kernel is given, which it owns, and the names of those in lists.
struct InputTensors {
  std::deque<InputTensor> all;
  std::deque<std::vector<TensorView>> lists;  // which move nothing as they grow
  ItemNames names;
};

/// A node in a session, whose tensors are of the dtype.
class Kernel {
 public:
  Kernel(const Op& op, const Api& api, const KernelInfo* info, Dtype dtype)
      : op_(op),
        api_(api),
        constants_(constants_of(op, KernelAttributes(op.name, api, info))),
        widens_(widens(op, dtype)) {
    check_version(op, api, info);
    check_spelling(op, KernelAttributes(op.name, api, info));
    check_dtypes(op, input_dtypes(api, info));
  }

  const Api& api() const { return api_; }

  void compute(KernelContext* context) const {
    const SessionThreads threads(api_, context);
    InputTensors inputs;
    const std::vector<onnxop::Value> values = read(context, inputs, threads);
    const std::vector<TensorSpec> specs = specs_of(op_, values);
    std::deque<OutputTensor> outputs;
    std::vector<MutableTensorView> views;
    for (size_t i = 0; i < specs.size(); ++i) {
      const char* const name = op_.results[i].name;
      outputs.emplace_back(api_, context, i, op_.name, name, specs[i], widens_);
      views.push_back(outputs.back().view());
    }
    op_.compute(views, values, threads);
    for (const OutputTensor& output : outputs) output.narrow(threads);
  }

 private:
  std::vector<onnxop::Value> read(KernelContext* context, InputTensors& inputs,
                                  const ParallelFor& threads) const {
    std::vector<onnxop::Value> values;
    values.reserve(op_.arguments.size());
    size_t count = 0, place = 0;
    check(api_.get_input_count(context, &count));
    for (size_t i = 0; i < op_.arguments.size(); ++i) {
      const Argument& argument = op_.arguments[i];
      if (!argument.is_tensor()) {
        values.push_back(value_of(constants_[i]));
        continue;
      }
      const auto next = [&](const char* name) -> std::optional<TensorView> {
        const ort::Value* value = nullptr;
        if (place < count) check(api_.get_input(context, place, &value));
        ++place;
        if (value == nullptr) {
          if (!argument.is_optional) fail_without(op_, argument);
          return std::nullopt;
        }
        InputTensor& input = inputs.all.emplace_back(api_, name, value);
        if (widens_) input.widen(threads);
        return input.view();
      };
      if (argument.is_list) {
        std::vector<TensorView>& views = inputs.lists.emplace_back();
        while (place < count) views.push_back(*next(inputs.names.of(argument.name, views.size())));
        values.push_back(std::span<const TensorView>(views));
      } else if (const std::optional<TensorView> view = next(argument.name)) {
        values.push_back(*view);
      } else {
        values.push_back(None());
      }
    }
    return values;
  }

  const Op& op_;
  Api api_;
  std::vector<Constant> constants_;
  bool widens_;
};

/// An input of a node while shapes are inferred.
struct ModelTensor {
  Dtype dtype;
  std::vector<Size> sizes;
};

/// The tensors of each argument, of which one that is left out has none; std::nullopt where nothing is
/// known of one, which looks like a scalar.
inline std::optional<std::vector<std::vector<ModelTensor>>> model_tensors(
    const Op& op, const Api& api, const ShapeInferContext* context, OpenSizes& open) {
  std::vector<std::vector<ModelTensor>> tensors(op.arguments.size());
  size_t count = 0, place = 0;
  check(api.get_input_count(context, &count));
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    const Argument& argument = op.arguments[i];
    if (!argument.is_tensor()) continue;
    for (const size_t end = end_of(argument, place, count); place < end; ++place) {
      TensorInfo* info = nullptr;
      check(api.get_input_info(context, place, &info));
      ModelTensor tensor{dtype_of(api, info), open.of(api, info)};
      const bool is_left_out = tensor.dtype == Dtype::other;
      if (is_left_out ? argument.is_list : tensor.sizes.empty()) return std::nullopt;
      if (!is_left_out) tensors[i].push_back(std::move(tensor));
    }
  }
  return tensors;
}

/// Says the outputs' shapes, in so far as they are known while a model is loaded: of all outputs,
/// or of those that are there for sure. The node's tensors are of the dtype.
inline void infer_shapes(const Op& op, const Api& api, const ShapeInferContext* context,
                         Dtype node_dtype, bool all_outputs) {
  OpenSizes open;
  auto tensors = model_tensors(op, api, context, open);
  if (!tensors) return;
  const bool is_widened = widens(op, node_dtype);
  const std::vector<Constant> constants =
      constants_of(op, InferenceAttributes(op.name, api, context));
  try {
    Metas metas(op);
    for (size_t i = 0; i < op.arguments.size(); ++i) {
      const Argument& argument = op.arguments[i];
      const auto meta = [&](const char* name, ModelTensor& tensor) {
        const bool is_seen_as_float = is_widened && is_half(tensor.dtype);
        const Dtype dtype = is_seen_as_float ? Dtype::float32 : tensor.dtype;
        return metas.tensor(name, nullptr, dtype, std::move(tensor.sizes));
      };
      if (argument.is_tensor() && argument.is_list) {
        std::vector<TensorMeta> list;
        for (ModelTensor& each : (*tensors)[i]) {
          list.push_back(meta(metas.item_name(argument.name, list.size()), each));
        }
        metas.add_tensors(std::move(list));
      } else if (!(*tensors)[i].empty()) {
        metas.add(meta(argument.name, (*tensors)[i].front()));
      } else {
        if (argument.is_tensor() && !argument.is_optional) fail_without(op, argument);
        metas.add(argument, value_of(constants[i]));
      }
    }
    std::vector<OutputSpec> outputs = op.infer(metas.list());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool is_fixed = op.results[i].dtype && op.results[i].dtype != kAnyDtype;
      if (is_widened && !is_fixed && outputs[i].dtype == Dtype::float32) {
        outputs[i].dtype = node_dtype;
      }
      const bool is_there = i == 0 || all_outputs || op.results[i].dtype == kAnyDtype;
      if (is_there) set_output(api, context, op.name, i, outputs[i]);
    }
  } catch (const std::runtime_error&) {
    // With sizes that are open, that proves nothing: the kernel looks again.
    if (open.empty()) throw;
  }
}

}  // namespace onnxop::ort
