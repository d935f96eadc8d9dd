"""Lists of tensors among arguments, flattened for PyTorch's autograd, which takes single
tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor

Lengths = Sequence[int | None]
"""The length of each argument that is a list of tensors, None for other arguments; empty if no
argument is a list.
"""


def as_list(results: Any) -> list[Tensor]:
    """Return the results of a call as a list; a single result is not a tuple."""
    return [results] if isinstance(results, Tensor) else [*results]


def items_of(values: Iterable[object]) -> list[Any]:
    """Return the values with lists flattened."""
    return [item for x in values for item in (x if isinstance(x, list | tuple) else [x])]


def tensors_in(values: Iterable[object]) -> list[Tensor]:
    """Return the tensors among the values and in lists among them."""
    tensors: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            tensors.append(value)
        elif isinstance(value, list | tuple):
            tensors += [item for item in value if isinstance(item, Tensor)]
    return tensors


def flat(values: Sequence[object], lengths: Lengths) -> list[Any]:
    """Return the arguments' values with lists flattened; for a list, a single value is repeated."""
    if not lengths:
        return [*values]
    leaves: list[Any] = []
    for value, length in zip(values, lengths, strict=True):
        if length is None:
            leaves.append(value)
        elif isinstance(value, list | tuple):
            leaves += value
        else:
            leaves += [value for _ in range(length)]
    return leaves


def nested(values: Sequence[object], lengths: Lengths) -> list[Any]:
    """Undo `flat`."""
    if not lengths:
        return [*values]
    rest = iter(values)
    return [next(rest) if n is None else [next(rest) for _ in range(n)] for n in lengths]


def save(ctx: Any, values: Sequence[Any]) -> None:
    """Save values for the backward pass, tensors or not; `saved` returns them."""
    ctx.lengths_of_saved = [len(value) if has_tensors(value) else None for value in values]
    leaves = flat(values, ctx.lengths_of_saved)
    ctx.places = [isinstance(leaf, Tensor) for leaf in leaves]
    ctx.save_for_backward(*(leaf for leaf in leaves if isinstance(leaf, Tensor)))
    ctx.others = [leaf for leaf in leaves if not isinstance(leaf, Tensor)]


def saved(ctx: Any) -> list[Any]:
    """Return the values that `save` saved."""
    tensors, others = iter(ctx.saved_tensors), iter(ctx.others)
    leaves = [next(tensors if is_tensor else others) for is_tensor in ctx.places]
    return nested(leaves, ctx.lengths_of_saved)


def has_tensors(value: object) -> bool:
    """Return whether the value is a list with tensors."""
    return isinstance(value, list | tuple) and bool(tensors_in(value))
