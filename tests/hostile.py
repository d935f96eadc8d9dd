"""Inputs on which a rule goes wrong in silence: made from a sample's tensors, of the same shapes, or
with dynamic axes one longer.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import torch

Tensors = tuple[torch.Tensor, ...]

ITSELF = "its own values"
NANS = ("a NaN among them", "NaN, infinities", "NaN alone")
INFINITIES = ("an infinity among them", "NaN, infinities", "-inf alone", "inf alone")
SIZES = "large and small numbers"
ENDS = "the largest and the smallest numbers"
QUOTIENTS = "numbers whose quotients are nearly whole"
TENS = "numbers whose exponentials are large"
SMALL = "small numbers alone"
INTEGERS = "integers beyond 2**53"
LEAST = "the least integer"
ZEROS = "zeros of both signs"
WHOLE = "whole numbers"
GROWN = "other sizes"
DOUBLE = "float64"
OF_ITEMS = (ENDS, LEAST)
"""What is for operators that compute item by item: a sum of these depends on its order."""

UNDEFINED = {
    r"linalg\..*|geqrf|ormqr|p?inverse|.*det|cholesky.*|triangular_solve|lu.*|matrix_exp": None,
    r"searchsorted": None,
    r"mode": NANS,
    r"(arg)?sort": (*NANS, *INFINITIES, ZEROS, WHOLE, INTEGERS, QUOTIENTS, TENS, SMALL, GROWN),
    r"cdist": (*NANS, *INFINITIES, SIZES),
    r"special\..*chebyshev.*|special\.zeta": (*NANS, *INFINITIES, SIZES, TENS, INTEGERS, LEAST),
    r"special\..*polynomial.*": (INTEGERS,),
    r"polygamma.*": (WHOLE, TENS, QUOTIENTS, SIZES),
    r"cov|cross|cumprod|nn\.functional\.bilinear|(var|std).*": (SIZES,),
    r"(var|std)_mean.*": INFINITIES,
    r"isclose|addbmm|sum_to_size|trace|nn\.functional\.avg_pool.*": (INTEGERS,),
    r"dist": (SIZES,),
    r"nn\.functional\.multi(label)?_margin_loss": (*NANS, *INFINITIES),
    r"nn\.functional\.margin_ranking_loss": INFINITIES,
    r"native_group_norm": INFINITIES,
    r"fft\.i?[hr].*": (
        *NANS,
        *INFINITIES,
        SIZES,
        ZEROS,
        WHOLE,
        TENS,
        SMALL,
        INTEGERS,
        GROWN,
        QUOTIENTS,
        DOUBLE,
    ),
    r"grid_sampler_2d": (*NANS, *INFINITIES, SIZES, WHOLE),
    r"nn\.functional\.max_pool.*": (*NANS, *INFINITIES),
    r"nn\.functional\.scaled_dot_product_attention": (*NANS, *INFINITIES, SIZES),
    r"log_softmax": (*NANS, *INFINITIES),
    r"unbind.*": (GROWN,),
    r"igammac": (SMALL,),
    r"igamma.*|.*gamma|special\.zeta": (ENDS,),
    r"gcd|lcm|div.*|floor_divide|remainder": (LEAST,),
    r"nn\.functional\.(pairwise_distance|triplet_margin_loss)": (f"{DOUBLE}, {SMALL}",),
}
"""Values for which PyTorch's own result means nothing, or ONNX Runtime's nodes leave no choice, by the
entries' names; None: all but a sample's own. What LAPACK makes of no number is its own affair; a
sequence to search is sorted; which NaN is most frequent depends on how it sorts, and which of equal
numbers comes first where it need not be stable; distances come of a matrix product, in which squares
overflow; its recurrences take inf from inf, and float32 holds no large integers; at a pole there is the
rounding of a sine; whether a product or a square overflows on the way depends on the order; integers
are compared as float32, and summed as float64 by ONNX Runtime; loops over margins pass over a NaN; an
infinite loss is the largest number in ONNX Runtime's Clip; a mean that is computed item by item takes
inf from inf in an order of its own, and so does a transform, which passes over what it would multiply
by 0, and of which PyTorch's exporter writes the scale in float32; what lies at a place that is no
number, or that no integer holds, depends on the mode, and halfway between two pixels both are the
nearest. ONNX Runtime's MaxPool passes over NaN, and has the lowest number for -inf; its LogSoftmax of
float64 passes over NaN; which rows of attention NaN reaches depends on the kernel. A complement loses
what is small beside 1; series overflow next to the largest number; the least integer has no opposite,
and divided by -1 it ends the process of ONNX Runtime; PyTorch's exporter writes the 1e-6 that keeps
distances apart in float32.
"""

RANDOM = (
    "nn.functional.fractional_max_pool",
    "nn.functional.rrelu",
    "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout",
)
"""Entries that draw at random, by what their names begin with."""

INF, NAN = float("inf"), float("nan")
LARGE = {torch.float32: 1e30, torch.float64: 1e300}
"""Numbers whose squares are not finite, and whose reciprocals are."""
INTEGER = 2**53 + 1
"""An integer that no float holds."""

DTYPES = (torch.float64, torch.int64)
"""What is tried beside float32, where the operator takes it."""


def is_undefined(name: str, what: str, dtype: torch.dtype) -> bool:
    """Whether PyTorch's result of the entry means nothing on these values."""
    kind = str(dtype).removeprefix("torch.")
    told = {kind, what, f"{kind}, {what}"}
    found = (cases for entry, cases in UNDEFINED.items() if re.fullmatch(entry, name))
    is_changed = what not in (ITSELF, GROWN)
    return any(is_changed if cases is None else bool(told & {*cases}) for cases in found)


def variants(
    name: str, tensors: Tensors, *, is_by_item: bool = False
) -> Iterator[tuple[str, Tensors]]:
    """What the values are called, and the tensors with these in place of theirs, of those that mean
    something to the entry of this name.

    Integers that stand beside floats stay, as they are places and classes.
    """
    yield ITSELF, tensors
    kinds = {tensor.dtype for tensor in tensors if tensor.is_floating_point()}
    patterns: dict[str, Sequence[float | None]]
    if kinds:
        kind = min(kinds, key=str)
        large = LARGE.get(kind, 1e30)
        most, least = torch.finfo(kind).max, torch.finfo(kind).smallest_normal / 4
        endless = None if is_undefined(name, INFINITIES[0], kind) else INF
        patterns = {
            "a NaN among them": (None, None, NAN, None, None),
            "an infinity among them": (None, INF, None, None, None, None, -INF),
            "NaN, infinities": (NAN, INF, None, -INF),
            "-inf alone": (-INF,),
            "inf alone": (INF,),
            "NaN alone": (NAN,),
            ZEROS: (-0.0, 0.0, None, -0.0),
            WHOLE: (1.0, 2.0, 1.0, -1.0, 0.0, 2.0, -2.0),
            SIZES: (large, -large, 1 / large, None),
            ENDS: (most, 2.0**127, least, None, -most, -least, -0.0),
            QUOTIENTS: (1e4, 1e-3, 6.0, 0.1, 0.9, 0.1, -1.0, endless, 2.0, -0.5, 2.5, -1.5),
            TENS: (10.0, -3.0, 20.5, -20.5, 50.0, 0.0, -88.5, 88.5, -104.0, 31.0),
            SMALL: (1e-6, -2e-6, 3e-6, 7e-7, -5e-6),
        }
    elif tensors and all(tensor.dtype == torch.int64 for tensor in tensors):
        kind = torch.int64
        patterns = {
            INTEGERS: (INTEGER, 1, INTEGER - 1, 1, -INTEGER, -1, 0),
            LEAST: (-(2**63), 6, 2**63 - 1, -8, 12, 1),
        }
    else:
        return
    for what, pattern in patterns.items():
        if is_undefined(name, what, kind) or (what in OF_ITEMS and not is_by_item):
            continue
        is_integral = kind == torch.int64
        filled = (_filled(t, pattern, n, integers=is_integral) for n, t in enumerate(tensors))
        yield what, tuple(filled)


def _filled(
    tensor: torch.Tensor,
    pattern: Sequence[float | None],
    start: int,
    *,
    integers: bool = False,
) -> torch.Tensor:
    """The tensor with the pattern over and over, each tensor of a call from another start."""
    if not (tensor.is_floating_point() or integers) or not tensor.numel():
        return tensor
    flat = tensor.flatten().clone()
    for place, value in enumerate(itertools.islice(itertools.cycle(pattern), start, None)):
        if place == len(flat):
            break
        if value is not None:
            flat[place] = value
    return flat.reshape(tensor.shape)


def axes(tensors: Tensors) -> dict[int, dict[int, str]]:
    """A name for each size of each tensor: equal sizes have one name. 1 is left as it is."""
    return {
        place: {d: f"n{size}" for d, size in enumerate(tensor.shape) if size > 1}
        for place, tensor in enumerate(tensors)
    }


def grown(name: str, tensors: Tensors) -> Iterator[tuple[str, Tensors]]:
    """The tensors with one size, wherever it is, one larger: the last items come twice, but for
    matrices, which would then be singular.
    """
    is_algebra = any(
        cases is None and re.fullmatch(entry, name) for entry, cases in UNDEFINED.items()
    )
    if not is_algebra and is_undefined(name, GROWN, torch.float32):
        return
    sizes = sorted({size for tensor in tensors for size in tensor.shape if size > 1})
    for size in sizes:
        yield f"sizes {size} made {size + 1}", tuple(_longer(t, size, is_algebra) for t in tensors)


def _longer(tensor: torch.Tensor, size: int, is_algebra: bool) -> torch.Tensor:
    is_matrix = is_algebra and tensor.is_floating_point() and tensor.shape[-2:] == (size, size)
    for dimension, length in enumerate(tensor.shape):
        if length == size:
            last = tensor.narrow(dimension, length - 1, 1)
            if is_algebra and tensor.is_floating_point() and dimension >= tensor.dim() - 2:
                last = torch.zeros_like(last) if is_matrix else last.cos()
            tensor = torch.cat([tensor, last], dimension)
    if is_matrix:
        tensor[..., -1, -1] = 2.0
    return tensor


def largest(tensors: Tensors) -> float:
    """The largest of their numbers, however it is signed."""
    floats = [tensor for tensor in tensors if tensor.is_floating_point() and tensor.numel()]
    return max((float(t.nan_to_num(0, 0, 0).abs().max()) for t in floats), default=0.0)


def errors(name: str, what: str, tensors: Tensors) -> tuple[float | None, float | None]:
    """The relative and the absolute error that are allowed on these values; None: `verify`'s. What cancels
    out leaves the rounding of the large ones, and what is small is not to be lost beside 1.
    """
    dtypes = {tensor.dtype for tensor in tensors if tensor.is_floating_point()}
    is_double = dtypes == {torch.float64}
    if what in (SIZES, ENDS, SMALL) or name.startswith("fft."):
        return 1e-10 if is_double else None, (1e-10 if is_double else 1e-5) * largest(tensors)
    return (1e-10, 1e-11) if is_double else (None, None)


def determined(
    found: torch.Tensor, wanted: torch.Tensor, dimension: int, count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The first of the vectors that lie in the dimension, as many as there are singular values. What the
    others are is open, but that they are orthogonal: where those found are, they are what is wanted.
    """
    across = -3 - dimension
    if found.shape[across] > count:
        matrix = found if dimension == -2 else found.mT
        square = matrix.mT @ matrix
        if torch.allclose(square, torch.eye(square.shape[-1], dtype=square.dtype), atol=1e-4):
            return found.narrow(across, 0, count), wanted.narrow(across, 0, count)
    return found, wanted


def points_at(given: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> bool:
    """Whether the places, along one dimension, hold the values: of equal ones it may be any."""
    if given.dim() == 0:
        return bool((places == 0).all())
    for dimension in range(given.dim()):
        is_kept = places.dim() == given.dim()
        index = places if is_kept else places.unsqueeze(dimension)
        try:
            found = given.gather(dimension, index)
        except (RuntimeError, IndexError):
            continue
        found = found if is_kept else found.squeeze(dimension)
        if torch.equal(found.nan_to_num(7.5), values.nan_to_num(7.5)):
            return True
    return False
