"""aten::aminmax: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::aminmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        max = op.Identity(self)
        result, result_2 = self, max
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        clean = op.Where(is_nan, op.constant(0, like=self), self)
        low = op.ReduceMin(
            clean,
            axes=[dim] if dim is not None else list(range(op.rank(self))),
            keepdims=1,
        )
        high = op.ReduceMax(
            clean,
            axes=[dim] if dim is not None else list(range(op.rank(self))),
            keepdims=1,
        )
        where = op.Where(is_nan, self, op.constant(0, like=self))
        nan = op.ReduceSum(
            where,
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        is_whole = op.Equal(nan, op.constant(0, like=self))
        where_2 = op.Where(is_whole, low, nan)
        low_2 = op.Slice(
            where_2,
            op.constant([0] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([1] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
        where_3 = op.Where(is_whole, high, nan)
        high_2 = op.Slice(
            where_3,
            op.constant([0] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([1] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
        if keepdim:
            min = low_2
        else:
            min = op.Squeeze(
                low_2,
                op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            )
        if keepdim:
            max_2 = high_2
        else:
            max_2 = op.Squeeze(
                high_2,
                op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            )
        result, result_2 = min, max_2
    result_3 = op.Identity(result)
    return result_3, result_2


def rule_18(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::aminmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        max = op.Identity(self)
        result, result_2 = self, max
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        clean = op.Where(is_nan, op.constant(0, like=self), self)
        low = op.ReduceMin(
            clean,
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        high = op.ReduceMax(
            clean,
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        where = op.Where(is_nan, self, op.constant(0, like=self))
        nan = op.ReduceSum(
            where,
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            keepdims=1,
        )
        is_whole = op.Equal(nan, op.constant(0, like=self))
        where_2 = op.Where(is_whole, low, nan)
        low_2 = op.Slice(
            where_2,
            op.constant([0] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([1] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
        where_3 = op.Where(is_whole, high, nan)
        high_2 = op.Slice(
            where_3,
            op.constant([0] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([1] * len([dim] if dim is not None else list(range(op.rank(self)))), like="INT64"),
            op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
        if keepdim:
            min = low_2
        else:
            min = op.Squeeze(
                low_2,
                op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            )
        if keepdim:
            max_2 = high_2
        else:
            max_2 = op.Squeeze(
                high_2,
                op.constant([dim] if dim is not None else list(range(op.rank(self))), like="INT64"),
            )
        result, result_2 = min, max_2
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::aminmax.default",
    existing="aten::aminmax.default",
    results=[
        "min",
        "max",
    ],
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="aminmax",
    doc="The operator aten::aminmax.",
    spec="sha256:bb259cff26fb40bb9d46c3851d46e5cef9116ffee06edd7bf5748da26fd35cc0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.aminmax.default


@_onnxop.script.scripted(OP)
def aminmax(
    self: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::aminmax.

    Args:
        self: a tensor.
        dim: an integer or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::aminmax returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim=dim,
        keepdim=keepdim,
    )
    return result


class Aminmax(torch.nn.Module):
    """`aminmax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        dim: int | None = None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return aminmax(
            input,
            dim=self.dim,
            keepdim=self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
