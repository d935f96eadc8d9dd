"""asinh::asinh: the operator, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def to_onnx(op: OnnxOps, self: OnnxValue) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    return op.Asinh(self)


OP = package.operator(
    name="asinh::asinh.default",
    existing="aten::asinh.default",
    rule=to_onnx,
    opset=9,
    domain="asinh",
    op_type="asinh",
    doc="The inverse hyperbolic sine, element by element.",
    spec_hash="sha256:a9475951a6c7166c91a165990b02f1943b785f0c706905db30adc670de82286a",
    is_native=True,
    kernel=package.kernel.asinh,
    elementwise=True,
    dtypes=package.kernel._dtypes_asinh(),
)


class AsinhFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `asinh` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        (self,) = inputs
        ctx.save_for_backward(self)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (self,) = ctx.saved_tensors
        gradients: list[Tensor | None] = [None] * 1
        if ctx.needs_input_grad[0]:
            gradients[0] = grad * (self * self + 1).rsqrt()
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(OP, AsinhFunction)


@package.scripted(OP)
def asinh(self: Tensor) -> Tensor:
    """The inverse hyperbolic sine, element by element.

    Args:
        self: a tensor of any shape.

    Returns:
        A tensor of the same shape, of the same dtype, and in the same memory format.
    """
    result: Tensor = _operator(self)
    return result


class Asinh(torch.nn.Module):
    """`asinh` as a module."""

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = asinh(input)
        return result
