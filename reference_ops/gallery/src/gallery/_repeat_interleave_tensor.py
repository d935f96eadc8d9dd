"""aten::repeat_interleave: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, repeats: Any, output_size: Any) -> Any:
    """aten::repeat_interleave in ONNX; `op` writes the nodes for the exporter that asks."""
    cast = op.Cast(repeats, to=7)
    ends = op.CumSum(cast, op.constant(0, like="INT64"))
    cast_2 = op.Cast(repeats, to=7)
    length = op.ReduceSum(cast_2, op.constant([0], like="INT64"), keepdims=1)
    add = op.Add(length, op.constant(1, like="INT64"))
    expand = op.Expand(op.constant(0, like="INT64"), add)
    shape = op.Shape(ends)
    expand_2 = op.Expand(op.constant(1, like="INT64"), shape)
    ended = op.ScatterElements(expand, ends, expand_2, axis=0, reduction="add")
    slice = op.Slice(
        ended,
        op.constant([0], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cum_sum = op.CumSum(slice, op.constant(0, like="INT64"))
    return op.CastLike(cum_sum, repeats)


OP = _onnxop.Operator(
    name="aten::repeat_interleave.Tensor",
    called="repeat_interleave_tensor",
    existing="aten::repeat_interleave.Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="repeat_interleave_tensor",
    doc="The operator aten::repeat_interleave.Tensor.",
    spec="sha256:1a16ef55a3bf3e38b506ee32ba47f7726a34b505b8ebfe9144e4f81ecd4bd75b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.repeat_interleave.Tensor


@_onnxop.script.scripted(OP)
def repeat_interleave_tensor(
    repeats: Tensor,
    *,
    output_size: int | None = None,
) -> Tensor:
    """The operator aten::repeat_interleave.Tensor.

    Args:
        repeats: a tensor.
        output_size: an integer or None; None by default.

    Returns:
        What PyTorch's aten::repeat_interleave returns.
    """
    result: Tensor = _operator(
        repeats,
        output_size=output_size,
    )
    return result


class RepeatInterleaveTensor(torch.nn.Module):
    """`repeat_interleave_tensor` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        output_size: int | None = None,
    ) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(
        self,
        repeats: Tensor,
    ) -> Tensor:
        return repeat_interleave_tensor(
            repeats,
            output_size=self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
