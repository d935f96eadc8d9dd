"""Machinery that every package of onnxop carries, the same bytes in each: nobody needs to read it
to understand the operators beside it, which describe themselves to it (`Operator`).
"""

from . import autograd, cmath, composed, native, rules, script
from .export import export, translation_table
from .operator import Operator, number
from .runtime import library_path, session_options
from .verify import Verification, verify

__all__ = [
    "Operator",
    "Verification",
    "autograd",
    "cmath",
    "composed",
    "export",
    "library_path",
    "native",
    "number",
    "rules",
    "script",
    "session_options",
    "translation_table",
    "verify",
]
