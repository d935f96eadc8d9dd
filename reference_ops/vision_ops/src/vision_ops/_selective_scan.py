"""vision_ops::selective_scan: the operator, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

# mypy: allow-untyped-defs

from __future__ import annotations

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
    x, ys = decay.new_zeros(u.shape[0], *A.shape), []
    for t in range(u.shape[2]):
        d = step[:, :, t, None]
        x = exp(d * decay) * x + d * B[:, :, :, t] * inputs[:, :, t, None]
        ys.append((x * C[:, :, :, t]).sum(2))
    y = stack(ys, 2) if ys else inputs * 0
    if D is not None:
        y = y + D[:, None] * inputs
    if z is not None:
        y = y * silu(z.to(dtype))
    return y.to(u.dtype)


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
) -> OnnxValue:
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
    x = op.CastLike(op.ConstantOfShape(state), A)
    _, rows = op.Loop(op.Squeeze(length, [0]), None, x, body=step)
    rows = op.Reshape(rows, op.Concat(length, batch, channels, axis=0), allowzero=1)
    y = op.Transpose(rows, perm=[1, 2, 0])
    if D is not None:
        y = y + op.Unsqueeze(op.CastLike(D, A), [1]) * inputs
    if z is not None:
        z = op.CastLike(z, A)
        y = y * (z / (1.0 + op.Exp(op.Neg(z))))
    return op.CastLike(y, u)


OP = package.operator(
    name="vision_ops::selective_scan.default",
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="selective_scan",
    doc="The selective state space of Mamba, algorithm 2 of arXiv 2312.00752.",
    spec_hash="sha256:9170575e10c28d113ef4d710e69be352bec4985bcc130262db3c42e67297e24f",
    is_native=True,
    kernel=package.kernel.selective_scan,
    infer=package.kernel._infer_selective_scan,
    differentiable=["u", "delta", "A", "B", "C", "D", "z", "delta_bias"],
    reference=_reference,
    dtypes=package.kernel._dtypes_selective_scan(),
    autocast="none",
)


class SelectiveScanFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `selective_scan` goes through the dispatcher: it is quicker, with the same gradients.
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
    """The selective state space of Mamba, algorithm 2 of arXiv 2312.00752.

    In each step, x = exp(delta A) x + delta B u and y = C x + D u.

    The arguments are those of `mamba_ssm`'s `selective_scan_fn`, in its order: `u`, `delta` and `z`
    are [batch, channels, length], `A` is [channels, states], `D` and `delta_bias` are [channels].
    `B` and `C` are [batch, states, length], or [batch, groups, states, length], where each group of
    channels has its own. The result has the dtype of `u`. Dtypes may differ: everything is computed
    in the dtype of `A`, at least in float32, so `A` has the widest one, as float32 beside bfloat16.
    `torch.autocast` does not change them. In place of `return_last_state=True`, call
    `selective_scan_with_state`. `A` is real, and `B` and `C` depend on the input.

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
    result: Tensor = _operator(u, delta, A, B, C, D, z, delta_bias, delta_softplus)
    return result


class SelectiveScan(torch.nn.Module):
    """`selective_scan` as a module; its constructor takes all but the tensors."""

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
    ) -> Tensor:
        result: Tensor = selective_scan(u, delta, A, B, C, D, z, delta_bias, self.delta_softplus)
        return result
