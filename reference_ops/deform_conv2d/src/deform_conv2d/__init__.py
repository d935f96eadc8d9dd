"""Deformable convolution: a convolution whose samples lie at offsets, as in torchvision."""

from ._deform_conv2d import DeformConv2d, DeformConv2dFunction, deform_conv2d
from ._onnxop import (
    Verification,
    export,
    library_path,
    session_options,
    translation_table,
    verify,
)

__version__ = "0.1.0"

__all__ = [
    "DeformConv2d",
    "DeformConv2dFunction",
    "Verification",
    "deform_conv2d",
    "export",
    "library_path",
    "session_options",
    "translation_table",
    "verify",
]
