"""What commands read and print to: paths, help, colours and progress, on terminals and in logs."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TextIO

_UNREAD = 141  # what a shell says of a program that wrote where nobody reads

_SECONDS = 10.0  # between two lines of progress in a log

_COLOURS = {
    "1": re.compile(r"^\S[^:\n]*:(?:\d+:)?(?= )", re.MULTILINE),  # a place, or a line's subject
    "31": re.compile(r"^ +\^+$|(?<=: |  )(?:refused|crashes|writes a model)\b", re.MULTILINE),
    "32": re.compile(r"(?<=: |  )right\b|(?<=is )fine$", re.MULTILINE),
}
"""Escape codes (bold, red, green), and the parts of messages that a terminal shows in them."""

_P = ParamSpec("_P")


def with_output(command: Callable[_P, int]) -> Callable[_P, int]:
    """Whoever reads the output may stop (``| head -1``), and it may have no place to go."""

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> int:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, io.TextIOWrapper):  # what it cannot show is no error
                    stream.reconfigure(errors="backslashreplace")
            try:
                try:
                    return command(*args, **kwargs)
                finally:
                    sys.stdout.flush()
            except OSError as error:
                is_unread = isinstance(error, BrokenPipeError)
                if not is_unread:
                    print(f"{error.filename or 'output'}: {error.strerror}", file=sys.stderr)
                for stream in (sys.stdout, sys.stderr):  # Python still writes what it holds back
                    os.dup2(nowhere.fileno(), stream.fileno())
                return _UNREAD if is_unread else 1

    return run


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that tells what is at work: on a line of its own that is gone at the end, or, where
    stderr is no terminal, on a line every ten seconds.
    """
    is_live = sys.stderr.isatty()
    told = time.monotonic()

    def tell(text: str) -> None:
        nonlocal told
        if is_live:
            print(f"\r\033[K{text[:100]} ...", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - told >= _SECONDS:
            told = time.monotonic()
            print(f"{text} ...", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if is_live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def show(text: object, stream: TextIO | None = None) -> None:
    """Print the text to the stream, by default stdout: in colours on a terminal, unless NO_COLOR is set."""
    stream, shown = stream or sys.stdout, str(text)
    if stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        for code, parts in _COLOURS.items():
            shown = parts.sub(rf"\033[{code}m\g<0>\033[0m", shown)
    print(shown, file=stream, flush=True)


def described(what: str, *examples: str) -> dict[str, Any]:
    """Return the options of a parser whose help has a description and examples of the arguments."""
    lines = [f"  %(prog)s {example}".rstrip() for example in examples]
    return {
        "description": textwrap.fill(what, 80),
        "epilog": "\n".join(["examples:", *lines]),
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def add_flag(parser: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add an option that has no value."""
    parser.add_argument(name, action="store_true", help=what)


def path(text: str) -> Path:
    """A path, which an empty text is none of: Python would take it for the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a path, such as . for this folder")
    return Path(text)
