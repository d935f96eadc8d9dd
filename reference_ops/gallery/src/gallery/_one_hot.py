"""gallery::one_hot: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
    num_classes: int = -1,
) -> Tensor:
    """gallery::one_hot itself, without its registration."""
    return torch.nn.functional.one_hot(self, num_classes)


def new_dynamic_size(*, min: int = 0, max: int | None = None) -> Any:
    """A size that only the data tell, as `torch.library.get_ctx` gives it."""
    context: Any = torch.library.get_ctx()
    return context.new_dynamic_size(min=min, max=max)


def _fake(
    self: Tensor,
    num_classes: int = -1,
) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    return self.new_empty([*self.shape, num_classes if num_classes >= 0 else new_dynamic_size(min=1)])  # fmt: skip


def rule(op: Any, self: Any, num_classes: Any) -> Any:
    """gallery::one_hot in ONNX; `op` writes the nodes for the exporter that asks."""
    if num_classes < 0:
        reduce_max = op.ReduceMax(self, keepdims=0)
        count_3 = op.Add(reduce_max, op.constant(1, like=self))
    else:
        count_3 = op.Identity(op.constant(num_classes, like="INT64"))
    unsqueeze = op.Unsqueeze(self, op.constant([-1], like="INT64"))
    range = op.Range(op.constant(0, like=self), count_3, op.constant(1, like=self))
    equal = op.Equal(unsqueeze, range)
    return op.Cast(equal, to=7)


OP = _onnxop.Operator(
    name="gallery::one_hot.default",
    existing="aten::one_hot.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="one_hot",
    doc="Ones where the classes are, of as many as there are, or as the largest of them says.",
    spec="sha256:f3e9f1e6efc7f16be16e563bee76a666db74ba37fb3c071748c504b2cb7b9298",
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self, int num_classes=-1) -> Tensor",
    module=__file__,
)
_onnxop.rules.register(OP)


class OneHotFunction(_onnxop.autograd.Function):
    """`one_hot` with its gradients, and its symbolic for the TorchScript exporter.

    `one_hot` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients: list[Tensor | None] = [None] * 2
        if ctx.needs_input_grad[0]:
            raise _onnxop.autograd.missing(OP, "self")
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, OneHotFunction)


@_onnxop.script.scripted(OP)
def one_hot(
    self: Tensor,
    num_classes: int = -1,
) -> Tensor:
    """Ones where the classes are, of as many as there are, or as the largest of them says.

    Args:
        self: a tensor.
        num_classes: an integer; -1 by default.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(
        self,
        num_classes,
    )
    return result


class OneHot(torch.nn.Module):
    """`one_hot` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        num_classes: int = -1,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return one_hot(
            input,
            self.num_classes,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"num_classes={self.num_classes}",
            ]
        )
