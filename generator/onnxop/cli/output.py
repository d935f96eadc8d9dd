"""What the command line prints to, which may end, or show nothing beyond ASCII."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, ParamSpec, TextIO

_UNREAD = 141  # what a shell says of a program that wrote where nobody reads

_P = ParamSpec("_P")


def _as_named(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode what a stream cannot show as names of files are, so that a path can be pasted."""
    if isinstance(error, UnicodeEncodeError):
        with suppress(UnicodeEncodeError):
            return os.fsencode(error.object[error.start : error.end]), error.end
    return codecs.backslashreplace_errors(error)


codecs.register_error("onnxop.as_named", _as_named)


def with_output(command: Callable[_P, int]) -> Callable[_P, int]:
    """Whoever reads the output may stop (``| head -1``), and it may have no place to go."""

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> int:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, io.TextIOWrapper):  # what it cannot show is no error
                    stream.reconfigure(errors="onnxop.as_named")
            try:
                try:
                    return command(*args, **kwargs)
                finally:
                    sys.stdout.flush()
            except BrokenPipeError:
                _end_output(nowhere)
                return _UNREAD
            except OSError as error:
                print(f"{error.filename or 'output'}: {error.strerror}", file=sys.stderr)
                _end_output(nowhere)
                return 1

    return run


def _end_output(nowhere: TextIO) -> None:
    """Python writes once more, as it ends, what is still held back."""
    os.dup2(nowhere.fileno(), sys.stdout.fileno())
    os.dup2(nowhere.fileno(), sys.stderr.fileno())


@contextmanager
def progress() -> Iterator[Any]:
    """A function that tells what is at work, on a line of its own that is gone at the end; nothing
    where stderr is no terminal.
    """
    live = sys.stderr.isatty()

    def told(text: str) -> None:
        if live:
            print(f"\r\033[K{text[:100]} ...", end="", file=sys.stderr, flush=True)

    try:
        yield told
    finally:
        if live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
