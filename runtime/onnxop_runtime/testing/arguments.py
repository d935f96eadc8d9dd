"""The arguments and results of calls: access to their tensors, changes and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import pytree

Arguments = dict[str, Any]


def split(arguments: Arguments) -> tuple[dict[str, Tensor], Arguments]:
    """Split arguments into tensors by name, items of lists included, and the rest, in which a
    dictionary with the tensors' names stands for a list.
    """
    tensors: dict[str, Tensor] = {}
    scalars: Arguments = {}
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            tensors[name] = value
        elif isinstance(value, list) and any(isinstance(item, Tensor) for item in value):
            named = {f"{name}_{index}": item for index, item in enumerate(value)}
            tensors |= {key: item for key, item in named.items() if item is not None}
            names = [None if item is None else key for key, item in named.items()]
            scalars[name] = {"tensors": names}
        else:
            scalars[name] = value
    return tensors, scalars


def merged(tensors: dict[str, Tensor], scalars: Arguments) -> Arguments:
    """Undo `split`."""
    tensors = dict(tensors)
    lists = {
        name: [None if item is None else tensors.pop(item) for item in value["tensors"]]
        for name, value in scalars.items()
        if isinstance(value, dict)
    }
    return {**tensors, **scalars, **lists}


def with_tensors(arguments: Arguments, tensors: dict[str, Tensor]) -> Arguments:
    """Return the arguments with some tensors replaced, by the names that `split` gives."""
    own, scalars = split(arguments)
    return merged({**own, **tensors}, scalars)


def each_tensor(arguments: Arguments, change: Callable[[Tensor], Tensor]) -> Arguments:
    """Apply a function to every tensor of the arguments."""
    changed: Arguments = pytree.tree_map_only(Tensor, change, arguments)
    return changed


def strided(arguments: Arguments) -> Arguments:
    """Return the arguments with equal tensors that are not contiguous."""
    return each_tensor(arguments, lambda tensor: torch.stack([tensor] * 2, -1)[..., 0])


def is_floating(value: Any) -> bool:
    """Return whether a value is a floating-point tensor."""
    return isinstance(value, Tensor) and value.is_floating_point()


def floats_of(arguments: Arguments, names: Collection[str]) -> dict[str, Tensor]:
    """Return the floating-point tensors of the named arguments, items of lists included."""
    chosen = {name: value for name, value in arguments.items() if name in names}
    return {name: tensor for name, tensor in split(chosen)[0].items() if is_floating(tensor)}


def have_equal_numbers(one: Tensor, other: Tensor) -> bool:
    """Return whether tensors, which may be of two dtypes, have one shape and equal numbers; NaN
    equals NaN.
    """
    return one.shape == other.shape and torch.allclose(
        one.double(), other.double(), 0.0, 0.0, equal_nan=True
    )


def results_of(results: Any) -> tuple[Tensor, ...]:
    """Return the results of a call as a tuple."""
    return (results,) if isinstance(results, Tensor) else tuple(results)


def floating(results: Any) -> tuple[Tensor, ...]:
    """Return the floating-point results of a call, the only ones with gradients."""
    return tuple(result for result in results_of(results) if is_floating(result))


def bind(call: Callable[..., Any], names: Iterable[str], scalars: Arguments) -> Callable[..., Any]:
    """Return the call as a function of its tensors by position; ``names`` are the tensors'
    names.
    """
    return lambda *tensors: call(**merged(dict(zip(names, tensors, strict=True)), scalars))


_TOLERANCES = {
    torch.float16: (1e-2, 1e-3),
    torch.bfloat16: (5e-2, 2e-2),
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-7, 1e-7),
}
"""Relative and absolute errors between two computations in PyTorch. A runtime rounds more often, so
that `verify` allows more, except in 16 bits, in which a reference rounds as often.
"""


def assert_same(actual: Any, expected: Any) -> None:
    """Assert that results are bitwise equal; NaN equals NaN."""
    _assert(actual, expected, {})


def assert_close(actual: Any, expected: Any, what: str = "") -> None:
    """Assert that results agree within the error of two ways to compute them. ``what`` names them
    in the message.
    """
    _assert(actual, expected, _TOLERANCES, what)


def _assert(
    actual: Any,
    expected: Any,
    tolerances: dict[torch.dtype, tuple[float, float]],
    what: str = "",
) -> None:
    """Compare results; import torch.testing, which takes a second, only to report a difference."""
    for one, other in zip(results_of(actual), results_of(expected), strict=True):
        rtol, atol = tolerances.get(one.dtype, (0.0, 0.0))
        is_alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        if not (is_alike and torch.allclose(one, other, rtol, atol, equal_nan=True)):
            torch.testing.assert_close(
                one,
                other,
                rtol=rtol,
                atol=atol,
                equal_nan=True,
                msg=lambda difference: f"{what}: {difference}" if what else difference,
            )
