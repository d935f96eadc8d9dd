// The host in PyTorch: registers the ops with its dispatcher, through libtorch's stable ABI.
#include <torch/csrc/stable/library.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../values.h"
#include "call.h"
#include "tensor.h"

namespace onnxop {
namespace {

// ---- A call ----

/// Arguments, which it must not outlive, as the kernel takes them.
class Inputs {
 public:
  Inputs(const Op& op, std::span<const TorchValue> arguments) {
    values_.reserve(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (const auto* tensor = std::get_if<Tensor>(&arguments[i])) {
        values_.push_back(take(op, op.arguments[i].name, *tensor));
      } else {
        values_.push_back(value_of(std::get<Constant>(arguments[i])));
      }
    }
  }

  std::span<const Value> values() const { return values_; }

  /// A view of the tensor, or of a contiguous copy.
  TensorView take(const Op& op, std::string_view name, const Tensor& tensor) {
    const TensorView given = view(op.name, name, tensor);  // refuses other devices
    if (op.takes_strides || tensor.is_contiguous()) return given;
    copies_.push_back(torch::stable::contiguous(tensor));
    return view(op.name, name, copies_.back());
  }

 private:
  std::vector<Tensor> copies_;
  std::vector<Value> values_;
};

/// Refuses a gradient that is not of its output's dtype and shape.
void check_gradient(const Op& op, const TensorView& grad, const TensorSpec& output) {
  check_dtype(op.name, grad, output.dtype);
  if (!std::ranges::equal(grad.sizes, output.sizes)) {
    fail(op.name, ": ", grad.name, " must be of its result's shape ", to_string(output.sizes),
         ", but it is ", to_string(grad.sizes));
  }
}

/// The gradients of the arguments, each of its argument's dtype and shape; empty where one is not
/// wanted.
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
  std::vector<Tensor> tensors() const { return tensors_; }

 private:
  void add(std::string_view name, bool is_wanted, const TensorView* of) {
    const bool is_there = is_wanted && of != nullptr;
    TensorSpec& spec = specs_.emplace_back(of != nullptr ? of->dtype : Dtype::float32,
                                           std::vector<int64_t>{0});
    if (is_there) spec.sizes.assign(of->sizes.begin(), of->sizes.end());
    tensors_.push_back(allocate(spec));
    views_.push_back(is_there ? std::optional(view(name, tensors_.back(), spec)) : std::nullopt);
  }

  std::deque<TensorSpec> specs_;  // which moves nothing as it grows
  std::vector<Tensor> tensors_;
  std::vector<std::optional<MutableTensorView>> views_;
};

// ---- The dispatcher's values ----

using torch::stable::detail::from;
using torch::stable::detail::to;

template <typename T>
TorchValue read(const Argument& argument, StableIValue value) {
  if (!argument.is_optional) return to<T>(value);
  std::optional<T> found = to<std::optional<T>>(value);
  return found ? TorchValue(*std::move(found)) : TorchValue();
}

TorchValue read(const Argument& argument, StableIValue value) {
  switch (argument.kind) {
    case Kind::tensor:
      return read<Tensor>(argument, value);
    case Kind::integer:
    case Kind::size:
      if (argument.is_list) return read<std::vector<int64_t>>(argument, value);
      return read<int64_t>(argument, value);
    case Kind::real:
      if (argument.is_list) return read<std::vector<double>>(argument, value);
      return read<double>(argument, value);
    case Kind::number:
      break;  // Python calls ops that take one
    case Kind::boolean:
      return read<bool>(argument, value);
    case Kind::text:
      return read<std::string>(argument, value);
  }
  fail("an argument of a kind that is not known");
}

/// Takes the arguments off the stack.
std::vector<TorchValue> read(const Op& op, const StableIValue* stack) {
  std::vector<TorchValue> arguments;
  arguments.reserve(op.arguments.size());
  for (const Argument& argument : op.arguments) arguments.push_back(read(argument, *stack++));
  return arguments;
}

void write(const std::vector<Tensor>& results, StableIValue* stack) {
  for (const Tensor& result : results) *stack++ = from(result);
}

/// The ops, and what they registered, which lasts as long as this library.
std::vector<const Op*>& ops() {
  static std::vector<const Op*> ops;
  return ops;
}

using Library = torch::stable::detail::StableLibrary;

}  // namespace

std::vector<Tensor> call(const Op& op, std::span<const TorchValue> arguments) {
  const Inputs inputs(op, arguments);
  const std::vector<TensorSpec> specs = specs_of(op, inputs.values());
  std::vector<Tensor> outputs;
  std::vector<MutableTensorView> views;
  outputs.reserve(specs.size());
  views.reserve(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    outputs.push_back(allocate(specs[i]));
    views.push_back(view(op.results[i].name, outputs.back(), specs[i]));
  }
  op.compute(views, inputs.values(), TorchThreads());
  return outputs;
}

std::vector<Tensor> backward(const Op& op, std::span<const Tensor> given,
                             std::span<const TorchValue> arguments,
                             const std::vector<bool>& wants) {
  Inputs inputs(op, arguments);
  const std::vector<TensorSpec> specs = specs_of(op, inputs.values());
  Inputs grad_inputs(op, {});
  std::vector<TensorView> grads;
  for (size_t i = 0; i < specs.size(); ++i) {
    grads.push_back(grad_inputs.take(op, op.results[i].grad, given[i]));
    check_gradient(op, grads.back(), specs[i]);
  }
  const Gradients gradients(op, wants, inputs.values());
  op.backward(gradients.views(), grads, inputs.values(), TorchThreads());
  return gradients.tensors();
}

std::span<const Op* const> all_ops() { return ops(); }

void add(const Op& op, const Boxed& boxed, const char* file, uint32_t line) {
  static std::deque<Library> libraries;
  call_boxed = [](const Op& called, uint64_t* stack) {
    write(call(called, read(called, stack)), stack);
  };
  backward_boxed = [](const Op& called, uint64_t* stack) {
    std::vector<Tensor> grads;
    for (size_t i = 0; i < called.results.size(); ++i) grads.push_back(to<Tensor>(*stack++));
    const std::vector<TorchValue> arguments = read(called, stack);
    const auto wants = to<std::vector<bool>>(stack[arguments.size()]);
    stack -= called.results.size();
    write(backward(called, grads, arguments, wants), stack);
  };
  const std::string_view name = op.name;
  const std::string space(name.substr(0, name.find("::")));
  const std::string word(name.substr(space.size() + 2));
  // A fragment, because other packages may add operators to the same namespace.
  Library& definition =
      libraries.emplace_back(Library::Kind::FRAGMENT, space.c_str(), nullptr, file, line);
  definition.def(op.schema);
  if (op.backward != nullptr) definition.def(op.backward_schema);
  ops().push_back(&op);
  if (takes_numbers(op)) return;
  Library& implementation =
      libraries.emplace_back(Library::Kind::IMPL, space.c_str(), "CPU", file, line);
  implementation.impl(word.c_str(), boxed.call);
  if (op.backward != nullptr) implementation.impl((word + "_backward").c_str(), boxed.backward);
}

}  // namespace onnxop
