"""my_lib::my_add: the operator, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def _reference(a: Tensor, b: Tensor) -> Any:
    """Compute the operator by PyTorch's own, where the kernel does not support the call."""
    return 2 * a + b


def to_onnx(op: OnnxOps, a: OnnxValue, b: OnnxValue) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    return op.Add(op.Mul(a, 2.0), b)


OP = package.operator(
    name="my_lib::my_add.default",
    rule=to_onnx,
    opset=13,
    domain="my_lib",
    op_type="my_add",
    doc="2a + b, element by element.",
    spec_hash="sha256:533782bcd75fb76389f9bb20bde284c1c7d7d8adbaadf9026076427e6d402482",
    is_native=True,
    kernel=package.kernel.my_add,
    reference=_reference,
    elementwise=True,
    dtypes=package.kernel._dtypes_my_add(),
)


class MyAddFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `my_add` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        a, b = inputs
        ctx.shapes = [a.shape, b.shape]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        a_shape, b_shape = ctx.shapes
        gradients: list[Tensor | None] = [None] * 2
        if ctx.needs_input_grad[0]:
            gradients[0] = (2 * grad).sum_to_size(a_shape)
        if ctx.needs_input_grad[1]:
            gradients[1] = grad.sum_to_size(b_shape)
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(OP, MyAddFunction)


@package.scripted(OP)
def my_add(a: Tensor, b: Tensor) -> Tensor:
    """2a + b, element by element.

    Args:
        a: a tensor of any shape; the shapes broadcast together.
        b: a tensor of any shape; the shapes broadcast together.

    Returns:
        A tensor of the broadcast shape, of the same dtype, and in the same memory format.

    Raises:
        RuntimeError: the tensors differ in dtype or device, or do not broadcast.
    """
    result: Tensor = _operator(a, b)
    return result


class MyAdd(torch.nn.Module):
    """`my_add` as a module."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        result: Tensor = my_add(a, b)
        return result
