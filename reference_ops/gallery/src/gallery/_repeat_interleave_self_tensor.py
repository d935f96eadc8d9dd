"""aten::repeat_interleave: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, repeats: Any, dim: Any, output_size: Any) -> Any:
    """aten::repeat_interleave in ONNX; `op` writes the nodes for the exporter that asks."""
    if dim is not None and op.rank(self) > 0:
        x = op.Identity(self)
    else:
        x = op.Reshape(self, op.constant([-1], like="INT64"))
    shape = op.Shape(x)
    size = op.Gather(shape, op.constant([dim if dim is not None else 0], like="INT64"))
    cast = op.Cast(repeats, to=7)
    expand = op.Expand(cast, size)
    ends = op.CumSum(expand, op.constant(0, like="INT64"))
    length = op.Slice(
        ends,
        op.constant([-1], like="INT64"),
        op.constant([9223372036854775807], like="INT64"),
        op.constant([0], like="INT64"),
    )
    add = op.Add(length, op.constant(1, like="INT64"))
    expand_2 = op.Expand(op.constant(0, like="INT64"), add)
    shape_2 = op.Shape(ends)
    expand_3 = op.Expand(op.constant(1, like="INT64"), shape_2)
    ended = op.ScatterElements(expand_2, ends, expand_3, axis=0, reduction="add")
    slice = op.Slice(
        ended,
        op.constant([0], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cum_sum = op.CumSum(slice, op.constant(0, like="INT64"))
    return op.Gather(x, cum_sum, axis=dim if dim is not None else 0)


OP = _onnxop.Operator(
    name="aten::repeat_interleave.self_Tensor",
    called="repeat_interleave_self_tensor",
    existing="aten::repeat_interleave.self_Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(0),
    dynamo_opset=16,
    domain="gallery",
    op_type="repeat_interleave_self_tensor",
    doc="The operator aten::repeat_interleave.self_Tensor.",
    spec="sha256:1a6805bdc66e48904f14a4d7ce7206f85024ff4bf39c64781f7c6017c88542f3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.repeat_interleave.self_Tensor


@_onnxop.script.scripted(OP)
def repeat_interleave_self_tensor(
    self: Tensor,
    repeats: Tensor,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """The operator aten::repeat_interleave.self_Tensor.

    Args:
        self: a tensor.
        repeats: a tensor.
        dim: an integer or None; None by default.
        output_size: an integer or None; None by default.

    Returns:
        What PyTorch's aten::repeat_interleave returns.
    """
    result: Tensor = _operator(
        self,
        repeats,
        dim,
        output_size=output_size,
    )
    return result


class RepeatInterleaveSelfTensor(torch.nn.Module):
    """`repeat_interleave_self_tensor` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
        *,
        output_size: int | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.output_size = output_size

    def forward(
        self,
        input: Tensor,
        repeats: Tensor,
    ) -> Tensor:
        return repeat_interleave_self_tensor(
            input,
            repeats,
            self.dim,
            output_size=self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"output_size={self.output_size}",
            ]
        )
