"""The arguments and results of calls: their tensors, and the same calls with others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import pytree

Arguments = dict[str, Any]


def split(arguments: Arguments) -> tuple[dict[str, Tensor], Arguments]:
    """Split arguments into the tensors, those of lists included, and the rest, where a list of tensors
    is a dictionary of their names.
    """
    tensors: dict[str, Tensor] = {}
    scalars: Arguments = {}
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            tensors[name] = value
        elif isinstance(value, list) and any(isinstance(item, Tensor) for item in value):
            named = {f"{name}_{place}": item for place, item in enumerate(value)}
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
    """Return the arguments with other tensors in place of those of these names, be they in lists."""
    own, scalars = split(arguments)
    return merged({**own, **tensors}, scalars)


def each_tensor(arguments: Arguments, change: Callable[[Tensor], Tensor]) -> Arguments:
    """Return the arguments with every tensor changed."""
    changed: Arguments = pytree.tree_map_only(Tensor, change, arguments)
    return changed


def strided(arguments: Arguments) -> Arguments:
    """Return the arguments with tensors of the same values whose elements are not side by side."""
    return each_tensor(arguments, lambda tensor: torch.stack([tensor] * 2, -1)[..., 0])


def is_floating(value: Any) -> bool:
    """Whether a value is a tensor of floating-point numbers."""
    return isinstance(value, Tensor) and value.is_floating_point()


def floats_of(arguments: Arguments, names: Collection[str]) -> dict[str, Tensor]:
    """Return the floating-point tensors of these arguments, those of lists included."""
    chosen = {name: value for name, value in arguments.items() if name in names}
    return {name: tensor for name, tensor in split(chosen)[0].items() if is_floating(tensor)}


def results_of(found: Any) -> tuple[Tensor, ...]:
    """Return what a call gives as a tuple: a single tensor is a tuple of one."""
    return (found,) if isinstance(found, Tensor) else tuple(found)


def floating(found: Any) -> tuple[Tensor, ...]:
    """Return the floating-point results of a call, which alone have gradients."""
    return tuple(result for result in results_of(found) if is_floating(result))


def bind(call: Callable[..., Any], names: Iterable[str], scalars: Arguments) -> Callable[..., Any]:
    """Return the call as a function of its tensors, whose names are given, by their places."""
    return lambda *tensors: call(**merged(dict(zip(names, tensors, strict=True)), scalars))


_TOLERANCES = {
    torch.float16: (1e-2, 1e-3),
    torch.bfloat16: (5e-2, 2e-2),
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-7, 1e-7),
}
"""The relative and the absolute error between two ways of PyTorch's to compute a result; a runtime, which may
round more often, is allowed more in verification's table, but for 16 bits, where a reference rounds as often.
"""


def assert_same(found: Any, expected: Any) -> None:
    """Assert that results are the same, bit for bit but for NaN."""
    _assert(found, expected, {})


def assert_close(found: Any, expected: Any) -> None:
    """Assert that results are as near as two ways of computing them come."""
    _assert(found, expected, _TOLERANCES)


def _assert(found: Any, expected: Any, tolerances: dict[torch.dtype, tuple[float, float]]) -> None:
    """What compares them in words takes a second to import: only where they differ."""
    for one, other in zip(results_of(found), results_of(expected), strict=True):
        rtol, atol = tolerances.get(one.dtype, (0.0, 0.0))
        is_alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        if not (is_alike and torch.allclose(one, other, rtol, atol, equal_nan=True)):
            torch.testing.assert_close(one, other, rtol=rtol, atol=atol, equal_nan=True)
