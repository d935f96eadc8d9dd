"""Rules for operators of torchvision's that PyTorch's exporters leave out"""

from ._deform_conv2d import DeformConv2d, deform_conv2d
from ._onnxop import (
    Verification,
    export,
    translation_table,
    verify,
)
from ._ps_roi_align import PsRoiAlign, ps_roi_align
from ._ps_roi_pool import PsRoiPool, ps_roi_pool
from ._roi_align import RoiAlign, roi_align
from ._roi_pool import RoiPool, roi_pool

__version__ = "0.1.0"

__all__ = [
    "DeformConv2d",
    "PsRoiAlign",
    "PsRoiPool",
    "RoiAlign",
    "RoiPool",
    "Verification",
    "deform_conv2d",
    "export",
    "ps_roi_align",
    "ps_roi_pool",
    "roi_align",
    "roi_pool",
    "translation_table",
    "verify",
]
