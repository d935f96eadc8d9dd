"""Lists of tensors among arguments: PyTorch's autograd takes tensors one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

if TYPE_CHECKING:
    from .arguments import Argument

Lengths = Sequence[int | None]
"""How many tensors each argument that is a list of them has; None of the others. Nothing where no
argument is one.
"""


def listed(results: Any) -> list[Tensor]:
    """Return the results of a call as a list; a single one is no tuple."""
    return [results] if isinstance(results, Tensor) else [*results]


def items_of(values: Iterable[Any]) -> list[Any]:
    """Return the values, those of lists one by one."""
    return [
        item for value in values for item in (value if isinstance(value, list | tuple) else [value])
    ]


def tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """Return the tensors among the values, those in lists included."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += [item for item in value if isinstance(item, Tensor)]
    return found


def lengths_of(arguments: Sequence[Argument], values: Sequence[Any]) -> Lengths:
    """Return the lengths of the lists of tensors of a call."""
    if not any(argument.is_list_of_tensors for argument in arguments):
        return ()
    pairs = zip(arguments, values, strict=True)
    return [len(value) if argument.is_list_of_tensors else None for argument, value in pairs]


def flat(values: Sequence[Any], lengths: Lengths) -> list[Any]:
    """Return the values of the arguments, those of lists one by one; a value that is no list is repeated."""
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
    """Undo `flat`."""
    if not lengths:
        return [*values]
    rest = iter(values)
    return [
        next(rest) if length is None else [next(rest) for _ in range(length)] for length in lengths
    ]


def save(ctx: Any, values: Sequence[Any]) -> None:
    """Keep values for the backward pass, tensors or not: `saved` gives them back."""
    ctx.lengths_of_saved = [len(value) if has_tensors(value) else None for value in values]
    leaves = flat(values, ctx.lengths_of_saved)
    ctx.places = [isinstance(leaf, Tensor) for leaf in leaves]
    ctx.save_for_backward(*(leaf for leaf in leaves if isinstance(leaf, Tensor)))
    ctx.others = [leaf for leaf in leaves if not isinstance(leaf, Tensor)]


def saved(ctx: Any) -> list[Any]:
    """Return what `save` has kept."""
    tensors, others = iter(ctx.saved_tensors), iter(ctx.others)
    leaves = [next(tensors if is_tensor else others) for is_tensor in ctx.places]
    return nested(leaves, ctx.lengths_of_saved)


def has_tensors(value: Any) -> bool:
    """Whether it is a list of tensors."""
    return isinstance(value, list | tuple) and bool(tensors_in(value))
