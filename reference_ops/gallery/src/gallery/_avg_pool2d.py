"""aten::avg_pool2d: the operator in PyTorch, its gradients, and its rule for ONNX."""

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
    oh = (op.size(self, -2) + 2 * padding[0] - kernel_size[0] + (steps[0] - 1 if ceil_mode else 0)) // steps[0] + 1  # fmt: skip
    ow = (op.size(self, -1) + 2 * padding[-1] - kernel_size[-1] + (steps[-1] - 1 if ceil_mode else 0)) // steps[-1] + 1  # fmt: skip
    oh_2 = oh - 1 if ceil_mode and (oh - 1) * steps[0] >= op.size(self, -2) + padding[0] else oh
    ow_2 = ow - 1 if ceil_mode and (ow - 1) * steps[-1] >= op.size(self, -1) + padding[-1] else ow
    rows_seen = [1.0 if j // op.size(self, -2) * steps[0] - padding[0] <= j % op.size(self, -2) and j % op.size(self, -2) < j // op.size(self, -2) * steps[0] - padding[0] + kernel_size[0] else 0.0 for j in range(oh_2 * op.size(self, -2))]  # fmt: skip
    rows = op.Reshape(
        op.constant(rows_seen, like="FLOAT"),
        op.constant([oh_2, op.size(self, -2)], like="INT64"),
    )
    columns_seen = [1.0 if j_2 // op.size(self, -1) * steps[-1] - padding[-1] <= j_2 % op.size(self, -1) and j_2 % op.size(self, -1) < j_2 // op.size(self, -1) * steps[-1] - padding[-1] + kernel_size[-1] else 0.0 for j_2 in range(ow_2 * op.size(self, -1))]  # fmt: skip
    columns = op.Reshape(
        op.constant(columns_seen, like="FLOAT"),
        op.constant([ow_2, op.size(self, -1)], like="INT64"),
    )
    transpose = op.Transpose(columns, perm=[1, 0])
    mat_mul = op.MatMul(self, transpose)
    total = op.MatMul(rows, mat_mul)
    if divisor_override is not None:
        result_3 = op.Div(total, op.constant(float(divisor_override), like=self))
    else:
        reshape = op.Reshape(
            op.constant([float(min(o * steps[0] - padding[0] + kernel_size[0], op.size(self, -2) + padding[0]) - (o * steps[0] - padding[0])) for o in range(oh_2)] if count_include_pad else [float(min(o_3 * steps[0] - padding[0] + kernel_size[0], op.size(self, -2)) - max(o_3 * steps[0] - padding[0], 0)) for o_3 in range(oh_2)], like="FLOAT"),
            op.constant([-1, 1], like="INT64"),
        )  # fmt: skip
        reshape_2 = op.Reshape(
            op.constant([float(min(o_2 * steps[-1] - padding[-1] + kernel_size[-1], op.size(self, -1) + padding[-1]) - (o_2 * steps[-1] - padding[-1])) for o_2 in range(ow_2)] if count_include_pad else [float(min(o_4 * steps[-1] - padding[-1] + kernel_size[-1], op.size(self, -1)) - max(o_4 * steps[-1] - padding[-1], 0)) for o_4 in range(ow_2)], like="FLOAT"),
            op.constant([1, -1], like="INT64"),
        )  # fmt: skip
        mat_mul_2 = op.MatMul(reshape, reshape_2)
        result_3 = op.Div(total, mat_mul_2)
    return result_3


OP = _onnxop.Operator(
    name="aten::avg_pool2d.default",
    existing="aten::avg_pool2d.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="avg_pool2d",
    doc="The operator aten::avg_pool2d.",
    spec="sha256:c6bc757d975a8c9624a15bfdbe31b5972aeecff2ab33a882a53521d81608bd83",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.avg_pool2d.default


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
