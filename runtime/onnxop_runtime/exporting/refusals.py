"""What PyTorch's dynamo exporter refuses, in one sentence."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from ..torch_internals import export_errors

_PYTHON = Path(traceback.__file__).parent
_OTHERS = (Path(torch.__file__).parent, Path(__file__).parent.parent)


Axis = tuple[str, int, int]
"""An input, one of its dimensions, and the size that torch.export has it at."""


def retold(error: Exception, parameters: Sequence[str]) -> Any:
    """The same error, where a model does not come as far as its nodes: at which line, and why.
    ``parameters`` are those of the model's ``forward``.
    """
    errors: Any = export_errors()
    if isinstance(error, errors.TorchExportError):
        if axes := list(fixed(error, parameters)):
            return errors.TorchExportError(not_open(axes))
        return errors.TorchExportError(
            "torch.export, which the dynamo exporter begins with, does not trace "
            f"{_place_of(error)}: {root_of(error)}; write it otherwise, or use dynamo=False"
        )
    if "decompose" in str(error).partition("\n")[0]:
        return errors.ConversionError(
            f"the dynamo exporter cannot take the model apart: {root_of(error)}; use dynamo=False, or "
            "another release of PyTorch"
        )
    return None


def not_open(axes: Iterable[Axis]) -> str:
    """The refusal of axes that were to be open."""
    which = ", and ".join(f"dimension {d} of {name} at {size}" for name, d, size in axes)
    return (
        f"torch.export fixes {which}, which was to be open: the model, or an operator in it, computes with "
        "that number; write it for any size, give torch.export.Dim.AUTO, or leave the dimension out of "
        "dynamic_shapes"
    )


def other_way(name: str, d: int, traced: int, size: int) -> str:
    """The refusal of an axis at some of whose sizes PyTorch computes otherwise."""
    return (
        f"torch.export follows the model where dimension {d} of {name} is {traced}, but it was to be open, and "
        f"PyTorch goes another way where it is {size}; write it for any size, give torch.export.Dim.AUTO, or "
        "leave the dimension out of dynamic_shapes"
    )


def fixed(error: BaseException, parameters: Sequence[str]) -> Iterator[Axis]:
    """The axes that torch.export names as fixed, in one of its two ways."""
    text = str(_first(error))
    for size, path, axis in re.findall(_INFERRED, text):
        yield _input(path, parameters), int(axis), int(size)
    sizes = dict(re.findall(_SUGGESTED, text))
    for dim, path, axis in re.findall(_VIOLATED, text):
        if dim in sizes:
            yield _input(path, parameters), int(axis), int(sizes[dim])


def _input(path: str, parameters: Sequence[str]) -> str:
    """What the input is called: ``[0][1]`` or ``['x'][1]`` are ``x_1``."""
    first, *rest = re.findall(r"\[['\"]?(\w+)['\"]?\]", path)
    is_place = first.isdigit() and int(first) < len(parameters)
    return "_".join([parameters[int(first)] if is_place else first, *rest])


_INFERRED = r"static shape of (\d+) for dimension inputs(\S+?)\.shape\[(\d+)\]"
_VIOLATED = r"Not all values of (\w+) = L(\S+?)\.size\(\)\[(\d+)\]"
_SUGGESTED = r"(?m)^  (\w+) = (\d+)$"


def _first(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def root_of(error: BaseException) -> str:
    """What went wrong first, in one line."""
    lines = [line.strip() for line in str(_first(error)).splitlines() if line.strip()]
    first, *rest = lines or [type(_first(error)).__name__]
    if first.endswith(":") and rest:  # of a list, its first item
        first = f"{first} {rest[0].removeprefix('- ')}"
    return first[:300].rstrip(".")


def _place_of(error: BaseException) -> str:
    """The last line of the model's own that was traced, where there is one."""
    for frame in reversed(traceback.extract_tb((error.__cause__ or error).__traceback__)):
        file = Path(frame.filename)
        is_other = file.parent == _PYTHON or any(map(file.is_relative_to, _OTHERS))
        if not (is_other or frame.filename.startswith("<")):
            return f"{file.name}:{frame.lineno}"
    return "the model"
