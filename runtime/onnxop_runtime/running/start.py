"""The start of rules, replacements and records in a process."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

from ..imports import after_import
from .settings import Settings, load


def start_at_first_export() -> None:
    """Start as the environment says, when this process exports first: an import in the middle of
    another could find modules that are not complete.
    """
    settings = load()
    if settings is None:
        return
    if settings.path not in sys.path:
        sys.path.append(settings.path)

    def start_before_exports(onnx: Any) -> None:
        stock = onnx.export

        @functools.wraps(stock)
        def export(*args: object, **kwargs: object) -> object:
            start(settings)
            return stock(*args, **kwargs)

        onnx.export = export

    def start_now(_: ModuleType) -> None:
        start(settings)

    after_import("torch.onnx", start_before_exports)
    after_import(
        "onnxop_runtime.exporting.call.checked_export", start_now
    )  # of packages that export themselves
    for module, *_ in settings.replacements:
        after_import(module, start_now)


_started: set[Settings] = set()


def start(settings: Settings) -> None:
    """Import packages, register rules, replace functions once they are imported, and record all
    exports.
    """
    if settings in _started:
        return
    _started.add(settings)
    from .rules import start_rules  # imports PyTorch

    start_rules(settings)
