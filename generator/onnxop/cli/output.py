"""Input and output of commands: paths, help, colours and progress, on terminals and in logs."""

from __future__ import annotations

import argparse
import io
import logging
import os
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TextIO, TypeAlias

_STATUS_IF_UNREAD = 141  # a shell's status of a program whose output nobody reads

_SECONDS = 10.0  # between two lines of progress in a log

_COLOURS = {
    "1": re.compile(r"^\S[^:\n]*:(?:\d+:)?(?= )", re.MULTILINE),  # a place, or a line's subject
    "31": re.compile(
        r"^ +\^+$|(?<=: |  )(?:refused|crashes|wrong|[\w. ]+ (?:fail|reject)s)\b", re.MULTILINE
    ),
    "32": re.compile(r"(?<=: |  )right\b|(?<=is )fine$", re.MULTILINE),
}
"""The parts of messages that are bold, red and green on terminals, by the escape code."""

_P = ParamSpec("_P")

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""To which each command adds its parser."""


class _Messages(logging.Handler):
    """Prints the messages of the other rooms on stderr, once each, such as that a module is
    imported.
    """

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._printed:
            print(f"onnxop: {message}", file=sys.stderr, flush=True)
        self._printed.add(message)


@contextmanager
def _messages() -> Iterator[None]:
    """Print what the other modules of onnxop log."""
    logger, handler = logging.getLogger("onnxop"), _Messages()
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def with_output(command: Callable[_P, int]) -> Callable[_P, int]:
    """Let a command end without a traceback if its output is closed (``| head -1``) or cannot be
    written.
    """

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> int:
        with _usable_streams() as null_device:
            try:
                return _flushed(command, *args, **kwargs)
            except OSError as error:  # of a file that the command reads or writes, or of its output
                is_unread = isinstance(error, BrokenPipeError)
                if not is_unread:
                    print(f"{error.filename or 'output'}: {error.strerror}", file=sys.stderr)
                _discard_rest(null_device)
                return _STATUS_IF_UNREAD if is_unread else 1

    return run


def _flushed(command: Callable[_P, int], *args: _P.args, **kwargs: _P.kwargs) -> int:
    """Run a command with its messages; what it printed has been written when this returns."""
    try:
        with _messages():
            return command(*args, **kwargs)
    finally:
        sys.stdout.flush()


@contextmanager
def _usable_streams() -> Iterator[TextIO]:
    """Provide streams where a process has none, as under pythonw, which write to the null device
    that this yields. Streams escape what their encoding lacks.
    """
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as null_device:
        sys.stdout, sys.stderr = sys.stdout or null_device, sys.stderr or null_device
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            yield null_device
        finally:
            sys.stdout, sys.stderr = before


def _discard_rest(null_device: TextIO) -> None:
    """Have the streams write to the null device what Python flushes at exit."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(io.UnsupportedOperation):  # a stream in memory has no descriptor
            os.dup2(null_device.fileno(), stream.fileno())


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows progress on stderr: on one line, or in a log every ten
    seconds.
    """
    is_live = sys.stderr.isatty()
    last = time.monotonic()

    def tell(text: str) -> None:
        nonlocal last
        if is_live:
            print(f"\r\033[K{text[:100]} ...", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - last >= _SECONDS:
            last = time.monotonic()
            print(f"{text} ...", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if is_live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def show(text: object, stream: TextIO | None = None) -> None:
    """Print the text to the stream, by default stdout, with colours on a terminal unless NO_COLOR
    is set.
    """
    stream, shown = stream or sys.stdout, str(text)
    if stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        for code, parts in _COLOURS.items():
            shown = parts.sub(rf"\033[{code}m\g<0>\033[0m", shown)
    print(shown, file=stream, flush=True)


def help_texts(summary: str, *examples: str) -> dict[str, Any]:
    """Return the options of a parser whose help has a description and examples of arguments."""
    lines = [f"  %(prog)s {example}".rstrip() for example in examples]
    return {
        "description": textwrap.fill(summary, 80),
        "epilog": "\n".join(["examples:", *lines]),
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def add_command(
    commands: Commands, name: str, run: object, summary: str, *examples: str, brief: str = ""
) -> argparse.ArgumentParser:
    """Add a command that calls ``run``, with examples in its help, and return its parser."""
    command = commands.add_parser(name, help=brief or summary, **help_texts(summary, *examples))
    command.set_defaults(run=run)
    return command


def add_flag(parser: argparse.ArgumentParser, name: str, meaning: str) -> None:
    """Add an option without a value."""
    parser.add_argument(name, action="store_true", help=meaning)


def add_requires(parser: argparse.ArgumentParser) -> None:
    """Add the option for modules that register operators."""
    meaning = "import this module first, for the operators that it registers; may be repeated"
    parser.add_argument("--requires", action="append", default=[], metavar="MODULE", help=meaning)


def path(text: str) -> Path:
    """Return the text as a path; refuse an empty one, which Python takes for the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a path, such as . for this folder")
    return Path(text)
