"""What must agree with the reference in a drawn call, and how closely: results, gradients and
exports.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...verification.comparison import TOLERANCES
from ..arguments import Arguments, floats_of, results_of, split, with_tensors
from ..base import OperatorTests
from .call import DrawnCall
from .kinds import HALVES, SLOW
from .oracle import Kind, Rule
from .tally import name_of


def rule_of_results(drawn: DrawnCall, arguments: Arguments, is_pointwise: bool) -> Rule:
    """Return the rule for a kernel's results."""
    # In float64, products of drawn numbers do not overflow.
    has_products = len(floats_of(arguments, arguments)) > 1 and drawn.dtype != torch.float64
    return Rule(
        pointwise=is_pointwise,
        terms=1 if is_pointwise else _most_elements(arguments),
        drifts=not is_pointwise and bool({*SLOW} & {*drawn.kinds}),
        overflow=drawn.values == "extremes" and (has_products or not is_pointwise),
    )


def rule_of_gradients(drawn: DrawnCall, arguments: Arguments) -> Rule:
    """Return what of the reference's gradients means something. Autograd makes NaN of products of
    zero and infinity, where a formula has none; so NaN counts only where it comes from NaN in the
    call.
    """
    only: dict[str, Sequence[Kind]] = {
        "NaN": ("finite", "NaN"),
        "infinities": ("finite", "infinite"),
    }
    return Rule(
        only=only.get(drawn.values, ("finite",)),
        terms=_most_elements(arguments),
        overflow=may_overflow(drawn),
    )


def rule_of_exports(drawn: DrawnCall, rounds_steps: bool) -> Rule:
    """Return the rule for a runtime's results; ``rounds_steps``: whether it computes nodes in 16
    bits.
    """
    return Rule(_errors_of_runtimes, overflow=may_overflow(drawn), rounds_steps=rounds_steps)


def may_overflow(drawn: DrawnCall) -> bool:
    """Return whether a call, or a step of it in 16 bits, may overflow."""
    is_wide = drawn.values == "wide" and drawn.dtype in HALVES
    has_other_scalar = bool({"scalar", "scalars"} & {*drawn.kinds})
    may_be_large = has_other_scalar and drawn.dtype == torch.float16
    return is_wide or may_be_large or drawn.values == "extremes"


def is_pointwise(tests: type[OperatorTests]) -> bool:
    """Return whether the reference computes each element of one result from one element of the
    first tensor, so that the sign of a zero means something. Of a sum it does not.
    """
    arguments = tests.samples[0].arguments()
    name, first = next(iter(split(arguments)[0].items()), ("", torch.empty(0)))
    if not (first.is_floating_point() and first.numel() > 1):
        return False
    before = results_of(tests.reference(**arguments))
    if len(before) > 1 or before[0].shape != first.shape or not before[0].is_floating_point():
        return False
    for element in (0, -1):  # of a running sum, only one result changes with the last element
        changed = first.clone()
        changed.view(-1)[element] += 0.5
        after = results_of(tests.reference(**with_tensors(arguments, {name: changed})))
        if int((before[0] != after[0]).sum()) > 1:
            return False
    return True


def _most_elements(arguments: Arguments) -> int:
    return max((tensor.numel() for tensor in split(arguments)[0].values()), default=1)


def _errors_of_runtimes(dtype: torch.dtype) -> tuple[float, float]:
    """Return the allowed errors of runtimes; numbers in nodes are float32."""
    return TOLERANCES.get("float32" if dtype == torch.float64 else name_of(dtype), (0.0, 0.0))


def is_plain(drawn: DrawnCall) -> bool:
    """Return whether a call has elements, and none overflows."""
    tensors = split(drawn.arguments())[0].values()
    return drawn.is_finite and not may_overflow(drawn) and all(tensor.numel() for tensor in tensors)
