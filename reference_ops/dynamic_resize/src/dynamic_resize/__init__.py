"""Bicubic interpolation whose scales are an input of the graph: one exported model, every scale.

The input is [n, c, h, w]; the scales are 4 of float32, 1 and 1 before those of height and width.
"""

from ._onnxop import (
    Verification,
    export,
    translation_table,
    verify,
)
from ._resize import Resize, ResizeFunction, resize

__version__ = "0.1.0"

__all__ = [
    "Resize",
    "ResizeFunction",
    "Verification",
    "export",
    "resize",
    "translation_table",
    "verify",
]
