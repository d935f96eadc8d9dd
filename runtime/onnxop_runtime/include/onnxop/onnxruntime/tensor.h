// ONNX Runtime's tensors as views for kernels, and its statuses as exceptions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../model/tensor.h"
#include "abi.h"

namespace onnxop::ort {

// ---- Errors ----

/// A status to return to the runtime, which owns it: only guarded() may catch it.
struct StatusError {
  Status* status;
};

inline void check(Status* status) {
  if (status != nullptr) throw StatusError{status};
}

/// Returns whether a call that may fail succeeded.
inline bool succeeds(const Api& api, Status* status) {
  if (status == nullptr) return true;
  api.release_status(status);
  return false;
}

/// Runs a callback of the runtime, which exceptions must not reach.
template <typename Body>
Status* guarded(const Api& api, const Body& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const StatusError& error) {
    return error.status;
  } catch (const std::runtime_error& error) {  // thrown by fail()
    return api.create_status(ErrorCode::invalid_argument, error.what());
  } catch (const std::exception& error) {
    return api.create_status(ErrorCode::fail, error.what());
  } catch (...) {
    return api.create_status(ErrorCode::fail, "an exception of an unknown type");
  }
}

// ---- Dtypes ----

/// ONNX's numbers by our dtypes.
inline constexpr ElementType kTypes[] = {
    ElementType::float32, ElementType::float64, ElementType::float16, ElementType::bfloat16,
    ElementType::uint8, ElementType::uint16, ElementType::uint32, ElementType::uint64,
    ElementType::int8, ElementType::int16, ElementType::int32, ElementType::int64,
    ElementType::boolean, ElementType::complex64, ElementType::complex128};

constexpr Dtype dtype_of(ElementType type) {
  return static_cast<Dtype>(std::ranges::find(kTypes, type) - std::begin(kTypes));
}

/// Returns the number of a dtype that a kernel may support.
constexpr ElementType element_type_of(Dtype dtype) {
  return dtype == Dtype::other ? ElementType::any : kTypes[static_cast<size_t>(dtype)];
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

/// CPU ops get only contiguous tensors in the CPU's memory: the runtime copies others.
inline RuntimeTensor tensor_of(const Api& api, const Value* value) {
  const OwnedInfo info = info_of(api, value);
  return {data_of(api, value), dtype_of(api, info.get()), sizes_of(api, info.get())};
}

}  // namespace onnxop::ort
