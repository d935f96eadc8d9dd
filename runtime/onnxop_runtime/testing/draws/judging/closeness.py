"""What must agree with the reference in a drawn call, and how closely: results, gradients and
exports.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....verification.comparison import TOLERANCES
from ...arguments import Arguments, floats_of, split
from ..calls.call import DrawnCall
from ..calls.tally import name_of
from ..choices.draw_kinds import HALVES, SLOW
from .expected import Kind, Rule


def rule_of_results(drawn: DrawnCall, arguments: Arguments, is_pointwise: bool) -> Rule:
    """Return the rule for a kernel's results."""
    # In float64, products of drawn numbers do not overflow.
    has_products = len(floats_of(arguments, arguments)) > 1 and drawn.dtype != torch.float64
    return Rule(
        pointwise=is_pointwise,
        terms=1 if is_pointwise else _most_elements(arguments),
        drifts=not is_pointwise and _has_long_sums(drawn),
        overflow=(drawn.values == "extremes" and (has_products or not is_pointwise))
        or "large scalar" in drawn.kinds,
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
        drifts=_has_long_sums(drawn),
        overflow=may_overflow(drawn),
    )


def rule_of_exports(drawn: DrawnCall, rounds_steps: bool) -> Rule:
    """Return the rule for a runtime's results; ``rounds_steps``: whether it computes nodes in 16
    bits.
    """
    return Rule(_errors_of_runtimes, overflow=may_overflow(drawn), rounds_steps=rounds_steps)


def _has_long_sums(drawn: DrawnCall) -> bool:
    """Return whether a call may sum so many numbers that a plain sum in float32 drifts."""
    return bool({*SLOW} & {*drawn.kinds})


def may_overflow(drawn: DrawnCall) -> bool:
    """Return whether a call, or a step of it in 16 bits, may overflow."""
    is_wide = drawn.values == "wide" and drawn.dtype in HALVES
    has_other_scalar = bool({"scalar", "scalars", "large scalar"} & {*drawn.kinds})
    may_be_large = has_other_scalar and drawn.dtype == torch.float16
    return is_wide or may_be_large or drawn.values == "extremes"


def _most_elements(arguments: Arguments) -> int:
    return max((tensor.numel() for tensor in split(arguments)[0].values()), default=1)


def _errors_of_runtimes(dtype: torch.dtype) -> tuple[float, float]:
    """Return the allowed errors of runtimes."""
    return TOLERANCES.get(name_of(dtype), (0.0, 0.0))


def is_plain(drawn: DrawnCall) -> bool:
    """Return whether a call has elements, and none overflows."""
    tensors = split(drawn.arguments())[0].values()
    return drawn.is_finite and not may_overflow(drawn) and all(tensor.numel() for tensor in tensors)
