"""2a + b, element by element."""

from my_add._export import export, translation_table
from my_add._onnxruntime import library_path, session_options
from my_add._op import MyAdd, MyAddFunction, my_add
from my_add._verify import Verification, verify

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
