"""Bicubic interpolation whose scales are an input of the graph: one exported model, every scale.

The input is [n, c, h, w]; the scales are 4 of float32, 1 and 1 before those of height and width.
"""

from onnxop_runtime import Package, Verification

package: Package = Package(__name__, version="0.1.0", api=1)

from ._resize import Resize, ResizeFunction, resize

__version__ = package.version
export = package.export
translation_table = package.translation_table
verify = package.verify

__all__ = [
    "Resize",
    "ResizeFunction",
    "Verification",
    "export",
    "resize",
    "translation_table",
    "verify",
]
