"""aten::ormqr: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    input2: Any,
    input3: Any,
    left: Any,
    transpose: Any,
) -> Any:
    """aten::ormqr in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    m = op.Gather(shape, op.constant(-2, like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    scales = op.Unsqueeze(input2, op.constant([-2], like="INT64"))
    shape_2 = op.Shape(input2)
    count = op.Gather(shape_2, op.constant(-1, like="INT64"))

    def step(i: Any, keep: Any, found: Any) -> Any:
        if left != transpose:
            sub = op.Sub(count, op.constant(1, like="INT64"))
            k = op.Sub(sub, i)
        else:
            k = op.Identity(i)
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        greater = op.Greater(column, k)
        gather = op.Gather(self, at, axis=-1)
        below = op.Where(greater, gather, op.constant(0.0, like=self))
        equal = op.Equal(column, k)
        cast_like = op.CastLike(equal, self)
        v = op.Add(below, cast_like)
        flat = op.Transpose(v, perm=turned)
        gather_2 = op.Gather(scales, at, axis=-1)
        scaled = op.Mul(v, gather_2)
        if left:
            mat_mul = op.MatMul(flat, found)
            mat_mul_2 = op.MatMul(scaled, mat_mul)
            found_4 = op.Sub(found, mat_mul_2)
        else:
            mat_mul_3 = op.MatMul(found, scaled)
            mat_mul_4 = op.MatMul(mat_mul_3, flat)
            found_4 = op.Sub(found, mat_mul_4)
        keep_2 = op.Identity(keep)
        return keep_2, found_4

    return op.Loop(count, op.constant(True, like="BOOL"), input3, body=step)


OP = _onnxop.Operator(
    name="aten::ormqr.default",
    existing="aten::ormqr.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="ormqr",
    doc="The operator aten::ormqr.",
    spec="sha256:ea2d9de7bed5d3924d4573c254061f83dbd868f91959269ad6ec971bf5933a9a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.ormqr.default


@_onnxop.script.scripted(OP)
def ormqr(
    self: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: bool = True,
    transpose: bool = False,
) -> Tensor:
    """The operator aten::ormqr.

    Args:
        self: a tensor.
        input2: a tensor.
        input3: a tensor.
        left: a boolean; True by default.
        transpose: a boolean; False by default.

    Returns:
        What PyTorch's aten::ormqr returns.
    """
    result: Tensor = _operator(
        self,
        input2,
        input3,
        left,
        transpose,
    )
    return result


class Ormqr(torch.nn.Module):
    """`ormqr` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        left: bool = True,
        transpose: bool = False,
    ) -> None:
        super().__init__()
        self.left = left
        self.transpose = transpose

    def forward(
        self,
        input: Tensor,
        input2: Tensor,
        input3: Tensor,
    ) -> Tensor:
        return ormqr(
            input,
            input2,
            input3,
            self.left,
            self.transpose,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"left={self.left}",
                f"transpose={self.transpose}",
            ]
        )
