"""aten::amax: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::amax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        clean = op.Where(is_nan, op.constant(0, like=self), self)
        found = op.ReduceMax(
            clean,
            axes=dim if len(dim) > 0 else list(range(op.rank(self))),
            keepdims=1,
        )
        where = op.Where(is_nan, self, op.constant(0, like=self))
        nan = op.ReduceSum(
            where,
            op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        equal_2 = op.Equal(nan, op.constant(0, like=self))
        where_2 = op.Where(equal_2, found, nan)
        found_2 = op.Slice(
            where_2,
            op.constant([0] * len(dim if len(dim) > 0 else list(range(op.rank(self)))), like="INT64"),
            op.constant([1] * len(dim if len(dim) > 0 else list(range(op.rank(self)))), like="INT64"),
            op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
        if keepdim:
            result = found_2
        else:
            result = op.Squeeze(
                found_2,
                op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
            )
        result_2 = result
    return op.Identity(result_2)


def rule_18(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::amax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        clean = op.Where(is_nan, op.constant(0, like=self), self)
        found = op.ReduceMax(
            clean,
            op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        where = op.Where(is_nan, self, op.constant(0, like=self))
        nan = op.ReduceSum(
            where,
            op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        equal_2 = op.Equal(nan, op.constant(0, like=self))
        where_2 = op.Where(equal_2, found, nan)
        found_2 = op.Slice(
            where_2,
            op.constant([0] * len(dim if len(dim) > 0 else list(range(op.rank(self)))), like="INT64"),
            op.constant([1] * len(dim if len(dim) > 0 else list(range(op.rank(self)))), like="INT64"),
            op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
        if keepdim:
            result = found_2
        else:
            result = op.Squeeze(
                found_2,
                op.constant(dim if len(dim) > 0 else list(range(op.rank(self))), like="INT64"),
            )
        result_2 = result
    return op.Identity(result_2)


OP = _onnxop.Operator(
    name="aten::amax.default",
    existing="aten::amax.default",
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="amax",
    doc="The operator aten::amax.",
    spec="sha256:bf966c69f8e9ffa5976665731d62a537ef5d4b8632aa0959331548baf3c22495",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.amax.default


@_onnxop.script.scripted(OP)
def amax(
    self: Tensor,
    dim: Sequence[int] = (),
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::amax.

    Args:
        self: a tensor.
        dim: 1 integers; () by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::amax returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Amax(torch.nn.Module):
    """`amax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] = (),
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return amax(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
