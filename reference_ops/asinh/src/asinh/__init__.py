"""The inverse hyperbolic sine, element by element."""

from onnxop_runtime import Package, Verification

package: Package = Package(__name__, version="0.1.0", api=1)

from ._asinh import Asinh, AsinhFunction, asinh

__version__ = package.version
export = package.export
library_path = package.library_path
session = package.session
session_options = package.session_options
translation_table = package.translation_table
verify = package.verify

__all__ = [
    "Asinh",
    "AsinhFunction",
    "Verification",
    "asinh",
    "export",
    "library_path",
    "session",
    "session_options",
    "translation_table",
    "verify",
]
