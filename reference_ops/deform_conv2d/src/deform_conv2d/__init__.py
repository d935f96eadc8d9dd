"""Deformable convolution: a convolution whose samples lie at offsets, as in torchvision.

Where a sample lies exactly at row or column -1, its offset has two one-sided gradients. The
gradient here is torchvision's, that of the side of the image; in mmcv it is 0. A deformable
convolution starts there: its offsets are 0, and with a padding of 1 the samples of the border
lie at -1.
"""

from onnxop_runtime import Package, Verification

from ._deform_conv2d import DeformConv2d, DeformConv2dFunction, deform_conv2d

__version__ = "0.1.0"
# api: the version of onnxop_runtime's interface that this package was made for.
package = Package.of(__name__, api=1)
export = package.export
library_path = package.library_path
session = package.session
session_options = package.session_options
translation_table = package.translation_table
verify = package.verify

__all__ = [
    "DeformConv2d",
    "DeformConv2dFunction",
    "Verification",
    "deform_conv2d",
    "export",
    "library_path",
    "session",
    "session_options",
    "translation_table",
    "verify",
]
