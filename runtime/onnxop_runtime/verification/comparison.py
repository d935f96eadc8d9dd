"""The definition of correct results: by how much arrays of each dtype may differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .runners import Array

TOLERANCES = {
    "bfloat16": (5e-2, 2e-2),
    "float16": (1e-2, 1e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-8),
}
"""The allowed relative and absolute errors, by dtype of the output."""


def compare(
    expected: Sequence[Array],
    actual: Sequence[Array],
    rtol: float | None = None,
    atol: float | None = None,
) -> tuple[float, list[str]]:
    """Compare arrays; every comparison uses this definition of correct results.

    The allowed errors are by default those of `verify`, by dtype.

    Returns:
        The worst absolute error over the results, and the results out of tolerance, one sentence
        each.
    """
    if len(expected) != len(actual):
        return 0.0, [f"{len(actual)} outputs instead of {len(expected)}"]
    worst = 0.0
    failures: list[str] = []
    for position, (wanted, result) in enumerate(zip(expected, actual, strict=True)):
        if wanted.shape != result.shape or wanted.dtype != result.dtype:
            failures.append(
                f"output {position} is {result.dtype}{list(result.shape)}, "
                f"not {wanted.dtype}{list(wanted.shape)}"
            )
            continue
        default_rtol, default_atol = TOLERANCES.get(str(wanted.dtype), (0.0, 0.0))
        relative = default_rtol if rtol is None else rtol
        absolute = default_atol if atol is None else atol
        error, failure = _compare_elements(wanted, result, relative, absolute)
        worst = float(np.maximum(worst, error))  # NaN stays NaN
        if failure:
            failures.append(f"output {position}: {failure}")
    return worst, failures


def _compare_elements(
    expected: Array, actual: Array, rtol: float, atol: float
) -> tuple[float, str]:
    """Return the worst absolute error, and how many elements are out of tolerance; "" for none."""
    with np.errstate(invalid="ignore"):
        difference = np.abs(expected.astype(np.float64) - actual.astype(np.float64))
    same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
    difference = np.where(same, 0.0, difference)
    error = float(difference.max(initial=0.0))
    if not (rtol or atol):
        return error, "" if same.all() else f"{_differing(same)} elements differ"
    allowed = atol + rtol * np.abs(expected.astype(np.float64))
    # Nothing but itself is near an infinity.
    close = same | (np.isfinite(allowed) & (difference <= allowed))
    if close.all():
        return error, ""
    return error, f"{_differing(close)} elements differ by more than {atol} + {rtol} * |expected|"


def _differing(close: Array) -> str:
    """Return how many elements are not close: ``2 of 6``."""
    return f"{np.count_nonzero(~close)} of {close.size}"
