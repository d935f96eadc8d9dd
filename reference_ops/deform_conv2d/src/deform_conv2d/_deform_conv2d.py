"""deform_conv2d::deform_conv2d: the operator, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def to_onnx(
    op: OnnxOps,
    input: OnnxValue,
    weight: OnnxValue,
    offset: OnnxValue,
    mask: OnnxValue,
    bias: OnnxValue,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    return op.DeformConv(
        input, weight, offset, bias, mask if use_mask else None,
        strides=[stride_h, stride_w], pads=[pad_h, pad_w, pad_h, pad_w],
        dilations=[dilation_h, dilation_w], group=groups, offset_group=offset_groups,
    )


OP = package.operator(
    name="deform_conv2d::deform_conv2d.default",
    existing="torchvision::deform_conv2d.default",
    rule=to_onnx,
    opset=19,
    domain="deform_conv2d",
    op_type="deform_conv2d",
    doc="Deformable convolution: a convolution whose samples lie at offsets, as in torchvision.",
    spec_hash="sha256:0c4b99ec7d7fa6c58f344f6d2f01e39a306de1fe56fcbe40c2e1fbcf37f5d84e",
    requires=["torchvision"],
    is_native=True,
    kernel=package.kernel.deform_conv2d,
    infer=package.kernel._infer_deform_conv2d,
    differentiable=["input", "weight", "offset", "mask", "bias"],
    dtypes=package.kernel._dtypes_deform_conv2d(),
)


class DeformConv2dFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `deform_conv2d` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        OP.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = OP.gradients(ctx, [grad])
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(
    OP,
    DeformConv2dFunction,
    source="ops/kernel.h",
)


@package.scripted(OP)
def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """Deformable convolution: a convolution whose samples lie at offsets, as in torchvision.

    Where a sample lies exactly at row or column -1, its offset has two one-sided gradients. The
    gradient here is torchvision's, that of the side of the image; in mmcv it is 0. A deformable
    convolution starts there: its offsets are 0, and with a padding of 1 the samples of the border
    lie at -1.

    Args:
        input: a tensor.
        weight: a tensor.
        offset: a tensor.
        mask: a tensor.
        bias: a tensor.
        stride_h: an integer.
        stride_w: an integer.
        pad_h: an integer.
        pad_w: an integer.
        dilation_h: an integer.
        dilation_w: an integer.
        groups: an integer.
        offset_groups: an integer.
        use_mask: a boolean.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: ops/kernel.h rejects the arguments.
    """
    result: Tensor = _operator(
        input,
        weight,
        offset,
        mask,
        bias,
        stride_h,
        stride_w,
        pad_h,
        pad_w,
        dilation_h,
        dilation_w,
        groups,
        offset_groups,
        use_mask,
    )
    return result


class DeformConv2d(torch.nn.Module):
    """`deform_conv2d` as a module; its constructor takes all but the tensors."""

    def __init__(
        self,
        stride_h: int,
        stride_w: int,
        pad_h: int,
        pad_w: int,
        dilation_h: int,
        dilation_w: int,
        groups: int,
        offset_groups: int,
        use_mask: bool,
    ) -> None:
        super().__init__()
        self.stride_h = stride_h
        self.stride_w = stride_w
        self.pad_h = pad_h
        self.pad_w = pad_w
        self.dilation_h = dilation_h
        self.dilation_w = dilation_w
        self.groups = groups
        self.offset_groups = offset_groups
        self.use_mask = use_mask

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"stride_h={self.stride_h}",
                f"stride_w={self.stride_w}",
                f"pad_h={self.pad_h}",
                f"pad_w={self.pad_w}",
                f"dilation_h={self.dilation_h}",
                f"dilation_w={self.dilation_w}",
                f"groups={self.groups}",
                f"offset_groups={self.offset_groups}",
                f"use_mask={self.use_mask}",
            ]
        )

    def forward(
        self,
        input: Tensor,
        weight: Tensor,
        offset: Tensor,
        mask: Tensor,
        bias: Tensor,
    ) -> Tensor:
        result: Tensor = deform_conv2d(
            input,
            weight,
            offset,
            mask,
            bias,
            self.stride_h,
            self.stride_w,
            self.pad_h,
            self.pad_w,
            self.dilation_h,
            self.dilation_w,
            self.groups,
            self.offset_groups,
            self.use_mask,
        )
        return result
