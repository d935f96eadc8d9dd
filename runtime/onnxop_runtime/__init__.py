"""The runtime of packages made by onnxop: operators in PyTorch, their export to ONNX, and its
verification.

Heavy modules are imported at first use: a build only imports `build`, and PyTorch may be missing
then.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .optional_imports import need

__version__ = "0.4.0.dev0"
API = 1
"""The version of the API that packages use; it grows with additions."""
OLDEST_API = 1
"""The oldest version of the API that this runtime supports; it grows with removals."""
ABI = 1
"""The version of the interface to the compiled parts of packages: ``kAbi`` in onnxop/op.h."""

_HOME = {
    "Function": "operator.autograd",
    "OnnxOps": "mapping.notation",
    "OnnxValue": "mapping.notation",
    "Operator": "operator.model",
    "Package": "package",
    "Verification": "verification.verify",
    "as_number": "operator.package_operator",
    "cmath": "operator.cmath",
    "export": "package",
    "register": "registered",
    "replaced": "exporting.replacement.replaced",
    "session": "package",
    "translation_table": "package",
    "unregister": "registered",
    "verify": "package",
}

if TYPE_CHECKING:
    from .exporting.replacement.replaced import replaced as replaced
    from .mapping.notation import OnnxOps as OnnxOps
    from .mapping.notation import OnnxValue as OnnxValue
    from .operator import cmath as cmath
    from .operator.autograd import Function as Function
    from .operator.model import Operator as Operator
    from .operator.package_operator import as_number as as_number
    from .package import Package as Package
    from .package import export as export
    from .package import session as session
    from .package import translation_table as translation_table
    from .package import verify as verify
    from .registered import register as register
    from .registered import unregister as unregister
    from .verification.verify import Verification as Verification

__all__ = ["ABI", "API", "OLDEST_API", "__version__"]  # and the names in `_HOME`


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    need(f"{__name__}.{name}", "torch", "numpy", "onnx")
    module = importlib.import_module(f"{__name__}.{_HOME[name]}")
    value = module if name == "cmath" else getattr(module, name)
    globals()[name] = value
    return value
