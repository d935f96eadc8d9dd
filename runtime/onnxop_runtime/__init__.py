"""What packages made by onnxop stand on: operators in PyTorch, their export to ONNX, and its verification.

Nothing heavy is imported before it is needed: a build asks for `build` alone, where PyTorch may be
missing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .wanted import need

__version__ = "0.4.0.dev0"
API = 1
"""The number of what packages rely on; it grows where that gains something."""
OLDEST_API = 1
"""The oldest number that this runtime still serves; it grows where something goes."""
ABI = 1
"""What the compiled parts of packages and this runtime agree on: onnxop/op.h has it as ``kAbi``."""

_HOME = {
    "Function": "operator.autograd",
    "Operator": "operator.description",
    "Package": "package",
    "Verification": "verification.verify",
    "cmath": "operator.cmath",
    "export": "package",
    "number": "operator.description",
    "register": "specs",
    "replaced": "exporting.replaced",
    "translation_table": "package",
    "unregister": "specs",
    "verify": "package",
}

if TYPE_CHECKING:
    from .exporting.replaced import replaced as replaced
    from .operator import cmath as cmath
    from .operator.autograd import Function as Function
    from .operator.description import Operator as Operator
    from .operator.description import number as number
    from .package import Package as Package
    from .package import export as export
    from .package import translation_table as translation_table
    from .package import verify as verify
    from .specs import register as register
    from .specs import unregister as unregister
    from .verification.verify import Verification as Verification

__all__ = ["ABI", "API", "OLDEST_API", "__version__"]  # and what `_HOME` has


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    need(f"{__name__}.{name}", "torch", "numpy", "onnx")
    module = importlib.import_module(f"{__name__}.{_HOME[name]}")
    value = module if name == "cmath" else getattr(module, name)
    globals()[name] = value
    return value
