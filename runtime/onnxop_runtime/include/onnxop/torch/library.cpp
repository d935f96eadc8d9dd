// The host in PyTorch: registers the ops with its dispatcher.
#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../values.h"
#include "abi.h"
#include "call.h"
#include "tensor.h"

namespace onnxop {
namespace {

// ---- A call ----

/// Arguments in the kernel's form, which they must outlive.
class Inputs {
 public:
  Inputs(const Op& op, std::span<const TorchValue> arguments)
      : values_(memory_.list<Value>(arguments.size())) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (const auto* tensor = std::get_if<Tensor>(&arguments[i])) {
        values_.push_back(take(op, op.arguments[i].name, *tensor, op.arguments[i].on_host));
      } else if (const auto* tensors = std::get_if<std::vector<Tensor>>(&arguments[i])) {
        std::vector<TensorView>& views = lists_.emplace_back();
        for (const Tensor& each : *tensors) {
          const char* const item = names_.of(op.arguments[i].name, views.size());
          views.push_back(take(op, item, each, op.arguments[i].on_host));
        }
        values_.push_back(std::span<const TensorView>(views));
      } else {
        values_.push_back(value_of(std::get<Constant>(arguments[i])));
      }
    }
  }

  std::span<const Value> values() const { return values_; }

  /// Returns a view of the tensor, or of a contiguous copy.
  TensorView take(const Op& op, std::string_view name, const Tensor& tensor, bool on_host = false) {
    const TensorView direct = view(op.name, name, tensor, on_host);  // throws for other devices
    if (op.takes_strides || is_contiguous(tensor)) return direct;
    copies_.push_back(contiguous_copy(tensor));
    return view(op.name, name, copies_.back(), on_host);
  }

 private:
  std::vector<Tensor> copies_;
  std::vector<std::vector<TensorView>> lists_;
  ItemNames names_;
  CallMemory memory_;
  std::pmr::vector<Value> values_;
};

/// Throws for a gradient without its output's dtype and shape.
void check_gradient(const Op& op, const TensorView& grad, const TensorSpec& output) {
  check_dtype(op.name, grad, output.dtype);
  if (!std::ranges::equal(grad.sizes, output.sizes)) {
    fail(op.name, ": ", grad.name, " must have the shape of its result, ", to_string(output.sizes),
         ", but it is ", to_string(grad.sizes));
  }
}

/// Returns the gradients, with the dtypes and shapes of their arguments; empty if not
/// requested.
class Gradients {
 public:
  Gradients(const Op& op, const std::vector<bool>& wants, std::span<const Value> values) {
    for (size_t i = 0; i < op.gradients.size(); ++i) {
      const auto argument =
          std::ranges::find(op.arguments, std::string_view(op.gradients[i]), &Argument::name);
      const auto* of = std::get_if<TensorView>(&values[argument - op.arguments.begin()]);
      add(op.gradients[i], wants[i], of);
    }
  }

  std::span<const std::optional<MutableTensorView>> views() const { return views_; }
  std::vector<Tensor> tensors() && { return std::move(tensors_); }

 private:
  void add(std::string_view name, bool is_wanted, const TensorView* of) {
    const bool is_there = is_wanted && of != nullptr;
    TensorSpec& spec = specs_.emplace_back(of != nullptr ? of->dtype : Dtype::float32,
                                           std::vector<int64_t>{0});
    if (is_there) spec.sizes.assign(of->sizes.begin(), of->sizes.end());
    tensors_.push_back(allocate(spec));
    views_.push_back(is_there ? std::optional(view(name, tensors_.back(), spec)) : std::nullopt);
  }

  std::deque<TensorSpec> specs_;  // a deque, which does not move its items
  std::vector<Tensor> tensors_;
  std::vector<std::optional<MutableTensorView>> views_;
};

/// Returns the result of an elementwise kernel whose dimensions are not in row-major order.
std::vector<Tensor> call_in_order(const Op& op, const Order& order, std::span<const Value> values,
                                  const TensorSpec& spec) {
  Reordered reordered(order);
  std::vector<Value> inputs(values.begin(), values.end());
  for (Value& value : inputs) {
    if (auto* input = std::get_if<TensorView>(&value)) *input = reordered.view(*input);
  }
  std::vector<Tensor> outputs;
  outputs.push_back(allocate(spec, order));
  const auto output = reordered.view(view(op.results[0].name, outputs[0], spec));
  op.compute({&output, 1}, inputs, TorchWorker());
  return outputs;
}

// ---- The dispatcher's values ----

/// The value of a word.
template <typename T>
struct Held {
  static T take(aten::Word word) {
    T value;
    std::memcpy(&value, &word, sizeof(T));
    return value;
  }
};

template <>
struct Held<Tensor> {
  static Tensor take(aten::Word word) { return Tensor(Held<aten::TensorObject*>::take(word)); }
};

template <>
struct Held<std::string> {
  static std::string take(aten::Word word) {
    const aten::Functions& torch = aten::functions();
    const std::unique_ptr<aten::String, aten::Status (*)(aten::String*)> string(
        Held<aten::String*>::take(word), torch.torch_delete_string);
    size_t length = 0;
    const char* text = nullptr;
    aten::check(torch.torch_string_length(string.get(), &length), "measure a string");
    aten::check(torch.torch_string_c_str(string.get(), &text), "read a string");
    return {text, length};
  }
};

template <typename T>
struct Held<std::vector<T>> {
  static std::vector<T> take(aten::Word word) {
    const aten::Functions& torch = aten::functions();
    const std::unique_ptr<aten::List, aten::Status (*)(aten::List*)> list(
        Held<aten::List*>::take(word), torch.torch_delete_list);
    size_t length = 0;
    aten::check(torch.torch_list_size(list.get(), &length), "measure a list");
    std::vector<T> values(length);
    for (size_t i = 0; i < length; ++i) {
      aten::Word item = 0;
      aten::check(torch.torch_list_get_item(list.get(), i, &item), "read a list");
      values[i] = Held<T>::take(item);
    }
    return values;
  }
};

template <typename T>
TorchValue read(const Argument& argument, aten::Word word) {
  if (!argument.type.is_optional) return Held<T>::take(word);
  auto* const pointer = Held<aten::Word*>::take(word);
  if (pointer == nullptr) return {};
  const aten::Word content = *pointer;
  // PyTorch allocated it, and provides its deleter since 2.13.
  if (const auto end = aten::functions().torch_delete_stable_ivalue) {
    aten::check(end(pointer), "end an argument");
  } else {
    delete pointer;
  }
  return Held<T>::take(content);
}

TorchValue read(const Argument& argument, aten::Word word) {
  switch (argument.type.kind) {
    case Kind::tensor:
      if (argument.type.is_list) return read<std::vector<Tensor>>(argument, word);
      return read<Tensor>(argument, word);
    case Kind::integer:
    case Kind::size:
      if (argument.type.is_list) return read<std::vector<int64_t>>(argument, word);
      return read<int64_t>(argument, word);
    case Kind::real:
      if (argument.type.is_list) return read<std::vector<double>>(argument, word);
      return read<double>(argument, word);
    case Kind::number:
      break;  // ops with one are called from Python
    case Kind::boolean:
      return read<bool>(argument, word);
    case Kind::text:
      return read<std::string>(argument, word);
  }
  fail("an argument of an unknown kind");
}

/// Pops the arguments off the stack.
std::vector<TorchValue> read(const Op& op, const aten::Word* stack) {
  std::vector<TorchValue> arguments;
  arguments.reserve(op.arguments.size());
  for (const Argument& argument : op.arguments) arguments.push_back(read(argument, *stack++));
  return arguments;
}

void write(std::vector<Tensor> results, aten::Word* stack) {
  for (Tensor& result : results) *stack++ = reinterpret_cast<aten::Word>(result.release());
}

// ---- The library ----

struct Entry {
  const Op* op;
  Boxed boxed;
  const char* file;
  uint32_t line;
};

std::vector<Entry>& entries() {
  static std::vector<Entry> entries;
  return entries;
}

void register_op(const Entry& entry) {
  const aten::Functions& torch = aten::functions();
  const Op& op = *entry.op;
  const std::string_view name = op.name;
  const std::string space(name.substr(0, name.find("::")));
  const std::string word(name.substr(space.size() + 2));
  aten::Library* library = nullptr;
#if !defined(ONNXOP_CUDA)
  // A fragment, because other packages may add operators to the namespace.
  aten::check(
      torch.aoti_torch_library_init_fragment(space.c_str(), entry.file, entry.line, &library),
      "open a library");
  aten::check(torch.aoti_torch_library_def(library, op.schema), "define an operator");
  if (op.backward != nullptr) {
    aten::check(torch.aoti_torch_library_def(library, op.backward_schema), "define an operator");
  }
#endif
  if (takes_numbers(op)) return;
  aten::check(
      torch.aoti_torch_library_init_impl(space.c_str(), kKey, entry.file, entry.line, &library),
      "open a library");
  const auto implement = [&](const std::string& name, aten::Kernel kernel) {
    aten::check(torch.torch_library_impl(library, name.c_str(), kernel, aten::kVersion),
                "implement an operator");
  };
  implement(word, entry.boxed.call);
  if (op.backward != nullptr) implement(word + "_backward", entry.boxed.backward);
}

}  // namespace

namespace {

#if defined(ONNXOP_CUDA)
/// Returns the first tensor that is not on the host: the call runs on its device.
const Tensor* first_of(const Op& op, std::span<const TorchValue> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (op.arguments[i].on_host) continue;
    if (const auto* tensor = std::get_if<Tensor>(&arguments[i])) return tensor;
    const auto* tensors = std::get_if<std::vector<Tensor>>(&arguments[i]);
    if (tensors != nullptr && !tensors->empty()) return tensors->data();
  }
  return nullptr;
}
#define ONNXOP_ON_DEVICE const TorchStream device(first_of(op, arguments))
#else
#define ONNXOP_ON_DEVICE static_cast<void>(0)
#endif

}  // namespace

std::vector<Tensor> call(const Op& op, std::span<const TorchValue> arguments) {
  ONNXOP_ON_DEVICE;
  const Inputs inputs(op, arguments);
  const std::vector<TensorSpec> specs = specs_of(op, inputs.values());
  if (op.takes_strides) {
    const Order order = order_of(inputs.values(), specs[0].sizes);
    if (!order.empty()) return call_in_order(op, order, inputs.values(), specs[0]);
  }
  CallMemory memory;
  auto views = memory.list<MutableTensorView>(specs.size());
  std::vector<Tensor> outputs;
  outputs.reserve(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    outputs.push_back(allocate(specs[i]));
    views.push_back(view(op.results[i].name, outputs.back(), specs[i]));
  }
  op.compute(views, inputs.values(), TorchWorker());
  return outputs;
}

std::vector<Tensor> backward(const Op& op, std::span<const Tensor> grad_outputs,
                             std::span<const TorchValue> arguments,
                             const std::vector<bool>& wants) {
  ONNXOP_ON_DEVICE;
  Inputs inputs(op, arguments);
  const std::vector<TensorSpec> specs = specs_of(op, inputs.values());
  Inputs grad_inputs(op, {});
  std::vector<TensorView> grads;
  for (size_t i = 0; i < specs.size(); ++i) {
    grads.push_back(grad_inputs.take(op, op.results[i].grad, grad_outputs[i]));
    check_gradient(op, grads.back(), specs[i]);
  }
  Gradients gradients(op, wants, inputs.values());
  op.backward(gradients.views(), grads, inputs.values(), TorchWorker());
  return std::move(gradients).tensors();
}

std::vector<const Op*> all_ops() {
  std::vector<const Op*> ops;
  for (const Entry& entry : entries()) ops.push_back(entry.op);
  return ops;
}

void add(const Op& op, const Boxed& boxed, const char* file, uint32_t line) {
  entries().push_back({&op, boxed, file, line});
}

void register_ops() {
  call_boxed = [](const Op& op, aten::Word* stack) { write(call(op, read(op, stack)), stack); };
  backward_boxed = [](const Op& op, aten::Word* stack) {
    std::vector<Tensor> grads;
    for (size_t i = 0; i < op.results.size(); ++i) grads.push_back(Held<Tensor>::take(stack[i]));
    const aten::Word* rest = stack + op.results.size();
    const std::vector<TorchValue> arguments = read(op, rest);
    const auto wants = Held<std::vector<bool>>::take(rest[arguments.size()]);
    write(backward(op, grads, arguments, wants), stack);
  };
  for (const Entry& entry : entries()) register_op(entry);
}

}  // namespace onnxop

#if defined(ONNXOP_CUDA)
/// Returns the release of CUDA that the library was built by, without its minor version.
extern "C" __attribute__((visibility("default"))) int onnxop_cuda() { return ONNXOP_CUDA; }

/// Registers the kernels for CUDA with PyTorch's dispatcher, after the extension module has defined the operators.
/// Returns null, or what went wrong.
extern "C" __attribute__((visibility("default"))) const char* onnxop_register_torch() {
  static std::string error;
  try {
    onnxop::register_ops();
    return nullptr;
  } catch (const std::exception& caught) {
    error = caught.what();
    return error.c_str();
  }
}
#endif
