"""Nested lists as a tensor: their shape, and what its dtype can hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import Path, Problems, shown
from ..words import pyexpr
from .sizes import MAX_DIMENSIONS


@dataclass(frozen=True)
class Literal:
    """A plain value, or nested lists that are a tensor (then ``dtype`` is not empty), as Python
    code. ``is_inferred``: torch finds the dtype by itself.
    """

    expression: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    is_inferred: bool = True

    @property
    def is_tensor(self) -> bool:
        return bool(self.dtype)

    @property
    def words(self) -> list[str]:
        """The arguments of the ``torch.tensor`` that makes the tensor."""
        return [self.expression, *([] if self.is_inferred else [f"dtype=torch.{self.dtype}"])]

    @property
    def notation(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


def read_nested(raw: Any, dtype: str, path: Path, problems: Problems) -> Literal | None:
    """Nested lists as a tensor, of the dtype that torch infers where none is given."""
    shape = _shape_of(raw)
    if shape is None:
        problems.add(
            path,
            "a literal tensor needs rows of one length, and at most "
            f"{MAX_DIMENSIONS} dimensions; write [[1.0, 2.0], [3.0, 4.0]], say",
        )
        return None
    leaves = list(_leaves(raw, path))
    kinds = {type(leaf) for _, leaf in leaves}
    if not (kinds <= {int, float} or kinds == {bool}):
        problems.add(
            path,
            "a literal tensor holds numbers only, or booleans only; write [1.0, 2.0], say",
        )
        return None
    if not all(fits_64_bits(leaf, path, problems) for _, leaf in leaves):
        return None
    inferred = "bool" if kinds == {bool} else "int64" if kinds == {int} else "float32"
    dtype = dtype or inferred
    for place, leaf in leaves:
        if why := _problem_with(leaf, dtype):
            problems.add(place, f"{dtype} cannot hold {shown(leaf, 30)}; {why}")
            return None
    return Literal(pyexpr.literal(raw), dtype, shape, dtype == inferred)


def _shape_of(value: Any, depth: int = 0) -> tuple[int, ...] | None:
    """The shape of nested lists; None where they have none, or are too deep."""
    if not isinstance(value, list):
        return ()
    if depth == MAX_DIMENSIONS:
        return None
    inner = {_shape_of(item, depth + 1) for item in value}
    if len(inner) > 1 or None in inner:
        return None
    return (len(value), *(inner.pop() or () if inner else ()))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """What nested lists hold, and where."""
    if not isinstance(value, list):
        yield path, value
        return
    for position, item in enumerate(value):
        yield from _leaves(item, (*path, position))


_RANGES = {
    "uint8": (0, 2**8 - 1),
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
}
_LARGEST_OF = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "complex64": 3.4028234663852886e38,
}


def _problem_with(leaf: float, dtype: str) -> str:
    """Why no tensor of the dtype can hold the number, as a remedy; empty where one can."""
    if dtype == "bool":
        return "" if isinstance(leaf, bool) else "write true or false"
    if isinstance(leaf, bool):
        return "write a number"
    if dtype in _RANGES:
        low, high = _RANGES[dtype]
        fits = isinstance(leaf, int) and low <= leaf <= high
        return "" if fits else f"write an integer from {low} to {high}"
    largest = _LARGEST_OF.get(dtype, math.inf)
    fits = not math.isfinite(leaf) or abs(leaf) <= largest
    return "" if fits else f"write a number of at most {largest:.6g}, or another dtype"


def problem_with_bound(bound: float, dtype: str) -> str:
    """Why no number drawn of the dtype can be this, as a remedy; empty where one can."""
    if dtype == "bool":
        return "" if 0 <= bound <= 1 else "write 0 or 1, or leave it out"
    return _problem_with(int(bound) if dtype in _RANGES else bound, dtype)


def fits_64_bits(value: float, path: Path, problems: Problems) -> bool:
    if not isinstance(value, int) or -(2**63) <= value < 2**63:
        return True
    problems.add(path, f"{shown(value, 30)} does not fit in 64 bits; write a float, such as 1e20")
    return False
