// Calls of the kernel with PyTorch's tensors, for the dispatcher and for Python.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "../values.h"
#include "tensor.h"

namespace onnxop {

/// An argument with PyTorch's tensors; it owns its value.
using TorchValue = std::variant<Constant, Tensor, std::vector<Tensor>>;

/// Computes the results.
std::vector<Tensor> call(const Op& op, std::span<const TorchValue> arguments);

/// Computes the gradients of the arguments from those of the results; empty if not requested.
std::vector<Tensor> backward(const Op& op, std::span<const Tensor> grads,
                             std::span<const TorchValue> arguments,
                             const std::vector<bool>& wants);

/// Returns all ops of this library.
std::vector<const Op*> all_ops();

/// Registers the ops with PyTorch's dispatcher, until the process ends.
void register_ops();

}  // namespace onnxop
