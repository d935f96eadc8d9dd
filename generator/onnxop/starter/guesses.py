"""An operator's types → calls of it that PyTorch may accept, and the first that it accepts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, product, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnxop_runtime.processes import Limits, ProcessDied, run
from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.samples import parse_sample
from onnxop_runtime.specs.tensors import Literal, RandomTensor, SampleValue, TensorList

from . import sample_values

if TYPE_CHECKING:
    from onnxop_runtime.torch_internals import OpOverload

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
_Draw = tuple[str, float | None, float | None]  # a dtype, and bounds
_DRAWS: tuple[_Draw, ...] = (
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
_NUMBERS = {  # 1 of all others
    **dict.fromkeys(
        "dim dims dim1 axis1 padding output_padding storage_offset diagonal offset index start "
        "interpolation_mode padding_mode mode".split(),
        0,
    ),
    **dict.fromkeys("kernel_size kernel block_size upscale_factor downscale_factor".split(), 2),
    **dict.fromkeys("output_size size pooled_height pooled_width end".split(), 3),
    "padding_idx": -1,
}


@dataclass(frozen=True)
class Guess:
    """A sample, and whether PyTorch accepts the call."""

    sample: Mapping[str, SampleValue]
    runs: bool


def first(schema: OpSchema, overload: OpOverload) -> Guess:
    """Return a sample that PyTorch accepts, if possible with finite results; or else the first
    sample.
    """
    samples = list(candidates(schema))
    try:
        index = run(
            lambda: _index_of_accepted(overload, schema, samples), limits=Limits(seconds=60)
        )
    except ProcessDied:
        index = None
    return Guess(samples[index or 0], runs=index is not None)


def _index_of_accepted(
    overload: OpOverload, schema: OpSchema, samples: Sequence[Sample]
) -> int | None:
    """Return the index of the first sample that PyTorch accepts with finite results; else of the
    first that it accepts; None if it accepts none.
    """
    import torch

    from onnxop_runtime.torch_internals import pytree

    first_accepted = None
    for index, sample in enumerate(samples):
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                args, keywords = split(overload, arguments(schema, sample))
                results = pytree.tree_leaves(overload(*args, **keywords))
            if all(bool(r.isfinite().all()) for r in results if isinstance(r, torch.Tensor)):
                return index
        except Exception:  # noqa: BLE001, S112 - try the next one
            continue
        if first_accepted is None:
            first_accepted = index
    return first_accepted


def arguments(schema: OpSchema, sample: Mapping[str, SampleValue]) -> dict[str, Any]:
    """Return the sample's values by argument, as PyTorch takes them."""
    argument_names = {argument.name for argument in schema.arguments}
    return {name: sample_values.value_of(v) for name, v in sample.items() if name in argument_names}


def split(
    overload: OpOverload, values: Mapping[str, object]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional and keyword arguments of a call; PyTorch takes some by position only."""
    args: list[Any] = []
    keywords: dict[str, Any] = {}
    from onnxop_runtime.torch_internals import schema_of

    for argument in schema_of(overload).arguments:
        if not keywords and not argument.kwarg_only:
            default = argument.default_value if argument.has_default_value() else None
            args.append(values.get(argument.name, default))
        elif argument.name in values:
            keywords[argument.name] = values[argument.name]
    return tuple(args), keywords


def candidates(schema: OpSchema) -> Iterator[Sample]:
    """Yield samples of the required arguments, the simplest first, or only the one in
    guesses.toml.
    """
    if guessed := _by_operator().get(schema.full_name):
        yield parse_sample(guessed, schema, (), Problems(), is_elementwise=False)
        return
    required = [a for a in schema.caller_arguments if not (a.has_default or a.is_optional)]
    has_tensor = any(argument.is_tensor for argument in schema.caller_arguments)
    for shapes, draw in product(_SHAPES, _DRAWS):
        shape = chain(shapes, repeat(shapes[-1]))
        sample: Sample = {
            a.name: _tensor(a, next(shape), draw) if a.is_tensor else _scalar(a, len(shapes[0]))
            for a in required
        }
        yield sample
        if not has_tensor:
            return
    yield {
        name: _MATRIX if value.dtype and not isinstance(value, TensorList) else value
        for name, value in sample.items()
    }


@cache
def _by_operator() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _tensor(argument: Argument, shape: tuple[int, ...], draw: _Draw) -> SampleValue:
    """Guess a tensor for an argument, by its name."""
    if argument.name in _KNOWN:
        return _KNOWN[argument.name]
    dtype, low, high = draw
    drawn = RandomTensor(dtype, shape, shape, low, high)
    if argument.name in _INDICES:
        drawn = RandomTensor("int64", shape, shape, 0, 2)
    elif argument.name in ("mask", "condition") and low is None:
        drawn = RandomTensor("bool", shape, shape)
    return TensorList((drawn, drawn)) if argument.is_list else drawn


def _scalar(argument: Argument, rank: int) -> SampleValue:
    """Guess a number, text or list for an argument, by its type and name."""
    values = {"bool": "False", "str": '"mean"', "ScalarType": "torch.float32"}
    if argument.base_type in values:
        return Literal(values[argument.base_type])
    number = 0.5 if argument.base_type == "float" else _NUMBERS.get(argument.name, 1)
    if not argument.is_list:
        return Literal(repr(number))
    length = argument.length or max(rank - 2, 1)
    if argument.name in ("dim", "dims"):
        return Literal(pyexpr.literal(list(range(length))))
    return Literal(pyexpr.literal([number for _ in range(length)]))
