"""A model's inputs → others, of other sizes and values, that PyTorch takes as well."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from ..trial import forks
from ..trial.call import Call
from .target import Target, TargetError

_SECONDS = 20.0  # to look for them

Axis = tuple[int, int]
"""The place of a tensor, and a dimension of it."""


def varied(target: Target) -> Target:
    """Return the target with other inputs, its own sets of them or those that are found, and the dimensions
    that differ, or that its ``dynamic_shapes`` name.

    Raises:
        TargetError: ``dynamic_shapes`` are not those of the arguments.
    """
    call = Call(target.model, target.args, target.kwargs)
    own = call.tensors
    if any(tensor.layout != torch.strided or tensor.is_quantized for tensor in own):
        return target
    named = _named(target) if target.dynamic_shapes else None
    sets = [tuple(Call(target.model, *each).tensors) for each in target.others]
    for each in sets:
        if [(t.dtype, t.dim()) for t in each] != [(t.dtype, t.dim()) for t in own]:
            raise TargetError(
                f"{target.name}: a set of inputs has other tensors than the first one"
            )
    values = [each for each in sets if not _unlike(own, each)]
    sizes = [each for each in sets if _unlike(own, each)]
    with forks.quiet():
        if not sizes and (named is not None or not sets):
            sizes = _other_sizes(call, named)
        turned = tuple(map(_turned, own))
        if not sets and _runs(call, turned):
            values = [turned]
    if named is None:
        named = {}
        for at, d in dict.fromkeys(axis for each in sizes for axis in _unlike(own, each)):
            named.setdefault(at, {})[d] = torch.export.Dim.AUTO
    # What is 1 in the example has one size, to torch.export.
    sizes.sort(key=lambda each: min((each[at].shape[d] for at, d in _axes(named)), default=2) < 2)
    return replace(target, values=tuple(values), sizes=tuple(sizes), axes=named)


def _axes(named: Mapping[int, Mapping[int, Any]]) -> list[Axis]:
    return [(at, d) for at, dims in named.items() for d in dims]


def _unlike(own: Sequence[Any], other: Sequence[Any]) -> list[Axis]:
    """The dimensions whose sizes differ."""
    return [
        (at, d)
        for at, (a, b) in enumerate(zip(own, other, strict=True))
        for d, (n, m) in enumerate(zip(a.shape, b.shape, strict=True))
        if n != m
    ]


def _named(target: Target) -> dict[int, dict[int, Any]]:
    """The dimensions that the target's ``dynamic_shapes`` name, by the place of their tensor."""
    shapes, values = target.dynamic_shapes, (*target.args, *target.kwargs.values())
    try:
        if isinstance(shapes, Mapping):
            bound = inspect.signature(target.module.forward).bind(*target.args, **target.kwargs)
            shapes = [shapes.get(name) for name in bound.arguments]
            values = (*bound.arguments.values(),)
        found = {id(tensor): dims for tensor, dims in _pairs(values, shapes)}
    except (TypeError, ValueError, AttributeError) as error:
        raise TargetError(
            f"{target.name}: its dynamic_shapes are not those of the arguments: {error}; write them as "
            'torch.export takes them, {"x": {0: torch.export.Dim.AUTO}}'
        ) from error
    tensors = Call(target.model, target.args, target.kwargs).tensors
    return {at: found[id(t)] for at, t in enumerate(tensors) if found.get(id(t))}


def _pairs(value: Any, shapes: Any) -> Iterator[tuple[Any, dict[int, Any]]]:
    if shapes is None:
        return
    if isinstance(value, torch.Tensor):
        dims = shapes if isinstance(shapes, Mapping) else dict(enumerate(shapes))
        yield value, {d: dim for d, dim in dims.items() if dim is not None}
    elif isinstance(value, Mapping):
        for key, shape in shapes.items():
            yield from _pairs(value[key], shape)
    elif isinstance(value, list | tuple):
        for item, shape in zip(value, shapes, strict=True):
            yield from _pairs(item, shape)


def _other_sizes(
    call: Call, named: Mapping[int, Mapping[int, Any]] | None
) -> list[tuple[Any, ...]]:
    """Make every dimension larger that PyTorch takes so: each alone, and else those of one size together.
    No two get the same size, where they need not.
    """
    end = time.monotonic() + _SECONDS
    own = tuple(call.tensors)
    every = [(at, d) for at, t in enumerate(own) for d, n in enumerate(t.shape) if n]
    groups: dict[Any, list[Axis]] = {}
    if named is None:
        groups |= {axis: [axis] for axis in every}
    for at, d in every if named is None else _axes(named):
        size = own[at].shape[d]
        dim = named[at][d] if named else None
        word = dim if isinstance(dim, str) else getattr(dim, "__name__", (at, d))
        name = word if named else (d, size)
        groups.setdefault((name, "named"), []).append((at, d))
        if named is None:
            groups.setdefault((size, "of one size"), []).append((at, d))
    found, done, taken = own, set[Axis](), set[int]()
    for axes in groups.values():
        if done.intersection(axes) or time.monotonic() > end:
            continue
        size = own[axes[0][0]].shape[axes[0][1]]
        larger = next(n for n in range(size + 1, size + 99) if n not in taken)
        for n in (larger, 2 * size):
            tensors = list(found)
            for at, d in axes:
                tensors[at] = _larger(tensors[at], d, n)
            if n > 1 and _runs(call, tensors):
                found = tuple(tensors)
                done.update(axes)
                taken.add(n)
                break
    return [found] if done else []


def _runs(call: Call, tensors: Sequence[Any]) -> bool:
    try:
        call.given(tensors).returned()
    except (Exception, SystemExit):  # noqa: BLE001 - the user's model, whatever it raises
        return False
    return True


def _larger(tensor: Any, d: int, n: int) -> Any:
    """The tensor with its own values again in what is new, of floats a little smaller ones, so that they are
    in range, and in no order with the others.
    """
    size = tensor.shape[d]
    found = tensor.detach().index_select(d, torch.arange(n, device=tensor.device) % size)
    if tensor.is_floating_point() and not torch.equal(tensor, tensor.round()):
        found.narrow(d, size, n - size).mul_(0.98)
    return found


def _turned(tensor: Any) -> Any:
    """Other values of the same kind: in turn along the first dimension, and negated where they have either
    sign. Of integers in a row, which may be lengths and have an order, the same.
    """
    d = next((d for d, size in enumerate(tensor.shape) if size > 1), None)
    if d is None or (tensor.dim() == 1 and not tensor.is_floating_point()):
        return tensor
    found = tensor.detach().flip(d)
    is_signed = found.is_floating_point() and bool((found > 0).any() and (found < 0).any())
    return -found if is_signed else found
