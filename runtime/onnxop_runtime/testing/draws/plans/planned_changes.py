"""The changes of a sample's arguments from which planned calls are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, cycle, islice, product

import torch

from ...arguments import split
from ...base import OperatorTests
from ...samples import Sample
from ..calls.call import DrawnCall
from ..calls.strategies import with_scalars
from ..choices.draw_kinds import DrawKind, has_scalars_to_change, optional_of
from ..choices.scalars import Other, others_of

Dtypes = Sequence[torch.dtype | None]

_FEW = 3
"""The most values of an argument of which each is combined with each of another argument's."""
_MOST_MODES = 12
"""The most combinations of modes of a sample."""


@dataclass(frozen=True)
class PlannedChange:
    """One change of a call: another scalar, or a tensor that is left out."""

    name: str
    other: Other | None = None
    """The scalar's value; None for a tensor."""

    @property
    def is_mode(self) -> bool:
        """Whether the change is of what a kernel does: another flag or string, or an argument that
        is left out.
        """
        return self.other is None or isinstance(self.other.value, bool | str | None)

    @property
    def is_one(self) -> bool:
        """Whether the change is of an integer to 1."""
        return self.other is not None and type(self.other.value) is int and self.other.value == 1


def choices_of(tests: type[OperatorTests], sample: Sample) -> list[list[PlannedChange]]:
    """Return the changes of each argument of a sample."""
    tensors = [[PlannedChange(name)] for name in optional_of(tests, sample)]
    if not has_scalars_to_change(tests, sample):
        return tensors
    scalars = others_of(tests, sample).items()
    return [
        *tensors,
        *([PlannedChange(name, other) for other in others] for name, others in scalars),
    ]


def pairs_of(choices: Sequence[Sequence[PlannedChange]]) -> Iterator[list[PlannedChange]]:
    """Yield the changes of each two arguments: each with each if one has few, and otherwise each
    with one of the other argument's.
    """
    for one, other in combinations(choices, 2):
        if min(len(one), len(other)) <= _FEW:
            yield from map(list, product(one, other))
        else:
            count = max(len(one), len(other))
            yield from map(list, zip(*(islice(cycle(c), count) for c in (one, other)), strict=True))


def modes_of(choices: Sequence[Sequence[PlannedChange]]) -> Iterator[list[PlannedChange]]:
    """Yield combinations of a sample's modes, none changed first."""
    modes = [[change for change in changes if change.is_mode] for changes in choices]
    combined = product(*([None, *changes] for changes in modes))
    for chosen in islice(combined, _MOST_MODES):
        yield [change for change in chosen if change is not None]


def telling_of(choices: Sequence[Sequence[PlannedChange]]) -> Iterator[PlannedChange]:
    """Yield the changes of single arguments that often are cases of their own: of modes, to 0, and
    of a sign.
    """
    for change in chain(*choices):
        value = None if change.other is None else change.other.value
        if change.is_mode or (isinstance(value, int | float) and value <= 0):
            yield change


def changed(
    tests: type[OperatorTests],
    sample: Sample,
    dtype: torch.dtype | None,
    changes: Sequence[PlannedChange],
) -> DrawnCall:
    """Return a call of a sample with these changes."""
    scalars = {change.name: change.other for change in changes if change.other is not None}
    left_out = [change.name for change in changes if change.other is None]
    kinds: list[DrawKind] = []
    if scalars:
        kinds.append("scalar" if len(scalars) == 1 else "scalars")
    if left_out:
        kinds.append("left out")
    drawn = DrawnCall(sample, dtype=dtype, left_out=left_out, kinds=kinds)
    values = {name: other.value for name, other in scalars.items()}
    may_refuse = any(other.may_refuse for other in scalars.values())
    return with_scalars(tests, drawn, values, may_refuse)


def dtype_of(sample: Sample, dtypes: Dtypes) -> torch.dtype | None:
    """Return the dtype of a sample's first tensor, or the first one to draw if it is none
    of them.
    """
    first = next(iter(split(sample.arguments())[0].values()), None)
    return first.dtype if first is not None and first.dtype in dtypes else dtypes[0]
