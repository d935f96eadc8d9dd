"""What PyTorch's dynamo exporter refuses, in one sentence."""

from __future__ import annotations

import traceback
from pathlib import Path

import torch

_PYTHON = Path(traceback.__file__).parent
_OTHERS = (Path(torch.__file__).parent, Path(__file__).parent.parent)


def retold(error: Exception) -> Exception | None:
    """The same error, where a model does not come as far as its nodes: at which line, and why."""
    from torch.onnx._internal.exporter._errors import ConversionError, TorchExportError

    if isinstance(error, TorchExportError):
        fact = f"torch.export, which the dynamo exporter begins with, does not trace {_place_of(error)}"
        return TorchExportError(
            f"{fact}: {root_of(error)}; write it otherwise, or use dynamo=False"
        )
    if "decompose" in str(error).partition("\n")[0]:
        fact = f"the dynamo exporter cannot take the model apart: {root_of(error)}"
        return ConversionError(f"{fact}; use dynamo=False, or another release of PyTorch")
    return None


def root_of(error: BaseException) -> str:
    """What went wrong first, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first, *rest = lines or [type(error).__name__]
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
