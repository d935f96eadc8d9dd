"""vision_ops::selective_scan_with_state: the operator, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from onnxop_runtime.mapping import rank
from torch import Tensor, exp, promote_types, stack
from torch.nn.functional import silu, softplus

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


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
    initial_state: Tensor | None = None,
) -> Any:
    """Compute the operator by PyTorch's own, where the kernel does not support the call."""
    dtype = promote_types(A.dtype, torch.float32)
    inputs, step, decay = u.to(dtype), delta.to(dtype), A.to(dtype)
    if delta_bias is not None:
        step = step + delta_bias[:, None]
    if delta_softplus:
        step = softplus(step)
    groups = B.shape[1] if B.dim() == 4 else 1
    B, C = (t.to(dtype).reshape(t.shape[0], groups, *t.shape[-2:]) for t in (B, C))
    B, C = (t.repeat_interleave(u.shape[1] // groups, 1) for t in (B, C))
    x, ys = (
        decay.new_zeros(u.shape[0], *A.shape) if initial_state is None else initial_state.to(dtype),
        [],
    )
    for t in range(u.shape[2]):
        d = step[:, :, t, None]
        x = exp(d * decay) * x + d * B[:, :, :, t] * inputs[:, :, t, None]
        ys.append((x * C[:, :, :, t]).sum(2))
    y = stack(ys, 2) if ys else inputs * 0
    if D is not None:
        y = y + D[:, None] * inputs
    if z is not None:
        y = y * silu(z.to(dtype))
    return y.to(u.dtype), x.to(A.dtype)


def to_onnx(
    op: OnnxOps,
    u: OnnxValue,
    delta: Any,
    A: OnnxValue,
    B: Any,
    C: Any,
    D: OnnxValue | None,
    z: Any,
    delta_bias: OnnxValue | None,
    delta_softplus: bool,
    initial_state: OnnxValue | None,
) -> Iterable[OnnxValue]:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    inputs, delta = op.CastLike(u, A), op.CastLike(delta, A)
    if delta_bias is not None:
        delta = delta + op.Unsqueeze(op.CastLike(delta_bias, A), [1])
    if delta_softplus:
        exact = op.Cast(delta, to=11)
        soft = op.Max(exact, 0.0) + op.Log(1.0 + op.Exp(op.Neg(op.Abs(exact))))
        delta = op.CastLike(op.Where(op.Greater(exact, 20.0), exact, soft), delta)

    # Split the channels into groups, each with its own B and C.
    if rank(B) == 3:
        B, C = op.Unsqueeze(B, [1]), op.Unsqueeze(C, [1])
    B, C = op.CastLike(B, A), op.CastLike(C, A)
    batch, channels, length = op.Split(op.Shape(u), [1, 1, 1])
    groups, states = op.Shape(B, start=1, end=2), op.Shape(A, start=1, end=2)
    in_groups = op.Concat(groups, op.Div(channels, groups), axis=0)
    us, deltas = [
        op.Reshape(x, op.Concat(batch, in_groups, length, axis=0), allowzero=1)
        for x in [inputs, delta]
    ]
    decay = op.Reshape(A, op.Concat(in_groups, states, axis=0), allowzero=1)

    def step(t, keep, x):
        d = op.Unsqueeze(op.Gather(deltas, t, axis=3), [3])
        b = op.Unsqueeze(op.Gather(B, t, axis=3), [2])
        c = op.Unsqueeze(op.Gather(C, t, axis=3), [2])
        x = op.Exp(d * decay) * x + d * op.Unsqueeze(op.Gather(us, t, axis=3), [3]) * b
        return keep, x, op.ReduceSum(x * c, [3], keepdims=0)

    state = op.Concat(batch, in_groups, states, axis=0)
    x = op.CastLike(
        op.ConstantOfShape(state)
        if initial_state is None
        else op.Reshape(initial_state, state, allowzero=1),
        A,
    )
    x, rows = op.Loop(op.Squeeze(length, [0]), None, x, body=step)
    rows = op.Reshape(rows, op.Concat(length, batch, channels, axis=0), allowzero=1)
    y = op.Transpose(rows, perm=[1, 2, 0])
    if D is not None:
        y = y + op.Unsqueeze(op.CastLike(D, A), [1]) * inputs
    if z is not None:
        z = op.CastLike(z, A)
        y = y * (z / (1.0 + op.Exp(op.Neg(z))))
    return op.CastLike(y, u), op.Reshape(x, op.Concat(batch, channels, states, axis=0), allowzero=1)


OP = package.operator(
    name="vision_ops::selective_scan_with_state.default",
    results=["out", "last_state"],
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="selective_scan_with_state",
    doc="`selective_scan` from a given state, with the state after the last step.",
    spec_hash="sha256:c2f2275eec2c032d8307d707bb5b53bd91e3e3bf70de2e596826ba3f8f3195de",
    is_native=True,
    kernel=package.kernel.selective_scan_with_state,
    infer=package.kernel._infer_selective_scan_with_state,
    differentiable=["u", "delta", "A", "B", "C", "D", "z", "delta_bias", "initial_state"],
    reference=_reference,
    dtypes=package.kernel._dtypes_selective_scan_with_state(),
    autocast="none",
)


class SelectiveScanWithStateFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `selective_scan_with_state` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        OP.save(ctx, *inputs)
        SelectiveScanWithStateFunction.mark_without_gradients(ctx, output)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        gradients = OP.gradients(ctx, grads)
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(
    OP,
    SelectiveScanWithStateFunction,
    source="ops/selective_scan_with_state.h",
)


@package.scripted(OP)
def selective_scan_with_state(
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    z: Tensor | None = None,
    delta_bias: Tensor | None = None,
    delta_softplus: bool = False,
    initial_state: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`selective_scan` from a given state, with the state after the last step.

    A state is [batch, channels, states], in the dtype of `A`; the first one is zeros by default.
    The operator is `mamba_ssm`'s `selective_scan_fn(..., return_last_state=True)`, and with a
    length of 1 its `selective_state_update`. Scans of the parts of a sequence, each from the last
    state of the one before, give the scan of the whole. Both results have gradients; mamba_ssm's
    `last_state` has none.

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
        initial_state: a tensor or None; None by default.

    Returns:
        out and last_state: contiguous tensors, in a tuple.

    Raises:
        RuntimeError: ops/selective_scan_with_state.h rejects the arguments.
    """
    result: tuple[Tensor, Tensor] = _operator(
        u,
        delta,
        A,
        B,
        C,
        D,
        z,
        delta_bias,
        delta_softplus,
        initial_state,
    )
    return result


class SelectiveScanWithState(torch.nn.Module):
    """`selective_scan_with_state` as a module; its constructor takes all but the tensors."""

    def __init__(self, delta_softplus: bool = False) -> None:
        super().__init__()
        self.delta_softplus = delta_softplus

    def extra_repr(self) -> str:
        return f"delta_softplus={self.delta_softplus}"

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
        initial_state: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        result: tuple[Tensor, Tensor] = selective_scan_with_state(
            u,
            delta,
            A,
            B,
            C,
            D,
            z,
            delta_bias,
            self.delta_softplus,
            initial_state,
        )
        return result
