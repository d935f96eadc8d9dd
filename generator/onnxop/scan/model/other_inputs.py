"""A model's inputs → inputs of other sizes and values that PyTorch accepts, too."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import torch

from onnxop_runtime import processes

from ...trial.call import Call, Untied, differing_dims, resized, with_smaller_integers
from .dimension_groups import (
    ANY_SIZE,
    Group,
    Tensors,
    groups_of_any_dimensions,
    named_groups,
)
from .other_values import other_values
from .passed_sizes import are_alike, passed_sizes
from .target import Target, TargetError

_SECONDS = 20.0  # to look for them
_LESS_THAN_HALF = 0.4


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
            groups = (
                named_groups(target, example)
                if target.dynamic_shapes
                else groups_of_any_dimensions(example)
            )
            sizes = _other_sizes(call, example, groups)
        if not sets:
            values = other_values(call, example)
    axes = _dynamic_axes(example, sizes)
    sizes.sort(key=partial(_comes_late, axes=axes))
    return replace(target, values=tuple(values), sizes=tuple(sizes), axes=axes)


def without_sizes_of_nan(target: Target) -> Target:
    """Return the target without the sizes for which PyTorch's known results have NaNs, unless those
    for its own inputs have some: these sizes are too small for the model, as for a mean of no
    elements.
    """
    own, *_ = (results for _, results in target.known)
    if _has_nan(own):
        return target
    of_nan = [tensors for tensors, results in target.known if _has_nan(results)]
    sizes = tuple(
        tensors for tensors in target.sizes if not any(tensors is other for other in of_nan)
    )
    first = tuple(target.call("dynamo").tensors)
    return replace(target, sizes=sizes, axes=_dynamic_axes(first, sizes))


def _has_nan(results: Sequence[torch.Tensor]) -> bool:
    return any(bool(result.isnan().any()) for result in results)


def _sets_of_user(target: Target, example: Tensors) -> list[Tensors]:
    """Return the user's other sets of inputs. Raises TargetError if one has other dtypes or ranks."""
    sets = [tuple(Call(target.model, *arguments).tensors) for arguments in target.others]
    if any([(t.dtype, t.dim()) for t in s] != [(t.dtype, t.dim()) for t in example] for s in sets):
        raise TargetError(
            f"{target.name}: a set of inputs differs from the first in the number, dtypes or ranks "
            "of its tensors; make them equal"
        )
    return sets


def _dynamic_axes(example: Tensors, sizes: Iterable[Tensors]) -> dict[int, set[int]]:
    """Return the dimensions whose sizes differ in some inputs, by the index of their tensor."""
    axes: dict[int, set[int]] = {}
    for inputs in sizes:
        for at, dims in differing_dims(example, inputs).items():
            axes.setdefault(at, set()).update(dims)
    return axes


def _comes_late(inputs: Tensors, axes: Mapping[int, set[int]]) -> tuple[bool, bool]:
    """Return whether sizes differ that are equal in the example, and whether a dynamic dimension has
    size 1, or none: torch.export specialises to a 1 of the example.
    """
    has_one = min(inputs[at].shape[d] for at, dims in axes.items() for d in dims) < 2
    return isinstance(inputs, Untied), has_one


def _other_sizes(call: Call, example: Tensors, groups: Sequence[Group]) -> list[Tensors]:
    """Return inputs of other sizes that PyTorch accepts: all dimensions enlarged, those of a group
    together; then dimensions of one group enlarged alone; then each input shrunk, from its first
    sizes, to less than half; then all enlarged once more, as a file may have as many steps as a loop
    has at the sizes of its export; then all shrunk to 3 or 2, where less than half is more.
    """
    resizing = _Resizing(call, time.monotonic() + _SECONDS)
    largest, done = resizing.enlarged(example, groups)
    sets = [largest, *resizing.untied(largest, done)]
    for at in range(len(example)):
        smaller = example
        for group in done:
            n = _less_than_half(group)
            if group.n > 2 and n in group.allowed and any(a == at for a, _ in group.axes):
                smaller = _resized(smaller, group, n)
        candidates = (smaller, with_smaller_integers(smaller, _LESS_THAN_HALF))
        if accepted := call.first_accepted(candidates):
            sets.append(accepted)
    sets.append(resizing.enlarged_again(largest, done))
    sets.append(resizing.smallest(example, done))
    inputs_by_shapes = {
        tuple(tensor.shape for tensor in tensors): tensors for tensors in [example, *sets]
    }
    return [*inputs_by_shapes.values()][1:]


def _less_than_half(group: Group) -> int:
    """Return the smaller size of a group that is tried first."""
    return max(2, round(_LESS_THAN_HALF * group.n))


@dataclass
class _Resizing:
    """Enlarges and shrinks dimensions of a call's tensors where PyTorch accepts that, until the
    ``end``; larger sizes differ where they can.
    """

    call: Call
    end: float
    taken: set[int] = field(default_factory=set)

    def enlarged(self, tensors: Tensors, groups: Sequence[Group]) -> tuple[Tensors, list[Group]]:
        """Return the tensors with larger dimensions, and their groups: one by one, by one or to
        twice the size, or shrunk by one where the maximum is reached.
        """
        done: list[Group] = []
        for group in groups:
            is_done = any({*group.axes} & {*other.axes} for other in done)
            if not group.n or is_done or time.monotonic() > self.end:
                continue
            for n in self._sizes(group):
                larger = _resized(tensors, group, n)
                if self.call.with_tensors(larger).is_accepted():
                    tensors = larger
                    done.append(group)
                    self.taken.add(n)
                    break
        return tensors, done

    def untied(self, largest: Tensors, groups: Sequence[Group]) -> Iterator[Untied]:
        """Yield, for each group of dimensions of several tensors that no name says to be equal, the
        ``largest`` tensors with those of its dimensions still larger that PyTorch accepts alone.
        """
        for group in groups:
            if group.is_of_several and not group.is_named:
                each = [
                    Group(largest[at].shape[d], {(at, d): int}, group.allowed)
                    for at, d in group.axes
                ]
                tensors, done = self.enlarged(largest, each)
                if done:
                    yield Untied.at(group.axes, tensors)

    def smallest(self, example: Tensors, groups: Sequence[Group]) -> Tensors:
        """Return the tensors with those dimensions of size 3 or 2 that PyTorch accepts, group by
        group, as long as no size within the model gets smaller than 2.
        """
        smallest, own = example, None
        for group in groups:
            for n in (n for n in (3, 2) if n < _less_than_half(group) and n in group.allowed):
                if time.monotonic() > self.end:
                    return smallest
                own = own or passed_sizes(self.call.with_tensors(example))
                smaller = _resized(smallest, group, n)
                passed = passed_sizes(self.call.with_tensors(smaller))
                if own is not None and passed is not None and are_alike(passed, own):
                    smallest = smaller
                    break
        return smallest

    def enlarged_again(self, largest: Tensors, groups: Sequence[Group]) -> Tensors:
        """Return the ``largest`` tensors with their dimensions still larger by two, all at once, but
        for those that PyTorch takes at multiples alone; as they are if it refuses that. By two, as a
        loop may have one step more than it needs.
        """
        larger = largest
        for group in groups:
            at, d = next(iter(group.axes))
            n = largest[at].shape[d]
            if group.allowed == ANY_SIZE and group.n < n < 2 * group.n:
                larger = _resized(larger, group, n + 2)
        is_accepted = self.call.with_tensors(larger).is_accepted()
        return larger if is_accepted else largest

    def _sizes(self, group: Group) -> Iterable[int]:
        """Return the sizes of a group to try."""
        larger = next(n for n in range(group.n + 1, group.n + 99) if n not in self.taken)
        sizes = [n for n in (larger, 2 * group.n) if n in group.allowed]
        return sizes or {group.n - 1}.intersection(group.allowed)


def _resized(tensors: Sequence[torch.Tensor], group: Group, size: int) -> Tensors:
    others = list(tensors)
    for (at, dim), computed in group.axes.items():
        others[at] = resized(others[at], dim, computed(size))
    return tuple(others)
