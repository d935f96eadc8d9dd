"""Bicubic interpolation whose scales are an input of the graph.

One exported model serves every scale. `input` is [n, c, h, w]; `scales` is float32[4]: 1, 1,
and the scales of height and width.
"""

from onnxop_runtime import Package, Verification

from ._resize import Resize, ResizeFunction, resize

__version__ = "0.1.0"
# api: the version of onnxop_runtime's interface that this package was made for.
package = Package.of(__name__, api=1)
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
