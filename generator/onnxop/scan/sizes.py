"""A model's inputs → others, of other sizes and values, that PyTorch takes as well."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from ..trial import forks
from ..trial.call import Call, unlike
from ..trial.outcome import said
from .target import Target, TargetError

_SECONDS = 20.0  # to look for them

Axis = tuple[int, int]
"""The place of a tensor, and a dimension of it."""


@dataclass(frozen=True)
class _Group:
    """Dimensions that are one: of size ``n``, or what each computes of it; and what ``n`` may be."""

    n: int
    axes: Mapping[Axis, Callable[[int], int]]
    allowed: range = range(1, 2**31)


def varied(target: Target) -> Target:
    """Return the target with other inputs, its own sets of them or those that are found, and the dimensions
    that differ.

    Raises:
        TargetError: torch.export does not take its ``dynamic_shapes``, or a set has other tensors.
    """
    call = Call(target.model, target.args, target.kwargs)
    own = tuple(call.tensors)
    if any(tensor.layout != torch.strided or tensor.is_quantized for tensor in own):
        return target
    sets = [tuple(Call(target.model, *each).tensors) for each in target.others]
    if any([(t.dtype, t.dim()) for t in s] != [(t.dtype, t.dim()) for t in own] for s in sets):
        raise TargetError(f"{target.name}: a set of inputs has other tensors than the first one")
    values = [each for each in sets if not unlike(own, each)]
    sizes = [each for each in sets if unlike(own, each)]
    with forks.quiet():
        if not sizes and (target.dynamic_shapes or not sets):
            groups = _named(target, own) if target.dynamic_shapes else _of_any(own)
            sizes = _larger_ones(call, own, groups)
        turned = tuple(map(_turned, own))
        if not sets and _runs(call, turned):
            values = [turned]
    axes: dict[int, set[int]] = {}
    for each in sizes:
        for at, dims in unlike(own, each).items():
            axes[at] = axes.get(at, set()).union(dims)
    # What is 1 in the example has one size, to torch.export.
    sizes.sort(key=lambda s: min(s[at].shape[d] for at, dims in axes.items() for d in dims) < 2)
    return replace(target, values=tuple(values), sizes=tuple(sizes), axes=axes)


def _of_any(own: Sequence[Any]) -> list[_Group]:
    """Each dimension alone, and then those that may be one: in the same place and of a size, and of a size."""
    every = [(at, d) for at, tensor in enumerate(own) for d in range(tensor.dim())]
    alike: dict[Any, list[Axis]] = {}
    for at, d in every:
        size = own[at].shape[d]
        alike.setdefault((0, d, size), []).append((at, d))
        alike.setdefault((1, size, size), []).append((at, d))
    groups = [*([axis] for axis in every), *(alike[key] for key in sorted(alike))]
    return [_Group(own[axes[0][0]].shape[axes[0][1]], dict.fromkeys(axes, int)) for axes in groups]


def _named(target: Target, own: Sequence[Any]) -> list[_Group]:
    """The dimensions that are one to torch.export, or computed of one, of those that ``dynamic_shapes`` name."""
    try:
        options: Any = {"dynamic_shapes": target.dynamic_shapes, "strict": False}
        kwargs = dict(target.kwargs)
        program: Any = torch.export.export(target.module, target.args, kwargs, **options)
    except Exception as error:
        raise TargetError(
            f"{target.name}: its dynamic_shapes: torch.export: {said(error)}"
        ) from error
    given = {*program.graph_signature.user_inputs}
    values = [n.meta.get("val") for n in program.graph.nodes if n.name in given]
    found: dict[Any, dict[Axis, Callable[[int], int]]] = {}
    for at, value in enumerate(v for v in values if isinstance(v, torch.Tensor)):
        for d, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt) and len(size.node.expr.free_symbols) == 1:
                (symbol,) = size.node.expr.free_symbols
                found.setdefault(symbol, {})[at, d] = partial(_computed, size.node.expr, symbol)
    groups = []
    for symbol, axes in found.items():
        (at, d), computed = next(iter(axes.items()))
        n = next(n for n in range(own[at].shape[d] + 99) if computed(n) == own[at].shape[d])
        bounds = program.range_constraints[symbol]
        most = int(min(bounds.upper, 2**31))
        groups.append(_Group(n, axes, range(int(bounds.lower), most + 1)))
    return groups


def _computed(expression: Any, symbol: Any, n: int) -> int:
    return int(expression.subs(symbol, n))


def _larger_ones(
    call: Call, own: tuple[Any, ...], groups: Sequence[_Group]
) -> list[tuple[Any, ...]]:
    """Make every dimension larger that PyTorch takes so, group by group, by one or twice as large, or smaller
    where it may be no larger. No two get the same size, where they need not.
    """
    end = time.monotonic() + _SECONDS
    found, done, taken = own, set[Axis](), set[int]()
    for group in groups:
        if not group.n or done.intersection(group.axes) or time.monotonic() > end:
            continue
        larger = next(n for n in range(group.n + 1, group.n + 99) if n not in taken)
        sizes = [n for n in (larger, 2 * group.n) if n in group.allowed]
        for n in sizes or {group.n - 1}.intersection(group.allowed):
            tensors = list(found)
            for (at, d), computed in group.axes.items():
                tensors[at] = _resized(tensors[at], d, computed(n))
            if _runs(call, tensors):
                found = tuple(tensors)
                done.update(group.axes)
                taken.add(n)
                break
    return [found] if done else []


def _runs(call: Call, tensors: Sequence[Any]) -> bool:
    try:
        call.given(tensors).returned()
    except (Exception, SystemExit):  # noqa: BLE001 - the user's model, whatever it raises
        return False
    return True


def _resized(tensor: Any, d: int, n: int) -> Any:
    """The tensor with its own values again in what is new, of floats a little smaller ones, so that they are
    in range, and in no order with the others.
    """
    size = tensor.shape[d]
    found = tensor.detach().index_select(d, torch.arange(n, device=tensor.device) % size)
    if n > size and tensor.is_floating_point() and not torch.equal(tensor, tensor.round()):
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
