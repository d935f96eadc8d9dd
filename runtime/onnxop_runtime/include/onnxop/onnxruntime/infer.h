// infer() on the sizes of a model's tensors, which may be dynamic while ONNX Runtime loads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../model/infer.h"
#include "abi.h"
#include "tensor.h"

namespace onnxop::ort {

/// Sizes with the same name are equal; a size without a name is unknown.
using NamedSizes = DynamicSizes<std::string_view>;

inline std::vector<Size> sizes_of(const Api& api, const TensorInfo* info, NamedSizes& dynamic) {
  const std::vector<int64_t> numbers = sizes_of(api, info);
  std::vector<const char*> names(numbers.size());
  check(api.get_size_names(info, names.data(), names.size()));
  std::vector<Size> sizes;
  for (size_t d = 0; d < numbers.size(); ++d) {
    const bool has_name = names[d] != nullptr && *names[d] != '\0';
    sizes.push_back(numbers[d] >= 0 ? Size(numbers[d])
                    : has_name      ? dynamic.labelled(names[d])
                                    : dynamic.unknown());
  }
  return sizes;
}

/// Returns a unique name: the runtime treats equal names as equal sizes, and a size without a name as the
/// number -1.
inline std::string new_size_name(std::string_view op) {
  static std::atomic<uint64_t> count = 0;
  return std::string(op) + "_" + std::to_string(count++);
}

inline void set_output(const Api& api, const ShapeInferContext* context, std::string_view op,
                       size_t index, const OutputSpec& spec) {
  std::vector<int64_t> numbers;
  std::vector<std::string> names;
  for (const Size size : spec.sizes) {
    const bool has_number = is_number(size);
    const std::string_view* const label = NamedSizes::label_of(size);
    numbers.push_back(has_number ? size.value() : -1);
    names.push_back(has_number ? "" : label ? std::string(*label) : new_size_name(op));
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
