"""[[samples]] and [[errors]] → the calls of the package's tests, as Python code."""

from __future__ import annotations

from dataclasses import dataclass

from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.tensors import Literal, SampleValue, TensorList

from .lines import wrapped


@dataclass(frozen=True)
class SampleCall:
    """A call of the operator: the lines that draw its arguments, and what it must raise
    (literals).
    """

    arguments: list[str]
    raises: str = ""
    match: str = ""


def arguments(values: dict[str, SampleValue]) -> list[str]:
    """Return the keyword arguments that draw the values, as lines of the tests' module."""
    return [
        line
        for name, value in values.items()
        for line in wrapped(f"{name}=", _draw(value), ",", indent=_INDENT)
    ]


_INDENT = 12


def _draw(value: SampleValue) -> str:
    """Return the call that draws the value."""
    if isinstance(value, TensorList):
        return f"testing.many({', '.join(map(_draw, value.items))})"
    if isinstance(value, Literal):
        if not value.is_tensor:
            return f"testing.fixed({value.expression})"
        dtype = "" if value.is_inferred else f', dtype="{value.dtype}"'
        return f"testing.tensor({value.expression}{dtype})"
    arguments = [f'"{value.dtype}"', *map(str, value.shape)]
    if value.larger != value.shape:
        arguments.append(f"larger={value.larger}")
    if any(not size.isdecimal() for size in value.sizes):
        arguments.append(f'sizes="{", ".join(value.sizes)}"')
    bounds = {"low": value.low, "high": value.high}
    arguments += [f"{name}={pyexpr.literal(b)}" for name, b in bounds.items() if b is not None]
    return f"testing.random({', '.join(arguments)})"
