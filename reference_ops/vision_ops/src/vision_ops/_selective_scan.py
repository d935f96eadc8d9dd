"""vision_ops::selective_scan: the operator in PyTorch, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from torch import Tensor, exp, promote_types, stack
from torch.nn.functional import silu, softplus

from . import package


def _reference(
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    z: Tensor | None = None,
    delta_bias: Tensor | None = None,
    delta_softplus: bool = False,
) -> Any:
    """Compute vision_ops::selective_scan with PyTorch's operators, for calls that the kernel does not support."""
    dtype = promote_types(u.dtype, torch.float32)
    inputs, step, decay = u.to(dtype), delta.to(dtype), A.to(dtype)
    if delta_bias is not None:
        step = step + delta_bias[:, None]
    if delta_softplus:
        step = softplus(step)
    x, ys = decay.new_zeros(u.shape[0], *A.shape), []
    for t in range(u.shape[2]):
        d = step[:, :, t, None]
        x = exp(d * decay) * x + d * B[:, None, :, t] * inputs[:, :, t, None]
        ys.append((x * C[:, None, :, t]).sum(2))
    y = stack(ys, 2) if ys else inputs * 0
    if D is not None:
        y = y + D[:, None] * inputs
    if z is not None:
        y = y * silu(z.to(dtype))
    return y.to(u.dtype)


def to_onnx(
    op: Any,
    u: Any,
    delta: Any,
    A: Any,
    B: Any,
    C: Any,
    D: Any,
    z: Any,
    delta_bias: Any,
    delta_softplus: Any,
) -> Any:
    """Return vision_ops::selective_scan in ONNX; `op` adds the nodes for the calling exporter."""
    if delta_bias is not None:
        delta = delta + op.Unsqueeze(delta_bias, [1])
    if delta_softplus:
        exact = op.Cast(delta, to=11)
        soft = op.Max(exact, 0.0) + op.Log(1.0 + op.Exp(op.Neg(op.Abs(exact))))
        delta = op.CastLike(op.Where(op.Greater(exact, 20.0), exact, soft), delta)

    def step(t, keep, x):
        d = op.Unsqueeze(op.Gather(delta, t, axis=2), [2])
        b = op.Unsqueeze(op.Gather(B, t, axis=2), [1])
        c = op.Unsqueeze(op.Gather(C, t, axis=2), [1])
        x = op.Exp(d * A) * x + d * op.Unsqueeze(op.Gather(u, t, axis=2), [2]) * b
        return keep, x, op.ReduceSum(x * c, [2], keepdims=0)

    state = op.Concat(op.Shape(u, start=0, end=2), op.Shape(A, start=1, end=2), axis=0)
    x = op.CastLike(op.ConstantOfShape(state), u)
    _, rows = op.Loop(op.Squeeze(op.Shape(u, start=2, end=3), [0]), None, x, body=step)
    rows = op.Reshape(rows, op.Concat(op.Shape(u, start=2, end=3), op.Shape(u, start=0, end=2), axis=0), allowzero=1)
    y = op.Transpose(rows, perm=[1, 2, 0])
    if D is not None:
        y = y + op.Unsqueeze(D, [1]) * u
    if z is not None:
        y = y * (z / (1.0 + op.Exp(op.Neg(z))))
    return y


OP = package.operator(
    name="vision_ops::selective_scan.default",
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="selective_scan",
    doc="The selective state space of Mamba, algorithm 2 of arXiv 2312.00752: x = exp(delta A) x + delta B u, y = C x + D u.",
    spec_hash="sha256:5fa8c7b0947b2a2d8005d0db25055ea0c7f019bafff3b8aadb6c99aa35bc8aa4",
    is_native=True,
    kernel=package.kernel.selective_scan,
    infer=package.kernel._infer_selective_scan,
    differentiable=[
        "u",
        "delta",
        "A",
        "B",
        "C",
        "D",
        "z",
        "delta_bias",
    ],
    reference=_reference,
    dtypes=package.kernel._dtypes_selective_scan(),
)


class SelectiveScanFunction(onnxop_runtime.Function):
    """`selective_scan` with its gradients, and its symbolic function for the TorchScript exporter.

    `selective_scan` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        OP.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = OP.gradients(ctx, [grad])
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(
    OP,
    SelectiveScanFunction,
    source="ops/selective_scan.h",
)


@package.scripted(OP)
def selective_scan(
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    z: Tensor | None = None,
    delta_bias: Tensor | None = None,
    delta_softplus: bool = False,
) -> Tensor:
    """The selective state space of Mamba, algorithm 2 of arXiv 2312.00752: x = exp(delta A) x + delta B u, y = C x + D u.

    Args:
        u: a tensor.
        delta: a tensor.
        A: a tensor.
        B: a tensor.
        C: a tensor.
        D: a tensor or None; None by default.
        z: a tensor or None; None by default.
        delta_bias: a tensor or None; None by default.
        delta_softplus: a boolean; False by default.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: ops/selective_scan.h rejects the arguments.
    """
    result: Tensor = _operator(
        u,
        delta,
        A,
        B,
        C,
        D,
        z,
        delta_bias,
        delta_softplus,
    )
    return result


class SelectiveScan(torch.nn.Module):
    """`selective_scan` as a module; its constructor takes all but the tensors."""

    def __init__(
        self,
        delta_softplus: bool = False,
    ) -> None:
        super().__init__()
        self.delta_softplus = delta_softplus

    def forward(
        self,
        u: Tensor,
        delta: Tensor,
        A: Tensor,
        B: Tensor,
        C: Tensor,
        D: Tensor | None = None,
        z: Tensor | None = None,
        delta_bias: Tensor | None = None,
    ) -> Tensor:
        return selective_scan(
            u,
            delta,
            A,
            B,
            C,
            D,
            z,
            delta_bias,
            self.delta_softplus,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"delta_softplus={self.delta_softplus}",
            ]
        )
