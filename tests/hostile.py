"""Inputs on which rules go wrong in silence, made from a sample's tensors: of the same shapes, or
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
"""Values for operators that compute item by item: a sum of these depends on its order."""

UNDEFINED = {
    # LAPACK's results for NaN or infinities are arbitrary.
    r"linalg\..*|geqrf|ormqr|p?inverse|.*det|cholesky.*|triangular_solve|lu.*|matrix_exp": None,
    # A sequence to search must be sorted.
    r"searchsorted": None,
    # The most frequent NaN depends on the sort.
    r"mode": NANS,
    # An unstable sort may return equal numbers in any order.
    r"(arg)?sort": (*NANS, *INFINITIES, ZEROS, WHOLE, INTEGERS, QUOTIENTS, TENS, SMALL, GROWN),
    # Distances come from a matrix product, whose squares overflow.
    r"cdist": (*NANS, *INFINITIES, SIZES),
    # Recurrences of polynomials subtract infinities.
    r"special\..*chebyshev.*|special\.zeta": (*NANS, *INFINITIES, SIZES, TENS, INTEGERS, LEAST),
    # float32 does not hold all large integers.
    r"special\..*polynomial.*": (INTEGERS,),
    # The reflection formula has a sine, which is not exactly 0 at a pole.
    r"polygamma.*": (WHOLE, TENS, QUOTIENTS, SIZES),
    # The order of operations decides whether an intermediate product overflows.
    r"cov|cross|cumprod|nn\.functional\.bilinear|(var|std).*": (SIZES,),
    # Item by item, a mean subtracts infinities in its own order.
    r"(var|std)_mean.*": INFINITIES,
    # ONNX Runtime compares integers as float32, and sums them as float64.
    r"isclose|addbmm|sum_to_size|trace|nn\.functional\.avg_pool.*": (INTEGERS,),
    r"dist": (SIZES,),
    # PyTorch's loops over margins skip NaN.
    r"nn\.functional\.multi(label)?_margin_loss": (*NANS, *INFINITIES),
    # ONNX Runtime's Clip turns an infinite loss into the largest number.
    r"nn\.functional\.margin_ranking_loss": INFINITIES,
    r"native_group_norm": INFINITIES,
    # Transforms add in their own order and skip products with 0. PyTorch's exporter writes their
    # scale in float32.
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
    # The mode decides which element a NaN or a huge position reads. Halfway between two pixels,
    # both are the nearest.
    r"grid_sampler_2d": (*NANS, *INFINITIES, SIZES, WHOLE),
    # ONNX Runtime's MaxPool skips NaN, and returns the lowest number for -inf.
    r"nn\.functional\.max_pool.*": (*NANS, *INFINITIES),
    # The kernel decides which rows of attention NaN reaches.
    r"nn\.functional\.scaled_dot_product_attention": (*NANS, *INFINITIES, SIZES),
    # ONNX Runtime's LogSoftmax of float64 skips NaN.
    r"log_softmax": (*NANS, *INFINITIES),
    r"unbind.*": (GROWN,),
    # 1 - p loses a p that is small beside 1.
    r"igammac": (SMALL,),
    # Series overflow next to the largest number.
    r"igamma.*|.*gamma|special\.zeta": (ENDS,),
    # int64 has no negative of its least number, and dividing that by -1 ends ONNX Runtime's
    # process.
    r"gcd|lcm|div.*|floor_divide|remainder": (LEAST,),
    # PyTorch's exporter writes their eps, 1e-6, in float32.
    r"nn\.functional\.(pairwise_distance|triplet_margin_loss)": (f"{DOUBLE}, {SMALL}",),
}
"""Values on which an entry, by its name, is not compared, and why: PyTorch's result means nothing,
or no mapping could match it in ONNX Runtime. None: all values but a sample's own.
"""

RANDOM = (
    "nn.functional.fractional_max_pool",
    "nn.functional.rrelu",
    "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout",
)
"""Prefixes of the names of entries that draw at random."""

INF, NAN = float("inf"), float("nan")
LARGE = {torch.float32: 1e30, torch.float64: 1e300}
"""Numbers with infinite squares and finite reciprocals."""
INTEGER = 2**53 + 1
"""An integer that no float holds."""

DTYPES = (torch.float64, torch.int64)
"""The dtypes tried beside float32, where the operator supports them."""


def is_undefined(name: str, values: str, dtype: torch.dtype) -> bool:
    """Return whether PyTorch's result of the entry means nothing on these values."""
    kind = str(dtype).removeprefix("torch.")
    labels = {kind, values, f"{kind}, {values}"}
    undefined = (cases for entry, cases in UNDEFINED.items() if re.fullmatch(entry, name))
    is_changed = values not in (ITSELF, GROWN)
    return any(is_changed if cases is None else bool(labels & {*cases}) for cases in undefined)


def variants(
    name: str, tensors: Tensors, *, is_by_item: bool = False
) -> Iterator[tuple[str, Tensors]]:
    """Yield each label of values that are defined for the entry, and the tensors with these values.

    Integers beside floats stay, because they are indices and classes.
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
    for label, pattern in patterns.items():
        if is_undefined(name, label, kind) or (label in OF_ITEMS and not is_by_item):
            continue
        is_integral = kind == torch.int64
        filled = (_filled(t, pattern, n, integers=is_integral) for n, t in enumerate(tensors))
        yield label, tuple(filled)


def _filled(
    tensor: torch.Tensor,
    pattern: Sequence[float | None],
    start: int,
    *,
    integers: bool = False,
) -> torch.Tensor:
    """Fill the tensor with the repeated pattern; each tensor of a call starts elsewhere."""
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
    """Name each dimension of each tensor: equal sizes have one name. 1 stays static."""
    return {
        place: {d: f"n{size}" for d, size in enumerate(tensor.shape) if size > 1}
        for place, tensor in enumerate(tensors)
    }


def grown(name: str, tensors: Tensors) -> Iterator[tuple[str, Tensors]]:
    """Yield, for each size, the tensors with all dimensions of this size one longer. Repeat the
    last items, except in matrices, which would become singular.
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
    """Return the largest absolute value of the tensors."""
    floats = [tensor for tensor in tensors if tensor.is_floating_point() and tensor.numel()]
    return max((float(t.nan_to_num(0, 0, 0).abs().max()) for t in floats), default=0.0)


def tolerances(name: str, values: str, tensors: Tensors) -> tuple[float | None, float | None]:
    """Return the relative and absolute tolerance for these values; None: `verify`'s.

    For large and small values the absolute tolerance is relative to the largest: where large values
    cancel, their rounding errors stay, and for small values a constant tolerance would be too
    loose.
    """
    dtypes = {tensor.dtype for tensor in tensors if tensor.is_floating_point()}
    is_double = dtypes == {torch.float64}
    if values in (SIZES, ENDS, SMALL) or name.startswith("fft."):
        return 1e-10 if is_double else None, (1e-10 if is_double else 1e-5) * largest(tensors)
    return (1e-10, 1e-11) if is_double else (None, None)


def determined(
    actual: torch.Tensor, wanted: torch.Tensor, dimension: int, count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the singular vectors along the dimension that belong to singular values. Drop the
    others if the actual ones are orthogonal, because nothing else determines them.
    """
    across = -3 - dimension
    if actual.shape[across] > count:
        matrix = actual if dimension == -2 else actual.mT
        square = matrix.mT @ matrix
        if torch.allclose(square, torch.eye(square.shape[-1], dtype=square.dtype), atol=1e-4):
            return actual.narrow(across, 0, count), wanted.narrow(across, 0, count)
    return actual, wanted


def points_at(tensor: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> bool:
    """Return whether the indices, along one dimension, select the values; any of equal elements
    will do.
    """
    if tensor.dim() == 0:
        return bool((places == 0).all())
    for dimension in range(tensor.dim()):
        is_kept = places.dim() == tensor.dim()
        index = places if is_kept else places.unsqueeze(dimension)
        try:
            elements = tensor.gather(dimension, index)
        except (RuntimeError, IndexError):
            continue
        elements = elements if is_kept else elements.squeeze(dimension)
        if torch.equal(elements.nan_to_num(7.5), values.nan_to_num(7.5)):
            return True
    return False
