"""A function of PyTorch's that is no operator → the operators that its source calls."""

from __future__ import annotations

import ast
import builtins
import inspect
import pydoc
import textwrap
from collections.abc import Iterator
from typing import Any

from ..errors import listed
from ..schema import existing

_MODULES = ("torch.nn.functional", "torch", "torch.special", "torch.linalg", "torch.fft")
_SPACES = {"special": "special_", "linalg": "linalg_", "fft": "fft_"}


def told(name: str) -> str:
    """What ``aten::name``, or ``torch.name``, is instead of an operator, with the operators that it calls,
    in the order of its source; empty where there is no such function.
    """
    base = name.removeprefix("aten::")
    for path in [name] if name.startswith("torch.") else [f"{m}.{base}" for m in _MODULES]:
        function = pydoc.locate(path)
        if callable(function):
            ops = list(dict.fromkeys(_called(function, {base})))
            if not ops and name != path:
                continue
            what = "a function" if name == path else f"{path}, a function"
            calls = f"may call {listed(ops)}" if ops else "calls some"
            return (
                f"{name}: is no operator, but {what} that {calls}; onnxop scan tells which, of a model "
                "that calls it"
            )
    return ""


def calls_others(name: str, op: str) -> bool:
    """Whether ``torch.name`` calls operators, and neither this one nor a form of it: what
    ``torch.nn.functional.unfold`` calls is not ``aten::unfold``.
    """
    function = pydoc.locate(name)
    ops = set(_called(function, {name.rpartition(".")[2]})) if callable(function) else set()
    return bool(ops) and not any(each.startswith(op) for each in ops)


def _called(function: Any, seen: set[str]) -> Iterator[str]:
    function = inspect.unwrap(function)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # what is written in C++, or has no source here
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        *spaces, word = ast.unparse(node.func).split(".")
        op = _SPACES.get(spaces[-1] if spaces else "", "") + word.rstrip("_")
        own = getattr(function, "__globals__", {}).get(word)
        if not spaces and hasattr(builtins, word):
            continue
        if _gives_tensors(op):
            yield f"aten::{op}"
        elif getattr(own, "__module__", "") == function.__module__ and word not in seen:
            seen.add(word)
            yield from _called(own, seen)


def _gives_tensors(op: str) -> bool:
    found = existing.all_aten_schemas().get(op, ())
    return any("Tensor" in schema.rpartition("->")[2] for schema in found)
