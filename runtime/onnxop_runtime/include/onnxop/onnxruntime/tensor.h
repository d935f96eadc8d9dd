// ONNX Runtime's tensors as the views that kernels take, and its statuses as exceptions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../parallel.h"
#include "../tensor.h"
#include "abi.h"

namespace onnxop::ort {

// ---- Errors ----

/// A status on its way to the runtime, whose it is: only guarded() may catch it.
struct StatusError {
  Status* status;
};

inline void check(Status* status) {
  if (status != nullptr) throw StatusError{status};
}

/// Whether a call went well, where it may fail.
inline bool succeeds(const Api& api, Status* status) {
  if (status == nullptr) return true;
  api.release_status(status);
  return false;
}

/// Runs what the runtime asked for: no exception may reach it.
template <typename Body>
Status* guarded(const Api& api, const Body& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const StatusError& error) {
    return error.status;
  } catch (const std::runtime_error& error) {  // what fail() throws
    return api.create_status(ErrorCode::invalid_argument, error.what());
  } catch (const std::exception& error) {
    return api.create_status(ErrorCode::fail, error.what());
  } catch (...) {
    return api.create_status(ErrorCode::fail, "an exception of an unknown type");
  }
}

// ---- Dtypes ----

inline constexpr std::pair<ElementType, Dtype> kDtypes[] = {
    {ElementType::float32, Dtype::float32},
    {ElementType::float64, Dtype::float64},
    {ElementType::float16, Dtype::float16},
    {ElementType::bfloat16, Dtype::bfloat16},
    {ElementType::uint8, Dtype::uint8},
    {ElementType::uint16, Dtype::uint16},
    {ElementType::uint32, Dtype::uint32},
    {ElementType::uint64, Dtype::uint64},
    {ElementType::int8, Dtype::int8},
    {ElementType::int16, Dtype::int16},
    {ElementType::int32, Dtype::int32},
    {ElementType::int64, Dtype::int64},
    {ElementType::boolean, Dtype::boolean},
    {ElementType::complex64, Dtype::complex64},
    {ElementType::complex128, Dtype::complex128},
};

constexpr Dtype dtype_of(ElementType type) {
  const auto* found = std::ranges::find(kDtypes, type, &std::pair<ElementType, Dtype>::first);
  return found == std::end(kDtypes) ? Dtype::other : found->second;
}

/// Of a dtype that a kernel may compute with.
constexpr ElementType element_type_of(Dtype dtype) {
  const auto* found = std::ranges::find(kDtypes, dtype, &std::pair<ElementType, Dtype>::second);
  return found == std::end(kDtypes) ? ElementType::any : found->first;
}

// ---- 16-bit floats ----

constexpr bool is_half(Dtype dtype) {
  return dtype == Dtype::float16 || dtype == Dtype::bfloat16;
}

/// Elements from one type to the other, on all threads; one of the two is a 16-bit float.
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

struct ReleaseInfo {
  Api api;
  void operator()(TensorInfo* info) const { api.release_info(info); }
};
using OwnedInfo = std::unique_ptr<TensorInfo, ReleaseInfo>;

inline OwnedInfo info_of(const Api& api, const Value* value) {
  TensorInfo* info = nullptr;
  check(api.get_info(value, &info));
  return {info, {api}};
}

inline Dtype dtype_of(const Api& api, const TensorInfo* info) {
  auto type = ElementType::any;
  check(api.get_element_type(info, &type));
  return dtype_of(type);
}

inline std::vector<int64_t> sizes_of(const Api& api, const TensorInfo* info) {
  size_t rank = 0;
  check(api.get_rank(info, &rank));
  std::vector<int64_t> sizes(rank);
  check(api.get_sizes(info, sizes.data(), rank));
  return sizes;
}

inline void* data_of(const Api& api, const Value* value) {
  void* data = nullptr;
  check(api.get_data(const_cast<Value*>(value), &data));
  return data;
}

/// An input: it owns what its views show, but for the data. An op for the CPU is only handed
/// contiguous tensors in the CPU's memory: the runtime copies others.
class InputTensor {
 public:
  InputTensor(const Api& api, std::string_view name, const Value* value)
      : InputTensor(name, data_of(api, value), dtype_of(api, info_of(api, value).get()),
                    ort::sizes_of(api, info_of(api, value).get())) {}

  /// Has a kernel that knows no 16-bit floats see these elements as floats.
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
  InputTensor(std::string_view name, const void* data, Dtype dtype, std::vector<int64_t> sizes)
      : name_(name),
        data_(data),
        dtype_(dtype),
        sizes_(std::move(sizes)),
        strides_(contiguous_strides(sizes_)) {}

  std::string_view name_;
  const void* data_;
  Dtype dtype_;
  std::vector<int64_t> sizes_, strides_;
  std::vector<float> floats_;
};

/// An output, which is allocated here; one that the node leaves out goes nowhere. Of one of 16-bit
/// floats the kernel may write floats: then they are to be narrowed.
class OutputTensor {
 public:
  OutputTensor(const Api& api, KernelContext* context, size_t index, std::string_view op,
               std::string_view name, TensorSpec spec, bool may_narrow)
      : name_(name), spec_(std::move(spec)), strides_(contiguous_strides(spec_.sizes)) {
    Value* value = nullptr;
    check(api.get_output(context, index, spec_.sizes.data(), spec_.sizes.size(), &value));
    if (value == nullptr) {
      scratch_.resize(element_count(spec_.sizes) * sizeof(int64_t));  // as wide as any element
      data_ = scratch_.data();
      return;
    }
    const Dtype dtype = dtype_of(api, info_of(api, value).get());
    if (may_narrow && is_half(dtype) && spec_.dtype == Dtype::float32) {
      narrow_ = dtype == Dtype::float16 ? convert<float, Half> : convert<float, BFloat16>;
      halves_ = data_of(api, value);
      scratch_.resize(element_count(spec_.sizes) * sizeof(float));
      data_ = scratch_.data();
      return;
    }
    if (dtype != spec_.dtype) {
      fail(op, ": the output ", name, " is ", onnxop::name(spec_.dtype), " as infer() says, but ",
           onnxop::name(dtype), " in the model");
    }
    data_ = data_of(api, value);
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

}  // namespace onnxop::ort
