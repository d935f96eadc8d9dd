"""Deformable convolution: a convolution whose samples lie at offsets, as in torchvision."""

from deform_conv2d._export import export, translation_table
from deform_conv2d._onnxruntime import library_path, session_options
from deform_conv2d._op import DeformConv2d, DeformConv2dFunction, deform_conv2d
from deform_conv2d._verify import Verification, verify

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
