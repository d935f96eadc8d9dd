"""The error of `onnxop ship`, and names of a model's file as text."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ...errors import OnnxopError


class ShipError(OnnxopError):
    """The model cannot be shipped, or the installed packages cannot serve it."""


def printable(text: str) -> str:
    """Return a name from a model on one line: other characters are escaped, as Python
    writes them.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def why_no_name(name: str | Path) -> str:
    """Return why ONNX Runtime or a line of text cannot have a file's name; "" if they can."""
    text = os.fspath(name)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8, and ONNX Runtime opens no such file from Python"
    return "" if text.isprintable() else "its name has a control character"


def kind_of(path: Path) -> str:
    """Return what a path is, other than a file: "a folder"; "" for a file, and for a link to one.

    Raises:
        OSError: there is nothing of that name, or it cannot be read.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe (FIFO)"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
