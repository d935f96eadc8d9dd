"""[[samples]] and [[errors]] → the calls of the package's tests, as Python code."""

from __future__ import annotations

from dataclasses import dataclass

from .. import pyexpr
from ..spec.tensors import Literal, SampleValue, TensorList


@dataclass(frozen=True)
class SampleCall:
    """A call of the operator: how each argument is drawn, and what it must raise (literals)."""

    draws: dict[str, str]
    raises: str = ""
    match: str = ""


def draws(values: dict[str, SampleValue]) -> dict[str, str]:
    """Return the calls that draw the values, by argument."""
    return {name: _draw(value) for name, value in values.items()}


def _draw(value: SampleValue) -> str:
    """Return the call that draws the value."""
    if isinstance(value, TensorList):
        return f"many({', '.join(f'testing.{_draw(item)}' for item in value.items)})"
    if isinstance(value, Literal):
        if not value.is_tensor:
            return f"fixed({value.expression})"
        dtype = "" if value.is_inferred else f', dtype="{value.dtype}"'
        return f"tensor({value.expression}{dtype})"
    arguments = [f'"{value.dtype}"', *map(str, value.shape)]
    if value.larger != value.shape:
        arguments.append(f"larger={value.larger}")
    if any(not size.isdecimal() for size in value.sizes):
        arguments.append(f'sizes="{", ".join(value.sizes)}"')
    bounds = {"low": value.low, "high": value.high}
    arguments += [f"{name}={pyexpr.literal(b)}" for name, b in bounds.items() if b is not None]
    return f"random({', '.join(arguments)})"
