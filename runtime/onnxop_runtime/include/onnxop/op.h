// An op's description, which its .cpp gives and every host reads.
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

/// What an argument holds, or each item of it where it is a list.
enum class Kind : uint8_t { tensor,
                            integer,
                            size,  // an integer that may be open while a model is traced
                            real,
                            number,  // a Scalar: an integer or a real number
                            boolean,
                            text };

/// The value of an argument that must be given.
struct Required {};

/// The value of an optional argument that is not there, Python's None.
using None = std::monostate;

/// The value of an argument that is left out.
using Default = std::variant<Required, None, int64_t, double, Scalar, bool, std::string_view,
                             std::span<const int64_t>, std::span<const double>>;

/// The default of a list.
template <int64_t... items>
inline constexpr std::array<int64_t, sizeof...(items)> kIntegers{items...};
template <double... items>
inline constexpr std::array<double, sizeof...(items)> kReals{items...};

/// The dtype of a tensor that only infer() tells.
inline constexpr Dtype kAnyDtype = Dtype::other;

namespace detail {

/// Of an argument, by PyTorch's word for its type.
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

struct Argument {
  const char* name;
  std::string_view type;  // in PyTorch's words: "SymInt[2]?"
  Default otherwise = Required{};
  bool keyword_only = false;
  std::optional<Dtype> dtype = std::nullopt;  // of a tensor; std::nullopt: as the first tensor's

  // What the type says.
  Kind kind = detail::kind_of(type);
  bool is_optional = type.ends_with('?');
  bool is_list = type.find('[') != type.npos;
  size_t length = detail::length_of(type);  // that a list must have; 0 is any

  constexpr bool is_tensor() const { return kind == Kind::tensor; }
  constexpr bool is_required() const { return std::holds_alternative<Required>(otherwise); }
};

struct Result {
  const char* name;
  std::optional<Dtype> dtype = std::nullopt;  // std::nullopt: as the first tensor's
  const char* grad = nullptr;                 // what backward() calls its gradient
};

// ---- Values ----

/// An argument as compute() takes it, whatever its type. It owns nothing.
using Value = std::variant<None, TensorView, int64_t, double, Scalar, bool, std::string_view,
                           std::span<const TensorView>, std::span<const int64_t>,
                           std::span<const double>>;

/// An argument as infer() takes it: tensors perhaps without data, sizes that may be open.
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

/// The value in the type that the kernel's functions take.
template <const auto& arguments, size_t I, typename Tensor, typename Symbolic, typename AnyValue>
auto get(const AnyValue& value) {
  using T = typename TypeOf<arguments[I].kind, arguments[I].is_list, Tensor, Symbolic>::type;
  if constexpr (arguments[I].is_optional) {
    const T* const found = std::get_if<T>(&value);
    return found == nullptr ? std::nullopt : std::optional<T>(*found);
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
                                 std::span<const Value> arguments, const ParallelFor& parallel_for);
using BackwardFunction = void (*)(std::span<const std::optional<MutableTensorView>> gradients,
                                  std::span<const TensorView> grads, std::span<const Value> arguments,
                                  const ParallelFor& parallel_for);

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
            const ParallelFor& parallel_for) {
    [&]<size_t... O, size_t... I>(std::index_sequence<O...>, std::index_sequence<I...>) {
      Function()(outputs[O]..., detail::get<arguments, I, TensorView, int64_t>(values[I])...,
                 parallel_for);
    }(detail::Places<results>(), detail::Places<arguments>());
  };
}

template <const auto& arguments, const auto& results, const auto& gradients, typename Function>
constexpr BackwardFunction backward_of(Function) {
  return [](std::span<const std::optional<MutableTensorView>> found,
            std::span<const TensorView> grads, std::span<const Value> values,
            const ParallelFor& parallel_for) {
    [&]<size_t... G, size_t... R, size_t... I>(
        std::index_sequence<G...>, std::index_sequence<R...>, std::index_sequence<I...>) {
      Function()(found[G]..., grads[R]...,
                 detail::get<arguments, I, TensorView, int64_t>(values[I])..., parallel_for);
    }(detail::Places<gradients>(), detail::Places<results>(), detail::Places<arguments>());
  };
}

// ---- The op ----

/// What the compiled parts of a package and onnxop-runtime agree on; __init__.py has it as ABI.
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

  // Where the kernel computes gradients: of which arguments, and the schema of that operator.
  std::span<const char* const> gradients = {};
  const char* backward_schema = nullptr;
  BackwardFunction backward = nullptr;
};

/// Whether an argument is a Scalar, which libtorch's stable ABI does not hand over: Python does.
constexpr bool takes_numbers(const Op& op) {
  for (const Argument& argument : op.arguments) {
    if (argument.kind == Kind::number) return true;
  }
  return false;
}

/// What PyTorch calls. It hands over nothing that says which op is meant, so each has its own.
struct Boxed {
  using Function = void (*)(uint64_t* stack, uint64_t inputs, uint64_t outputs);
  Function call, backward;
};

/// Adds an op to the library that it is part of, which each library does in its own way.
void add(const Op& op, const Boxed& boxed, const char* file, uint32_t line);

/// Set where PyTorch is the host.
inline void (*call_boxed)(const Op& op, uint64_t* stack) = nullptr;
inline void (*backward_boxed)(const Op& op, uint64_t* stack) = nullptr;

/// Adds the op to the library that it is part of, while that is loaded.
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

}  // namespace onnxop
