"""A drawn call: a sample with changes -> its arguments, in their dtype, values and memory
layout.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any, Literal

import torch
from torch import Tensor

from ...arguments import Arguments, each_tensor, split, with_tensors
from ...samples import Draw, Sample, Widened, seeded
from ...symbolic_sizes import Dimensions, Ranks, Sizes
from ..choices.draw_kinds import DrawKind, LayoutKind, unbounded
from ..choices.special_values import OF_FLOATS, with_numbers, with_values

_MARGIN = 64
"""Elements before and after each tensor that must not be read."""
_FAR = (("one", "-2"),)
_NEAR = (("one", "near one"), ("-2", "near -2"))
"""The values in place of NaN and infinities that are compared."""


@dataclass(frozen=True)
class DrawnCall:
    """A drawn call of an operator."""

    sample: Sample
    seed: int = 0
    dtype: torch.dtype | None = None
    float_dtype: torch.dtype | None = None
    """The dtype of floating-point tensors, if the first tensor holds integers."""
    aligned: bool = False
    sizes: Sizes = field(default_factory=dict)
    ranks: Ranks = field(default_factory=dict)
    scalars: Arguments = field(default_factory=dict)
    has_doubtful_scalars: bool = False
    """Whether the operator may refuse its scalars."""
    longer: tuple[str, int] | None = None
    """The tensor that is longer by one, and its dimension that is."""
    ones: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Tensors, and their dimensions that are of size 1."""
    before: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Tensors of random numbers, and sizes before theirs."""
    left_out: Collection[str] = ()
    lengths: Mapping[str, int] = field(default_factory=dict)
    """Other lengths of lists of tensors."""
    values: str = ""
    layout: LayoutKind | Literal[""] = ""
    has_zeros_beside: bool = False
    """Whether every other tensor has zeros in place of its values, as of infinities."""
    bounds: Sequence[float] = ()
    """The numbers that elements are equal to, or next to, if its values are "equal"."""
    is_pointwise: bool = False
    """Whether the order of equal elements does not matter."""
    negated_zeros: str = ""
    """The tensor whose zeros have their other signs."""
    kinds: Sequence[DrawKind] = ()
    """The kinds of draws that it is."""

    @property
    def is_finite(self) -> bool:
        """Whether its tensors hold finite numbers."""
        return self.values not in ("NaN", "infinities")

    @property
    def is_at_bounds(self) -> bool:
        """Whether elements are where the result may jump: equal to numbers of the call, or ties."""
        return self.values in ("equal", "ties")

    def changed(self, kinds: Sequence[DrawKind], **fields: Any) -> DrawnCall:
        """Return the call with other fields, which is of these kinds."""
        return replace(self, kinds=kinds, **fields)

    def finite(self, *, is_near: bool = False) -> list[tuple[DrawnCall, DrawnCall]]:
        """Return the call twice, with two finite numbers in place of NaN and infinities; or with
        near ones, twice. What differs between far numbers, but not between near ones, only compares
        with them.
        """
        pairs = _NEAR if is_near else _FAR
        return [(replace(self, values=one), replace(self, values=other)) for one, other in pairs]

    @property
    def may_be_refused(self) -> bool:
        """Whether it changes what the spec need not support: ranks, lengths of lists, sizes without
        a name, some numbers.
        """
        if self.has_doubtful_scalars or self.ranks or self.before or self.lengths:
            return True
        if self.longer or self.ones or self.float_dtype:
            return True
        if isinstance(self.sample, Widened):
            return True
        return not self.sizes.keys() <= Dimensions(self.sample).named

    def arguments(self) -> Arguments:
        """Return the arguments of the call."""
        dimensions = Dimensions(self.sample, aligned=self.aligned)
        with seeded(self.seed) as generator:
            arguments = {
                name: self._argument(name, draw, dimensions)
                for name, draw in self.sample.draws.items()
            }
            arguments |= self.scalars
            tensors = split(arguments)[0]
            changed = {name: self._in_dtype(t, tensors) for name, t in tensors.items()}
            changed |= self._special(changed, generator)
        if self.negated_zeros:
            tensor = changed[self.negated_zeros]
            changed[self.negated_zeros] = torch.where(tensor == 0, -tensor, tensor)
        placed = each_tensor(with_tensors(arguments, changed), self._placed)
        return self._aliased(placed) if self.layout == "aliased" else placed

    def _argument(self, name: str, draw: Draw, dimensions: Dimensions) -> Any:
        if name in self.left_out:
            return None
        shapes = dimensions.shapes(name, self.sizes, self.ranks)
        if draw.items is not None:
            count = self.lengths.get(name, len(shapes))
            items = islice(cycle(zip(draw.items, shapes, strict=True)), count)
            return [item.value(shape) for item, shape in items]
        shape = (*self.before.get(name, ()), *shapes[0]) if draw.is_random else draw.shape
        if self.longer and self.longer[0] == name:
            dimension = self.longer[1]
            shape = (*shape[:dimension], shape[dimension] + 1, *shape[dimension + 1 :])
        value = draw.value(shape)
        for dimension in self.ones.get(name, ()):
            value = value.narrow(dimension, 0, 1)
        return value

    def _in_dtype(self, tensor: Tensor, tensors: Mapping[str, Tensor]) -> Tensor:
        """Return a tensor of the first one's dtype in the drawn dtype."""
        first = next(iter(tensors.values())).dtype
        is_beside_integers = tensor.is_floating_point() and not first.is_floating_point
        if self.float_dtype is not None and is_beside_integers:
            return tensor.to(self.float_dtype)
        if self.dtype is None or tensor.dtype != first or self.dtype == first:
            return tensor
        if self.dtype == torch.bool:
            return tensor > 0
        if first.is_floating_point and not self.dtype.is_floating_point:
            tensor = tensor.double() * 4
            tensor = tensor.abs() if self.dtype == torch.uint8 else tensor
        return tensor.to(self.dtype)

    def _special(
        self, tensors: Mapping[str, Tensor], generator: torch.Generator
    ) -> dict[str, Tensor]:
        """Return one or all tensors that the sample does not bound with special values in some
        places.
        """
        kinds = self._kinds_of_values(tensors)
        if self.values == "equal":
            is_once = not self.is_pointwise
            return {
                name: with_numbers(tensors[name], self.bounds, generator, is_once=is_once)
                for name in kinds
            }
        return {
            name: with_values(tensors[name], kind, generator, self.seed // 2)
            for name, kind in kinds.items()
        }

    def _kinds_of_values(self, tensors: Mapping[str, Tensor]) -> dict[str, str]:
        """Return the kind of special values of each tensor that has some."""
        names = self._names_with_values(tensors)
        beside = self._powers_beside_ties(tensors) if self.values == "ties" else {}
        if not (self.values and names):
            return beside
        if self.seed % 2 or (self.values == "equal" and not self.is_pointwise):
            names = [names[self.seed // 2 % len(names)]]
        kinds = beside | dict.fromkeys(names, self.values)
        if self.has_zeros_beside:
            kinds |= dict.fromkeys(names[self.seed // 2 % 2 :: 2], "zeros")
        return kinds

    def _names_with_values(self, tensors: Mapping[str, Tensor]) -> list[str]:
        """Return the tensors that may have special values: those of the first one's dtype that the
        sample does not bound; if these are integers, the others may be NaN and infinite.
        """
        names = [name for name in unbounded(self.sample) if name in tensors]
        first = next(iter(tensors.values())).dtype if tensors else torch.float32
        if self.values in OF_FLOATS and not first.is_floating_point:
            return [name for name in names if tensors[name].is_floating_point()]
        return [name for name in names if tensors[name].dtype == first]

    def _powers_beside_ties(self, tensors: Mapping[str, Tensor]) -> dict[str, str]:
        """Return the floating-point tensors of random numbers as powers of two, with which products
        of integers and of ties are exact.
        """
        draws = self.sample.tensor_draws()
        names = [name for name in tensors if name in draws and draws[name].is_random]
        return {name: "powers" for name in names if tensors[name].is_floating_point()}

    def _placed(self, tensor: Tensor) -> Tensor:
        """Return a tensor of the drawn layout; without one, in row-major order between other
        numbers.
        """
        match self.layout:
            case "strided":
                return torch.stack([tensor] * 2, -1)[..., 0]
            case "transposed" if tensor.dim() > 1:
                return tensor.transpose(0, -1).contiguous().transpose(0, -1)
            case "overlapping" if tensor.numel():
                count = sum(size - 1 for size in tensor.shape) + 1
                return tensor.flatten()[:count].clone().as_strided(tensor.shape, [1] * tensor.dim())
        poison = float("nan") if tensor.is_floating_point() else _most(tensor.dtype)
        memory = torch.full([tensor.numel() + 2 * _MARGIN], poison, dtype=tensor.dtype)
        inner = memory[_MARGIN : _MARGIN + tensor.numel()]
        inner.copy_(tensor.flatten())
        return inner.view(tensor.shape)

    def _aliased(self, arguments: Arguments) -> Arguments:
        """Return the arguments with one tensor in place of all that are like it and that the sample
        does not bound.
        """
        tensors = split(arguments)[0]
        names = [name for name in unbounded(self.sample) if name in tensors]
        firsts: dict[tuple[torch.dtype, torch.Size], Tensor] = {}
        for name in names:
            firsts.setdefault((tensors[name].dtype, tensors[name].shape), tensors[name])
        aliased = {name: firsts[tensors[name].dtype, tensors[name].shape] for name in names}
        return with_tensors(arguments, aliased)

    def shown(self, arguments: Arguments) -> str:
        """Return the call with these arguments as text: what the values of a tensor are is beside
        it, and the layout of all at the end.
        """
        notes = self._kinds_of_values(split(arguments)[0])
        shown = (f"{name} {_shown(value, name, notes)}" for name, value in arguments.items())
        return f"{', '.join(shown)}{f' ({self.layout})' if self.layout else ''}"


def _shown(value: Any, name: str, notes: Mapping[str, str]) -> str:
    """Return an argument as text, with the notes of its tensors."""
    if isinstance(value, Tensor):
        note = f" ({notes[name]})" if name in notes else ""
        return f"{str(value.dtype).removeprefix('torch.')}{[*value.shape]}{note}"
    if isinstance(value, list):
        items = (_shown(item, f"{name}_{place}", notes) for place, item in enumerate(value))
        return f"[{', '.join(items)}]"
    return str(value)


def _most(dtype: torch.dtype) -> int:
    return 1 if dtype == torch.bool else torch.iinfo(dtype).max
