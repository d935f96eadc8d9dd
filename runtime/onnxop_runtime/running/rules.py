"""Rules, replacements and records of the exports of this process."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from ..exporting.call import plain_export, watched
from ..exporting.call.watched import ExportCall
from ..exporting.replacement.replaced import in_place
from ..imports import after_import
from ..operator.model import Operator, Origin
from ..registered import register
from ..verification import exported
from ..verification.model_call import ModelCall
from . import records
from .records import ExportRecord
from .settings import Settings

_replaced: dict[str, int] = {}
"""The number of calls of each replacement in this process."""
_in_place = ExitStack()
_files: dict[Operator, str] = {}
"""The spec of each registered operator."""


def start_rules(settings: Settings) -> None:
    """Import packages, register specs and the gallery, and record all exports."""
    for name in settings.modules:
        importlib.import_module(name)
    for file in settings.specs:
        _files.update(dict.fromkeys(register(file), Path(file).name))
    if settings.gallery:
        importlib.import_module("onnxop_runtime.gallery")
        after_import("torchvision", _add_torchvision)
    for module, original, instead in settings.replacements:
        _replace_after_import(module, original, instead)
    plain_export.use_rules()
    watched.add_watcher(lambda call: _record_at_end(call, settings))


def _add_torchvision(_: ModuleType) -> None:
    importlib.import_module("onnxop_runtime.gallery.torchvision")


def _replace_after_import(module: str, original: str, instead: str) -> None:
    def replace(_: ModuleType) -> None:
        calls = _in_place.enter_context(in_place({original: instead}))
        _counters.append(calls)

    after_import(module, replace)


_counters: list[dict[str, int]] = []


@contextmanager
def _record_at_end(call: ExportCall, settings: Settings) -> Iterator[None]:
    """Record an export at its end; a program that is not written yet is recorded when it is
    saved.
    """
    before = _counts()
    model_call = _model_call(call) if settings.verify else None
    yield
    replaced = {name: count - before.get(name, 0) for name, count in _counts().items()}

    def finish(file: object) -> None:
        record = ExportRecord(
            file=os.path.abspath(file) if isinstance(file, str | os.PathLike) else "",
            target=str(file) if isinstance(file, str | os.PathLike) else "a stream",
            exporter="dynamo" if call.dynamo else "TorchScript",
            rules=_rules(call),
            replaced={name: count for name, count in replaced.items() if count},
        )
        comparisons = None
        if model_call is not None:
            record.verdict, comparisons = _verdict(model_call, file)
        records.write_record(settings.folder, record, comparisons)

    if call.f is not None:
        finish(call.f)
    elif call.program is not None:
        _finish_when_saved(call.program, finish)


def _counts() -> dict[str, int]:
    return {name: count for calls in _counters for name, count in calls.items()}


def _finish_when_saved(program: Any, finish: Any) -> None:
    save = program.save

    def save_and_finish(destination: Any, *args: Any, **options: Any) -> None:
        save(destination, *args, **options)
        finish(destination)

    program.save = save_and_finish


def _model_call(call: ExportCall) -> ModelCall | str:
    """Return the exporter's call to compare with, or why there is none."""
    try:
        return exported.call_of(call)
    except Exception as error:  # noqa: BLE001 - a comparison must not stop an export
        return f"{type(error).__name__}: {error}"


def _verdict(call: ModelCall | str, file: object) -> tuple[str, Any]:
    """Return the result of the comparison as text, and what was compared."""
    if isinstance(call, str):
        return f"not compared: {call}", None
    try:
        verdict, comparisons = exported.verify(call, exported.bytes_of(file))
    except exported.NotCompared as error:
        return f"not compared: {error}", None
    except Exception as error:  # noqa: BLE001 - a comparison must not stop an export
        return f"not compared: {type(error).__name__}: {error}", None
    return str(verdict), comparisons


def _rules(call: ExportCall) -> list[tuple[str, str, int]]:
    """Return the operators whose rules an export used, with their origins and the numbers
    of calls.
    """
    if call.context is None:
        return []
    return [
        (operator.existing.removesuffix(".default") or str(operator), _origin(operator), count)
        for operator, count in call.context.log.calls.items()
    ]


def _origin(operator: Operator) -> str:
    if operator.origin is Origin.GALLERY:
        return "gallery"
    return _files.get(operator) or operator.package.name


def verdict_now(record: ExportRecord) -> str:
    """Return the result of the same comparison with the file as it is now; empty without one."""
    comparisons = records.comparisons_of(record)
    return "" if comparisons is None else str(exported.verdict_of(record.file, comparisons))
