"""Samples that give tensors by values → samples that draw these: any numbers where they are data,
other orders of them where they may be indices.

The values of a tensor are data if the reference takes numbers of any size for them, and the mapping
then agrees with it: for integers it has to be there, since they may be indices. Indices are
negative, too, if both take these. One other tensor at most is drawn in another order: two may
describe each other, as sizes and offsets do.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from ...arguments import Arguments, is_floating, results_of, split, with_tensors
from ...base import OperatorTests, cached
from ...samples import GENERATOR, Draw, Sample, Widened, like, many
from ...torch_settings import threads
from ..mapping_results import by_mapping

_FACTORS = (1.3, 8.0, 60.0, 1000.0)
"""How much larger other numbers are than a sample's; the last ones are no indices."""
_SLOWER = 0.002
"""Seconds that a reference may take longer with a large number."""
_CLOSE = 1e-3
"""How closely a mapping agrees with the reference."""


@cached
def samples_to_draw(tests: type[OperatorTests]) -> tuple[Sample, ...]:
    """Return the samples with random numbers in place of float tensors that may hold any, and such
    samples again with other integers, and with a tensor in another order.
    """
    samples: list[Sample] = []
    for sample in tests.samples:
        freed = with_free_data(tests, sample)
        samples.append(freed)
        if integers := _integers(tests, sample):
            samples.append(with_draws(freed, integers))
        others = [*literals_of(freed).items()]
        if tests.operator.has_reference and tests.operator.is_native and len(others) == 1:
            name, values = others[0]
            if values.dim() and values.numel() > 1:
                repeatable = _dimensions_to_repeat(tests, sample, name, values)
                samples.append(with_draws(freed, {name: _reordered(values, repeatable)}))
    return tuple(samples)


def with_free_data(tests: type[OperatorTests], sample: Sample) -> Sample:
    """Return a sample with random numbers in place of float tensors that may hold any."""
    return with_draws(sample, {n: _any_numbers(t) for n, t in _data(tests, sample).items()})


def fixed_tensors(tests: type[OperatorTests]) -> list[str]:
    """Return the tensors whose values draws keep in all samples."""
    fixed: list[str] = []
    for tensor in tests.operator.tensors:
        draws = [s.draws[tensor.name] for s in samples_to_draw(tests) if tensor.name in s.draws]
        is_given = any(_is_literal(item) for draw in draws for item in draw.tensors)
        if is_given and not any(draw.has_random for draw in draws):
            fixed.append(tensor.name)
    return fixed


def _is_literal(draw: Draw) -> bool:
    return not draw.is_random and isinstance(draw.value(draw.shape), Tensor)


def literals_of(sample: Sample) -> dict[str, Tensor]:
    """Return the tensors that a sample gives by values, by their names in `split`."""
    tensors = split(sample.arguments())[0]
    return {
        name: tensors[name]
        for name, draw in sample.tensor_draws().items()
        if name in tensors and not draw.is_random
    }


def with_draws(sample: Sample, draws: dict[str, Draw]) -> Sample:
    """Return a sample with other draws of some tensors, by their names in `split`."""
    if not draws:
        return sample
    changed: dict[str, Draw] = {}
    for name, draw in sample.draws.items():
        if draw.items is None:
            changed[name] = draws.get(name, draw)
        else:
            items = enumerate(draw.items)
            changed[name] = many(*(draws.get(f"{name}_{place}", item) for place, item in items))
    return Widened(**changed)


# ---- Data ----


def _data(tests: type[OperatorTests], sample: Sample) -> dict[str, Tensor]:
    """Return the float tensors that a sample gives by values, which may hold any numbers."""
    operator = tests.operator
    if not operator.has_reference:  # another library's operator may crash
        return {}
    floats = {name: t for name, t in literals_of(sample).items() if is_floating(t) and t.numel()}
    return {name: t for name, t in floats.items() if _may_be_any(tests, sample, name, t)}


def _may_be_any(tests: type[OperatorTests], sample: Sample, name: str, values: Tensor) -> bool:
    """Return whether the reference takes numbers of any size for a tensor of floats."""
    signs = _alternating_signs(values)
    moved = [((values.double() + 0.3) * signs * f).to(values.dtype) for f in _FACTORS]
    return may_hold(tests, sample, name, moved)


def _alternating_signs(values: Tensor) -> Tensor:
    return 1 - 2 * (torch.arange(values.numel()) % 2).reshape(values.shape)


def may_hold(
    tests: type[OperatorTests],
    sample: Sample,
    name: str,
    others: Sequence[Tensor],
    *,
    needs_mapping: bool = False,
) -> bool:
    """Return whether the reference takes other tensors in place of one, each further from it than
    the ones before, as fast, its results change with them, and the mapping agrees.
    """
    arguments = sample.arguments()
    changes = [with_tensors(arguments, {name: tensor}) for tensor in others]
    if not are_as_fast(tests, sample, changes):
        return False
    reference = tests.in_onnx(tests.reference)
    compared = changes if needs_mapping else changes[:1]
    expected = [results_of(reference(**changed)) for changed in compared]
    if all(map(torch.equal, results_of(reference(**arguments)), expected[0])):
        return False
    for changed, results in zip(compared, expected, strict=True):
        mapping_results = by_mapping(tests, changed)
        if mapping_results is None:
            return not needs_mapping
        if not _agree(mapping_results, results):
            return False
    return True


def are_as_fast(tests: type[OperatorTests], sample: Sample, changes: Iterable[Arguments]) -> bool:
    """Return whether the reference computes results of the sample's sizes with other arguments,
    each further than the ones before, and as fast: it may loop as often as a number says, or make a
    tensor of such a size.
    """
    arguments = sample.arguments()
    try:
        with threads(1):
            shapes, seconds = _timed(tests, arguments)
            for changed in changes:
                other_shapes, other_seconds = _timed(tests, arguments | changed)
                if shapes != other_shapes or other_seconds > 3 * seconds + _SLOWER:
                    return False
    except Exception:  # noqa: BLE001 - whatever a reference raises
        return False
    return True


def _timed(tests: type[OperatorTests], arguments: Arguments) -> tuple[list[torch.Size], float]:
    """Return the shapes of the reference's results, and how long it takes."""
    start = time.thread_time()
    results = results_of(tests.reference(**arguments))
    return [result.shape for result in results], time.thread_time() - start


def _agree(actual: list[Tensor], expected: tuple[Tensor, ...]) -> bool:
    """Return whether results are alike; NaN equals NaN."""
    pairs = zip(actual, expected, strict=True)
    return all(
        a.shape == e.shape
        and torch.allclose(a.double(), e.double(), _CLOSE, _CLOSE, equal_nan=True)
        for a, e in pairs
    )


def _any_numbers(values: Tensor) -> Draw:
    """Return a draw of normally distributed numbers as large as the given ones."""
    scale = max(1.0, float(values.double().abs().nan_to_num(0.0, 0.0).max()) / 3)

    def value(shape: tuple[int, ...]) -> Tensor:
        numbers = torch.randn(shape, generator=GENERATOR, dtype=torch.float64)
        return (numbers * scale).to(values.dtype)

    return like(values, value)


# ---- Integers ----


def _integers(tests: type[OperatorTests], sample: Sample) -> dict[str, Draw]:
    """Return draws of the integer tensors that a sample gives by values, and that may hold other
    integers.
    """
    if not tests.operator.has_reference:  # another library's operator may crash
        return {}
    draws: dict[str, Draw] = {}
    for name, values in literals_of(sample).items():
        if is_floating(values) or values.dtype == torch.bool or not values.numel():
            continue
        far = [_in_range(_moved(values) * int(factor), values.dtype) for factor in _FACTORS]
        backwards = _in_range(-1 - values.long(), values.dtype)
        if may_hold(tests, sample, name, far, needs_mapping=True):
            draws[name] = _any_integers(values)
        elif may_hold(tests, sample, name, [backwards], needs_mapping=True):
            draws[name] = _some_backwards(values, backwards)
    return draws


def _moved(values: Tensor) -> Tensor:
    return (values.long() + 1) * _alternating_signs(values)


def _in_range(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Return integers in a dtype, those beyond it at its bounds."""
    bounds = torch.iinfo(dtype)
    return values.clamp(bounds.min, bounds.max).to(dtype)


def _any_integers(values: Tensor) -> Draw:
    """Return a draw of integers about as large as the given ones, and of some that are much
    larger.
    """
    most = int(values.long().abs().max()) + 3

    def value(shape: tuple[int, ...]) -> Tensor:
        integers = torch.randint(-most, most + 1, shape, generator=GENERATOR)
        are_larger = torch.randint(4, shape, generator=GENERATOR) == 3
        return _in_range(torch.where(are_larger, integers * 97, integers), values.dtype)

    return replace(like(values, value), is_bounded=True)


def _some_backwards(values: Tensor, backwards: Tensor) -> Draw:
    """Return a draw of indices, some of them counted from the end."""

    def value(shape: tuple[int, ...]) -> Tensor:
        if shape != tuple(values.shape):
            raise ValueError("the values have another shape")
        are_backwards = torch.randint(2, shape, generator=GENERATOR) == 1
        return torch.where(are_backwards, backwards, values)

    return replace(like(values, value), is_bounded=True)


# ---- Orders ----


def _dimensions_to_repeat(
    tests: type[OperatorTests], sample: Sample, name: str, values: Tensor
) -> list[int]:
    """Return the dimensions of a tensor of integers along which equal slices may come twice: fewer
    of them give fewer results. Of equal places to write to, the order decides.
    """
    if is_floating(values) or is_sorted(values):
        return []
    return [d for d in range(values.dim()) if _has_results_of_each(tests, sample, name, values, d)]


def _has_results_of_each(
    tests: type[OperatorTests], sample: Sample, name: str, values: Tensor, dimension: int
) -> bool:
    """Return whether fewer slices along a dimension give fewer results."""
    arguments = sample.arguments()
    fewer_values = values.narrow(dimension, 0, values.shape[dimension] - 1)
    fewer = with_tensors(arguments, {name: fewer_values})
    try:
        shapes = [[r.shape for r in results_of(tests.reference(**a))] for a in (arguments, fewer)]
    except Exception:  # noqa: BLE001 - whatever a reference raises
        return False
    return all(one != other for one, other in zip(*shapes, strict=True))


def _reordered(values: Tensor, repeatable: Sequence[int]) -> Draw:
    """Return a draw of a tensor's slices along one dimension in another order, fewer of them, or
    more if slices are equal or the dimension is repeatable. Increasing numbers, as offsets are,
    stay so, between the first and the last one.
    """

    def value(shape: tuple[int, ...]) -> Tensor:
        if len(shape) != values.dim():
            raise ValueError("the values have another rank")
        reordered = values
        for dimension in _dimensions_to_reorder(values, shape):
            may_repeat = dimension in repeatable
            reordered = _chosen(reordered, dimension, shape[dimension], may_repeat)
        if is_sorted(values) and reordered.numel() > 1:
            reordered = reordered.sort().values
            reordered[0], reordered[-1] = values[0], values[-1]
        return reordered.clone()

    return replace(like(values, value), is_bounded=True)


def _dimensions_to_reorder(values: Tensor, shape: tuple[int, ...]) -> list[int]:
    """Return the dimensions whose size changes, or any one if none does."""
    changed = [d for d in range(values.dim()) if shape[d] != values.shape[d]]
    return changed or [int(torch.randint(values.dim(), (), generator=GENERATOR))]


def _chosen(values: Tensor, dimension: int, count: int, may_repeat: bool) -> Tensor:
    """Return so many slices along a dimension, in another order; different slices stay different
    unless they may repeat.
    """
    size = values.shape[dimension]
    slices = values.movedim(dimension, 0).reshape(size, -1).tolist()
    is_distinct = len({*map(tuple, slices)}) == size and not may_repeat
    if is_distinct and count > size:
        raise ValueError("there are not so many different values")
    if is_distinct:
        places = torch.randperm(size, generator=GENERATOR)[:count]
    else:
        places = torch.randint(size, (count,), generator=GENERATOR)
    return values.index_select(dimension, places)


def is_sorted(values: Tensor) -> bool:
    return values.dim() == 1 and bool((values[1:] >= values[:-1]).all())
