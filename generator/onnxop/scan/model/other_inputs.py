"""A model's inputs → inputs of other sizes and values that PyTorch accepts, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from onnxop_runtime import processes

from ...trial.call import Call, Large, differing_dims, dynamic_sizes, is_sorted, resized
from ...trial.outcome import format_error
from ...trial.stability import is_stable
from .target import Target, TargetError

_SECONDS = 20.0  # to look for them
_ANY = range(1, 2**31)
_LARGEST = 16.0, 4.0  # floats to try: beyond 17, the sigmoid of float32 is 1, and results tie
_OVERFLOWING = 1000.0, 100.0  # floats to try: exp of float32 is infinite beyond 88
_INTEGERS = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64

Tensors = tuple[torch.Tensor, ...]
Axis = tuple[int, int]
"""The index of a tensor, and a dimension of it."""
Candidates = Callable[[torch.Tensor], Iterable[torch.Tensor]]


@dataclass(frozen=True)
class _Group:
    """Dimensions that depend on one size ``n``, each with its function of ``n``, and the allowed
    ``n``.
    """

    n: int
    axes: Mapping[Axis, Callable[[int], int]]
    allowed: range = _ANY


def find_other_inputs(target: Target) -> Target:
    """Return the target with other inputs, the user's sets or generated ones, and the dimensions
    that differ.

    Raises:
        TargetError: torch.export refuses its ``dynamic_shapes``, or a set has other dtypes or
            ranks.
    """
    call = Call(target.model, target.args, target.kwargs)
    example = tuple(call.tensors)
    if any(tensor.layout != torch.strided or tensor.is_quantized for tensor in example):
        return target
    sets = _sets_of_user(target, example)
    values = [inputs for inputs in sets if not differing_dims(example, inputs)]
    sizes = [inputs for inputs in sets if differing_dims(example, inputs)]
    with processes.quiet():
        if not sizes and (target.dynamic_shapes or not sets):
            groups = _named(target, example) if target.dynamic_shapes else _of_any(example)
            sizes = _other_sizes(call, example, groups)
        if not sets:
            values = _other_values(call, example)
    axes = _dynamic_axes(example, sizes)
    sizes.sort(key=partial(_has_size_of_one, axes=axes))
    return replace(target, values=tuple(values), sizes=tuple(sizes), axes=axes)


def _sets_of_user(target: Target, example: Tensors) -> list[Tensors]:
    """Return the user's other sets of inputs. Raises TargetError if one has other dtypes or ranks."""
    sets = [tuple(Call(target.model, *arguments).tensors) for arguments in target.others]
    if any([(t.dtype, t.dim()) for t in s] != [(t.dtype, t.dim()) for t in example] for s in sets):
        raise TargetError(
            f"{target.name}: a set of inputs differs from the first in the number, dtypes or ranks "
            "of its tensors; make them equal"
        )
    return sets


def _other_values(call: Call, example: Tensors) -> list[Tensors]:
    """Return inputs of the same sizes: flipped ones, extreme ones, and `Large` ones that overflow."""
    torch.set_num_threads(1)  # a fork has no other threads
    flipped = _changed(call, example, _other, _runs)
    extreme = _in_fork(partial(_changed, call, example, _extreme, is_stable))
    overflowing = partial(_scaled, largest=_OVERFLOWING)
    large = _in_fork(partial(_changed, call, example, overflowing, _has_finite))
    return [*flipped, *extreme, *map(Large, large)]


def _dynamic_axes(example: Tensors, sizes: Iterable[Tensors]) -> dict[int, set[int]]:
    """Return the dimensions whose sizes differ in some inputs, by the index of their tensor."""
    axes: dict[int, set[int]] = {}
    for inputs in sizes:
        for at, dims in differing_dims(example, inputs).items():
            axes.setdefault(at, set()).update(dims)
    return axes


def _has_size_of_one(inputs: Tensors, axes: Mapping[int, set[int]]) -> bool:
    """Return whether a dynamic dimension has size 1, or none: torch.export specialises to a 1 of the
    example, so such inputs come last.
    """
    return min(inputs[at].shape[d] for at, dims in axes.items() for d in dims) < 2


def _of_any(example: Sequence[torch.Tensor]) -> list[_Group]:
    """Return groups of dimensions to try: those of several inputs with equal index and size, or
    equal size; then each dimension alone; then those of equal size in one input.
    """
    every = [(at, d) for at, tensor in enumerate(example) for d in range(tensor.dim())]
    alike: dict[Any, list[Axis]] = {}
    for at, d in every:
        size = example[at].shape[d]
        alike.setdefault((0, d, size), []).append((at, d))
        alike.setdefault((1, size, size), []).append((at, d))
    groups = [alike[key] for key in sorted(alike)]
    of_several = [axes for axes in groups if len({at for at, _ in axes}) > 1]
    groups = [*of_several, *([axis] for axis in every), *groups]
    return [
        _Group(example[axes[0][0]].shape[axes[0][1]], dict.fromkeys(axes, int)) for axes in groups
    ]


def _named(target: Target, example: Sequence[torch.Tensor]) -> list[_Group]:
    """Return the dimensions of ``dynamic_shapes`` grouped by the symbol that torch.export gives
    them. Raises TargetError if it refuses these.
    """
    program = _program(target)
    by_symbol: dict[Any, dict[Axis, Any]] = {}
    for axis, size in dynamic_sizes(program):
        if len(size.free_symbols) == 1:
            (symbol,) = size.free_symbols
            by_symbol.setdefault(symbol, {})[axis] = size
    return [
        _group_of_symbol(symbol, sizes, example, program.range_constraints[symbol])
        for symbol, sizes in by_symbol.items()
    ]


def _program(target: Target) -> Any:
    """Return torch.export's program with the user's ``dynamic_shapes``. Raises TargetError."""
    try:
        options: Any = {"dynamic_shapes": target.dynamic_shapes, "strict": False}
        return torch.export.export(target.module, target.args, dict(target.kwargs), **options)
    except Exception as error:
        raise TargetError(
            f"{target.name}: torch.export rejects its dynamic_shapes: {format_error(error)}"
        ) from error


def _group_of_symbol(
    symbol: Any, sizes: Mapping[Axis, Any], example: Sequence[torch.Tensor], bounds: Any
) -> _Group:
    """Return the dimensions whose sizes are expressions of one symbol of SymPy, as a group."""

    def size_at(size: Any, n: int) -> int:
        return int(size.subs(symbol, n))

    (at, d), size = next(iter(sizes.items()))
    own = example[at].shape[d]
    n = next(n for n in range(own + 99) if size_at(size, n) == own)
    most = int(min(bounds.upper, 2**31))
    axes = {axis: partial(size_at, size) for axis, size in sizes.items()}
    return _Group(n, axes, range(int(bounds.lower), most + 1))


def _other_sizes(call: Call, example: Tensors, groups: Sequence[_Group]) -> list[Tensors]:
    """Return inputs of other sizes that PyTorch accepts. Enlarge group by group, by one or to twice
    the size, or shrink by one where the maximum is reached; sizes differ where they can. Then
    enlarge each dimension of a group alone; then shrink each input, from its first sizes, to less
    than half.
    """
    end = time.monotonic() + _SECONDS
    taken = set[int]()

    def enlarged(largest: Tensors, groups: Sequence[_Group]) -> tuple[Tensors, list[_Group]]:
        done: list[_Group] = []
        for group in groups:
            is_done = any({*group.axes} & {*other.axes} for other in done)
            if not group.n or is_done or time.monotonic() > end:
                continue
            larger = next(n for n in range(group.n + 1, group.n + 99) if n not in taken)
            sizes = [n for n in (larger, 2 * group.n) if n in group.allowed]
            for n in sizes or {group.n - 1}.intersection(group.allowed):
                tensors = _resized(largest, group, n)
                if _runs(call.with_tensors(tensors)):
                    largest = tensors
                    done.append(group)
                    taken.add(n)
                    break
        return largest, done

    largest, done = enlarged(example, groups)
    sets = [largest]
    if all(group.allowed is _ANY for group in groups):
        axes = [axis for group in done if len(group.axes) > 1 for axis in group.axes]
        alone, _ = enlarged(largest, [_Group(largest[a].shape[d], {(a, d): int}) for a, d in axes])
        sets.append(alone)
    for at in range(len(example)):
        smaller = example
        for group in done:
            n = max(2, round(0.4 * group.n))
            if group.n > 2 and n in group.allowed and any(a == at for a, _ in group.axes):
                smaller = _resized(smaller, group, n)
        if _runs(call.with_tensors(smaller)):
            sets.append(smaller)
    known = {tuple(tensor.shape for tensor in tensors): tensors for tensors in [example, *sets]}
    return [*known.values()][1:]


def _runs(call: Call) -> bool:
    try:
        call.returned()
    except (Exception, SystemExit):  # noqa: BLE001 - the user's model, whatever it raises
        return False
    return True


def _resized(tensors: Sequence[torch.Tensor], group: _Group, size: int) -> Tensors:
    others = list(tensors)
    for (at, dim), computed in group.axes.items():
        others[at] = resized(others[at], dim, computed(size))
    return tuple(others)


def _changed(
    call: Call, example: Tensors, candidates: Candidates, accepts: Callable[[Call], bool]
) -> list[Tensors]:
    """Return inputs, each the first of its candidates that is accepted in time, or itself; none if
    none is accepted.
    """
    end = time.monotonic() + _SECONDS / 2
    changed = example
    for at, tensor in enumerate(example):
        for other in candidates(tensor) if tensor.numel() else ():
            tensors = (*changed[:at], other, *changed[at + 1 :])
            with suppress(Exception):  # the user's model, whatever it raises
                is_early = time.monotonic() < end and not other.equal(tensor)
                if is_early and accepts(call.with_tensors(tensors)):
                    changed = tensors
                    break
    return [changed] if changed is not example else []


def _other(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the tensor flipped along its first dimension above 1, and negated if it has both signs;
    of integers of at most one dimension, unless they are sorted, as offsets are, and one less or
    more. Of a mask of ones, yield one that ends with zeros, as of padded sequences.
    """
    if tensor.dim() > 1 and tensor.shape[-1] > 1 and (tensor == 1).all():
        padded = tensor.detach().clone()
        padded[..., (tensor.shape[-1] + 1) // 2 :] = 0
        yield padded
    d = next((d for d, size in enumerate(tensor.shape) if size > 1), None)
    is_few = tensor.dim() < 2 and tensor.dtype in _INTEGERS
    if d is not None and not (is_few and is_sorted(tensor, d)):
        is_signed = tensor.is_floating_point() and (tensor > 0).any() and (tensor < 0).any()
        yield tensor.detach().flip(d) * (-1 if is_signed else 1)
    if is_few and (tensor > 0).all():
        yield tensor - 1
    if is_few:
        yield tensor + 1


def _in_fork(work: Callable[[], list[Tensors]]) -> list[Tensors]:
    """Do the work in a fork, as operators may read memory beyond their inputs."""
    with suppress(Exception):
        return list(processes.run(work, limits=processes.Limits(seconds=_SECONDS)))
    return []


def _has_finite(call: Call) -> bool:
    return all(result.isfinite().any() for result in call.results())


def _extreme(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield integers negated, of which sorted ones stay sorted, the opposite truth values, or large
    floats. Sorted integers that begin with 0, as offsets and positions do, are not negated.
    """
    if tensor.dtype == torch.bool:
        yield ~tensor
    if tensor.dtype in _INTEGERS and tensor.dtype.is_signed:
        is_in_order = tensor.dim() == 1 and is_sorted(tensor, 0)
        if not is_in_order:
            yield -tensor
        elif tensor[0] != 0:
            yield -tensor.flip(0)
    yield from _scaled(tensor, _LARGEST)


def _scaled(tensor: Any, largest: Sequence[float]) -> Iterator[torch.Tensor]:
    """Yield the tensor multiplied, so that its largest number becomes each of these. Numbers of one
    sign are first shifted to both signs, then not. Corners of boxes stay in order; columns of whole
    numbers, which may be indices, labels or masks, stay as they are.
    """
    if not tensor.is_floating_point() or not tensor.dim():
        return
    columns = tensor.detach().reshape(-1, tensor.shape[-1])
    is_kept = (columns == columns.round()).all(0)
    if is_kept.all():
        return
    changed = columns[:, ~is_kept]
    low, high = changed.min(), changed.max()
    shifts = [0.0] if low * high < 0 else [(low + high) / 2, 0.0]
    for shift in shifts:
        size = max(float((changed - shift).abs().max()), 1e-30)
        for new_size in largest:
            factor = max(new_size / size, 1.0)
            yield torch.where(is_kept, tensor, (tensor - shift) * factor)
