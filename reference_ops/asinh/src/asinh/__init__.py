"""The inverse hyperbolic sine, element by element."""

from onnxop_runtime import Package, Verification

from ._asinh import Asinh, AsinhFunction, asinh

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
