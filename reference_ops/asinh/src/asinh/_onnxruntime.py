"""The kernel in ONNX Runtime: the library of custom ops that the package carries."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

_LIBRARY = "asinh._onnxruntime_kernel"


def library_path() -> Path:
    """The library, for ``SessionOptions.register_custom_ops_library``.

    It serves the node asinh::asinh in ONNX Runtime 1.17 and every later one.

    Raises:
        ImportError: the package is not built.
    """
    spec = importlib.util.find_spec(_LIBRARY)
    if spec is None or spec.origin is None:
        raise ImportError(
            f"{_LIBRARY} is not built; run pip install --no-build-isolation . in the folder "
            "of its setup.py"
        )
    return Path(spec.origin).resolve()


def session_options(options: Any = None) -> Any:
    """Session options with the library registered: sessions prefer its kernel to function bodies.

    Args:
        options: options to add it to; new ones by default.

    Returns:
        An ``onnxruntime.SessionOptions``.
    """
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    options = onnxruntime.SessionOptions() if options is None else options
    options.register_custom_ops_library(str(library_path()))
    return options
