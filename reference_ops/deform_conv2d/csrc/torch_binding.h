// deform_conv2d::deform_conv2d on PyTorch's tensors.
#pragma once

#include <torch/csrc/stable/tensor.h>

#include <cstdint>

namespace op {

torch::stable::Tensor call(const torch::stable::Tensor& input,
                           const torch::stable::Tensor& weight,
                           const torch::stable::Tensor& offset,
                           const torch::stable::Tensor& mask,
                           const torch::stable::Tensor& bias,
                           int64_t stride_h,
                           int64_t stride_w,
                           int64_t pad_h,
                           int64_t pad_w,
                           int64_t dilation_h,
                           int64_t dilation_w,
                           int64_t groups,
                           int64_t offset_groups,
                           bool use_mask);

}  // namespace op
