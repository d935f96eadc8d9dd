"""Where in the user's code a call comes from."""

from __future__ import annotations

import linecache
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
_RANGE = re.compile(r"(?P<file>\S[^\n]*?)\((?P<line>\d+)\): \S+")

_OWN = f"{Path(__file__).resolve().parents[1]}/"

Frame = tuple[str, int]
"""A file, and a line of it."""


@dataclass(frozen=True)
class Place:
    """A line of code; ``through`` is the one of a library, such as torchvision, that it led to."""

    file: str
    line: int
    code: str
    through: str = ""

    def __str__(self) -> str:
        return f"{shortest(self.file)}:{self.line}"


def of_stack(trace: str) -> Place | None:
    """The place of a traceback in Python's notation, the innermost frame last."""
    return of_frames([(f["file"], int(f["line"])) for f in _FRAME.finditer(trace)])


def frames_of_range(text: str) -> list[Frame]:
    """The frames of TorchScript's notation, the innermost last: of what is traced, all of them; of what
    is scripted, the line alone.
    """
    scripted = _FRAME.match(text.strip())
    found = [scripted] if scripted else [*_RANGE.finditer(text)][::-1]
    return [(f["file"], int(f["line"])) for f in found]


def of_frames(frames: Iterable[Frame]) -> Place | None:
    """The innermost frame of the user's, or else of a library that is not PyTorch."""
    outside = [frame for frame in frames if not _is_torch(frame[0])]
    own = [frame for frame in outside if is_users(frame[0])]
    if not outside:
        return None
    file, line = (own or outside)[-1]
    through = outside[-1] if outside[-1] != (file, line) else None
    words = f"{shortest(through[0])}:{through[1]}" if through else ""
    return Place(file, line, linecache.getline(file, line).strip(), words)


def is_users(file: str) -> bool:
    """Whether the file is neither Python's, nor of an installed package, nor of onnxop, nor the program
    that runs it.
    """
    if file.startswith("<") or _is_torch(file) or file == sys.argv[0]:
        return False
    path = os.path.abspath(file)
    if "/site-packages/" in path or "/dist-packages/" in path:
        return False
    return not any(path.startswith(folder) for folder in _libraries())


def is_own(file: str) -> bool:
    """Whether the file is onnxop's."""
    return file.startswith(_OWN)


def _is_torch(file: str) -> bool:
    return any(file.startswith(folder) for folder in _torch()) or file.startswith("<")


@cache
def _torch() -> tuple[str, ...]:
    return tuple(_folders("torch"))


@cache
def _libraries() -> tuple[str, ...]:
    import sysconfig

    paths = sysconfig.get_paths()
    return (*(f"{paths[word]}/" for word in ("stdlib", "purelib", "platlib")), _OWN, *_torch())


def _folders(module: str) -> Iterator[str]:
    spec = find_spec(module)
    yield from (f"{place}/" for place in (spec.submodule_search_locations or ())) if spec else ()


def shortest(file: str) -> str:
    """The path from here, or within its library, where that is shorter."""
    relative = os.path.relpath(file)
    if "/site-packages/" in file:
        return file.rpartition("/site-packages/")[2]
    return min(file, relative, key=len)
