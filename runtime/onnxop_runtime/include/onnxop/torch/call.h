// The kernel on PyTorch's tensors, for the dispatcher and for Python.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "../values.h"
#include "tensor.h"

namespace onnxop {

/// An argument with PyTorch's tensors; it owns what it holds.
using TorchValue = std::variant<Constant, Tensor, std::vector<Tensor>>;

/// The results.
std::vector<Tensor> call(const Op& op, std::span<const TorchValue> arguments);

/// The gradients of the arguments from those of the results; empty where one is not wanted.
std::vector<Tensor> backward(const Op& op, std::span<const Tensor> grads,
                             std::span<const TorchValue> arguments,
                             const std::vector<bool>& wants);

/// Every op that this library has.
std::vector<const Op*> all_ops();

/// Registers them with PyTorch's dispatcher, for as long as the process lives.
void register_ops();

}  // namespace onnxop
