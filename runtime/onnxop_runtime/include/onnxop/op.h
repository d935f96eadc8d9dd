// The description of an op, in its .cpp, for all hosts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernel.h"

namespace onnxop {

// ---- Arguments and results ----

/// The kind of an argument, or of each item of a list.
enum class Kind : uint8_t { tensor,
                            integer,
                            size,  // an integer that may be dynamic while a model is traced
                            real,
                            number,  // a Scalar: an integer or a real number
                            boolean,
                            text };

/// The default of a required argument.
struct Required {};

/// The value of a missing optional argument, Python's None.
using None = std::monostate;

/// The default of an argument.
using Default = std::variant<Required, None, int64_t, double, Scalar, bool, std::string_view,
                             std::span<const int64_t>, std::span<const double>>;

/// The default of a list.
template <int64_t... items>
inline constexpr std::array<int64_t, sizeof...(items)> kIntegers{items...};
template <double... items>
inline constexpr std::array<double, sizeof...(items)> kReals{items...};

/// The dtype of a tensor that infer() determines.
inline constexpr Dtype kAnyDtype = Dtype::other;

namespace detail {

/// Properties of an argument, from the name of its type in PyTorch.
constexpr Kind kind_of(std::string_view type) {
  const std::string_view word = type.substr(0, type.find_first_of("[?"));
  if (word == "Tensor") return Kind::tensor;
  if (word == "int") return Kind::integer;
  if (word == "SymInt") return Kind::size;
  if (word == "float") return Kind::real;
  if (word == "Scalar") return Kind::number;
  if (word == "bool") return Kind::boolean;
  if (word == "str") return Kind::text;
  throw "an argument of a type that is not known";
}

constexpr size_t length_of(std::string_view type) {
  size_t length = 0;
  for (const char c : type) {
    if (c >= '0' && c <= '9') length = length * 10 + (c - '0');
  }
  return length;
}

}  // namespace detail

/// The name of an argument's type in PyTorch, "SymInt[2]?", and what follows from it. A class, because nvcc's
/// front end refuses members' defaults that read other members in constants.
struct ArgumentType : std::string_view {
  constexpr ArgumentType(const char* text)
      : std::string_view(text),
        kind(detail::kind_of(text)),
        is_optional(ends_with('?')),
        is_list(find('[') != npos),
        length(detail::length_of(text)) {}

  Kind kind;
  bool is_optional, is_list;
  size_t length;  // of a list; 0: any
};

struct Argument {
  const char* name;
  ArgumentType type;
  Default default_value = Required{};
  bool keyword_only = false;
  std::optional<Dtype> dtype = std::nullopt;  // of a tensor; std::nullopt: as the first tensor's
  bool on_host = false;                       // a tensor that infer() reads: it stays in the CPU's memory

  constexpr bool is_tensor() const { return type.kind == Kind::tensor; }
  constexpr bool is_required() const { return std::holds_alternative<Required>(default_value); }
};

struct Result {
  const char* name;
  std::optional<Dtype> dtype = std::nullopt;  // std::nullopt: as the first tensor's
  const char* grad = nullptr;                 // the name of its gradient in backward()
};

// ---- Values ----

/// An argument of compute(), of any type. It owns nothing.
using Value = std::variant<None, TensorView, int64_t, double, Scalar, bool, std::string_view,
                           std::span<const TensorView>, std::span<const int64_t>,
                           std::span<const double>>;

/// An argument of infer(): tensors may have no data, sizes may be dynamic.
using Meta = std::variant<None, TensorMeta, Size, int64_t, double, Scalar, bool, std::string_view,
                          std::span<const TensorMeta>, std::span<const Size>,
                          std::span<const int64_t>, std::span<const double>>;

namespace detail {

/// The C++ type of an argument: `Tensor` is a view, `Symbolic` a size.
template <Kind kind, bool is_list, typename Tensor, typename Symbolic>
struct TypeOf;
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::tensor, false, Tensor, Symbolic> : std::type_identity<Tensor> {};
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::integer, false, Tensor, Symbolic> : std::type_identity<int64_t> {};
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::size, false, Tensor, Symbolic> : std::type_identity<Symbolic> {};
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::real, false, Tensor, Symbolic> : std::type_identity<double> {};
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::number, false, Tensor, Symbolic> : std::type_identity<Scalar> {};
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::boolean, false, Tensor, Symbolic> : std::type_identity<bool> {};
template <typename Tensor, typename Symbolic>
struct TypeOf<Kind::text, false, Tensor, Symbolic> : std::type_identity<std::string_view> {};
template <Kind kind, typename Tensor, typename Symbolic>
struct TypeOf<kind, true, Tensor, Symbolic>
    : std::type_identity<std::span<const typename TypeOf<kind, false, Tensor, Symbolic>::type>> {};

/// Returns the value in the type of the kernel's parameter.
template <const auto& arguments, size_t I, typename Tensor, typename Symbolic, typename AnyValue>
auto get(const AnyValue& value) {
  using T = typename TypeOf<arguments[I].type.kind, arguments[I].type.is_list, Tensor, Symbolic>::type;
  if constexpr (arguments[I].type.is_optional) {
    const T* const item = std::get_if<T>(&value);
    return item == nullptr ? std::nullopt : std::optional<T>(*item);
  } else {
    return std::get<T>(value);
  }
}

inline std::vector<OutputSpec> as_list(OutputSpec spec) {
  std::vector<OutputSpec> specs;
  specs.push_back(std::move(spec));
  return specs;
}
template <size_t N>
std::vector<OutputSpec> as_list(const std::array<OutputSpec, N>& specs) {
  return {specs.begin(), specs.end()};
}

template <const auto& list>
using Places = std::make_index_sequence<std::size(list)>;

}  // namespace detail

// ---- The kernel's functions, with arguments of any types ----

using InferFunction = std::vector<OutputSpec> (*)(std::span<const Meta> arguments);
using ComputeFunction = void (*)(std::span<const MutableTensorView> outputs,
                                 std::span<const Value> arguments, const Worker& worker);
using BackwardFunction = void (*)(std::span<const std::optional<MutableTensorView>> gradients,
                                  std::span<const TensorView> grads, std::span<const Value> arguments,
                                  const Worker& worker);

template <const auto& arguments, typename Function>
constexpr InferFunction infer_of(Function) {
  return [](std::span<const Meta> metas) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return detail::as_list(
          Function()(detail::get<arguments, I, TensorMeta, Size>(metas[I])...));
    }(detail::Places<arguments>());
  };
}

template <const auto& arguments, const auto& results, typename Function>
constexpr ComputeFunction compute_of(Function) {
  return [](std::span<const MutableTensorView> outputs, std::span<const Value> values,
            const Worker& worker) {
    [&]<size_t... O, size_t... I>(std::index_sequence<O...>, std::index_sequence<I...>) {
      Function()(outputs[O]..., detail::get<arguments, I, TensorView, int64_t>(values[I])...,
                 worker);
    }(detail::Places<results>(), detail::Places<arguments>());
  };
}

template <const auto& arguments, const auto& results, const auto& gradients, typename Function>
constexpr BackwardFunction backward_of(Function) {
  return [](std::span<const std::optional<MutableTensorView>> outputs,
            std::span<const TensorView> grads, std::span<const Value> values,
            const Worker& worker) {
    [&]<size_t... G, size_t... R, size_t... I>(
        std::index_sequence<G...>, std::index_sequence<R...>, std::index_sequence<I...>) {
      Function()(outputs[G]..., grads[R]...,
                 detail::get<arguments, I, TensorView, int64_t>(values[I])..., worker);
    }(detail::Places<gradients>(), detail::Places<results>(), detail::Places<arguments>());
  };
}

// ---- The op ----

/// The version of the interface between a package's compiled parts and onnxop-runtime: ABI in __init__.py.
inline constexpr int kAbi = 1;

struct Op {
  const char* name;    // "my_lib::my_add", for PyTorch's dispatcher and for messages
  const char* schema;  // without the namespace
  const char* doc;     // of the Python function
  const char* domain;  // ONNX's
  const char* op_type;
  int32_t version;                // of its nodes' domain
  const char* package;            // with its version: "my_add 0.1.0"
  std::span<const Dtype> dtypes;  // of the first tensor, in ONNX Runtime
  std::span<const Argument> arguments;
  std::span<const Result> results;
  bool takes_strides = false;  // or contiguous tensors only
  InferFunction infer;
  ComputeFunction compute;

  // If the kernel computes gradients: the arguments that have them, and the schema of that operator.
  std::span<const char* const> gradients = {};
  const char* backward_schema = nullptr;
  BackwardFunction backward = nullptr;
};

/// Returns whether an argument is a Scalar: libtorch's stable ABI does not pass Scalars, so Python does.
constexpr bool takes_numbers(const Op& op) {
  for (const Argument& argument : op.arguments) {
    if (argument.type.kind == Kind::number) return true;
  }
  return false;
}

/// The function that PyTorch calls. The call does not name the op, so that each op has its own function.
struct Boxed {
  using Function = void (*)(uint64_t* stack, uint64_t inputs, uint64_t outputs);
  Function call, backward;
};

/// Adds an op to its library; each library implements this itself.
void add(const Op& op, const Boxed& boxed, const char* file, uint32_t line);

/// Set if PyTorch is the host.
inline void (*call_boxed)(const Op& op, uint64_t* stack) = nullptr;
inline void (*backward_boxed)(const Op& op, uint64_t* stack) = nullptr;

// Of each file its own: g++ 14.2 would make one function of the calls of all files, since their ops have one name.
namespace {

/// Adds the op to its library when that is loaded.
template <const Op& op>
struct Registration {
  explicit Registration(std::source_location here = std::source_location::current()) {
    const Boxed boxed{
        .call = [](uint64_t* stack, uint64_t, uint64_t) { call_boxed(op, stack); },
        .backward = [](uint64_t* stack, uint64_t, uint64_t) { backward_boxed(op, stack); },
    };
    add(op, boxed, here.file_name(), here.line());
  }
};

}  // namespace

}  // namespace onnxop
