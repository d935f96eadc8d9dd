"""What draws may change in a sample: the kinds of draws, and the sizes and arguments that each
changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

from ...arguments import results_of, split
from ...base import OperatorTests, cached
from ...samples import Sample
from ...symbolic_sizes import Dimensions
from .pointwise import is_pointwise
from .scalars import bounds_of, far_of, others_of, value_of

SizeKind = Literal[
    "empty", "one", "odd", "square", "tails", "sizes", "large", "many", "long", "rank"
]
ValueKind = Literal["wide", "zeros", "equal", "extremes", "NaN", "infinities"]
LayoutKind = Literal["strided", "transposed", "overlapping", "aliased"]
ScalarKind = Literal["scalar", "scalars"]
OtherKind = Literal["left out", "large scalar", "length", "mismatch"]
PlannedKind = Literal["other dtype", "offset", "ties"]
"""Another dtype of floats beside integers, and values that planned calls alone have."""
DrawKind = SizeKind | ValueKind | LayoutKind | ScalarKind | OtherKind | PlannedKind
"""What a draw changes. All of them put the tensors between numbers that must not be read."""

SIZES: tuple[SizeKind, ...] = get_args(SizeKind)
VALUES: tuple[ValueKind, ...] = get_args(ValueKind)
LAYOUTS: tuple[LayoutKind, ...] = get_args(LayoutKind)
SCALARS: tuple[ScalarKind, ...] = get_args(ScalarKind)
KINDS: tuple[DrawKind, ...] = (*SIZES, *VALUES, *LAYOUTS, *SCALARS, *get_args(OtherKind))
"""The kinds that hypothesis draws."""
SLOW: tuple[SizeKind, ...] = ("large", "many", "long")
"""The kinds whose calls take longest."""
HALVES = (torch.float16, torch.bfloat16)
"""The dtypes of 16 bits."""
ALONE: tuple[DrawKind, ...] = (*SLOW, "large scalar", "mismatch")
"""The kinds that draws of other kinds do not have, too."""


def dtypes_of(tests: type[OperatorTests]) -> list[torch.dtype]:
    """Return the dtypes of the first tensor to draw: those of the kernel."""
    return [*tests.operator.dtypes]


@cached
def kinds_of(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype | None
) -> Sequence[DrawKind]:
    """Return the kinds of draws that change something in a sample."""
    return [*_each_kind(tests, sample, dtype)]


def _each_kind(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype | None
) -> Iterator[DrawKind]:
    """Yield the kinds of draws that change something in a sample."""
    names = unbounded(sample)
    floating = dtype is None or dtype.is_floating_point or bool(floats_beside_integers(sample))
    if symbols_of(tests, sample):
        yield from (size for size in SIZES if _is_possible(tests, sample, size))
    if names:
        yield from ("wide", "zeros")
    if names and not is_foreign(tests):
        yield "extremes"
    if names and _has_bounds(tests, sample, dtype):
        yield "equal"
    if names and floating and not is_foreign(tests):
        yield from ("NaN", "infinities")
    if split(sample.arguments())[0]:
        yield from (layout for layout in LAYOUTS if layout != "aliased" or _has_alike(sample))
    if optional_of(tests, sample):
        yield "left out"
    if has_scalars_to_change(tests, sample):
        yield from SCALARS if len(others_of(tests, sample)) > 1 else ("scalar",)
        if far_of(tests, sample):
            yield "large scalar"
    if has_sizes_to_check(tests, sample):
        yield "mismatch"
    if lists_of(sample) and tests.operator.is_native and not is_foreign(tests):
        yield "length"


def _is_possible(tests: type[OperatorTests], sample: Sample, size: SizeKind) -> bool:
    """Return whether draws may be of a kind of sizes: only compiled kernels check ranks."""
    if size == "rank":
        return tests.operator.is_native and not is_foreign(tests)
    if size == "long":
        return _reduces(tests, sample)
    if size == "many":
        return not tests.operator.elementwise
    return size != "empty" or not is_foreign(tests)


def _has_bounds(tests: type[OperatorTests], sample: Sample, dtype: torch.dtype | None) -> bool:
    """Return whether numbers of draws may be equal to others: to scalars, and to each other if
    their order does not matter. Of 16 bits, random numbers are often equal.
    """
    if not tests.operator.has_reference or is_foreign(tests):
        return False
    if is_pointwise(tests):
        return dtype != torch.bool
    is_wide = dtype in (torch.float32, torch.float64)
    return is_wide and bool(bounds_of(tests, sample, {})[0])


@cached
def _reduces(tests: type[OperatorTests], sample: Sample) -> bool:
    """Return whether a result has fewer elements than the first tensor."""
    if not (tests.operator.is_native and tests.operator.has_reference):
        return False
    arguments = sample.arguments()
    first = next(iter(split(arguments)[0].values()), torch.empty(0))
    try:
        results = results_of(tests.reference(**arguments))
    except Exception:  # noqa: BLE001 - whatever a reference raises
        return False
    return any(result.numel() < first.numel() for result in results)


def has_sizes_to_check(tests: type[OperatorTests], sample: Sample) -> bool:
    """Return whether a kernel gets several tensors, one of which may have a size too many."""
    operator = tests.operator
    is_compared = operator.is_native and operator.has_reference and not is_foreign(tests)
    return is_compared and len(sample.draws) > 1 and bool(sized_of(sample))


def sized_of(sample: Sample) -> list[str]:
    """Return the tensors of random numbers that have dimensions."""
    return [name for name, draw in sample.draws.items() if draw.is_random and draw.shape]


def _has_alike(sample: Sample) -> bool:
    """Return whether two tensors that the sample does not bound have the same dtype and shape."""
    tensors = split(sample.arguments())[0]
    alike = [(tensors[n].dtype, tensors[n].shape) for n in unbounded(sample) if n in tensors]
    return len({*alike}) < len(alike)


def is_foreign(tests: type[OperatorTests]) -> bool:
    """Return whether the reference is another library's operator, which may crash for arguments
    that do not fit.
    """
    return tests.operator.reference is None


def arguments_of(
    tests: type[OperatorTests], sample: Sample, kind: DrawKind | Literal[""]
) -> Collection[str]:
    """Return the arguments that draws of a kind change one at a time; none if a kind is not of
    single arguments.
    """
    match kind:
        case "many":
            return symbols_of(tests, sample)
        case "large" if not tests.operator.elementwise:
            return symbols_of(tests, sample)
        case "scalar" | "scalars":
            return others_of(tests, sample).keys()
        case "large scalar":
            return far_of(tests, sample).keys()
        case "left out":
            return optional_of(tests, sample)
    return ()


def symbols_of(tests: type[OperatorTests], sample: Sample) -> list[str]:
    """Return the sizes that draws may change: with a compiled kernel, which checks them, those
    without a name, too.

    Without one, literal tensors hold every size of their sample, as their values may be places in
    others.
    """
    dimensions = Dimensions(sample)
    if tests.operator.is_native and not is_foreign(tests):
        return sorted(dimensions.values)
    literals = any(
        not item.is_random and isinstance(item.value(()), Tensor)
        for draw in sample.draws.values()
        for item in draw.tensors
    )
    return [] if literals else sorted(dimensions.named)


def has_scalars_to_change(tests: type[OperatorTests], sample: Sample) -> bool:
    """Return whether draws may give a sample's arguments that are no tensors other values."""
    return bool(others_of(tests, sample)) and not is_foreign(tests)


def optional_of(tests: type[OperatorTests], sample: Sample) -> list[str]:
    """Return the optional tensors of a sample."""
    optional = [a.name for a in tests.operator.tensors if a.is_optional]
    return [n for n in optional if n in sample.draws and n not in _missing_of(sample)]


def lists_of(sample: Sample) -> dict[str, int]:
    """Return the lengths of the lists of tensors of a sample that have items."""
    return {name: len(draw.items) for name, draw in sample.draws.items() if draw.items}


def lists_like(tests: type[OperatorTests], name: str) -> list[str]:
    """Return the lists that have as many items as a list of tensors in all samples, as a weight for
    each tensor.
    """
    lengths = [_lengths_of_lists(tests, sample) for sample in tests.samples]
    with_list = [by_name for by_name in lengths if name in by_name]
    others = {other for by_name in with_list for other in by_name if other != name}
    return [n for n in sorted(others) if all(each.get(n) == each[name] for each in with_list)]


def _lengths_of_lists(tests: type[OperatorTests], sample: Sample) -> dict[str, int]:
    """Return the lengths of the lists of tensors and of numbers of a sample that have items."""
    numbers = {a.name: value_of(a, sample) for a in tests.operator.scalars if a.is_list}
    return lists_of(sample) | {name: len(value) for name, value in numbers.items() if value}


def _missing_of(sample: Sample) -> list[str]:
    return [n for n, draw in sample.draws.items() if not draw.is_random and draw.value(()) is None]


def floats_beside_integers(sample: Sample) -> list[str]:
    """Return the floating-point tensors that a sample does not bound, if its first tensor holds
    integers, as scales do beside quantized numbers.
    """
    tensors = split(sample.arguments())[0]
    first = next(iter(tensors.values()), None)
    if first is None or first.is_floating_point():
        return []
    names = [name for name in unbounded(sample) if name in tensors]
    return [name for name in names if tensors[name].is_floating_point()]


def unbounded(sample: Sample) -> list[str]:
    """Return the tensors of random numbers that the spec does not bound, by their names in
    `split`.
    """
    return [
        name if draw.items is None else f"{name}_{place}"
        for name, draw in sample.draws.items()
        for place, item in enumerate(draw.tensors)
        if item.is_random and not item.is_bounded
    ]
