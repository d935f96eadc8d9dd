// infer() on the sizes of a model's tensors, which may be dynamic while a runtime loads it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../values.h"
#include "tensor.h"

namespace onnxop {

/// A dynamic size of the model; an unknown size is not even equal to itself.
class DynamicSize : public Symbol {
 public:
  constexpr explicit DynamicSize(bool is_unknown) : is_unknown_(is_unknown) {}

  bool is_unknown() const { return is_unknown_; }

  /// Only operations that do not change the size have a known result.
  Size compute(Operation operation, Size left, Size right) const override;

  bool is_known(Comparison comparison, Size left, Size right) const override {
    const bool is_reflexive =
        comparison == Comparison::equal || comparison == Comparison::less_or_equal;
    return is_reflexive && !is_unknown_ && left.symbol() == right.symbol();
  }

 private:
  bool is_unknown_;
};

inline const DynamicSize kUnknown{true};

inline Size DynamicSize::compute(Operation operation, Size left, Size right) const {
  const auto is = [](Size size, int64_t number) {
    return size.symbol() == nullptr && size.value() == number;
  };
  switch (operation) {
    case Operation::add:
      return is(right, 0) ? left : is(left, 0) ? right
                                               : Size(kUnknown);
    case Operation::subtract:
      return is(right, 0) ? left : Size(kUnknown);
    case Operation::multiply:
      return is(right, 1) ? left : is(left, 1) ? right
                                               : Size(kUnknown);
    case Operation::divide:
      return is(right, 1) ? left : Size(kUnknown);
    case Operation::modulo:
      return is(right, 1) ? Size(0) : Size(kUnknown);
    case Operation::min:
    case Operation::max:
      return left.symbol() == right.symbol() ? left : Size(kUnknown);
  }
  return Size(kUnknown);
}

/// The sizes of one call of infer(); it owns the dynamic ones. A label is the runtime's identity of a
/// size: sizes with equal labels are equal.
template <typename Label, typename Same = std::equal_to<Label>>
class DynamicSizes {
 public:
  Size labelled(const Label& label) {
    const auto known = std::ranges::find_if(
        sizes_, [&](const Labelled& size) { return Same()(size.label, label); });
    return Size(known == sizes_.end() ? sizes_.emplace_back(label) : *known);
  }
  Size unknown() {
    has_unknown_ = true;
    return Size(kUnknown);
  }

  bool empty() const { return sizes_.empty() && !has_unknown_; }

  /// Returns the label of a size, or null.
  static const Label* label_of(Size size) {
    const auto* const dynamic = static_cast<const DynamicSize*>(size.symbol());
    if (dynamic == nullptr || dynamic->is_unknown()) return nullptr;
    return &static_cast<const Labelled*>(dynamic)->label;  // all others are made by sizes_
  }

 private:
  struct Labelled : DynamicSize {
    explicit Labelled(const Label& label) : DynamicSize(false), label(label) {}
    Label label;
  };
  std::deque<Labelled> sizes_;  // a deque, which does not move its items
  bool has_unknown_ = false;
};

/// Returns whether a size of an output is a number: neither dynamic nor dependent on data.
inline bool is_number(Size size) { return size.symbol() == nullptr && size.value() >= 0; }

/// An input of a node during shape inference.
struct ModelTensor {
  Dtype dtype;
  std::vector<Size> sizes;
};

/// Returns the result of infer() for a node with this dtype; a missing argument has no tensors. Returns
/// nothing if infer() throws for dynamic sizes, which may be valid: compute() checks again.
inline std::vector<OutputSpec> infer_outputs(const Op& op,
                                             std::vector<std::vector<ModelTensor>> tensors,
                                             const std::vector<Constant>& constants,
                                             Dtype node_dtype, bool is_dynamic) {
  const bool is_widened = widens(op, node_dtype);
  try {
    Metas metas(op);
    for (size_t i = 0; i < op.arguments.size(); ++i) {
      const Argument& argument = op.arguments[i];
      const auto meta = [&](const char* name, const ModelTensor& tensor) {
        const bool is_seen_as_float = is_widened && is_half(tensor.dtype);
        const Dtype dtype = is_seen_as_float ? Dtype::float32 : tensor.dtype;
        return metas.tensor(name, nullptr, dtype, tensor.sizes);
      };
      if (argument.is_tensor() && argument.type.is_list) {
        std::vector<TensorMeta> list;
        for (const ModelTensor& each : tensors[i]) {
          list.push_back(meta(metas.item_name(argument.name, list.size()), each));
        }
        metas.add_tensors(std::move(list));
      } else if (!tensors[i].empty()) {
        metas.add(meta(argument.name, tensors[i].front()));
      } else {
        if (argument.is_tensor() && !argument.type.is_optional) fail_without(op, argument);
        metas.add(argument, value_of(constants[i]));
      }
    }
    std::vector<OutputSpec> outputs = op.infer(metas.list());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool is_fixed = op.results[i].dtype && op.results[i].dtype != kAnyDtype;
      if (is_widened && !is_fixed && outputs[i].dtype == Dtype::float32) {
        outputs[i].dtype = node_dtype;
      }
      for (const Size size : outputs[i].sizes) {
        if (is_number(size) || size.symbol() != nullptr || size.value() == kDataDependent.value()) continue;
        fail(op.name, ": the output cannot have the shape ", to_string(outputs[i].sizes));
      }
    }
    return outputs;
  } catch (const std::runtime_error&) {
    if (is_dynamic) return {};
    throw;
  }
}

}  // namespace onnxop
