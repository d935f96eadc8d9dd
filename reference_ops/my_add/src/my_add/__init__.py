"""2a + b, element by element."""

from ._my_add import MyAdd, MyAddFunction, my_add
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
    "MyAdd",
    "MyAddFunction",
    "Verification",
    "export",
    "library_path",
    "my_add",
    "session_options",
    "translation_table",
    "verify",
]
