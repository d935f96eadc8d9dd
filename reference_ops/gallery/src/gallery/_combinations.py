"""aten::combinations: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, r: Any, with_replacement: Any) -> Any:
    """aten::combinations in ONNX; `op` writes the nodes for the exporter that asks."""
    if r == 0:
        result_3 = op.Slice(
            self,
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
        )
    else:
        n = op.Shape(self)
        squeeze = op.Squeeze(n, op.constant([0], like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
        tensors = []
        for i in range(r):
            identity = op.Identity(n)
            tensors.append(identity)
        size = op.Concat(*tensors, axis=0)
        grids = []
        for i_2 in range(r):
            reshape = op.Reshape(
                index,
                op.constant([1] * i_2 + [-1] + [1] * (r - i_2 - 1), like="INT64"),
            )
            expand = op.Expand(reshape, size)
            grids.append(expand)
        item = grids[0]
        mask = op.GreaterOrEqual(item, op.constant(0, like="INT64"))
        mask_2 = mask
        for i_3 in range(r - 1):
            if with_replacement:
                item_2 = grids[i_3]
                item_3 = grids[i_3 + 1]
                less_or_equal = op.LessOrEqual(item_2, item_3)
                mask_5 = op.And(mask_2, less_or_equal)
            else:
                item_4 = grids[i_3]
                item_5 = grids[i_3 + 1]
                less = op.Less(item_4, item_5)
                mask_5 = op.And(mask_2, less)
            mask_2 = mask_5
        chosen = op.Reshape(mask_2, op.constant([-1], like="INT64"))
        places = []
        for grid in grids:
            reshape_2 = op.Reshape(grid, op.constant([-1], like="INT64"))
            compress = op.Compress(reshape_2, chosen, axis=0)
            places.append(compress)
        tensors_2 = []
        for place in places:
            gather = op.Gather(self, place)
            unsqueeze = op.Unsqueeze(gather, op.constant([1], like="INT64"))
            tensors_2.append(unsqueeze)
        result_3 = op.Concat(*tensors_2, axis=1)
    return result_3


OP = _onnxop.Operator(
    name="aten::combinations.default",
    existing="aten::combinations.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="combinations",
    doc="The operator aten::combinations.",
    spec="sha256:a1afb220d9e91082e64c2e63cca1945ed0919764cd4c548f369777ce5e1a6a55",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.combinations.default


@_onnxop.script.scripted(OP)
def combinations(
    self: Tensor,
    r: int = 2,
    with_replacement: bool = False,
) -> Tensor:
    """The operator aten::combinations.

    Args:
        self: a tensor.
        r: an integer; 2 by default.
        with_replacement: a boolean; False by default.

    Returns:
        What PyTorch's aten::combinations returns.
    """
    result: Tensor = _operator(
        self,
        r,
        with_replacement,
    )
    return result


class Combinations(torch.nn.Module):
    """`combinations` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        r: int = 2,
        with_replacement: bool = False,
    ) -> None:
        super().__init__()
        self.r = r
        self.with_replacement = with_replacement

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return combinations(
            input,
            self.r,
            self.with_replacement,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"r={self.r}",
                f"with_replacement={self.with_replacement}",
            ]
        )
