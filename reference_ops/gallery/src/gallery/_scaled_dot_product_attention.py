"""aten::scaled_dot_product_attention: its rule in ONNX, and the function and module that call it."""

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
    attn_mask: Any,
    dropout_p: Any,
    is_causal: Any,
    scale: Any,
    enable_gqa: Any,
) -> Any:
    """aten::scaled_dot_product_attention in ONNX; `op` writes the nodes for the exporter that asks."""
    k = op.Identity(key)
    v = op.Identity(value)
    if enable_gqa:
        shape = op.Shape(query)
        heads = op.Slice(
            shape,
            op.constant([op.rank(query) - 3], like="INT64"),
            op.constant([op.rank(query) - 2], like="INT64"),
        )
        shape_2 = op.Shape(key)
        slice = op.Slice(
            shape_2,
            op.constant([op.rank(key) - 3], like="INT64"),
            op.constant([op.rank(key) - 2], like="INT64"),
        )
        div = op.Div(heads, slice)
        many = op.Concat(
            op.constant([1] * (op.rank(key) - 2), like="INT64"),
            div,
            op.constant([1, 1], like="INT64"),
            axis=0,
        )
        shape_3 = op.Shape(key)
        before = op.Slice(
            shape_3,
            op.constant([0], like="INT64"),
            op.constant([op.rank(key) - 3], like="INT64"),
        )
        unsqueeze = op.Unsqueeze(k, op.constant([op.rank(key) - 2], like="INT64"))
        k_2 = op.Expand(unsqueeze, many)
        shape_4 = op.Shape(key)
        slice_2 = op.Slice(
            shape_4,
            op.constant([op.rank(key) - 2], like="INT64"),
            op.constant([op.rank(key)], like="INT64"),
        )
        concat = op.Concat(before, heads, slice_2, axis=0)
        k_3 = op.Reshape(k_2, concat)
        unsqueeze_2 = op.Unsqueeze(v, op.constant([op.rank(key) - 2], like="INT64"))
        v_2 = op.Expand(unsqueeze_2, many)
        shape_5 = op.Shape(value)
        slice_3 = op.Slice(
            shape_5,
            op.constant([op.rank(key) - 2], like="INT64"),
            op.constant([op.rank(key)], like="INT64"),
        )
        concat_2 = op.Concat(before, heads, slice_3, axis=0)
        v_3 = op.Reshape(v_2, concat_2)
        k_4, v_4 = k_3, v_3
    else:
        k_4, v_4 = k, v
    if scale is not None:
        factor_3 = op.CastLike(op.constant(scale, like="FLOAT"), query)
    else:
        shape_6 = op.Shape(query)
        gather = op.Gather(shape_6, op.constant(-1, like="INT64"))
        cast_like = op.CastLike(gather, query)
        sqrt = op.Sqrt(cast_like)
        factor_3 = op.Div(op.constant(1.0, like=query), sqrt)
    mul = op.Mul(query, factor_3)
    transpose = op.Transpose(
        k_4,
        perm=list(range(op.rank(key) - 2)) + [op.rank(key) - 1, op.rank(key) - 2],
    )
    scores = op.MatMul(mul, transpose)
    constant_2 = op.Constant(value_float=-float("inf"))
    never = op.CastLike(constant_2, query)
    if is_causal:
        shape_7 = op.Shape(query)
        gather_2 = op.Gather(shape_7, op.constant(op.rank(query) - 2, like="INT64"))
        range_2 = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
        row = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
        shape_8 = op.Shape(key)
        gather_3 = op.Gather(shape_8, op.constant(op.rank(key) - 2, like="INT64"))
        column = op.Range(op.constant(0, like="INT64"), gather_3, op.constant(1, like="INT64"))
        less_or_equal = op.LessOrEqual(column, row)
        scores_3 = op.Where(less_or_equal, scores, never)
    else:
        scores_3 = scores
    if attn_mask is not None:
        if op.is_floating_point(attn_mask):
            cast_like_2 = op.CastLike(attn_mask, query)
            scores_6 = op.Add(scores_3, cast_like_2)
        else:
            scores_6 = op.Where(attn_mask, scores_3, never)
        scores_7 = scores_6
    else:
        scores_7 = scores_3
    weights = op.Softmax(scores_7, axis=-1)
    if attn_mask is not None:
        largest = op.ReduceMax(scores_7, axes=[-1], keepdims=1)
        equal = op.Equal(largest, never)
        weights_3 = op.Where(equal, op.constant(0, like=query), weights)
    else:
        weights_3 = weights
    if dropout_p > 0.0:
        weights_5 = op.Dropout(
            weights_3,
            op.constant(dropout_p, like="FLOAT"),
            op.constant(True, like="BOOL"),
        )
    else:
        weights_5 = weights_3
    return op.MatMul(weights_5, v_4)


def rule_18(
    op: Any,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    dropout_p: Any,
    is_causal: Any,
    scale: Any,
    enable_gqa: Any,
) -> Any:
    """aten::scaled_dot_product_attention in ONNX; `op` writes the nodes for the exporter that asks."""
    k = op.Identity(key)
    v = op.Identity(value)
    if enable_gqa:
        shape = op.Shape(query)
        heads = op.Slice(
            shape,
            op.constant([op.rank(query) - 3], like="INT64"),
            op.constant([op.rank(query) - 2], like="INT64"),
        )
        shape_2 = op.Shape(key)
        slice = op.Slice(
            shape_2,
            op.constant([op.rank(key) - 3], like="INT64"),
            op.constant([op.rank(key) - 2], like="INT64"),
        )
        div = op.Div(heads, slice)
        many = op.Concat(
            op.constant([1] * (op.rank(key) - 2), like="INT64"),
            div,
            op.constant([1, 1], like="INT64"),
            axis=0,
        )
        shape_3 = op.Shape(key)
        before = op.Slice(
            shape_3,
            op.constant([0], like="INT64"),
            op.constant([op.rank(key) - 3], like="INT64"),
        )
        unsqueeze = op.Unsqueeze(k, op.constant([op.rank(key) - 2], like="INT64"))
        k_2 = op.Expand(unsqueeze, many)
        shape_4 = op.Shape(key)
        slice_2 = op.Slice(
            shape_4,
            op.constant([op.rank(key) - 2], like="INT64"),
            op.constant([op.rank(key)], like="INT64"),
        )
        concat = op.Concat(before, heads, slice_2, axis=0)
        k_3 = op.Reshape(k_2, concat)
        unsqueeze_2 = op.Unsqueeze(v, op.constant([op.rank(key) - 2], like="INT64"))
        v_2 = op.Expand(unsqueeze_2, many)
        shape_5 = op.Shape(value)
        slice_3 = op.Slice(
            shape_5,
            op.constant([op.rank(key) - 2], like="INT64"),
            op.constant([op.rank(key)], like="INT64"),
        )
        concat_2 = op.Concat(before, heads, slice_3, axis=0)
        v_3 = op.Reshape(v_2, concat_2)
        k_4, v_4 = k_3, v_3
    else:
        k_4, v_4 = k, v
    if scale is not None:
        factor_3 = op.CastLike(op.constant(scale, like="FLOAT"), query)
    else:
        shape_6 = op.Shape(query)
        gather = op.Gather(shape_6, op.constant(-1, like="INT64"))
        cast_like = op.CastLike(gather, query)
        sqrt = op.Sqrt(cast_like)
        factor_3 = op.Div(op.constant(1.0, like=query), sqrt)
    mul = op.Mul(query, factor_3)
    transpose = op.Transpose(
        k_4,
        perm=list(range(op.rank(key) - 2)) + [op.rank(key) - 1, op.rank(key) - 2],
    )
    scores = op.MatMul(mul, transpose)
    constant_2 = op.Constant(value_float=-float("inf"))
    never = op.CastLike(constant_2, query)
    if is_causal:
        shape_7 = op.Shape(query)
        gather_2 = op.Gather(shape_7, op.constant(op.rank(query) - 2, like="INT64"))
        range_2 = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
        row = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
        shape_8 = op.Shape(key)
        gather_3 = op.Gather(shape_8, op.constant(op.rank(key) - 2, like="INT64"))
        column = op.Range(op.constant(0, like="INT64"), gather_3, op.constant(1, like="INT64"))
        less_or_equal = op.LessOrEqual(column, row)
        scores_3 = op.Where(less_or_equal, scores, never)
    else:
        scores_3 = scores
    if attn_mask is not None:
        if op.is_floating_point(attn_mask):
            cast_like_2 = op.CastLike(attn_mask, query)
            scores_6 = op.Add(scores_3, cast_like_2)
        else:
            scores_6 = op.Where(attn_mask, scores_3, never)
        scores_7 = scores_6
    else:
        scores_7 = scores_3
    weights = op.Softmax(scores_7, axis=-1)
    if attn_mask is not None:
        largest = op.ReduceMax(scores_7, op.constant([-1], like="INT64"), keepdims=1)
        equal = op.Equal(largest, never)
        weights_3 = op.Where(equal, op.constant(0, like=query), weights)
    else:
        weights_3 = weights
    if dropout_p > 0.0:
        weights_5 = op.Dropout(
            weights_3,
            op.constant(dropout_p, like="FLOAT"),
            op.constant(True, like="BOOL"),
        )
    else:
        weights_5 = weights_3
    return op.MatMul(weights_5, v_4)


def rule_23(
    op: Any,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    dropout_p: Any,
    is_causal: Any,
    scale: Any,
    enable_gqa: Any,
) -> Any:
    """aten::scaled_dot_product_attention in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(query) == 4 and dropout_p == 0.0:
        if attn_mask is not None:
            shape = op.Shape(query)
            rows = op.Slice(shape, op.constant([2], like="INT64"), op.constant([3], like="INT64"))
            concat = op.Concat(
                op.constant([1] * (op.rank(attn_mask) - 2), like="INT64"),
                rows,
                op.constant([1], like="INT64"),
                axis=0,
            )
            mask_2 = op.Expand(attn_mask, concat)
        else:
            mask_2 = attn_mask
        if scale is None:
            result_3 = op.Attention(query, key, value, mask_2, is_causal=int(is_causal))
        else:
            result_3 = op.Attention(
                query,
                key,
                value,
                mask_2,
                is_causal=int(is_causal),
                scale=scale,
            )
        result_5 = result_3
    else:
        k = op.Identity(key)
        v = op.Identity(value)
        if enable_gqa:
            shape_2 = op.Shape(query)
            heads = op.Slice(
                shape_2,
                op.constant([op.rank(query) - 3], like="INT64"),
                op.constant([op.rank(query) - 2], like="INT64"),
            )
            shape_3 = op.Shape(key)
            slice = op.Slice(
                shape_3,
                op.constant([op.rank(key) - 3], like="INT64"),
                op.constant([op.rank(key) - 2], like="INT64"),
            )
            div = op.Div(heads, slice)
            many = op.Concat(
                op.constant([1] * (op.rank(key) - 2), like="INT64"),
                div,
                op.constant([1, 1], like="INT64"),
                axis=0,
            )
            shape_4 = op.Shape(key)
            before = op.Slice(
                shape_4,
                op.constant([0], like="INT64"),
                op.constant([op.rank(key) - 3], like="INT64"),
            )
            unsqueeze = op.Unsqueeze(k, op.constant([op.rank(key) - 2], like="INT64"))
            k_2 = op.Expand(unsqueeze, many)
            shape_5 = op.Shape(key)
            slice_2 = op.Slice(
                shape_5,
                op.constant([op.rank(key) - 2], like="INT64"),
                op.constant([op.rank(key)], like="INT64"),
            )
            concat_2 = op.Concat(before, heads, slice_2, axis=0)
            k_3 = op.Reshape(k_2, concat_2)
            unsqueeze_2 = op.Unsqueeze(v, op.constant([op.rank(key) - 2], like="INT64"))
            v_2 = op.Expand(unsqueeze_2, many)
            shape_6 = op.Shape(value)
            slice_3 = op.Slice(
                shape_6,
                op.constant([op.rank(key) - 2], like="INT64"),
                op.constant([op.rank(key)], like="INT64"),
            )
            concat_3 = op.Concat(before, heads, slice_3, axis=0)
            v_3 = op.Reshape(v_2, concat_3)
            k_4, v_4 = k_3, v_3
        else:
            k_4, v_4 = k, v
        if scale is not None:
            factor_3 = op.CastLike(op.constant(scale, like="FLOAT"), query)
        else:
            shape_7 = op.Shape(query)
            gather = op.Gather(shape_7, op.constant(-1, like="INT64"))
            cast_like = op.CastLike(gather, query)
            sqrt = op.Sqrt(cast_like)
            factor_3 = op.Div(op.constant(1.0, like=query), sqrt)
        mul = op.Mul(query, factor_3)
        transpose = op.Transpose(
            k_4,
            perm=list(range(op.rank(key) - 2)) + [op.rank(key) - 1, op.rank(key) - 2],
        )
        scores = op.MatMul(mul, transpose)
        constant_2 = op.Constant(value_float=-float("inf"))
        never = op.CastLike(constant_2, query)
        if is_causal:
            shape_8 = op.Shape(query)
            gather_2 = op.Gather(shape_8, op.constant(op.rank(query) - 2, like="INT64"))
            range_2 = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
            row = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
            shape_9 = op.Shape(key)
            gather_3 = op.Gather(shape_9, op.constant(op.rank(key) - 2, like="INT64"))
            column = op.Range(op.constant(0, like="INT64"), gather_3, op.constant(1, like="INT64"))
            less_or_equal = op.LessOrEqual(column, row)
            scores_3 = op.Where(less_or_equal, scores, never)
        else:
            scores_3 = scores
        if attn_mask is not None:
            if op.is_floating_point(attn_mask):
                cast_like_2 = op.CastLike(attn_mask, query)
                scores_6 = op.Add(scores_3, cast_like_2)
            else:
                scores_6 = op.Where(attn_mask, scores_3, never)
            scores_7 = scores_6
        else:
            scores_7 = scores_3
        weights = op.Softmax(scores_7, axis=-1)
        if attn_mask is not None:
            largest = op.ReduceMax(scores_7, op.constant([-1], like="INT64"), keepdims=1)
            equal = op.Equal(largest, never)
            weights_3 = op.Where(equal, op.constant(0, like=query), weights)
        else:
            weights_3 = weights
        if dropout_p > 0.0:
            weights_5 = op.Dropout(
                weights_3,
                op.constant(dropout_p, like="FLOAT"),
                op.constant(True, like="BOOL"),
            )
        else:
            weights_5 = weights_3
        result_5 = op.MatMul(weights_5, v_4)
    return result_5


OP = _onnxop.Operator(
    name="aten::scaled_dot_product_attention.default",
    existing="aten::scaled_dot_product_attention.default",
    rules={
        range(15, 18): rule_15,
        range(18, 23): rule_18,
        range(23, 26): rule_23,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scaled_dot_product_attention",
    doc="The operator aten::scaled_dot_product_attention.",
    spec="sha256:1b43d91dfd0c0d8ff8e7b63d5c8eb34b6263206dece861da6567852bab4799f3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scaled_dot_product_attention.default


@_onnxop.script.scripted(OP)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The operator aten::scaled_dot_product_attention.

    Args:
        query: a tensor.
        key: a tensor.
        value: a tensor.
        attn_mask: a tensor or None; None by default.
        dropout_p: a float; 0.0 by default.
        is_causal: a boolean; False by default.
        scale: a float or None; None by default.
        enable_gqa: a boolean; False by default.

    Returns:
        What PyTorch's aten::scaled_dot_product_attention returns.
    """
    result: Tensor = _operator(
        query,
        key,
        value,
        attn_mask,
        dropout_p,
        is_causal,
        scale=scale,
        enable_gqa=enable_gqa,
    )
    return result


class ScaledDotProductAttention(torch.nn.Module):
    """`scaled_dot_product_attention` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        *,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> None:
        super().__init__()
        self.dropout_p = dropout_p
        self.is_causal = is_causal
        self.scale = scale
        self.enable_gqa = enable_gqa

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        return scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask,
            self.dropout_p,
            self.is_causal,
            scale=self.scale,
            enable_gqa=self.enable_gqa,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dropout_p={self.dropout_p}",
                f"is_causal={self.is_causal}",
                f"scale={self.scale}",
                f"enable_gqa={self.enable_gqa}",
            ]
        )
