// my_lib::my_add on PyTorch's tensors.
#pragma once

#include <torch/csrc/stable/tensor.h>

#include <cstdint>

namespace op {

torch::stable::Tensor call(const torch::stable::Tensor& a, const torch::stable::Tensor& b);

}  // namespace op
