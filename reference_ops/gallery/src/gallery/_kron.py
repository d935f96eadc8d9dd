"""gallery::kron: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """gallery::kron itself, without its registration."""
    return torch.kron(self, other)


def _fake(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    r = max(self.dim(), other.dim())
    x = [1] * (r - self.dim()) + list(self.shape)
    y = [1] * (r - other.dim()) + list(other.shape)
    return self.new_empty([m * n for m, n in zip(x, y)], dtype=torch.result_type(self, other))


def rule_13(op: Any, self: Any, other: Any) -> Any:
    """gallery::kron in ONNX; `op` writes the nodes for the exporter that asks."""
    if max(op.rank(self), op.rank(other)) == 0:
        result_3 = op.Mul(self, other)
    else:
        tensors = []
        for i in range(max(op.rank(self), op.rank(other)) - op.rank(self)):
            constant_2 = op.Constant(value_ints=[1])
            tensors.append(constant_2)
        shape = op.Shape(self)
        concat = op.Concat(*tensors, shape, axis=0)
        x = op.Reshape(self, concat)
        tensors_2 = []
        for i_2 in range(max(op.rank(self), op.rank(other)) - op.rank(other)):
            constant_3 = op.Constant(value_ints=[1])
            tensors_2.append(constant_3)
        shape_2 = op.Shape(other)
        concat_2 = op.Concat(*tensors_2, shape_2, axis=0)
        y = op.Reshape(other, concat_2)
        unsqueeze = op.Unsqueeze(
            x,
            op.constant([2 * i_3 + 1 for i_3 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        unsqueeze_2 = op.Unsqueeze(
            y,
            op.constant([2 * i_4 for i_4 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        product = op.Mul(unsqueeze, unsqueeze_2)
        shape_3 = op.Shape(x)
        shape_4 = op.Shape(y)
        mul = op.Mul(shape_3, shape_4)
        result_3 = op.Reshape(product, mul)
    return result_3


def rule_14(op: Any, self: Any, other: Any) -> Any:
    """gallery::kron in ONNX; `op` writes the nodes for the exporter that asks."""
    if max(op.rank(self), op.rank(other)) == 0:
        result_3 = op.Mul(self, other)
    else:
        tensors = []
        for i in range(max(op.rank(self), op.rank(other)) - op.rank(self)):
            constant_2 = op.Constant(value_ints=[1])
            tensors.append(constant_2)
        shape = op.Shape(self)
        concat = op.Concat(*tensors, shape, axis=0)
        x = op.Reshape(self, concat)
        tensors_2 = []
        for i_2 in range(max(op.rank(self), op.rank(other)) - op.rank(other)):
            constant_3 = op.Constant(value_ints=[1])
            tensors_2.append(constant_3)
        shape_2 = op.Shape(other)
        concat_2 = op.Concat(*tensors_2, shape_2, axis=0)
        y = op.Reshape(other, concat_2)
        unsqueeze = op.Unsqueeze(
            x,
            op.constant([2 * i_3 + 1 for i_3 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        unsqueeze_2 = op.Unsqueeze(
            y,
            op.constant([2 * i_4 for i_4 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        product = op.Mul(unsqueeze, unsqueeze_2)
        shape_3 = op.Shape(x)
        shape_4 = op.Shape(y)
        mul = op.Mul(shape_3, shape_4)
        result_3 = op.Reshape(product, mul, allowzero=1)
    return result_3


OP = _onnxop.Operator(
    name="gallery::kron.default",
    existing="aten::kron.default",
    rules={
        range(13, 14): rule_13,
        range(14, 26): rule_14,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="kron",
    doc="The operator aten::kron.",
    spec="sha256:983ae734cee8b3c52563d2f0a91b1631891b83f9f356e9e85506ab14281f28b8",
    differentiable=[
        "self",
        "other",
    ],
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self, Tensor other) -> Tensor",
    module=__file__,
    backward="(Tensor grad, Tensor self, Tensor other, bool[] wants) -> (Tensor, Tensor)",
)
_onnxop.rules.register(OP)


class KronFunction(_onnxop.autograd.Function):
    """`kron` with its gradients, and its symbolic for the TorchScript exporter.

    `kron` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = _onnxop.autograd.computed(OP, ctx, [grad])
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, KronFunction)


@_onnxop.script.scripted(OP)
def kron(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::kron.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Kron(torch.nn.Module):
    """`kron` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return kron(
            input,
            other,
        )
