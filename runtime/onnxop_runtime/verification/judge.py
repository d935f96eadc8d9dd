"""Results of a runtime and PyTorch's → whether they are right: the judge of `verify`, `onnxop run
--verify` and `onnxop scan`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from torch import Tensor

from .differences import Tensors, compare_tensors, difference, differing_results
from .pytorch_results import PyTorchResults
from .rounding import is_decided_by_rounding, is_rounding, is_rounding_at_sight
from .row_order import differs_in_order_of_near_scores
from .small_values import wrong_small_values

Run = Callable[[Sequence[Tensor]], list[Tensor]]
"""Runs a file on other tensors in place of the call's."""


class Kind(IntEnum):
    """The kinds of judgements, from the best to the worst."""

    RIGHT = 0
    ROUNDING = 1
    TIES = 2
    NEAR_ROWS = 3
    RANDOM = 4
    WRONG = 5

    @property
    def text(self) -> str:
        """The kind in words."""
        return _TEXTS[self]


_TEXTS = {
    Kind.RIGHT: "right",
    Kind.ROUNDING: "right except for rounding",
    Kind.TIES: "right except for the order of equal values",
    Kind.NEAR_ROWS: "right except for the order of nearly equal rows",
    Kind.RANDOM: "right except for random results",
    Kind.WRONG: "WRONG",
}


_BY_ROUNDING = "PyTorch's own values are as far from those in float64: rounding decides them"


@dataclass(frozen=True)
class Judgement:
    """What the judge says of results.

    Attributes:
        kind: whether they are right, or how they differ.
        error: the worst absolute error.
        differences: how each result that differs does so, without random ones of a wrong file.
        random: the indices of results that PyTorch itself computes otherwise in each call.
        note: what is not known of results that are wrong, or ``""``.
    """

    kind: Kind
    error: float = 0.0
    differences: tuple[str, ...] = ()
    random: frozenset[int] = frozenset()
    note: str = ""

    @property
    def is_by_rounding(self) -> bool:
        """Whether rounding decides the results that are wrong, of which PyTorch's own are as far
        from those in float64.
        """
        return self.note == _BY_ROUNDING

    @property
    def is_right(self) -> bool:
        """Whether the results are right, except where runtimes may differ."""
        return self.kind is not Kind.WRONG


def judge(results: Tensors, pytorch: PyTorchResults, run: Run) -> Judgement:
    """Compare a file's results with PyTorch's, and tell what PyTorch leaves open, as rounding and
    the order of equal values, from what is wrong. Raise the errors of ``run``.
    """
    error, texts = compare_tensors(results, pytorch.expected)
    if not texts:
        small = wrong_small_values(results, pytorch)
        return Judgement(Kind.WRONG if small else Kind.RIGHT, error, tuple(small))
    if is_rounding_at_sight(results, pytorch.expected):
        return Judgement(Kind.ROUNDING, error, tuple(texts))
    wrong = differing_results(results, pytorch.expected)
    random = _random_results(results, pytorch, wrong)
    kind = _kind_of_differences(results, pytorch, run, wrong, random)
    if kind is not Kind.WRONG:
        return Judgement(kind, error, tuple(texts), random)
    texts = [text for text in texts if not text.startswith(tuple(f"output {n}:" for n in random))]
    return Judgement(kind, error, tuple(texts), random, _note(results, pytorch, wrong - random))


def _kind_of_differences(
    results: Tensors, pytorch: PyTorchResults, run: Run, wrong: set[int], random: frozenset[int]
) -> Kind:
    """Return the kind of results that differ."""
    if wrong and random == wrong:
        return Kind.RANDOM
    if differs_in_order_of_near_scores(results, pytorch.expected):
        return Kind.NEAR_ROWS
    if is_rounding(results, pytorch):
        return Kind.ROUNDING
    if _differs_by_ties(results, pytorch, run, wrong):
        return Kind.TIES
    return Kind.WRONG


def _random_results(results: Tensors, pytorch: PyTorchResults, wrong: set[int]) -> frozenset[int]:
    """Return the indices of wrong results that PyTorch, too, computes otherwise in each call."""
    varying = pytorch.varying
    random = set[int]()
    for n in wrong:
        result, own = results[n], pytorch.expected[n]
        has_shape = result.dim() == own.dim() if n in varying.shapes else result.shape == own.shape
        is_alike = has_shape and n in varying.shapes | varying.values
        if is_alike and result.dtype == own.dtype:
            random.add(n)
    return frozenset(random)


def _differs_by_ties(results: Tensors, pytorch: PyTorchResults, run: Run, wrong: set[int]) -> bool:
    """Return whether results are those of PyTorch with equal values in ONNX's order, or right for
    distinct values if they are integers, such as indices.
    """
    in_order = pytorch.in_onnx_order
    if in_order is not None and _is_right_otherwise(results, in_order):
        return True
    dtypes = [pytorch.expected[n].dtype for n in wrong]
    if not wrong or any(dtype.is_floating_point or dtype.is_complex for dtype in dtypes):
        return False
    unequal = pytorch.of_distinct_values
    return unequal is not None and _is_right_otherwise(run(unequal.tensors), unequal)


def _is_right_otherwise(results: Tensors, pytorch: PyTorchResults) -> bool:
    """Return whether results are right, but for rounding."""
    return not difference(results, pytorch.expected) or is_rounding(results, pytorch)


def _note(results: Tensors, pytorch: PyTorchResults, wrong: set[int]) -> str:
    """Return what is not known of wrong results, or ``""``."""
    has_floats = any(pytorch.expected[n].dtype.is_floating_point for n in wrong)
    if not has_floats:
        return ""
    exact = pytorch.exact_of(wrong)
    if isinstance(exact, str):
        return f"rounding is not told apart: {exact}"
    return _BY_ROUNDING if is_decided_by_rounding(results, pytorch, wrong) else ""
