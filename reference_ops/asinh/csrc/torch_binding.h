// asinh::asinh on PyTorch's tensors.
#pragma once

#include <torch/csrc/stable/tensor.h>

#include <cstdint>

namespace op {

torch::stable::Tensor call(const torch::stable::Tensor& self);

}  // namespace op
