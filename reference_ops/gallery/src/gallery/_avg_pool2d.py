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
    steps = stride if len(stride) > 0 else [kernel_size[0], kernel_size[-1]]
    if not ceil_mode:
        if op.rank(self) == 4:
            planes = op.Identity(self)
        else:
            planes = op.Unsqueeze(self, op.constant([0], like="INT64"))
        if divisor_override is not None:
            found = op.AveragePool(
                planes,
                kernel_shape=[kernel_size[0], kernel_size[-1]],
                strides=[steps[0], steps[-1]],
                pads=[padding[0], padding[-1], padding[0], padding[-1]],
                count_include_pad=1,
            )
            found_4 = op.Mul(
                found,
                op.constant(float(kernel_size[0] * kernel_size[-1]) / float(divisor_override), like=self),
            )  # fmt: skip
        else:
            found_4 = op.AveragePool(
                planes,
                kernel_shape=[kernel_size[0], kernel_size[-1]],
                strides=[steps[0], steps[-1]],
                pads=[padding[0], padding[-1], padding[0], padding[-1]],
                count_include_pad=int(count_include_pad),
            )
        if op.rank(self) == 4:
            result = found_4
        else:
            result = op.Squeeze(found_4, op.constant([0], like="INT64"))
        result_5 = result
    else:
        lines = op.Gather(
            self,
            op.constant([max(min(row_2, op.size(self, -2) - 1), 0) for row_2 in [j // kernel_size[0] * steps[0] - padding[0] + j % kernel_size[0] for j in range(((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1 if ceil_mode and ((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1) * steps[0] >= op.size(self, -2) + padding[0] else (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1) * kernel_size[0])]], like="INT64"),
            axis=-2,
        )  # fmt: skip
        cast = op.Cast(
            op.constant([row >= 0 and row < op.size(self, -2) for row in [j // kernel_size[0] * steps[0] - padding[0] + j % kernel_size[0] for j in range(((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1 if ceil_mode and ((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1) * steps[0] >= op.size(self, -2) + padding[0] else (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1) * kernel_size[0])]], like="BOOL"),
            to=9,
        )  # fmt: skip
        reshape = op.Reshape(cast, op.constant([-1, 1], like="INT64"))
        lines_2 = op.Where(reshape, lines, op.constant(0.0, like=self))
        shape = op.Shape(self)
        outer = op.Slice(
            shape,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([0], like="INT64"),
        )
        concat = op.Concat(
            outer,
            op.constant([(op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1 if ceil_mode and ((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1) * steps[0] >= op.size(self, -2) + padding[0] else (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1, kernel_size[0], op.size(self, -1)], like="INT64"),
            axis=0,
        )  # fmt: skip
        lines_3 = op.Reshape(lines_2, concat, allowzero=1)
        reduce_sum = op.ReduceSum(lines_3, op.constant([-2], like="INT64"), keepdims=1)
        slice = op.Slice(
            reduce_sum,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        sums = op.Squeeze(slice, op.constant([-2], like="INT64"))
        parts = op.Gather(
            sums,
            op.constant([max(min(column_2, op.size(self, -1) - 1), 0) for column_2 in [j_2 // kernel_size[-1] * steps[-1] - padding[-1] + j_2 % kernel_size[-1] for j_2 in range(((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1 if ceil_mode and ((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1) * steps[-1] >= op.size(self, -1) + padding[-1] else (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1) * kernel_size[-1])]], like="INT64"),
            axis=-1,
        )  # fmt: skip
        cast_2 = op.Cast(
            op.constant([column >= 0 and column < op.size(self, -1) for column in [j_2 // kernel_size[-1] * steps[-1] - padding[-1] + j_2 % kernel_size[-1] for j_2 in range(((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1 if ceil_mode and ((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1) * steps[-1] >= op.size(self, -1) + padding[-1] else (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1) * kernel_size[-1])]], like="BOOL"),
            to=9,
        )  # fmt: skip
        parts_2 = op.Where(cast_2, parts, op.constant(0.0, like=self))
        concat_2 = op.Concat(
            outer,
            op.constant([(op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1 if ceil_mode and ((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1) * steps[0] >= op.size(self, -2) + padding[0] else (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1, (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1 if ceil_mode and ((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1) * steps[-1] >= op.size(self, -1) + padding[-1] else (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1, kernel_size[-1]], like="INT64"),
            axis=0,
        )  # fmt: skip
        parts_3 = op.Reshape(parts_2, concat_2, allowzero=1)
        reduce_sum_2 = op.ReduceSum(parts_3, op.constant([-1], like="INT64"), keepdims=1)
        slice_2 = op.Slice(
            reduce_sum_2,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        total = op.Squeeze(slice_2, op.constant([-1], like="INT64"))
        is_na_n = op.IsNaN(total)
        total_2 = op.Where(is_na_n, total, total)
        if divisor_override is not None:
            result_4 = op.Div(total_2, op.constant(float(divisor_override), like=self))
        else:
            reshape_2 = op.Reshape(
                op.constant([float(min(o * steps[0] - padding[0] + kernel_size[0], op.size(self, -2) + padding[0]) - (o * steps[0] - padding[0])) for o in range((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1 if ceil_mode and ((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1) * steps[0] >= op.size(self, -2) + padding[0] else (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1)] if count_include_pad else [float(min(o_3 * steps[0] - padding[0] + kernel_size[0], op.size(self, -2)) - max(o_3 * steps[0] - padding[0], 0)) for o_3 in range((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1 if ceil_mode and ((op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1 - 1) * steps[0] >= op.size(self, -2) + padding[0] else (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1)], like="FLOAT"),
                op.constant([-1, 1], like="INT64"),
            )  # fmt: skip
            reshape_3 = op.Reshape(
                op.constant([float(min(o_2 * steps[-1] - padding[-1] + kernel_size[-1], op.size(self, -1) + padding[-1]) - (o_2 * steps[-1] - padding[-1])) for o_2 in range((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1 if ceil_mode and ((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1) * steps[-1] >= op.size(self, -1) + padding[-1] else (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1)] if count_include_pad else [float(min(o_4 * steps[-1] - padding[-1] + kernel_size[-1], op.size(self, -1)) - max(o_4 * steps[-1] - padding[-1], 0)) for o_4 in range((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1 if ceil_mode and ((op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1 - 1) * steps[-1] >= op.size(self, -1) + padding[-1] else (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1)], like="FLOAT"),
                op.constant([1, -1], like="INT64"),
            )  # fmt: skip
            mul = op.Mul(reshape_2, reshape_3)
            cast_like = op.CastLike(mul, self)
            result_4 = op.Div(total_2, cast_like)
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
    spec="sha256:d45764e5d883f1ff37ea8146a504e1bb7e2f0feef5293da752810b090c94ca17",
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
