// The values of arguments, between a host and the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "op.h"

namespace onnxop {

/// An argument that is not a tensor; it owns its value.
using Constant = std::variant<None, int64_t, double, Scalar, bool, std::string, std::vector<int64_t>,
                              std::vector<double>>;

/// The default of an argument that has one.
inline Constant constant_of(const Default& value) {
  const auto convert = [](const auto& held) -> Constant {
    using T = std::decay_t<decltype(held)>;
    if constexpr (std::is_same_v<T, Required>) {
      return None();
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      return std::string(held);
    } else if constexpr (requires { held.begin(); }) {
      return std::vector(held.begin(), held.end());
    } else {
      return held;
    }
  };
  return std::visit(convert, value);
}

inline Value value_of(const Constant& constant) {
  const auto convert = [](const auto& held) -> Value {
    if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
      return std::string_view(held);
    } else if constexpr (requires { held.data(); }) {
      return std::span(held);
    } else {
      return held;
    }
  };
  return std::visit(convert, constant);
}

/// The names of lists' tensors in messages, "xs[1]"; it owns the names.
class ItemNames {
 public:
  const char* of(std::string_view list, size_t place) {
    names_.push_back(std::string(list) + "[" + std::to_string(place) + "]");
    return names_.back().c_str();
  }

 private:
  std::list<std::string> names_;  // a list, which does not move its items, nor allocate while empty
};

/// Memory for a call's small lists, which end with it; it allocates only for long ones.
class CallMemory {
 public:
  template <typename T>
  std::pmr::vector<T> list(size_t capacity) {
    std::pmr::vector<T> items(&resource_);
    items.reserve(capacity);
    return items;
  }

  template <typename T>
  std::span<T> items(size_t count) {
    return {static_cast<T*>(resource_.allocate(count * sizeof(T), alignof(T))), count};
  }

 private:
  std::array<std::byte, 1024> buffer_;
  std::pmr::monotonic_buffer_resource resource_{buffer_.data(), buffer_.size()};
};

/// The arguments of infer(); it owns the sizes.
class Metas {
 public:
  explicit Metas(const Op& op) : metas_(memory_.list<Meta>(op.arguments.size())) {}

  std::span<const Meta> list() const { return metas_; }

  void add(Meta meta) { metas_.push_back(std::move(meta)); }

  /// Returns a tensor, or one of a list; keeps a copy of its sizes, which may be numbers.
  template <typename Sizes>
  TensorMeta tensor(std::string_view name, const void* data, Dtype dtype, const Sizes& sizes) {
    return {.name = name, .data = data, .dtype = dtype, .sizes = kept(sizes)};
  }

  void add_tensors(std::vector<TensorMeta> tensors) {
    add(std::span<const TensorMeta>(lists_.emplace_back(std::move(tensors))));
  }

  /// Returns the name of a tensor in a list.
  const char* item_name(std::string_view list, size_t place) { return names_.of(list, place); }

  template <typename Sizes>
  void add_sizes(const Sizes& sizes) {
    add(kept(sizes));
  }

  void add_constant(Constant constant) {
    add_value(value_of(constants_.emplace_back(std::move(constant))));
  }

  /// Adds an argument of compute(), whose sizes are numbers.
  void add(const Argument& argument, const Value& value) {
    if (const auto* tensor = std::get_if<TensorView>(&value)) {
      add(with_sizes(argument, *tensor));
    } else if (const auto* views = std::get_if<std::span<const TensorView>>(&value)) {
      std::vector<TensorMeta> tensors;
      for (const TensorView& view : *views) tensors.push_back(with_sizes(argument, view));
      add_tensors(std::move(tensors));
    } else if (argument.type.kind != Kind::size || std::holds_alternative<None>(value)) {
      add_value(value);
    } else if (const auto* size = std::get_if<int64_t>(&value)) {
      add(Size(*size));
    } else {
      add_sizes(std::get<std::span<const int64_t>>(value));
    }
  }

 private:
  /// infer() cannot read a GPU's memory.
  static const void* data_of([[maybe_unused]] const Argument& argument, const TensorView& view) {
#if defined(ONNXOP_CUDA)
    return argument.on_host ? view.data : nullptr;
#else
    return view.data;
#endif
  }
  TensorMeta with_sizes(const Argument& argument, const TensorView& view) {
    return tensor(view.name, data_of(argument, view), view.dtype, view.sizes);
  }

  template <typename Sizes>
  std::span<const Size> kept(const Sizes& sizes) {
    const std::span<Size> copy = memory_.items<Size>(sizes.size());
    std::uninitialized_copy(sizes.begin(), sizes.end(), copy.begin());
    return copy;
  }

  void add_value(const Value& value) {
    const auto convert = [&](const auto& held) {
      if constexpr (std::is_constructible_v<Meta, decltype(held)>) add(Meta(held));
    };
    std::visit(convert, value);
  }

  CallMemory memory_;
  std::pmr::vector<Meta> metas_;
  std::list<std::vector<TensorMeta>> lists_;
  ItemNames names_;
  std::list<Constant> constants_;  // a list, which does not move its items
};

/// The result of infer(), which checks the arguments.
inline std::vector<TensorSpec> specs_of(const Op& op, std::span<const Value> values) {
  Metas metas(op);
  for (size_t i = 0; i < values.size(); ++i) metas.add(op.arguments[i], values[i]);
  std::vector<TensorSpec> specs;
  specs.reserve(op.results.size());
  for (const OutputSpec& output : op.infer(metas.list())) specs.push_back(concrete(op.name, output));
  return specs;
}

}  // namespace onnxop
