"""aten::_batch_norm_with_update_functional: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    momentum: Any,
    eps: Any,
) -> Any:
    """aten::_batch_norm_with_update_functional in ONNX; `op` writes the nodes for the exporter that asks."""
    mean = op.ReduceMean(
        input,
        op.constant([0] + list(range(2, op.rank(input))), like="INT64"),
        keepdims=1,
    )
    gone = op.Sub(input, mean)
    mul = op.Mul(gone, gone)
    var = op.ReduceMean(
        mul,
        op.constant([0] + list(range(2, op.rank(input))), like="INT64"),
        keepdims=1,
    )
    size = op.Size(input)
    cast = op.Cast(size, to=1)
    size_2 = op.Size(mean)
    cast_2 = op.Cast(size_2, to=1)
    div = op.Div(cast, cast_2)
    count = op.CastLike(div, input)
    mul_2 = op.Mul(op.constant(1.0 - momentum, like=running_mean), running_mean)
    squeeze = op.Squeeze(mean, op.constant([0] + list(range(2, op.rank(input))), like="INT64"))
    mul_3 = op.Mul(op.constant(momentum, like=input), squeeze)
    past_mean = op.Add(mul_2, mul_3)
    mul_4 = op.Mul(op.constant(1.0 - momentum, like=running_var), running_var)
    mul_5 = op.Mul(var, count)
    sub = op.Sub(count, op.constant(1.0, like=input))
    div_2 = op.Div(mul_5, sub)
    squeeze_2 = op.Squeeze(div_2, op.constant([0] + list(range(2, op.rank(input))), like="INT64"))
    mul_6 = op.Mul(op.constant(momentum, like=input), squeeze_2)
    past_var = op.Add(mul_4, mul_6)
    add = op.Add(var, op.constant(eps, like=input))
    sqrt = op.Sqrt(add)
    scale = op.Reciprocal(sqrt)
    y = op.Mul(gone, scale)
    if weight is not None:
        unsqueeze = op.Unsqueeze(
            weight,
            op.constant([0] + list(range(2, op.rank(input))), like="INT64"),
        )
        y_3 = op.Mul(y, unsqueeze)
    else:
        y_3 = y
    if bias is not None:
        unsqueeze_2 = op.Unsqueeze(
            bias,
            op.constant([0] + list(range(2, op.rank(input))), like="INT64"),
        )
        y_5 = op.Add(y_3, unsqueeze_2)
    else:
        y_5 = y_3
    slice = op.Slice(running_mean, op.constant([0], like="INT64"), op.constant([0], like="INT64"))
    nothing = op.Cast(slice, to=2)
    result1 = op.Squeeze(mean, op.constant([0] + list(range(2, op.rank(input))), like="INT64"))
    result2 = op.Squeeze(scale, op.constant([0] + list(range(2, op.rank(input))), like="INT64"))
    return y_5, result1, result2, nothing, past_mean, past_var


OP = _onnxop.Operator(
    name="aten::_batch_norm_with_update_functional.default",
    called="batch_norm_with_update_functional",
    existing="aten::_batch_norm_with_update_functional.default",
    results=[
        "result0",
        "result1",
        "result2",
        "result3",
        "running_mean_out",
        "running_var_out",
    ],
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="batch_norm_with_update_functional",
    doc="The operator aten::_batch_norm_with_update_functional.",
    spec="sha256:8fda8aa78fd43d70149fae87c46f5caff46931380c81a34f1ac18b97fea8cd35",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._batch_norm_with_update_functional.default


@_onnxop.script.scripted(OP)
def batch_norm_with_update_functional(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The operator aten::_batch_norm_with_update_functional.

    Args:
        input: a tensor.
        weight: a tensor or None.
        bias: a tensor or None.
        running_mean: a tensor.
        running_var: a tensor.
        momentum: a float.
        eps: a float.

    Returns:
        What PyTorch's aten::_batch_norm_with_update_functional returns.
    """
    result: tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor] = _operator(
        input,
        weight,
        bias,
        running_mean,
        running_var,
        momentum,
        eps,
    )
    return result


class BatchNormWithUpdateFunctional(torch.nn.Module):
    """`batch_norm_with_update_functional` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        momentum: float,
        eps: float,
    ) -> None:
        super().__init__()
        self.momentum = momentum
        self.eps = eps

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Tensor,
        running_var: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        return batch_norm_with_update_functional(
            input,
            weight,
            bias,
            running_mean,
            running_var,
            self.momentum,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"momentum={self.momentum}",
                f"eps={self.eps}",
            ]
        )
