from typing import Any

from torch import Tensor

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
) -> Tensor: ...
def _dtypes_deform_conv2d() -> Any: ...
def _infer_deform_conv2d(*arguments: Any) -> Any: ...
