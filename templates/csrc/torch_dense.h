// PyTorch's tensors for kernels written by hand, which see contiguous ones only.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "infer.h"
#include "torch_tensor.h"

namespace op {

/// A contiguous argument: it keeps alive what its view shows.
class DenseTensor {
 public:
  DenseTensor(std::string_view op, std::string_view name, const Tensor& tensor)
      : tensor_(checked(op, name, tensor).is_contiguous() ? tensor
                                                          : torch::stable::contiguous(tensor)),
        view_(op::view(op, name, tensor_)),
        sizes_(view_.sizes.begin(), view_.sizes.end()) {}

  friend const TensorView& view_of(const DenseTensor& tensor) { return tensor.view_; }

  friend TensorMeta meta_of(const DenseTensor& tensor) {
    const TensorView& view = tensor.view_;
    return {.name = view.name, .data = view.data, .dtype = view.dtype, .sizes = tensor.sizes_};
  }

 private:
  static const Tensor& checked(std::string_view op, std::string_view name, const Tensor& tensor) {
    op::view(op, name, tensor);  // refuses other devices
    return tensor;
  }

  Tensor tensor_;
  TensorView view_;
  std::vector<Size> sizes_;
};

inline DenseTensor dense(std::string_view op, std::string_view name, const Tensor& tensor) {
  return {op, name, tensor};
}

inline std::optional<DenseTensor> dense(std::string_view op, std::string_view name,
                                        const std::optional<Tensor>& tensor) {
  return tensor ? std::optional(dense(op, name, *tensor)) : std::nullopt;
}

inline std::optional<TensorView> view_of(const std::optional<DenseTensor>& tensor) {
  return tensor ? std::optional(view_of(*tensor)) : std::nullopt;
}

inline std::optional<TensorMeta> meta_of(const std::optional<DenseTensor>& tensor) {
  return tensor ? std::optional(meta_of(*tensor)) : std::nullopt;
}

/// Refuses a gradient that is not of its output's dtype and shape.
inline void check_gradient(std::string_view op, const TensorView& grad, const TensorSpec& output) {
  check_dtype(op, grad, output.dtype);
  if (!std::ranges::equal(grad.sizes, output.sizes)) {
    fail(op, ": ", grad.name, " must be of its result's shape ", to_string(output.sizes), ", but it is ",
         to_string(grad.sizes));
  }
}

/// The gradient of an argument, of its dtype and shape; empty where it is not wanted.
class Gradient {
 public:
  Gradient(bool is_wanted, std::string_view name, const std::optional<TensorView>& of)
      : name_(name),
        is_wanted_(is_wanted && of),
        spec_(is_wanted_ ? TensorSpec{of->dtype, {of->sizes.begin(), of->sizes.end()}}
                         : TensorSpec{of ? of->dtype : Dtype::float32, {0}}),
        tensor_(allocate(spec_)) {}

  const Tensor& tensor() const { return tensor_; }

  std::optional<MutableTensorView> view() const {
    if (!is_wanted_) return std::nullopt;
    MutableTensorView view = output_view(tensor_, spec_);
    view.name = name_;
    return view;
  }

 private:
  std::string_view name_;
  bool is_wanted_;
  TensorSpec spec_;
  Tensor tensor_;
};

}  // namespace op
