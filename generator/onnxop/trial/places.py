"""Find the line of the user's code that makes a call."""

from __future__ import annotations

import linecache
import os
import re
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

import onnxop_runtime

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
_RANGE = re.compile(r"(?P<file>\S[^\n]*?)\((?P<line>\d+)\): \S+")
_TORCH = ("<", f"{Path(torch.__file__).parent}/")
_OWN = f"{Path(__file__).resolve().parents[1]}/"
_RUNTIME = f"{Path(onnxop_runtime.__file__).resolve().parent}/"
_LIBRARIES = (
    _OWN,
    _RUNTIME,
    *(f"{sysconfig.get_path(key)}/" for key in ("stdlib", "purelib", "platlib")),
)

Frame = tuple[str, int]
"""A file and a line number."""


@dataclass(frozen=True)
class Place:
    """A line of code; ``through`` is the innermost line outside PyTorch, in torchvision say."""

    file: str
    line: int
    code: str
    through: str = ""

    def __str__(self) -> str:
        return f"{_shortest(self.file)}:{self.line}"


def of_stack(trace: str) -> Place | None:
    """Return the place of a traceback of Python, whose last frame is the innermost."""
    return of_frames([(f["file"], int(f["line"])) for f in _FRAME.finditer(trace)])


def of_range(text: str) -> Place | None:
    """Return the place of a source range of TorchScript, whose first frame is the innermost."""
    traced = [(f["file"], int(f["line"])) for f in _RANGE.finditer(text)][::-1]
    return of_frames(traced) or of_stack(text)


def of_frames(frames: Iterable[Frame]) -> Place | None:
    """Return the innermost frame of the user's code, or else of a library other than PyTorch."""
    outside = [frame for frame in frames if not frame[0].startswith(_TORCH)]
    if not outside:
        return None
    own = [frame for frame in outside if is_users(frame[0])]
    file, line = (own or outside)[-1]
    last, number = outside[-1]
    through = f"{_shortest(last)}:{number}" if (last, number) != (file, line) else ""
    return Place(file, line, linecache.getline(file, line).strip(), through)


def is_users(file: str) -> bool:
    """Return whether the file is the user's: no library, nor onnxop, nor the running program."""
    path = os.path.abspath(file)
    is_installed = "/site-packages/" in path or "/dist-packages/" in path
    is_library = file.startswith(_TORCH) or path.startswith(_LIBRARIES)
    return not (is_installed or is_library or file == sys.argv[0])


def is_own(file: str) -> bool:
    """Return whether the file is onnxop's."""
    return file.startswith(_OWN)


def _shortest(file: str) -> str:
    """Return the path relative to the current folder or to site-packages, whichever is shorter."""
    return min(file.rpartition("/site-packages/")[2], os.path.relpath(file), key=len)
