"""Lists of tensors among arguments: PyTorch's autograd takes tensors one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import Tensor

from .description import Argument

Lengths = Sequence[int | None]
"""How many tensors each argument that is a list of them has; None of the others. Nothing where no
argument is one.
"""


def items_of(values: Iterable[Any]) -> list[Any]:
    """The values, those of lists one by one."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, list | tuple):
            found += value
        else:
            found.append(value)
    return found


def tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """The tensors among the values, those in lists included."""
    return [item for item in items_of(values) if isinstance(item, Tensor)]


def each_tensor(values: Iterable[Any], change: Callable[[Tensor], Any]) -> list[Any]:
    """The values with another in place of each of these."""

    def changed(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [changed(item) for item in value]
        return change(value) if isinstance(value, Tensor) else value

    return [changed(value) for value in values]


def lengths_of(arguments: Sequence[Argument], values: Sequence[Any]) -> Lengths:
    """Those of a call."""
    if not any(argument.is_list_of_tensors for argument in arguments):
        return ()
    pairs = zip(arguments, values, strict=True)
    return [len(value) if argument.is_list_of_tensors else None for argument, value in pairs]


def flat(values: Sequence[Any], lengths: Lengths) -> list[Any]:
    """The values of the arguments, those of lists one by one; of what is no list there, one for each."""
    if not lengths:
        return [*values]
    found: list[Any] = []
    for value, length in zip(values, lengths, strict=True):
        if length is None:
            found.append(value)
        else:
            found += value if isinstance(value, list | tuple) else [value] * length
    return found


def nested(values: Sequence[Any], lengths: Lengths) -> list[Any]:
    """The values by argument again."""
    if not lengths:
        return [*values]
    rest = iter(values)
    return [
        next(rest) if length is None else [next(rest) for _ in range(length)] for length in lengths
    ]
