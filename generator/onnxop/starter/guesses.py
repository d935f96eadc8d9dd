"""An operator's types → calls of it that PyTorch may take, and the first that it does."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import Problems
from ..schema.arguments import Argument
from ..schema.signature import OpSchema
from ..spec.samples import read_sample
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList
from ..trial import forks
from ..words import pyexpr
from . import samples

Sample = dict[str, SampleValue]

# Shapes of the tensors in order, the last one for all that follow.
_SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((4, 5),),
    ((4, 4),),
    ((2, 3, 8, 8),),
    ((2, 3, 8),),
    ((5,),),
    ((4, 5), (5, 3)),
    ((4, 3), (4, 5), (5, 3)),
    ((2, 4, 5), (2, 5, 3)),
    ((4, 3), (2, 4, 5), (2, 5, 3)),
    ((4,), (4, 5), (5,)),
    ((4, 5), (5,)),
    ((4, 5), (4,)),
    ((3, 3), (3,), (3,)),
    ((2, 3, 8), (3,)),
    ((2, 3, 8, 8), (3,)),
    ((2, 3, 8, 8), (4, 3, 3, 3), (4,)),
    ((2, 3, 8, 8), (4, 3, 3, 3), (2, 18, 8, 8), (2, 9, 8, 8), (4,)),
    ((2, 3, 8), (4, 3, 3), (4,)),
    ((2, 3, 6, 6, 6), (4, 3, 3, 3, 3), (4,)),
    ((2, 3, 8, 8), (3, 4, 3, 3), (4,)),
    ((2, 3, 8), (3, 4, 3), (4,)),
    ((2, 3, 6, 6, 6), (3, 4, 3, 3, 3), (4,)),
    ((2, 3, 6, 6, 6),),
    ((2, 3, 8, 8), (2, 4, 4, 2)),
    ((2, 3, 4, 4, 4), (2, 4, 4, 4, 2)),
    ((2, 3, 4, 4), (2, 3, 8, 8)),
    ((2, 2, 4, 8),),
    ((4, 5), (4, 6), (3, 5, 6), (3,)),
    ((6, 5), (4, 5)),
    ((2, 9, 4),),
    ((2, 8, 4, 4),),
    ((2, 9, 8, 8),),
)
_DRAWS: tuple[tuple[str, float | None, float | None], ...] = (
    ("float32", None, None),
    ("float32", 0.1, 0.9),
    ("float32", 1.1, 4.0),
    ("int64", 0, 1),
    ("bool", None, None),
    ("uint8", 0, 200),
)
_INDICES = ("index", "indices", "idx", "idxs", "target", "offsets", "sections", "labels")
_ROIS = Literal("[[0.0, 1.0, 1.0, 6.0, 6.0], [1.0, 0.5, 2.0, 7.0, 6.5]]", "float32", (2, 5))
_BOXES = Literal(
    "[[0.0, 0.0, 4.0, 4.0], [0.5, 0.5, 4.5, 4.5], [5.0, 5.0, 8.0, 9.0]]", "float32", (3, 4)
)
# Symmetric, and positive definite.
_MATRIX = Literal("[[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]]", "float32", (3, 3))
_KNOWN = {
    "rois": _ROIS,
    "boxes": _BOXES,
    "dets": _BOXES,
    "scores": Literal("[0.9, 0.8, 0.7]", "float32", (3,)),
}
_SIZES = ("kernel_size", "kernel", "block_size")
_LISTS = {
    **dict.fromkeys(_SIZES, 2),
    **dict.fromkeys(("dim", "dims", "padding", "storage_offset", "output_padding"), 0),
    **dict.fromkeys(("output_size", "size", "pooled_height", "pooled_width"), 3),
    **dict.fromkeys(("dim1", "axis1"), 0),
    **dict.fromkeys(("dim2", "axis2"), 1),
    "padding_idx": -1,
    "end": 3,
    "diagonal": 0,
    "offset": 0,
    "index": 0,
    "start": 0,
    "upscale_factor": 2,
    "downscale_factor": 2,
    "interpolation_mode": 0,
    "padding_mode": 0,
    "mode": 0,
}
_WORDS = ("mean", "none", "linear", "bilinear", "constant", "reflect", "sum", "amax", "ij")


@dataclass(frozen=True)
class Guess:
    """A sample; ``runs``: PyTorch takes it, ``is_finite``: and gives no NaN and no infinity."""

    sample: Sample
    runs: bool
    is_finite: bool = False


def first(schema: OpSchema, overload: Any) -> Guess:
    """The first of the guesses that PyTorch takes, of those that give numbers alone before others;
    where it takes none, the first of all.
    """
    every = list(candidates(schema))
    try:
        runs, is_finite = forks.one(lambda: _tried(overload, schema, every), seconds=60)
    except forks.Died:
        runs, is_finite = None, False
    if runs is None:
        return Guess(every[0], runs=False)
    return Guess(every[runs], runs=True, is_finite=is_finite)


def _tried(overload: Any, schema: OpSchema, every: Sequence[Sample]) -> tuple[int | None, bool]:
    import torch

    kept = None
    for place, sample in enumerate(every):
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                args, keywords = split(overload, arguments(schema, sample))
                found = torch.utils._pytree.tree_leaves(overload(*args, **keywords))
            results = [each for each in found if isinstance(each, torch.Tensor)]
            results = [each for each in results if each.is_floating_point() or each.is_complex()]
            is_finite = all(bool(each.isfinite().all()) for each in results)
        except Exception:  # noqa: BLE001, S112 - whatever it says, the next one may do
            continue
        if is_finite:
            return place, True
        kept = place if kept is None else kept
    return kept, False


def arguments(schema: OpSchema, sample: Mapping[str, SampleValue]) -> dict[str, Any]:
    """What PyTorch is given for the sample, by argument."""
    known = {argument.name for argument in schema.arguments}
    return {name: samples.value_of(v) for name, v in sample.items() if name in known}


def split(overload: Any, given: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments by name as PyTorch takes them, which calls some by position alone."""
    args: list[Any] = []
    keywords: dict[str, Any] = {}
    for argument in overload._schema.arguments:
        is_next = not keywords and not argument.kwarg_only
        if argument.name in given and is_next:
            args.append(given[argument.name])
        elif argument.name in given:
            keywords[argument.name] = given[argument.name]
        elif is_next and argument.has_default_value():
            args.append(argument.default_value)
        elif is_next:
            args.append(None)
    return tuple(args), keywords


def candidates(schema: OpSchema) -> Iterator[Sample]:
    """Samples of the operator: the one that is known, or the plainest first, each of what must be given,
    and no more.
    """
    if known := _by_operator().get(schema.full_name):
        yield read_sample(known, schema, (), Problems(), is_elementwise=False)
        return
    for shapes in _SHAPES:
        for dtype, low, high in _DRAWS:
            sample: Sample = {}
            place = 0
            rank = len(shapes[0])
            for argument in schema.free:
                if argument.has_default or (argument.is_optional and argument.kind != "Tensor"):
                    continue
                if argument.is_optional:
                    continue
                if argument.is_tensor:
                    shape = shapes[min(place, len(shapes) - 1)]
                    sample[argument.name] = _tensor(argument, shape, dtype, low, high, place)
                    place += 1
                else:
                    sample[argument.name] = _scalar(argument, rank)
            yield sample
            if not any(a.is_tensor for a in schema.free):
                return
    yield {name: _MATRIX if _is_tensor(value) else value for name, value in sample.items()}


@cache
def _by_operator() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _is_tensor(value: SampleValue) -> bool:
    return isinstance(value, RandomTensor) or (isinstance(value, Literal) and value.is_tensor)


def _tensor(
    argument: Argument,
    shape: tuple[int, ...],
    dtype: str,
    low: float | None,
    high: float | None,
    place: int,
) -> SampleValue:
    if argument.name in _KNOWN:
        return _KNOWN[argument.name]
    drawn = RandomTensor(dtype, shape, shape, low, high)
    if argument.name in _INDICES:
        drawn = RandomTensor("int64", shape, shape, 0, 2)
    elif argument.name in ("mask", "condition") and low is None:
        drawn = RandomTensor("bool", shape, shape)
    if not argument.is_list:
        return drawn
    return TensorList((drawn, drawn))


def _scalar(argument: Argument, rank: int) -> SampleValue:
    kind = argument.kind
    if kind == "bool":
        return Literal("False")
    if kind == "str":
        return Literal(pyexpr.literal(_WORDS[0]))
    if kind == "ScalarType":
        return Literal("torch.float32")
    number: float = _LISTS.get(argument.name, 1)
    if kind == "float":
        number = 0.5
    if not argument.is_list:
        return Literal(repr(number))
    length = argument.length or max(rank - 2, 1)
    if argument.name in ("dim", "dims"):
        return Literal(pyexpr.literal(list(range(length))))
    return Literal(pyexpr.literal([number] * length))
