"""2a + b, element by element."""

from onnxop_runtime import Package, Verification

from ._my_add import MyAdd, MyAddFunction, my_add

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
    "MyAdd",
    "MyAddFunction",
    "Verification",
    "export",
    "library_path",
    "my_add",
    "session",
    "session_options",
    "translation_table",
    "verify",
]
