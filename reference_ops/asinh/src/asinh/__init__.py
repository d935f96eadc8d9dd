"""The inverse hyperbolic sine, element by element."""

from ._asinh import Asinh, AsinhFunction, asinh
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
    "Asinh",
    "AsinhFunction",
    "Verification",
    "asinh",
    "export",
    "library_path",
    "session_options",
    "translation_table",
    "verify",
]
