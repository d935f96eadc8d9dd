"""Calls of the exporters, as `onnxop run` watches them: what was exported, where to, and by which
rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from ...operator.export_context import ExportContext


@dataclass
class ExportCall:
    """A call of `torch.onnx.export` or `export`."""

    dynamo: bool
    """Whether the dynamo exporter was called; it may fall back to the TorchScript exporter."""
    model: Any
    args: Any
    f: Any
    """The file as the caller gave it: a path, a stream, or None for a program."""
    options: Mapping[str, Any]
    """The other arguments of the call."""
    program: Any = None
    """The program that the dynamo exporter returned."""
    context: ExportContext | None = None
    """The export's context, with the rules that it used; None if PyTorch exported alone."""


Watcher = Callable[[ExportCall], AbstractContextManager[None]]
"""A context around an export; its end comes after the file has been written."""

_watchers: list[Watcher] = []
_current: ContextVar[ExportCall | None] = ContextVar("onnxop_watched", default=None)


def add_watcher(watcher: Watcher) -> None:
    """Have all exports of this process watched."""
    _watchers.append(watcher)


@contextmanager
def watching(
    model: object, args: object, f: object, options: Mapping[str, object], *, dynamo: bool
) -> Iterator[ExportCall]:
    """Let the watcher see an export, unless it is part of another one."""
    call = ExportCall(dynamo, model, args, f, dict(options))
    if _current.get() is not None or not _watchers:
        yield call
        return
    token = _current.set(call)
    try:
        with _watchers[-1](call):
            yield call
    finally:
        _current.reset(token)


def set_context(context: ExportContext) -> None:
    """Tell the watcher which export is under way."""
    call = _current.get()
    if call is not None:
        call.context = context
