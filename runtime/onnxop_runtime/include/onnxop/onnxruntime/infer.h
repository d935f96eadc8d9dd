// infer() on the sizes of a model's tensors, which may be open while ONNX Runtime loads it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "../infer.h"
#include "abi.h"
#include "tensor.h"

namespace onnxop::ort {

/// A size that the model leaves open. Where it has a name, sizes of the same name are equal.
class OpenSize : public Symbol {
 public:
  constexpr explicit OpenSize(const char* name = nullptr) : name_(name) {}

  /// Null where it has none.
  const char* name() const { return name_; }

  /// Of sizes with names, only what leaves them as they are is known.
  Size compute(Operation operation, Size left, Size right) const override;

  bool is_known(Comparison comparison, Size left, Size right) const override {
    const bool is_reflexive =
        comparison == Comparison::equal || comparison == Comparison::less_or_equal;
    return is_reflexive && name_ != nullptr && left.symbol() == right.symbol();
  }

 private:
  const char* name_;
};

/// A size of which nothing is known, not even that it equals itself.
inline const OpenSize kUnknown;

inline Size OpenSize::compute(Operation operation, Size left, Size right) const {
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

/// The sizes of one call of infer(): it keeps alive those that are open.
class OpenSizes {
 public:
  /// One open size for each name.
  Size named(const char* name) {
    const auto found = std::ranges::find_if(
        sizes_, [&](const OpenSize& size) { return std::string_view(size.name()) == name; });
    return Size(found == sizes_.end() ? sizes_.emplace_back(name) : *found);
  }

  bool empty() const { return sizes_.empty() && !has_unknown_; }

  std::vector<Size> of(const Api& api, const TensorInfo* info) {
    const std::vector<int64_t> numbers = ort::sizes_of(api, info);
    std::vector<const char*> names(numbers.size());
    check(api.get_size_names(info, names.data(), names.size()));
    std::vector<Size> sizes;
    for (size_t d = 0; d < numbers.size(); ++d) {
      const bool has_name = names[d] != nullptr && *names[d] != '\0';
      const bool is_unknown = numbers[d] < 0 && !has_name;
      has_unknown_ = has_unknown_ || is_unknown;
      sizes.push_back(numbers[d] >= 0 ? Size(numbers[d])
                      : has_name      ? named(names[d])
                                      : Size(kUnknown));
    }
    return sizes;
  }

 private:
  std::deque<OpenSize> sizes_;  // which moves nothing as it grows
  bool has_unknown_ = false;
};

/// A name that no other size has: the runtime takes equal names for equal sizes, and a size without
/// a name for the number -1.
inline std::string new_size_name(std::string_view op) {
  static std::atomic<uint64_t> count = 0;
  return std::string(op) + "_" + std::to_string(count++);
}

inline void set_output(const Api& api, const ShapeInferContext* context, std::string_view op,
                       size_t index, const OutputSpec& spec) {
  std::vector<int64_t> numbers;
  std::vector<std::string> names;
  for (const Size size : spec.sizes) {
    const auto* const open = static_cast<const OpenSize*>(size.symbol());
    const bool is_data_dependent = open == nullptr && size.value() == kDataDependent.value();
    if (open == nullptr && size.value() < 0 && !is_data_dependent) {
      fail(op, ": the output would be of shape ", to_string(spec.sizes));
    }
    const bool is_number = open == nullptr && !is_data_dependent;
    numbers.push_back(is_number ? size.value() : -1);
    names.push_back(is_number                                    ? ""
                    : open != nullptr && open->name() != nullptr ? open->name()
                                                                 : new_size_name(op));
  }
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());

  TensorInfo* info = nullptr;
  check(api.create_info(&info));
  const OwnedInfo owner(info, {api});
  check(api.set_element_type(info, element_type_of(spec.dtype)));
  check(api.set_sizes(info, numbers.data(), numbers.size()));
  check(api.set_size_names(info, pointers.data(), pointers.size()));
  check(api.set_output_info(context, index, info));
}

}  // namespace onnxop::ort
