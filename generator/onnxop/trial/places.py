"""Find the line of the user's code that makes a call."""

from __future__ import annotations

import linecache
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Any

import torch

import onnxop_runtime
from onnxop_runtime import torch_internals as internals

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>\S+))?')
_RANGE = re.compile(r"(?P<file>\S[^\n]*?)\((?P<line>\d+)\): \S+")
_PYTORCH = Path(torch.__file__).parent
_TORCH = ("<", f"{_PYTORCH}/")
_MODULES = (
    *(f"{_PYTORCH}/{name}/" for name in ("nn", "ao/nn", "distributions")),
    f"{_PYTORCH}/functional.py",
)
_CALLS = f"{_PYTORCH}/nn/modules/module.py"  # which calls the others
_OWN = f"{Path(__file__).resolve().parents[1]}/"
_RUNTIME = f"{Path(onnxop_runtime.__file__).resolve().parent}/"
_PYTHON = f"{Path(sysconfig.get_path('stdlib')).resolve()}/", f"{sysconfig.get_path('stdlib')}/"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_INSTALLED = "/site-packages/", "/dist-packages/"
_LIBRARIES = (
    _OWN,
    _RUNTIME,
    *_PYTHON,
    *(f"{sysconfig.get_path(key)}/" for key in ("purelib", "platlib")),
)

Frame = tuple[str, int]
"""A file and a line number."""
TraceFunction = Callable[[FrameType, str, Any], Any]


@dataclass(frozen=True)
class Within:
    """A line of PyTorch's own modules or functions, which asks for values; ``of`` is what decides
    these, as text, if that is known.
    """

    file: str
    line: int
    code: str
    of: str = ""

    def __str__(self) -> str:
        return f"{_shortest(self.file)}:{self.line}"

    @property
    def depends(self) -> str:
        """What the line asks for depends on, as the end of a sentence."""
        return f", which depends on {self.of}" if self.of else ""


@dataclass(frozen=True)
class Place:
    """A line of code; ``through`` is the innermost line outside PyTorch, in torchvision say, and
    ``through_code`` its code; ``within`` is the line of PyTorch that it leads to, where that one asks
    for values.
    """

    file: str
    line: int
    code: str
    through: str = ""
    through_code: str = ""
    frame: tuple[str, int] | None = field(default=None, compare=False)  # of ``through``
    within: Within | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{_shortest(self.file)}:{self.line}"

    @property
    def innermost(self) -> Frame:
        """The file and the line that it stands for: a library's that it leads to, if there is one."""
        return self.frame or (self.file, self.line)

    @property
    def inner(self) -> Place:
        """The innermost line alone, without its code and the lines of its callers."""
        return Place(*self.innermost, "", within=self.within)

    @property
    def with_code(self) -> str:
        """The line and its code, and the lines that it leads to, of a library and of PyTorch, as
        text.
        """
        text = f"{self}: {in_sentence(self.code)}"
        if self.through:
            text += f" (through {self.through}: {in_sentence(self.through_code)})"
        if self.within:
            code = in_sentence(self.within.code)
            text += f" (within PyTorch, {self.within}: {code}{self.within.depends})"
        return text


def at(file: str, line: int) -> Place:
    """Return the place of a line of a file, with its code."""
    return Place(file, line, code_of(file, line))


def in_sentence(code: str) -> str:
    """Return a line of code without the colon at its end, as a sentence goes on after it; brackets
    that later lines close are closed.
    """
    opened: list[str] = []
    for char in code:
        if char in _CLOSING:
            opened.append(_CLOSING[char])
        elif opened and char == opened[-1]:
            opened.pop()
    return f"{code}...{''.join(reversed(opened))}" if opened else code.removesuffix(":")


def of_stack(trace: str) -> Place | None:
    """Return the place of a traceback of Python, whose last frame is the innermost. What modules
    call of other libraries is left out, as in `of_running`.
    """
    matches = [*_FRAME.finditer(trace)][::-1]
    frames = [(match["file"], int(match["line"])) for match in matches]
    of_modules = (
        n
        for n, match in enumerate(matches)
        if match["name"] == "forward" and is_changeable(match["file"])
    )
    return of_frames(_within_module(frames, next(of_modules, None))[::-1])


def of_range(text: str) -> Place | None:
    """Return the place of a source range of TorchScript, whose first frame is the innermost."""
    traced = [(f["file"], int(f["line"])) for f in _RANGE.finditer(text)][::-1]
    return of_frames(traced) or of_stack(text)


def of_frames(frames: Iterable[Frame]) -> Place | None:
    """Return the innermost frame of the user's code, or else of a library; None if all frames are
    of PyTorch, Python's own library or onnxop, which no user changes.
    """
    outside = [frame for frame in frames if is_changeable(frame[0])]
    if not outside:
        return None
    users = [frame for frame in outside if is_users(frame[0])]
    file, line = (users or outside)[-1]
    innermost, number = outside[-1]
    code = code_of(file, line)
    if (innermost, number) == (file, line):
        return Place(file, line, code)
    through_code = code_of(innermost, number)
    through = f"{_shortest(innermost)}:{number}"
    return Place(file, line, code, through, through_code, (innermost, number))


def of_asking(frames: Sequence[Frame]) -> Place | None:
    """Return the place of frames of which the innermost asks for values, with the line of PyTorch's
    own modules or functions that does so, if it is one of these.
    """
    place = of_frames(frames)
    inner = [*takewhile(lambda frame: not is_changeable(frame[0]), reversed(frames))]
    asking = next((frame for frame in inner if is_of_modules(frame[0])), None)
    if place is None or asking is None:
        return place
    return replace(place, within=Within(*asking, code_of(*asking)))


def of_running(frames: Sequence[tuple[FrameType, int]]) -> Place | None:
    """Return the place of running frames, the innermost first. What modules call of other
    libraries, such as einops, is left out: the module has to change.
    """
    numbered = [(frame.f_code.co_filename, number) for frame, number in frames]
    of_modules = (
        n
        for n, (frame, _) in enumerate(frames)
        if is_changeable(frame.f_code.co_filename)
        and isinstance(frame.f_locals.get("self"), torch.nn.Module)
    )
    return of_frames(_within_module(numbered, next(of_modules, None))[::-1])


def _within_module(frames: Sequence[Frame], module: int | None) -> Sequence[Frame]:
    """Return the frames, the innermost first, without those of other libraries than that of the
    module, which has this index; None: there is no module. The user's own frames stay.
    """
    if module is None:
        return frames
    package = _package(frames[module][0])
    within = (n for n, (file, _) in enumerate(frames[:module]) if _package(file) in ("", package))
    return frames[next(within, module) :]


def _package(file: str) -> str:
    """Return the folder of a library, in site-packages its name; ``""`` of a user's file."""
    if is_users(file):
        return ""
    _, installed, rest = file.rpartition("/site-packages/")
    return rest.partition("/")[0] if installed else os.path.dirname(file)


def recording_lines() -> AbstractContextManager[None]:
    """Return a context in which torch.export notes the lines of all functions that can be changed."""
    return internals.whole_stacks(cache(is_changeable))


def is_users(file: str) -> bool:
    """Return whether the file is the user's: no library, nor onnxop, nor the running program."""
    path = os.path.abspath(file)
    is_library = file.startswith(_TORCH) or path.startswith(_LIBRARIES)
    return not (_is_installed(path) or is_library or file == sys.argv[0])


def is_changeable(file: str) -> bool:
    """Return whether the file is the user's or a model library's: not PyTorch's, Python's or
    onnxop's.
    """
    path = os.path.abspath(file)
    if file.startswith(_TORCH) or path.startswith((_OWN, _RUNTIME)) or file == sys.argv[0]:
        return False
    return _is_installed(path) or not path.startswith(_PYTHON)


def is_of_modules(file: str) -> bool:
    """Return whether the file is one of PyTorch's own modules and functions in Python."""
    return file.startswith(_MODULES) and file != _CALLS


def source_lines(file: str) -> list[str]:
    """Return the lines of a source file; none if it cannot be read."""
    return linecache.getlines(file)


def code_of(file: str, line: int) -> str:
    """Return a line of a source file, or ``""`` if it cannot be read."""
    return linecache.getline(file, line).strip()


def lines_run(work: Callable[[], object], files: Collection[str] = ()) -> set[Frame]:
    """Return the lines that the work runs, of these files, or without any, of the user and of model
    libraries. Errors of the work count as an end of it.
    """
    return {(name, line) for name, _, line in _lines_of_functions(work, files)}


def parts_run(work: Callable[[], object], lines: Collection[Frame]) -> set[tuple[str, int, int]]:
    """Return what the work runs of the files of some lines: each line, with -1, and of these lines
    themselves, each instruction, by its offset, as both sides of a condition may be in one line.
    """
    seen = set[tuple[str, int, int]]()
    files = {file for file, _ in lines}

    def of_part(frame: FrameType, event: str, _argument: object) -> TraceFunction:
        file, line = frame.f_code.co_filename, frame.f_lineno
        if event == "line":
            seen.add((file, line, -1))
        elif event == "opcode" and (file, line) in lines:
            seen.add((file, line, frame.f_lasti))
        return of_part

    def of_call(frame: FrameType, _event: str, _argument: object) -> TraceFunction | None:
        file = frame.f_code.co_filename
        if file not in files:
            return None
        frame.f_trace_opcodes = any((file, n) in lines for _, _, n in frame.f_code.co_lines())
        return of_part

    _traced(work, of_call)
    return seen


def lines_run_only(work: Callable[[], object], other: Callable[[], object]) -> list[Frame]:
    """Return the lines that the other work alone runs, of functions of which both run a line."""
    first, second = _lines_of_functions(work), _lines_of_functions(other)
    functions = {(file, start) for file, start, _ in first}
    only_second = ((file, start, line) for file, start, line in second - first)
    return sorted((file, line) for file, start, line in only_second if (file, start) in functions)


def _lines_of_functions(
    work: Callable[[], object], files: Collection[str] = ()
) -> set[tuple[str, int, int]]:
    """Return the file, the first line of the function, and the line, of each line that the work
    runs.
    """
    seen = set[tuple[str, int, int]]()
    is_watched: dict[str, bool] = {}

    def of_line(frame: FrameType, event: str, _argument: object) -> TraceFunction:
        if event == "line":
            code = frame.f_code
            seen.add((code.co_filename, code.co_firstlineno, frame.f_lineno))
        return of_line

    def of_call(frame: FrameType, _event: str, _argument: object) -> TraceFunction | None:
        name = frame.f_code.co_filename
        if name not in is_watched:
            is_watched[name] = name in files if files else is_changeable(name)
        return of_line if is_watched[name] else None

    _traced(work, of_call)
    return seen


def _traced(work: Callable[[], object], of_call: TraceFunction) -> None:
    """Do the work with a trace function of Python. Errors of the work count as an end of it."""
    before = sys.gettrace()
    sys.settrace(of_call)
    try:
        with suppress(Exception):
            work()
    finally:
        sys.settrace(before)


def _is_installed(path: str) -> bool:
    return any(folder in path for folder in _INSTALLED)


def _shortest(file: str) -> str:
    """Return the path relative to the current folder or to site-packages, whichever is shorter."""
    return min(file.rpartition("/site-packages/")[2], os.path.relpath(file), key=len)
