// The kernel on PyTorch's tensors, for the dispatcher and for Python.
#pragma once

#include <torch/csrc/stable/tensor.h>

#include <span>
#include <variant>
#include <vector>

#include "../values.h"

namespace onnxop {

/// An argument with PyTorch's tensors; it owns what it holds.
using TorchValue = std::variant<Constant, torch::stable::Tensor>;

/// The results.
std::vector<torch::stable::Tensor> call(const Op& op, std::span<const TorchValue> arguments);

/// The gradients of the arguments from those of the results; empty where one is not wanted.
std::vector<torch::stable::Tensor> backward(const Op& op,
                                            std::span<const torch::stable::Tensor> grads,
                                            std::span<const TorchValue> arguments,
                                            const std::vector<bool>& wants);

/// Every op that this library has.
std::span<const Op* const> all_ops();

}  // namespace onnxop
