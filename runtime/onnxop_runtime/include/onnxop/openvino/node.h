// A node of a model in OpenVINO: its kernel, on OpenVINO's threads, its shapes, and its attributes.
#pragma once

#include <openvino/core/any.hpp>
#include <openvino/core/attribute_visitor.hpp>
#include <openvino/core/symbol.hpp>
#include <openvino/frontend/node_context.hpp>
#include <openvino/op/convert.hpp>
#include <openvino/op/op.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../model/attributes.h"
#include "../model/infer.h"
#include "../model/tensor.h"

namespace onnxop::openvino {

// ---- Threads ----

/// The threads of the stream that runs the node.
class StreamThreads final : public ParallelFor {
 protected:
  void run(int64_t count, int64_t grain, const Range& body) const override {
    const Chunks chunks(count, grain, tbb::this_task_arena::max_concurrency());
    if (chunks.size > 1) {
      tbb::parallel_for(int64_t{0}, chunks.size, [&](int64_t i) { body(chunks.begin(i), chunks.begin(i + 1)); });
    } else if (count > 0) {
      body(0, count);
    }
  }
};

// ---- Dtypes ----

/// OpenVINO's types by our dtypes; it has no complex types.
inline const ov::element::Type kTypes[] = {
    ov::element::f32, ov::element::f64, ov::element::f16, ov::element::bf16, ov::element::u8,
    ov::element::u16, ov::element::u32, ov::element::u64, ov::element::i8, ov::element::i16,
    ov::element::i32, ov::element::i64, ov::element::boolean};

inline Dtype dtype_of(const ov::element::Type& type) {
  const auto* const entry = std::ranges::find(kTypes, type);
  return entry == std::end(kTypes) ? Dtype::other : static_cast<Dtype>(entry - kTypes);
}

inline ov::element::Type element_type_of(Dtype dtype) {
  return dtype <= Dtype::boolean ? kTypes[static_cast<size_t>(dtype)] : ov::element::dynamic;
}

/// Returns the type in which OpenVINO computes on CPUs.
inline ov::element::Type plain(const ov::element::Type& type) {
  if (type == ov::element::boolean) return ov::element::u8;
  if (type == ov::element::f64 || type == ov::element::f16) return ov::element::f32;
  return type.is_integral_number() && type.size() > 1 ? ov::element::i32 : type;
}

// ---- Attributes ----

/// An argument in OpenVINO's file format: its place among the types of a Constant, and its items.
inline std::string text_of(const Constant& constant) {
  std::ostringstream text;
  text.precision(17);
  text << constant.index();
  const auto write = [&](const auto& held) {
    using T = std::decay_t<decltype(held)>;
    if constexpr (std::is_same_v<T, Scalar>) {
      held.is_integral() ? text << " i " << static_cast<int64_t>(held) : text << " r " << static_cast<double>(held);
    } else if constexpr (!std::is_same_v<T, std::string> && requires { held.begin(); }) {
      for (const auto item : held) text << ' ' << item;
    } else if constexpr (!std::is_same_v<T, None>) {
      text << ' ' << held;
    }
  };
  std::visit(write, constant);
  return text.str();
}

inline Constant constant_from(const std::string& text) {
  std::istringstream stream(text);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  std::vector<int64_t> integers;
  std::vector<double> reals;
  switch (const size_t type = std::stoul(words.at(0)); type) {
    case 0: return None();
    case 1: return static_cast<int64_t>(std::stoll(words.at(1)));
    case 2: return std::stod(words.at(1));
    case 3: return words.at(1) == "i" ? Scalar(std::stoll(words.at(2))) : Scalar(std::stod(words.at(2)));
    case 4: return words.at(1) == "1";
    case 5: return text.substr(2);
    default:
      for (size_t i = 1; i < words.size(); ++i) {
        type == 6 ? integers.push_back(std::stoll(words[i])) : reals.push_back(std::stod(words[i]));
      }
      return type == 6 ? Constant(integers) : Constant(reals);
  }
}

/// The attributes of a node of an ONNX model.
class OnnxAttributes : public Attributes {
 public:
  OnnxAttributes(std::string_view op, const ov::frontend::NodeContext& node) : Attributes(op), node_(node) {}

  bool has(const char* name) const override { return node_.has_attribute(name); }

 protected:
  bool read(const char* name, int64_t& value) const override { return take(name, value); }
  bool read(const char* name, float& value) const override { return take(name, value); }
  bool read(const char* name, std::string& value) const override { return take(name, value); }
  bool read(const char* name, std::vector<int64_t>& value) const override { return take(name, value); }
  bool read(const char* name, std::vector<float>& value) const override { return take(name, value); }

 private:
  template <typename T>
  bool take(const char* name, T& value) const {
    const ov::Any attribute = node_.get_attribute_as_any(name);
    if constexpr (std::is_same_v<T, float>) {
      if (attribute.is<double>()) {  // OpenVINO's type for FLOAT
        value = static_cast<float>(attribute.as<double>());
        return true;
      }
    }
    if (!attribute.is<T>()) return false;
    value = attribute.as<T>();
    return true;
  }

  const ov::frontend::NodeContext& node_;
};

// ---- A node ----

/// An op, and its type in OpenVINO.
struct HostedOp {
  explicit HostedOp(const Op& op) : op(op), type(op.op_type, op.domain, &ov::op::Op::get_type_info_static()) {
    type.hash();
  }

  const Op& op;
  ov::DiscreteTypeInfo type;
};

/// Dimensions are equal if OpenVINO's symbols are; each is equal to itself.
struct SameDimension {
  bool operator()(const ov::Dimension& a, const ov::Dimension& b) const {
    return &a == &b || ov::symbol::are_equal(a.get_symbol(), b.get_symbol());
  }
};

/// Converts elements from one type to another.
inline void cast(const RuntimeTensor& from, const RuntimeTensor& to, const ParallelFor& threads) {
  using Numbers = Types<float, double, uint8_t, int8_t, int16_t, int32_t, int64_t, bool>;
  if (!Numbers::contain(from.dtype) || !Numbers::contain(to.dtype)) {
    fail("OpenVINO has ", name(from.dtype), " where the model has ", name(to.dtype));
  }
  Numbers::visit(from.dtype, [&]<typename From>() {
    Numbers::visit(to.dtype, [&]<typename To>() {
      threads(element_count(from.sizes), 32768, [&](int64_t begin, int64_t end) {
        const auto* const source = static_cast<const From*>(from.data);
        for (int64_t i = begin; i < end; ++i) static_cast<To*>(to.data)[i] = static_cast<To>(source[i]);
      });
    });
  });
}

inline RuntimeTensor tensor_of(const ov::Tensor& tensor) {
  const ov::Shape shape = tensor.get_shape();
  void* const data = const_cast<void*>(std::as_const(tensor).data());
  return {data, dtype_of(tensor.get_element_type()), {shape.begin(), shape.end()}};
}

/// A node with the inputs that are present. `kinds` has a character for each input of the op: a letter for the
/// dtype in the model, '?' before it is known, '-' for a missing input.
///
/// A plugin may pass other dtypes than the model's: on CPUs, OpenVINO has float32 for float64, and int32 for
/// int64. The kernel then computes in float32, but in the model's integers. Results with a dtype of their own
/// have OpenVINO's type for it; converted() restores the model's.
class HostedNode final : public ov::op::Op {
 public:
  explicit HostedNode(const HostedOp& hosted) : hosted_(hosted), constants_(hosted.op.arguments.size()), version_(1) {}

  HostedNode(const HostedOp& hosted, const ov::OutputVector& inputs, std::string kinds,
             std::vector<Constant> constants)
      : Op(inputs),
        hosted_(hosted),
        kinds_(std::move(kinds)),
        constants_(std::move(constants)),
        version_(hosted.op.version) {
    constructor_validate_and_infer_types();
  }

  const ov::DiscreteTypeInfo& get_type_info() const override { return hosted_.type; }

  std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector& inputs) const override {
    return std::make_shared<HostedNode>(hosted_, inputs, kinds_, constants_);
  }

  bool visit_attributes(ov::AttributeVisitor& visitor) override {
    visitor.on_attribute("inputs", kinds_);
    visitor.on_attribute("onnxop_version", version_);
    for (size_t i = 0; i < constants_.size(); ++i) {
      const Argument& argument = hosted_.op.arguments[i];
      if (argument.is_tensor()) continue;
      std::string text = text_of(constants_[i]);
      visitor.on_attribute(argument.name, text);
      constants_[i] = constant_from(text);
    }
    return true;
  }

  void validate_and_infer_types() override {
    const onnxop::Op& op = hosted_.op;
    if (version_ != op.version) {
      fail(op.name, ": the file's node is of version ", version_, ", but this library, of ", op.package, ", computes version ",
           op.version, "; use the library of the package that the file was made with, or make the file again");
    }
    seen_.assign(kinds_.size(), std::nullopt);
    std::vector<std::vector<ModelTensor>> tensors(op.arguments.size());
    DynamicSizes<ov::Dimension, SameDimension> dynamic;
    std::optional<Dtype> first;  // of the tensors without a dtype of their own
    ov::element::Type first_type;
    bool is_known = true;
    size_t place = 0, input = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Argument& argument = op.arguments[i];
      if (!argument.is_tensor()) continue;
      for (const size_t end = end_of(argument, place, kinds_.size()); place < end; ++place) {
        if (kinds_[place] == '-') continue;
        const ov::PartialShape& shape = get_input_partial_shape(input);
        const ov::element::Type type = get_input_element_type(input++);
        is_known = is_known && type.is_static() && shape.rank().is_static();
        if (!type.is_static()) continue;
        if (kinds_[place] == '?') kinds_[place] = static_cast<char>('a' + static_cast<int>(dtype_of(type)));
        const auto model_dtype = static_cast<Dtype>(kinds_[place] - 'a');
        const bool is_seen_as_float = !argument.dtype && is_floating(model_dtype) &&
                                      type == ov::element::f32 && computes(op, Dtype::float32);
        const Dtype dtype = is_seen_as_float ? Dtype::float32 : model_dtype;
        seen_[place] = dtype;
        if (!first && !argument.dtype) {
          first = dtype;
          first_type = type;
        }
        ModelTensor& tensor = tensors[i].emplace_back(ModelTensor{dtype, {}});
        if (!is_known) continue;
        for (const ov::Dimension& size : shape) {
          tensor.sizes.push_back(size.is_static() ? Size(size.get_length()) : dynamic.labelled(size));
        }
      }
    }
    if (place < kinds_.size()) fail(op.name, ": the node has ", kinds_.size(), " inputs, but the op takes ", place);
    check_dtypes(op, seen_);
    const Dtype node_dtype = first.value_or(op.dtypes.front());
    is_widened_ = widens(op, node_dtype);
    std::vector<OutputSpec> outputs;
    if (is_known) {
      const bool is_dynamic = !dynamic.empty() && (is_widened_ || computes(op, node_dtype));
      outputs = inferred(tensors, node_dtype, is_dynamic);
    }
    set_output_size(op.results.size());
    model_types_.clear();
    for (size_t i = 0; i < op.results.size(); ++i) {
      const Dtype dtype = i < outputs.size() ? outputs[i].dtype : op.results[i].dtype.value_or(node_dtype);
      const bool is_as_first = !op.results[i].dtype && first;
      model_types_.push_back(is_as_first ? first_type : element_type_of(dtype));
      ov::PartialShape shape = ov::PartialShape::dynamic();
      if (i < outputs.size()) {
        std::vector<ov::Dimension> sizes;
        for (const Size size : outputs[i].sizes) {
          const ov::Dimension* const label = decltype(dynamic)::label_of(size);
          sizes.push_back(is_number(size) ? ov::Dimension(size.value()) : label ? *label : ov::Dimension());
        }
        shape = ov::PartialShape(sizes);
      }
      set_output_type(i, is_as_first ? first_type : plain(model_types_[i]), shape);
    }
  }

  /// Returns the outputs, with the model's types.
  ov::OutputVector converted() {
    ov::OutputVector results = outputs();
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].get_element_type() == model_types_[i]) continue;
      results[i] = std::make_shared<ov::op::v0::Convert>(results[i], model_types_[i]);
    }
    return results;
  }

  bool has_evaluate() const override { return true; }

  bool evaluate(ov::TensorVector& outputs, const ov::TensorVector& inputs) const override {
    const StreamThreads threads;
    std::deque<ov::Tensor> copies;
    const auto input = [&](size_t place) -> std::optional<RuntimeTensor> {
      if (kinds_[place] == '-') return std::nullopt;
      const auto before = kinds_.begin() + static_cast<std::ptrdiff_t>(place);
      const RuntimeTensor tensor = tensor_of(inputs.at(place - std::count(kinds_.begin(), before, '-')));
      if (tensor.dtype == seen_[place].value_or(tensor.dtype)) return tensor;
      const ov::Shape shape(tensor.sizes.begin(), tensor.sizes.end());
      cast(tensor, tensor_of(copies.emplace_back(element_type_of(*seen_[place]), shape)), threads);
      return tensor_of(copies.back());
    };
    std::vector<std::pair<RuntimeTensor, RuntimeTensor>> casts;
    const auto output = [&](size_t i, const TensorSpec& spec) -> std::optional<RuntimeTensor> {
      const ov::Shape shape(spec.sizes.begin(), spec.sizes.end());
      if (outputs.at(i).get_shape() != shape) outputs[i].set_shape(shape);
      RuntimeTensor tensor = tensor_of(outputs[i]);
      if (tensor.dtype == spec.dtype || (is_widened_ && is_half(tensor.dtype))) return tensor;
      RuntimeTensor copy = tensor_of(copies.emplace_back(element_type_of(spec.dtype), shape));
      casts.emplace_back(copy, std::move(tensor));
      return copy;
    };
    compute(hosted_.op, constants_, is_widened_, kinds_.size(), input, output, threads);
    for (const auto& [from, to] : casts) cast(from, to, threads);
    return true;
  }

 private:
  /// Infers the outputs. If infer() fails on dynamic dimensions, tries sizes in their place: one that works gives the
  /// rank, and compute() checks the rest. If none works, the failure is certain. (Outputs of a dynamic rank would hide the
  /// message: plugins refuse them.)
  std::vector<OutputSpec> inferred(const std::vector<std::vector<ModelTensor>>& tensors, Dtype node_dtype,
                                   bool is_dynamic) const {
    std::vector<int64_t> tried{1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    const auto with = [&](std::optional<int64_t> number) {
      auto copies = tensors;
      for (std::vector<ModelTensor>& list : copies) {
        for (ModelTensor& tensor : list) {
          for (Size& size : tensor.sizes) {
            if (size.symbol() == nullptr) {
              if (!number) tried.push_back(size.value());
            } else if (number) {
              size = Size(*number);
            }
          }
        }
      }
      return infer_outputs(hosted_.op, std::move(copies), constants_, node_dtype, false);
    };
    try {
      return with(std::nullopt);
    } catch (const std::runtime_error&) {
      if (!is_dynamic) throw;
      for (const int64_t number : tried) {
        try {
          std::vector<OutputSpec> outputs = with(number);
          for (OutputSpec& output : outputs) std::ranges::fill(output.sizes, Size(kUnknown));
          return outputs;
        } catch (const std::runtime_error&) {
          continue;
        }
      }
      throw;
    }
  }

  const HostedOp& hosted_;
  std::string kinds_;
  std::vector<Constant> constants_;         // at the places of their arguments
  int64_t version_;                         // of the node, which OpenVINO's files store
  std::vector<std::optional<Dtype>> seen_;  // the kernel's dtypes of the inputs, if known
  std::vector<ov::element::Type> model_types_;
  bool is_widened_ = false;
};

}  // namespace onnxop::openvino
