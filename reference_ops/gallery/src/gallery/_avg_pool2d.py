"""aten::avg_pool2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    count_include_pad: Any,
    divisor_override: Any,
) -> Any:
    """aten::avg_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    kernel = [kernel_size[min(e, len(kernel_size) - 1)] for e in range(2)]
    steps = [(stride if len(stride) > 0 else kernel)[min(e_2, len(stride if len(stride) > 0 else kernel) - 1)] for e_2 in range(2)]  # fmt: skip
    pads = [padding[min(e_3, len(padding) - 1)] for e_3 in range(2)]
    if not ceil_mode:
        if op.rank(self) == 4:
            planes = op.Identity(self)
        else:
            planes = op.Unsqueeze(self, op.constant([0], like="INT64"))
        if divisor_override is not None:
            found = op.AveragePool(
                planes,
                kernel_shape=kernel,
                strides=steps,
                pads=list(pads) + list(pads),
                count_include_pad=1,
            )
            found_4 = op.Mul(
                found,
                op.constant(float(kernel[0] * kernel[1]) / float(divisor_override), like=self),
            )
        else:
            found_4 = op.AveragePool(
                planes,
                kernel_shape=kernel,
                strides=steps,
                pads=list(pads) + list(pads),
                count_include_pad=int(count_include_pad),
            )
        if op.rank(self) == 4:
            result = found_4
        else:
            result = op.Squeeze(found_4, op.constant([0], like="INT64"))
        result_5 = result
    else:
        total = op.Identity(self)
        counts = op.CastLike(op.constant(1.0, like="FLOAT"), self)
        total_2, counts_2 = total, counts
        for e_4 in range(2):
            shape = op.Shape(self)
            n = op.Gather(shape, op.constant(e_4 - 2, like="INT64"))
            add = op.Add(n, op.constant(2 * pads[e_4] - kernel[e_4] + steps[e_4] - 1, like="INT64"))
            div = op.Div(add, op.constant(steps[e_4], like="INT64"))
            count = op.Add(div, op.constant(1, like="INT64"))
            sub = op.Sub(count, op.constant(1, like="INT64"))
            mul = op.Mul(sub, op.constant(steps[e_4], like="INT64"))
            add_2 = op.Add(n, op.constant(pads[e_4], like="INT64"))
            greater_or_equal = op.GreaterOrEqual(mul, add_2)
            sub_2 = op.Sub(count, op.constant(1, like="INT64"))
            count_2 = op.Where(greater_or_equal, sub_2, count)
            range_2 = op.Range(op.constant(0, like="INT64"), count_2, op.constant(1, like="INT64"))
            mul_2 = op.Mul(range_2, op.constant(steps[e_4], like="INT64"))
            start = op.Sub(mul_2, op.constant(pads[e_4], like="INT64"))
            unsqueeze_2 = op.Unsqueeze(start, op.constant([1], like="INT64"))
            range_3 = op.Range(
                op.constant(0, like="INT64"),
                op.constant(kernel[e_4], like="INT64"),
                op.constant(1, like="INT64"),
            )
            places = op.Add(unsqueeze_2, range_3)
            greater_or_equal_2 = op.GreaterOrEqual(places, op.constant(0, like="INT64"))
            less = op.Less(places, n)
            is_there = op.And(greater_or_equal_2, less)
            if e_4 < 1:
                is_there_3 = op.Unsqueeze(
                    is_there,
                    op.constant(list(range(2, 3 - e_4)), like="INT64"),
                )
            else:
                is_there_3 = is_there
            sub_3 = op.Sub(n, op.constant(1, like="INT64"))
            min_2 = op.Min(places, sub_3)
            max = op.Max(min_2, op.constant(0, like="INT64"))
            parts = op.Gather(total_2, max, axis=e_4 - 2)
            where = op.Where(is_there_3, parts, op.constant(0.0, like=self))
            total_3 = op.ReduceSum(where, op.constant([e_4 - 2], like="INT64"), keepdims=1)
            slice = op.Slice(
                total_3,
                op.constant([0], like="INT64"),
                op.constant([1], like="INT64"),
                op.constant([e_4 - 2], like="INT64"),
            )
            total_4 = op.Squeeze(slice, op.constant([e_4 - 2], like="INT64"))
            if count_include_pad:
                add_3 = op.Add(start, op.constant(kernel[e_4], like="INT64"))
                add_4 = op.Add(n, op.constant(pads[e_4], like="INT64"))
                min_3 = op.Min(add_3, add_4)
                size_3 = op.Sub(min_3, start)
            else:
                add_5 = op.Add(start, op.constant(kernel[e_4], like="INT64"))
                min_4 = op.Min(add_5, n)
                max_2 = op.Max(start, op.constant(0, like="INT64"))
                size_3 = op.Sub(min_4, max_2)
            unsqueeze_3 = op.Unsqueeze(counts_2, op.constant([-1], like="INT64"))
            cast_like = op.CastLike(size_3, self)
            counts_3 = op.Mul(unsqueeze_3, cast_like)
            total_2, counts_2 = total_4, counts_3
        if divisor_override is not None:
            result_4 = op.Div(total_2, op.constant(float(divisor_override), like=self))
        else:
            result_4 = op.Div(total_2, counts_2)
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="aten::avg_pool2d.default",
    existing="aten::avg_pool2d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="avg_pool2d",
    doc="The operator aten::avg_pool2d.",
    spec="sha256:3ee3fb13cbcc072ee65d009ce69c798c78cdeb56361e2c2ab67499ef89b48b64",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.avg_pool2d.default


@_onnxop.script.scripted(OP)
def avg_pool2d(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The operator aten::avg_pool2d.

    Args:
        self: a tensor.
        kernel_size: 2 integers.
        stride: 2 integers; () by default.
        padding: 2 integers; (0, 0) by default.
        ceil_mode: a boolean; False by default.
        count_include_pad: a boolean; True by default.
        divisor_override: an integer or None; None by default.

    Returns:
        What PyTorch's aten::avg_pool2d returns.
    """
    result: Tensor = _operator(
        self,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
    return result


class AvgPool2d(torch.nn.Module):
    """`avg_pool2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        kernel_size: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0, 0),
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"kernel_size={self.kernel_size}",
                f"stride={self.stride}",
                f"padding={self.padding}",
                f"ceil_mode={self.ceil_mode}",
                f"count_include_pad={self.count_include_pad}",
                f"divisor_override={self.divisor_override}",
            ]
        )
