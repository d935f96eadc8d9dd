"""aten::_scaled_dot_product_flash_attention_for_cpu: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(
    op: Any,
    query: Any,
    key: Any,
    value: Any,
    dropout_p: Any,
    is_causal: Any,
    attn_mask: Any,
    scale: Any,
) -> Any:
    """aten::_scaled_dot_product_flash_attention_for_cpu in ONNX; `op` writes the nodes for the exporter that asks."""
    if scale is not None:
        factor_3 = op.CastLike(op.constant(scale, like="FLOAT"), query)
    else:
        shape = op.Shape(query)
        gather = op.Gather(shape, op.constant(-1, like="INT64"))
        cast_like = op.CastLike(gather, query)
        sqrt = op.Sqrt(cast_like)
        factor_3 = op.Div(op.constant(1.0, like=query), sqrt)
    mul = op.Mul(query, factor_3)
    transpose = op.Transpose(key, perm=[0, 1, 3, 2])
    scores = op.MatMul(mul, transpose)
    if attn_mask is not None:
        cast_like_2 = op.CastLike(attn_mask, query)
        scores_3 = op.Add(scores, cast_like_2)
    else:
        scores_3 = scores
    if is_causal:
        shape_2 = op.Shape(query)
        gather_2 = op.Gather(shape_2, op.constant(2, like="INT64"))
        row = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
        shape_3 = op.Shape(key)
        gather_3 = op.Gather(shape_3, op.constant(2, like="INT64"))
        column = op.Range(op.constant(0, like="INT64"), gather_3, op.constant(1, like="INT64"))
        constant_2 = op.Constant(value_float=-float("inf"))
        never = op.CastLike(constant_2, query)
        unsqueeze = op.Unsqueeze(row, op.constant([1], like="INT64"))
        less_or_equal = op.LessOrEqual(column, unsqueeze)
        scores_5 = op.Where(less_or_equal, scores_3, never)
    else:
        scores_5 = scores_3
    softmax = op.Softmax(scores_5, axis=-1)
    output = op.MatMul(softmax, value)
    logsumexp = op.ReduceLogSumExp(scores_5, axes=[-1], keepdims=0)
    return output, logsumexp


def rule_18(
    op: Any,
    query: Any,
    key: Any,
    value: Any,
    dropout_p: Any,
    is_causal: Any,
    attn_mask: Any,
    scale: Any,
) -> Any:
    """aten::_scaled_dot_product_flash_attention_for_cpu in ONNX; `op` writes the nodes for the exporter that asks."""
    if scale is not None:
        factor_3 = op.CastLike(op.constant(scale, like="FLOAT"), query)
    else:
        shape = op.Shape(query)
        gather = op.Gather(shape, op.constant(-1, like="INT64"))
        cast_like = op.CastLike(gather, query)
        sqrt = op.Sqrt(cast_like)
        factor_3 = op.Div(op.constant(1.0, like=query), sqrt)
    mul = op.Mul(query, factor_3)
    transpose = op.Transpose(key, perm=[0, 1, 3, 2])
    scores = op.MatMul(mul, transpose)
    if attn_mask is not None:
        cast_like_2 = op.CastLike(attn_mask, query)
        scores_3 = op.Add(scores, cast_like_2)
    else:
        scores_3 = scores
    if is_causal:
        shape_2 = op.Shape(query)
        gather_2 = op.Gather(shape_2, op.constant(2, like="INT64"))
        row = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
        shape_3 = op.Shape(key)
        gather_3 = op.Gather(shape_3, op.constant(2, like="INT64"))
        column = op.Range(op.constant(0, like="INT64"), gather_3, op.constant(1, like="INT64"))
        constant_2 = op.Constant(value_float=-float("inf"))
        never = op.CastLike(constant_2, query)
        unsqueeze = op.Unsqueeze(row, op.constant([1], like="INT64"))
        less_or_equal = op.LessOrEqual(column, unsqueeze)
        scores_5 = op.Where(less_or_equal, scores_3, never)
    else:
        scores_5 = scores_3
    softmax = op.Softmax(scores_5, axis=-1)
    output = op.MatMul(softmax, value)
    logsumexp = op.ReduceLogSumExp(scores_5, op.constant([-1], like="INT64"), keepdims=0)
    return output, logsumexp


OP = _onnxop.Operator(
    name="aten::_scaled_dot_product_flash_attention_for_cpu.default",
    called="scaled_dot_product_flash_attention_for_cpu",
    existing="aten::_scaled_dot_product_flash_attention_for_cpu.default",
    results=[
        "output",
        "logsumexp",
    ],
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scaled_dot_product_flash_attention_for_cpu",
    doc="The operator aten::_scaled_dot_product_flash_attention_for_cpu.",
    spec="sha256:3f0360cc32cf43bf1bf3e490a2d84d35ab0021259d8af488ccc8b5e8fbbceb29",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default


@_onnxop.script.scripted(OP)
def scaled_dot_product_flash_attention_for_cpu(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The operator aten::_scaled_dot_product_flash_attention_for_cpu.

    Args:
        query: a tensor.
        key: a tensor.
        value: a tensor.
        dropout_p: a float; 0.0 by default.
        is_causal: a boolean; False by default.
        attn_mask: a tensor or None; None by default.
        scale: a float or None; None by default.

    Returns:
        What PyTorch's aten::_scaled_dot_product_flash_attention_for_cpu returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        query,
        key,
        value,
        dropout_p,
        is_causal,
        attn_mask=attn_mask,
        scale=scale,
    )
    return result


class ScaledDotProductFlashAttentionForCpu(torch.nn.Module):
    """`scaled_dot_product_flash_attention_for_cpu` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        *,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        self.dropout_p = dropout_p
        self.is_causal = is_causal
        self.scale = scale

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_flash_attention_for_cpu(
            query,
            key,
            value,
            self.dropout_p,
            self.is_causal,
            attn_mask=attn_mask,
            scale=self.scale,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dropout_p={self.dropout_p}",
                f"is_causal={self.is_causal}",
                f"scale={self.scale}",
            ]
        )
