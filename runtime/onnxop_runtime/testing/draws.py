"""Calls that samples do not make: of other sizes, dtypes, values, memory layouts, scalars and optional inputs.

A drawn call is a sample with changes, so that its shapes fit together. What a sample bounds stays bounded: random
numbers with ``low`` or ``high``, and literal tensors, keep their values.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from .arguments import Arguments, each_tensor, results_of, split, with_tensors
from .base import OperatorTests, cached
from .literals import samples_to_draw
from .samples import Draw, Sample, Widened, seeded
from .scalars import far_of, others_of
from .sizes import Dimensions, Ranks, Sizes
from .torch_settings import threads

SIZES = ("empty", "one", "odd", "square", "tails", "sizes", "large", "many", "long", "rank")
VALUES = ("wide", "zeros", "extremes", "NaN", "infinities")
LAYOUTS = ("strided", "transposed", "overlapping", "aliased")
SCALARS = ("scalar", "scalars")
OTHERS = ("left out", *SCALARS, "large scalar", "length")
KINDS = (*SIZES, *VALUES, *LAYOUTS, *OTHERS)
"""What a draw changes. All of them put the tensors between numbers that must not be read."""

_FINITE = {"ones": 1.0, "twos": -2.0}
"""Values in place of NaN and infinities, which tell what depends on these."""
_BEYOND_FLOAT32 = (1e39, -1e42, 2e-38, -3e-38, 3e-39, -5e-40, 1.0)
"""Numbers of float64 that are infinite or subnormal in float32, and some that are neither."""
_LARGE = 150_001
"""Elements of the largest tensor of a large draw: more than one thread's share."""
_MANY = 2**16 + 1
"""The size of a dimension that an index of 16 bits does not hold."""
_LONG = 200_003
"""The size of a dimension that an operator reduces to one number."""
SLOW = ("large", "many", "long")
"""The kinds whose calls take longest."""
_ALONE = (*SLOW, "large scalar")
"""The kinds that draws of other kinds do not have, too."""
_RANK = 5
"""The rank that draws of other ranks reach."""
_TAILS = (15, 16, 17, 31, 33, 65)
"""Sizes at the ends of vectors and tiles."""
_MOST_OF_TAILS = 20_000
"""The most elements of a tensor with all sizes at such ends."""
_LONGEST = 0.005
"""Seconds of the reference, after which a large draw does not grow."""
_GROWTHS = 9
"""The most times that a size grows to four times itself for a large draw."""
_MARGIN = 64
"""Elements before and after each tensor that must not be read."""


@dataclass(frozen=True)
class Drawn:
    """A drawn call of an operator."""

    sample: Sample
    seed: int = 0
    dtype: torch.dtype | None = None
    aligned: bool = False
    sizes: Sizes = field(default_factory=dict)
    ranks: Ranks = field(default_factory=dict)
    scalars: Arguments = field(default_factory=dict)
    may_refuse: bool = False
    """Whether the operator may refuse its scalars."""
    left_out: Collection[str] = ()
    lengths: Mapping[str, int] = field(default_factory=dict)
    """Other lengths of lists of tensors."""
    values: str = ""
    layout: str = ""
    kinds: Sequence[str] = ()
    """The kinds of draws that it is."""

    @property
    def is_finite(self) -> bool:
        """Whether its tensors hold finite numbers."""
        return self.values not in ("NaN", "infinities")

    def finite(self) -> list[Drawn]:
        """Return the call twice, with two finite numbers in place of NaN and infinities."""
        return [replace(self, values=values) for values in _FINITE]

    @property
    def is_bound(self) -> bool:
        """Whether it changes ranks, lengths of lists, sizes without a name, or a number to one that the spec need not support."""
        if self.may_refuse or self.ranks or self.lengths or isinstance(self.sample, Widened):
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
        return draw.value(shapes[0] if draw.is_random else draw.shape)

    def _in_dtype(self, tensor: Tensor, tensors: Mapping[str, Tensor]) -> Tensor:
        """Return a tensor of the first one's dtype in the drawn dtype."""
        first = next(iter(tensors.values())).dtype
        if self.dtype is None or tensor.dtype != first or self.dtype == first:
            return tensor
        if self.dtype == torch.bool:
            return tensor > 0
        if first.is_floating_point and not self.dtype.is_floating_point:
            tensor = (
                (tensor.double() * 4).abs() if self.dtype == torch.uint8 else tensor.double() * 4
            )
        return tensor.to(self.dtype)

    def _special(
        self, tensors: Mapping[str, Tensor], generator: torch.Generator
    ) -> dict[str, Tensor]:
        """Return one or all tensors that the sample does not bound with special values in some places."""
        dtype = next(iter(tensors.values())).dtype if tensors else None
        names = [n for n in unbounded(self.sample) if n in tensors and tensors[n].dtype == dtype]
        if not (self.values and names and dtype is not None):
            return {}
        if self.seed % 2:
            names = [names[self.seed // 2 % len(names)]]
        return {name: _with_values(tensors[name], self.values, generator) for name in names}

    def _placed(self, tensor: Tensor) -> Tensor:
        """Return a tensor of the drawn layout; without one, in row-major order between other numbers."""
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
        """Return the arguments with one tensor in place of all that are like it and that the sample does not bound."""
        tensors = split(arguments)[0]
        names = [name for name in unbounded(self.sample) if name in tensors]
        firsts: dict[tuple[torch.dtype, torch.Size], Tensor] = {}
        for name in names:
            firsts.setdefault((tensors[name].dtype, tensors[name].shape), tensors[name])
        aliased = {name: firsts[tensors[name].dtype, tensors[name].shape] for name in names}
        return with_tensors(arguments, aliased)

    def shown(self, arguments: Arguments) -> str:
        """Return the call with these arguments as text."""
        shown = [f"{name} {_shown(value)}" for name, value in arguments.items()]
        notes = [note for note in (self.values, self.layout) if note]
        call = ", ".join(shown)
        return f"{call} ({', '.join(notes)})" if notes else call


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{[*value.shape]}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)


def unbounded(sample: Sample) -> list[str]:
    """Return the tensors of random numbers that the spec does not bound, by their names in `split`."""
    return [
        name if draw.items is None else f"{name}_{place}"
        for name, draw in sample.draws.items()
        for place, item in enumerate(draw.tensors)
        if item.is_random and not item.is_bounded
    ]


def _most(dtype: torch.dtype) -> int:
    return 1 if dtype == torch.bool else torch.iinfo(dtype).max


def _with_values(tensor: Tensor, kind: str, generator: torch.Generator) -> Tensor:
    """Return the tensor with special values of a kind in a third of its elements, and at least in one, or in all."""
    if kind == "wide":
        factors = torch.tensor([1.0, 4.0, 40.0, 700.0]).to(torch.float64)
        choice = torch.randint(len(factors), tensor.shape, generator=generator)
        limit = 60 if not tensor.is_floating_point() else 700
        return (
            (tensor.double() * factors[choice].clamp(max=limit))
            .clamp(*_range(tensor.dtype))
            .to(tensor.dtype)
        )
    if kind == "extremes" and tensor.dtype == torch.float64:
        is_beyond = torch.rand((), generator=generator) < 1 / 2
        kind = "beyond float32" if is_beyond else kind
    values = torch.tensor(_values(tensor.dtype, kind), dtype=tensor.dtype)
    if not (len(values) and tensor.numel()):
        return tensor
    choice = torch.randint(len(values), tensor.shape, generator=generator)
    is_chosen = torch.rand(tensor.shape, generator=generator) < 1 / 3
    is_chosen.view(-1)[int(torch.randint(tensor.numel(), (), generator=generator))] = True
    if torch.rand((), generator=generator) < 1 / 4:
        is_chosen[...] = True
    return torch.where(is_chosen, values[choice], tensor)


def _range(dtype: torch.dtype) -> tuple[float, float]:
    if dtype == torch.bool:
        return 0, 1
    if dtype.is_floating_point:
        return -30_000.0, 30_000.0  # float16 holds it
    limits = torch.iinfo(dtype)
    return max(limits.min // 2, -(2**20)), min(limits.max // 2, 2**20)


def _values(dtype: torch.dtype, kind: str) -> Sequence[float]:
    if dtype == torch.bool:
        return ()
    if not dtype.is_floating_point:
        limit = torch.iinfo(dtype).max
        return {
            "zeros": [0],
            "extremes": [
                limit,
                torch.iinfo(dtype).min,
                limit // 16,
                2**53 + 1 if limit > 2**53 else limit // 32,
            ],
        }.get(kind, ())
    if kind in _FINITE:
        return [_FINITE[kind]] * 2
    return {
        "zeros": [0.0, -0.0],
        "extremes": _extremes(dtype),
        "beyond float32": _BEYOND_FLOAT32,
        "NaN": [float("nan")] * 2,
        "infinities": [float("inf"), -float("inf")],
    }[kind]


def _extremes(dtype: torch.dtype) -> Sequence[float]:
    # Of float64, numbers whose products do not overflow: there is no wider dtype to tell that rounding decides.
    limits = torch.finfo(torch.float32 if dtype == torch.float64 else dtype)
    smallest = torch.finfo(dtype).tiny
    return [
        limits.max,
        limits.min,
        limits.tiny,
        -2 * limits.tiny,
        smallest / 4,
        -smallest / 8,
        1000.0,
        -1000.0,
        limits.eps,
        1.0,
        -1.0,
    ]


# ---- Strategies ----


def dtypes_of(tests: type[OperatorTests]) -> list[torch.dtype]:
    """Return the dtypes of the first tensor to draw: those of the kernel."""
    return [*tests.operator.dtypes]


def kinds_of(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype | None
) -> Iterator[str]:
    """Yield the kinds of draws that change something in a sample."""
    names = unbounded(sample)
    floating = dtype is None or dtype.is_floating_point
    if symbols_of(tests, sample):
        yield from (size for size in SIZES if _is_possible(tests, sample, size))
    if names:
        yield from ("wide", "zeros")
    if names and not _is_foreign(tests):
        yield "extremes"
    if names and floating and not _is_foreign(tests):
        yield from ("NaN", "infinities")
    if split(sample.arguments())[0]:
        yield from (layout for layout in LAYOUTS if layout != "aliased" or _has_alike(sample))
    if optional_of(tests, sample):
        yield "left out"
    if (others := others_of(tests, sample)) and not _is_foreign(tests):
        yield from SCALARS if len(others) > 1 else ("scalar",)
        if far_of(tests, sample):
            yield "large scalar"
    if lists_of(sample) and tests.operator.is_native and not _is_foreign(tests):
        yield "length"


def _is_possible(tests: type[OperatorTests], sample: Sample, size: str) -> bool:
    """Return whether draws may be of a kind of sizes: only compiled kernels check ranks."""
    if size == "rank":
        return tests.operator.is_native and not _is_foreign(tests)
    if size == "long":
        return _reduces(tests, sample)
    if size == "many":
        return not tests.operator.elementwise
    return size != "empty" or not _is_foreign(tests)


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


def _has_alike(sample: Sample) -> bool:
    """Return whether two tensors that the sample does not bound have the same dtype and shape."""
    tensors = split(sample.arguments())[0]
    alike = [(tensors[n].dtype, tensors[n].shape) for n in unbounded(sample) if n in tensors]
    return len({*alike}) < len(alike)


def _is_foreign(tests: type[OperatorTests]) -> bool:
    """Return whether the reference is another library's operator, which may crash for arguments that do not fit."""
    return tests.operator.reference is None


def symbols_of(tests: type[OperatorTests], sample: Sample) -> list[str]:
    """Return the sizes that draws may change: with a compiled kernel, which checks them, those without a name, too.

    Without one, literal tensors hold every size of their sample, as their values may be places in others.
    """
    dimensions = Dimensions(sample)
    if tests.operator.is_native and not _is_foreign(tests):
        return sorted(dimensions.values)
    literals = any(
        not item.is_random and isinstance(item.value(()), Tensor)
        for draw in sample.draws.values()
        for item in draw.tensors
    )
    return [] if literals else sorted(dimensions.named)


def optional_of(tests: type[OperatorTests], sample: Sample) -> list[str]:
    """Return the optional tensors of a sample."""
    optional = [a.name for a in tests.operator.tensors if a.is_optional]
    return [n for n in optional if n in sample.draws and n not in missing_of(sample)]


def arguments_of(tests: type[OperatorTests], sample: Sample, kind: str) -> Collection[str]:
    """Return the arguments that draws of a kind change one at a time; none if a kind is not of single arguments."""
    match kind:
        case "many":
            return symbols_of(tests, sample)
        case "scalar" | "scalars":
            return others_of(tests, sample).keys()
        case "large scalar":
            return far_of(tests, sample).keys()
        case "left out":
            return optional_of(tests, sample)
    return ()


def lists_of(sample: Sample) -> dict[str, int]:
    """Return the lengths of the lists of tensors of a sample that have items."""
    return {name: len(draw.items) for name, draw in sample.draws.items() if draw.items}


def missing_of(sample: Sample) -> list[str]:
    return [n for n, draw in sample.draws.items() if not draw.is_random and draw.value(()) is None]


@st.composite
def _drawn_kinds(draw: st.DrawFn, kind: str, possible: Sequence[str]) -> set[str]:
    """Draw the kinds of a call: the one, if it is given, and sometimes one of each other group."""
    kinds = {kind} if kind else set[str]()
    for group in (SIZES, VALUES, LAYOUTS, ("left out",), (*SCALARS, "large scalar")):
        free = [other for other in group if other in possible and other not in _ALONE]
        if free and not kinds & {*group} and draw(st.integers(0, 3)) == 3:
            kinds.add(draw(st.sampled_from(free)))
    return kinds


@st.composite
def _drawn_scalars(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    sample: Sample,
    kinds: Collection[str],
    argument: str,
) -> tuple[Arguments, bool]:
    """Draw other values for arguments that are no tensors, and return whether the operator may refuse them."""
    if "large scalar" in kinds:
        other = draw(st.sampled_from(far_of(tests, sample)[argument]))
        return {argument: other.value}, other.may_refuse
    possible = others_of(tests, sample)
    if "scalars" in kinds:
        names = draw(_several_of([*possible], argument))
    elif "scalar" in kinds:
        names = [argument if argument in possible else draw(st.sampled_from([*possible]))]
    else:
        names = []
    others = {name: draw(st.sampled_from(possible[name])) for name in names}
    values = {name: other.value for name, other in others.items()}
    return values, any(other.may_refuse for other in others.values())


@st.composite
def _several_of(draw: st.DrawFn, names: Sequence[str], first: str) -> Sequence[str]:
    """Draw two names, of which one is the first if it is among them, or take all names."""
    if draw(st.integers(0, 2)) == 2:
        return names
    if first not in names:
        first = draw(st.sampled_from(names))
    return [first, draw(st.sampled_from([name for name in names if name != first]))]


@st.composite
def _drawn_left_out(draw: st.DrawFn, optional: Sequence[str], first: str) -> Sequence[str]:
    """Draw the optional tensors to leave out: one, the first if it is among them, or sometimes several."""
    if len(optional) > 1 and draw(st.integers(0, 2)) == 2:
        return draw(_several_of(optional, first))
    return [first if first in optional else draw(st.sampled_from(optional))]


@st.composite
def drawn_calls(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    dtypes: Sequence[torch.dtype | None],
    kind: str,
    argument: str = "",
) -> Drawn:
    """Draw a call of one kind, and sometimes of others, too.

    Args:
        tests: the operator's tests.
        dtypes: the dtypes of the first tensor.
        kind: the kind; "" for any.
        argument: the argument, or the size, to change, if the kind is of single ones.
    """
    dtype = draw(st.sampled_from(dtypes))
    only_named = not tests.operator.is_native or _is_foreign(tests)
    samples = samples_to_draw(tests)
    samples = tuple(s for s in samples if not kind or kind in kinds_of(tests, s, dtype))
    if argument:
        samples = tuple(s for s in samples if argument in arguments_of(tests, s, kind))
    sample = draw(st.sampled_from(samples))
    kinds = draw(_drawn_kinds(kind, [*kinds_of(tests, sample, dtype)]))
    aligned = kind not in SLOW and draw(st.booleans())
    sizes = [k for k in SIZES if k in kinds and k != "rank"]
    scalars, may_refuse = draw(_drawn_scalars(tests, sample, kinds, argument))
    left_out: Sequence[str] = ()
    if "left out" in kinds:
        left_out = draw(_drawn_left_out(optional_of(tests, sample), argument))
    if dtype is not None:
        scalars = _fitting(tests, sample, dtype, scalars)
    lengths: Mapping[str, int] = {}
    if "length" in kinds:
        name, length = draw(st.sampled_from([*lists_of(sample).items()]))
        lengths = {name: draw(st.sampled_from([length + 1, length - 1, length + 2]))}
    return Drawn(
        sample,
        seed=draw(st.integers(0, 10_000)),
        dtype=dtype,
        aligned=aligned,
        sizes=draw(drawn_sizes(tests, sample, aligned, only_named, sizes[0], argument))
        if sizes
        else {},
        ranks=draw(drawn_ranks(sample, aligned)) if "rank" in kinds else {},
        scalars=scalars,
        may_refuse=may_refuse,
        left_out=left_out,
        lengths=lengths,
        values=next((k for k in VALUES if k in kinds), ""),
        layout=next((k for k in LAYOUTS if k in kinds), ""),
        kinds=sorted(kinds),
    )


def _fitting(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype, scalars: Arguments
) -> Arguments:
    """Return Scalars that the dtype holds, integers beside integer tensors, in place of the sample's."""
    values = tests.values({name: draw.value(draw.shape) for name, draw in sample.draws.items()})
    fitting = dict(scalars)
    for argument in tests.operator.scalars:
        value = fitting.get(argument.name, values[argument.name])
        if argument.base_type != "number" or isinstance(value, bool | list | None):
            continue
        is_wide = dtype.is_floating_point and dtype.itemsize >= 4
        if abs(value) > 100 and not is_wide:
            value = 3
        if dtype == torch.uint8:
            value = abs(value)
        is_real = dtype.is_floating_point or argument.name not in tests.operator.integers
        fitting[argument.name] = value if is_real else round(value)
    return fitting


@st.composite
def drawn_sizes(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    sample: Sample,
    aligned: bool,
    only_named: bool,
    kind: str,
    symbol: str = "",
) -> Sizes:
    """Draw other sizes: of names that the spec has, or, less often, of all."""
    dimensions = Dimensions(sample, aligned=aligned)
    named = sorted(dimensions.named)
    is_named = named and (only_named or draw(st.integers(0, 2)))
    symbols = named if is_named else sorted(dimensions.values)
    match kind:
        case "empty":
            return {draw(st.sampled_from(symbols)): 0}
        case "one":
            return {draw(st.sampled_from(symbols)): 1}
        case "odd":
            return {symbol: draw(st.sampled_from([3, 5, 7, 9])) for symbol in symbols}
        case "square":
            size = draw(st.integers(2, 9 if len(symbols) < 4 else 6))
            return dict.fromkeys(symbols, size)
        case "tails":
            size = draw(st.sampled_from(_TAILS))
            sizes = dict.fromkeys(symbols, size)
            if dimensions.elements(sizes) <= _MOST_OF_TAILS:
                return sizes
            return {draw(st.sampled_from(symbols)): size}
        case "large":
            return _large(tests, sample, draw(st.sampled_from(symbols)), kind)
        case "many":
            return _large(tests, sample, symbol, kind)
        case "long":
            last = [symbol for symbol in _last_of(dimensions, sample) if symbol in symbols]
            return _large(tests, sample, draw(st.sampled_from(last or symbols)), kind)
    most = {1: 90, 2: 20, 3: 9}.get(len(symbols), 6)
    return {symbol: draw(st.integers(1, most)) for symbol in symbols}


@st.composite
def drawn_ranks(draw: st.DrawFn, sample: Sample, aligned: bool) -> Ranks:
    """Draw another rank: a dimension that all tensors with its size lack, or have two of; all dimensions lacking; or
    more dimensions of the first tensor.
    """
    symbols = sorted(Dimensions(sample, aligned=aligned).values)
    rank = len(next(iter(Dimensions(sample).symbols(next(iter(sample.draws)))), ()))
    to_rank = (2, 1, 3, 2)[: max(_RANK - rank, 1)]
    more = draw(st.sampled_from([(3,), (2, 3), to_rank]))
    symbol = draw(st.sampled_from(symbols))
    choices: list[Ranks] = [
        {symbol: ()},
        {symbol: (2, *more)},
        {"": more},
        dict.fromkeys(symbols, ()),
    ]
    return draw(st.sampled_from(choices))


def _last_of(dimensions: Dimensions, sample: Sample) -> Collection[str]:
    """Return the symbols in the last size of the first tensor."""
    shapes = dimensions.symbols(next(iter(sample.draws)))
    return shapes[0][-1] if shapes and shapes[0] else ()


@cached
def _large(tests: type[OperatorTests], sample: Sample, symbol: str, kind: str) -> Sizes:
    """Return sizes with which a call is large, or those that the reference computes in time: the largest tensor is, or
    one size is, and the others that have a name are small.
    """
    dimensions = Dimensions(sample)
    for others in _small_sizes(dimensions, symbol, kind):
        sizes = others | {symbol: dimensions.values[symbol]}
        with contextlib.suppress(Exception):  # the sizes do not fit
            return _grown(tests, sample, dimensions, sizes, symbol, kind)
    return {symbol: dimensions.values[symbol]}


def _grown(
    tests: type[OperatorTests],
    sample: Sample,
    dimensions: Dimensions,
    sizes: Sizes,
    symbol: str,
    kind: str,
) -> Sizes:
    """Return sizes of which one has grown, until the call is large or the reference slow."""
    least = {"many": _MANY, "long": _LONG}.get(kind)
    for _ in range(_GROWTHS):
        elements = dimensions.elements(sizes)
        is_large = elements >= _LARGE if least is None else sizes[symbol] >= least
        if is_large or _seconds(tests, Drawn(sample, sizes=sizes)) > _LONGEST:
            break
        most = least or sizes[symbol] * _LARGE // max(elements, 1) + 1
        larger = sizes | {symbol: min(4 * sizes[symbol] + 1, most)}
        if dimensions.elements(larger) > 4 * _LARGE:
            break
        sizes = larger
    return sizes


def _small_sizes(dimensions: Dimensions, symbol: str, kind: str) -> list[Sizes]:
    """Return sizes for the symbols beside a large one, the best first: of 2, or of 1 if a tensor would be too large
    else, for those that have a name; for a long reduction of 1 for all, if they fit.
    """
    named = sorted(dimensions.named - {symbol})
    ones = dict.fromkeys(named, 1)
    if kind == "large":
        return [{}]
    if kind == "long":
        return [dict.fromkeys(dimensions.values.keys() - {symbol}, 1), ones]
    sizes = {other: min(dimensions.values[other], 2) for other in named}
    is_small = dimensions.elements({**sizes, symbol: _MANY}) <= 2 * _LARGE
    return [sizes if is_small else ones]


def _seconds(tests: type[OperatorTests], drawn: Drawn) -> float:
    """Return how long the reference takes, in one thread that other processes do not delay."""
    compute = tests.reference if tests.operator.has_reference else tests.function
    arguments = drawn.arguments()
    with threads(1):
        start = time.thread_time()
        compute(**arguments)
        return time.thread_time() - start
