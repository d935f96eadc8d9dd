"""The kernel in ONNX Runtime: the library of custom ops that the package carries."""

from __future__ import annotations

import importlib.util
from itertools import count
from pathlib import Path
from typing import Any

from deform_conv2d import _node

_LIBRARY = "deform_conv2d._onnxruntime_kernel"


def library_path() -> str:
    """The library, for ``SessionOptions.register_custom_ops_library``.

    It serves the node deform_conv2d::deform_conv2d in ONNX Runtime 1.17 and every later one, and nodes of
    further domains where the options have an entry that names them, separated by commas, before it
    is registered: ``add_session_config_entry("onnxop.domains.deform_conv2d::deform_conv2d", "custom")``.

    Raises:
        ImportError: the package is not built.
    """
    spec = importlib.util.find_spec(_LIBRARY)
    if spec is None or spec.origin is None:
        raise ImportError(
            f"{_LIBRARY} is not built; run pip install --no-build-isolation . in the folder "
            "of its setup.py"
        )
    return str(Path(spec.origin).resolve())


def session_options(options: Any = None, *, domain: str | None = None) -> Any:
    """Session options with the library registered: sessions prefer its kernel to function bodies.

    Args:
        options: options to add it to; new ones by default.
        domain: a domain in which it is to serve the node, too, beside "deform_conv2d"; for more of
            them, call this again with the options that it gave.

    Returns:
        An ``onnxruntime.SessionOptions``.

    Raises:
        ValueError: the domain is none, or not yours.
        ImportError: the package is not built.
    """
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    options = onnxruntime.SessionOptions() if options is None else options
    if domain is not None and _node.checked_domain(domain) not in ("", _node.DOMAIN):
        _ask_for(options, domain)
    options.register_custom_ops_library(library_path())
    return options


def _ask_for(options: Any, domain: str) -> None:
    """Writes the domain down for the library, in the first entry that is free."""
    key = f"onnxop.domains.{_node.OP}"
    entries = (key if number == 1 else f"{key}.{number}" for number in count(1))
    options.add_session_config_entry(next(e for e in entries if not _has(options, e)), domain)


def _has(options: Any, entry: str) -> bool:
    try:
        options.get_session_config_entry(entry)
    except RuntimeError:
        return False
    return True
