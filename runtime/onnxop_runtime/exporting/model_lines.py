"""The line of a model's code that calls an operator, for messages: ``models.py:12``; "" if it is
unknown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..operator.model import Operator
from ..torch_internals import translated_node

_TOOLS = ("torch", "onnxop_runtime", "onnxop")
"""The modules whose frames are not the model's."""
_TRACED = re.compile(r"(?P<file>.+)\((?P<line>\d+)\): ")
_QUOTED = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+)')


def of_script_node(operator: Operator, node: Any) -> str:
    """Return the line of a call that the TorchScript exporter converts."""
    if node is None:
        return ""
    return _innermost(_script_frames(node.sourceRange()), operator.package.name)


def of_traced_node(node: Any) -> str:
    """Return the line of a call in a trace."""
    return _innermost(_script_frames(node.sourceRange()))


def of_translated_node(operator: Operator) -> str:
    """Return the line of the call that the dynamo exporter translates."""
    node = translated_node()
    return "" if node is None else of_stack_trace(operator, node.meta.get("stack_trace") or "")


def of_stack_trace(operator: Operator, text: str) -> str:
    """Return the line of a call with a stack trace of torch.export."""
    return _innermost(reversed([*_quoted(text)]), operator.package.name)


def named(operator: Operator, message: str) -> str:
    """Return a message that names the operator."""
    return message if str(operator) in message else f"{operator}: {message}"


def with_line(message: str, line: str) -> str:
    """Return a message that ends with the line, if it is known."""
    return f"{message}; it is called at {line}" if line else message


def _script_frames(text: str) -> Iterator[tuple[str, str]]:
    """Yield the files and lines of a source range, from the innermost frame to the beginning of the
    trace.
    """
    yield from _quoted(text)  # in a scripted function
    for line in text.splitlines():
        match = _TRACED.match(line)
        if match is None:
            continue
        if match["file"].endswith("torch/jit/_trace.py"):
            return
        yield match["file"], match["line"]


def _quoted(text: str) -> Iterator[tuple[str, str]]:
    return ((match["file"], match["line"]) for match in _QUOTED.finditer(text))


def _innermost(frames: Iterator[tuple[str, str]], *packages: str) -> str:
    """Return the first frame outside of PyTorch, the runtime and these packages, as ``file:line``."""
    folders = [*filter(None, map(_folder, (*_TOOLS, *packages)))]
    for file, line in frames:
        if not file.startswith(("<", *folders)):
            return f"{file}:{line}"
    return ""


def _folder(module: str) -> str:
    """Return the folder of an imported module; "" if it has none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return f"{Path(file).parent}/" if file else ""
