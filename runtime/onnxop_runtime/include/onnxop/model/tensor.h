// The tensors of a model's node as views for kernels, and checks of their dtypes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "../parallel.h"
#include "../values.h"
#include "../worker.h"

namespace onnxop {

// ---- Dtypes ----

constexpr bool is_half(Dtype dtype) {
  return dtype == Dtype::float16 || dtype == Dtype::bfloat16;
}

/// Returns whether the kernel supports the dtype.
inline bool computes(const Op& op, Dtype dtype) {
  return std::ranges::find(op.dtypes, dtype) != op.dtypes.end();
}

/// Returns whether the kernel computes in float instead of the dtype.
inline bool widens(const Op& op, Dtype dtype) {
  return is_half(dtype) && !computes(op, dtype) && computes(op, Dtype::float32);
}

/// Returns the end of an argument's inputs that begin at a place; a list takes all remaining inputs.
inline size_t end_of(const Argument& argument, size_t place, size_t count) {
  return argument.type.is_list ? count : std::min(place + 1, count);
}

[[noreturn]] inline void fail_without(const Op& op, const Argument& input) {
  fail(op.name, ": the node leaves out the required input ", input.name);
}

/// Throws for dtypes that do not match; std::nullopt stands for a missing input or an unknown dtype.
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

// ---- 16-bit floats ----

/// Converts elements from one type to another, on all threads; one of the two is a 16-bit float.
template <typename From, typename To>
void convert(const void* from, void* to, size_t count, const ParallelFor& parallel_for) {
  constexpr int64_t kGrain = 32768;
  parallel_for(static_cast<int64_t>(count), kGrain, [=](int64_t begin, int64_t end) {
    const auto* const source = static_cast<const From*>(from);
    auto* const target = static_cast<To*>(to);
    for (int64_t i = begin; i < end; ++i) target[i] = store<To>(static_cast<float>(source[i]));
  });
}

// ---- Tensors ----

/// A tensor of the runtime, contiguous, in the memory in which the kernel computes.
struct RuntimeTensor {
  void* data;
  Dtype dtype;
  std::vector<int64_t> sizes;
};

/// An input; it owns everything in its views except the data.
class InputTensor {
 public:
  InputTensor(std::string_view name, RuntimeTensor tensor)
      : name_(name),
        data_(tensor.data),
        dtype_(tensor.dtype),
        sizes_(std::move(tensor.sizes)),
        strides_(contiguous_strides(sizes_)) {}

  /// Converts the elements to float, for a kernel without 16-bit floats.
  void widen(const ParallelFor& parallel_for) {
    if (!is_half(dtype_)) return;
    floats_.resize(element_count(sizes_));
    const auto to_floats = dtype_ == Dtype::float16 ? convert<Half, float> : convert<BFloat16, float>;
    to_floats(data_, floats_.data(), floats_.size(), parallel_for);
    data_ = floats_.data();
    dtype_ = Dtype::float32;
  }

  TensorView view() const {
    return {.name = name_, .data = data_, .dtype = dtype_, .sizes = sizes_, .strides = strides_};
  }

 private:
  std::string_view name_;
  const void* data_;
  Dtype dtype_;
  std::vector<int64_t> sizes_, strides_;
  std::vector<float> floats_;
};

/// An output, allocated by the runtime, or a buffer if the node leaves it out. For 16-bit floats, the
/// kernel may write floats, which are converted afterwards.
class OutputTensor {
 public:
  OutputTensor(std::string_view op, std::string_view name, TensorSpec spec, bool may_narrow,
               const std::optional<RuntimeTensor>& tensor)
      : name_(name), spec_(std::move(spec)), strides_(contiguous_strides(spec_.sizes)) {
    const bool is_narrowed =
        tensor && may_narrow && is_half(tensor->dtype) && spec_.dtype == Dtype::float32;
    if (!tensor || is_narrowed) {
      scratch_.resize(element_count(spec_.sizes) * sizeof(int64_t));  // as wide as any element
      data_ = scratch_.data();
    }
    if (!tensor) return;
    if (is_narrowed) {
      narrow_ = tensor->dtype == Dtype::float16 ? convert<float, Half> : convert<float, BFloat16>;
      halves_ = tensor->data;
      return;
    }
    if (tensor->dtype != spec_.dtype) {
      fail(op, ": infer() returns ", onnxop::name(spec_.dtype), " for the output ", name, ", but it is ",
           onnxop::name(tensor->dtype), " in the model");
    }
    data_ = tensor->data;
  }

  void narrow(const ParallelFor& parallel_for) const {
    if (halves_ != nullptr) narrow_(data_, halves_, element_count(spec_.sizes), parallel_for);
  }

  MutableTensorView view() const {
    return {.name = name_,
            .data = data_,
            .dtype = spec_.dtype,
            .sizes = spec_.sizes,
            .strides = strides_};
  }

 private:
  std::string_view name_;
  TensorSpec spec_;
  std::vector<int64_t> strides_;
  std::vector<std::byte> scratch_;
  void* data_ = nullptr;
  void* halves_ = nullptr;
  void (*narrow_)(const void*, void*, size_t, const ParallelFor&) = nullptr;
};

// ---- A node ----

/// Computes a node with `count` inputs: `input(place)` returns a RuntimeTensor, or std::nullopt for a missing
/// input; `output(i, spec)` allocates an output, unless the node leaves it out.
template <typename Input, typename Output>
void compute(const Op& op, const std::vector<Constant>& constants, bool is_widened, size_t count,
             const Input& input, const Output& output, const Worker& threads) {
  std::deque<InputTensor> inputs;
  std::deque<std::vector<TensorView>> lists;  // deques, which do not move their items
  ItemNames names;
  size_t place = 0;
  const auto next = [&](const Argument& argument, const char* name) -> std::optional<TensorView> {
    std::optional<RuntimeTensor> tensor;
    if (place < count) tensor = input(place);
    ++place;
    if (!tensor) {
      if (!argument.type.is_optional) fail_without(op, argument);
      return std::nullopt;
    }
    InputTensor& added = inputs.emplace_back(name, *std::move(tensor));
#if !defined(ONNXOP_CUDA)
    if (is_widened) added.widen(threads);
#endif
    return added.view();
  };
  std::vector<Value> values;
  values.reserve(op.arguments.size());
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    const Argument& argument = op.arguments[i];
    if (!argument.is_tensor()) {
      values.push_back(value_of(constants[i]));
    } else if (argument.type.is_list) {
      std::vector<TensorView>& views = lists.emplace_back();
      while (place < count) {
        views.push_back(*next(argument, names.of(argument.name, views.size())));
      }
      values.push_back(std::span<const TensorView>(views));
    } else if (const std::optional<TensorView> view = next(argument, argument.name)) {
      values.push_back(*view);
    } else {
      values.push_back(None());
    }
  }
  const std::vector<TensorSpec> specs = specs_of(op, values);
  std::deque<OutputTensor> outputs;
  std::vector<MutableTensorView> views;
  for (size_t i = 0; i < specs.size(); ++i) {
    const char* const name = op.results[i].name;
    outputs.emplace_back(op.name, name, specs[i], is_widened, output(i, specs[i]));
    views.push_back(outputs.back().view());
  }
  op.compute(views, values, threads);
#if !defined(ONNXOP_CUDA)
  for (const OutputTensor& tensor : outputs) tensor.narrow(threads);
#endif
}

}  // namespace onnxop
