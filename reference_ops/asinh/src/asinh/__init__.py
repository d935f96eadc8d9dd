"""The inverse hyperbolic sine, element by element."""

from asinh._export import export, translation_table
from asinh._onnxruntime import library_path, session_options
from asinh._op import Asinh, AsinhFunction, asinh
from asinh._verify import Verification, verify

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
