"""Results of a runtime and PyTorch's → whether they differ by rounding alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from .comparison import TOLERANCES
from .differences import Tensors, as_pairs, differing_results
from .pytorch_results import PyTorchResults

_ROUNDED = {torch.float32, torch.float16, torch.bfloat16}
_MOST = 10.0  # the most tolerances that rounding may take in a deep model
_LARGEST = 100.0  # the size at which the tolerance stops growing, as a mask may be of -1e9
_FEW = 1e-3  # of the elements may be beyond the tolerance, if the whole is near
_NORM = 0.2  # of the relative tolerance: the relative error in norm of sums of 1e6 elements
_AS_NEAR = 3.0  # times PyTorch's own error in norm, which another order of sums may make


def is_rounding(results: Tensors, pytorch: PyTorchResults) -> bool:
    """Return whether results differ from PyTorch's by rounding alone: they are within the tolerance
    of the results' size, or as near to PyTorch in float64 as its own are. In a deep model rounding
    adds up.
    """
    pairs = _pairs_of_rounded(results, pytorch.expected)
    if _are_near(pairs):
        return True
    exact = pytorch.exact_of([*pairs]) if pairs else ""
    if isinstance(exact, str):
        return False
    errors = [_Errors(result, own, exact[n]) for n, (result, own) in pairs.items()]
    times = min(2 * max(error.own_tolerances() for error in errors), _MOST)
    return all(error.are_as_pytorchs(times) or error.are_small_in_norm() for error in errors)


def is_rounding_at_sight(results: Tensors, expected: Tensors) -> bool:
    """Return whether results differ from PyTorch's by rounding alone, as they are near to these: no
    further call of the model, which may take long, is needed to tell.
    """
    return _are_near(_pairs_of_rounded(results, expected))


def _pairs_of_rounded(results: Tensors, expected: Tensors) -> dict[int, tuple[Tensor, Tensor]]:
    """Return the results that differ, each with PyTorch's; none if one differs by more than
    rounding, such as its shape.
    """
    wrong = sorted(differing_results(results, expected))
    pairs = {n: (as_pairs(results[n]), as_pairs(expected[n])) for n in wrong}
    is_of_rounding = all(
        _may_round(own) and result.dtype == own.dtype and result.shape == own.shape
        for result, own in pairs.values()
    )
    return pairs if is_of_rounding else {}


def _are_near(pairs: Mapping[int, tuple[Tensor, Tensor]]) -> bool:
    """Return whether there are such results, and each is near to PyTorch's own: within the tolerance
    of its size, or beyond the tolerance in few elements.
    """
    return bool(pairs) and all(
        is_near(result, own) or _Errors(result, own, own).are_small_in_norm()
        for result, own in pairs.values()
    )


def is_decided_by_rounding(
    results: Tensors, pytorch: PyTorchResults, wrong: Collection[int]
) -> bool:
    """Return whether PyTorch's own values of each wrong result are far from those in float64, and
    the result's are no farther: rounding decides them, as where equal numbers cancel out.
    """
    exact = pytorch.exact_of(wrong)
    if not wrong or isinstance(exact, str):
        return False
    for n in wrong:
        result, own = as_pairs(results[n]), as_pairs(pytorch.expected[n])
        is_alike = result.dtype == own.dtype and result.shape == own.shape
        if not (is_alike and _may_round(own)):
            return False
        errors = _Errors(result, own, exact[n])
        if errors.own_tolerances() <= _MOST or not errors.are_as_far_as_pytorchs():
            return False
    return True


def _may_round(tensor: Tensor) -> bool:
    return as_pairs(tensor).dtype in _ROUNDED


def is_near(result: Tensor, expected: Tensor, times: float = 1.0) -> bool:
    """Return whether a result is within ``times`` the tolerance of its dtype, which is relative to
    twice the median of the magnitudes, about their root mean square, if that is larger than 1. The
    expected one may be more exact.
    """
    if not result.is_floating_point():
        return torch.equal(result, expected)
    return bool((distances(result, expected) <= times * _allowed(result.dtype, expected)).all())


def _allowed(dtype: torch.dtype, expected: Tensor) -> Tensor:
    """Return the allowed errors of a dtype at the size of the expected values."""
    rtol, atol = _tolerance(dtype)
    sizes = expected.double().abs()
    if sizes.numel():
        atol *= min(max(2 * float(sizes.nanmedian()), 1.0), _LARGEST)
    allowed = atol + rtol * sizes
    return allowed.where(allowed.isfinite(), torch.zeros_like(allowed))


def _tolerance(dtype: torch.dtype) -> tuple[float, float]:
    return TOLERANCES[str(dtype).removeprefix("torch.")]


def distances(result: Tensor, expected: Tensor) -> Tensor:
    """Return the absolute errors in float64: 0 for equal values, NaN too; infinite beside a NaN or
    an infinity.
    """
    actual, wanted = result.double(), expected.double()
    same = (actual == wanted) | (actual.isnan() & wanted.isnan())
    return (actual - wanted).abs().nan_to_num(torch.inf, torch.inf).masked_fill(same, 0.0)


@dataclass(frozen=True)
class _Errors:
    """A result, PyTorch's own, and that in float64."""

    result: Tensor
    own: Tensor
    exact: Tensor

    def own_tolerances(self) -> float:
        """Return PyTorch's own worst error, as a multiple of the tolerance."""
        if not self.own.numel():
            return 0.0
        rtol, atol = _tolerance(self.own.dtype)
        allowed = (atol + rtol * self.exact.abs()).nan_to_num(1.0)
        return float((distances(self._rounded, self.own) / allowed).max())

    def are_as_pytorchs(self, times: float) -> bool:
        """Return whether the errors are within ``times`` the tolerance, and as a whole not much
        larger than PyTorch's own: an error in one direction is not rounding.
        """
        return is_near(self.result, self.exact, times) and self.are_as_far_as_pytorchs()

    def are_as_far_as_pytorchs(self) -> bool:
        """Return whether the errors as a whole are not much larger than PyTorch's own."""
        error, own = (float(distances(t, self.exact).norm()) for t in (self.result, self.own))
        return error <= max(_AS_NEAR * own, self._norm())

    def are_small_in_norm(self) -> bool:
        """Return whether the error is small as a whole, and beyond the tolerance for few elements,
        by little: of a million elements, the largest rounding error is far from the typical.
        """
        if not is_near(self.result, self.exact, _MOST) or not self.exact.isfinite().all():
            return False
        rtol, atol = _tolerance(self.result.dtype)
        errors = distances(self.result, self.exact)
        few = (errors > atol + rtol * self.exact.abs()).sum() <= _FEW * errors.numel()
        return bool(few and errors.norm() <= self._norm())

    def _norm(self) -> float:
        """Return the norm of errors that sums of many elements have."""
        rtol, _ = _tolerance(self.result.dtype)
        finite = self.exact.nan_to_num(0.0, 0.0, 0.0)
        return _NORM * rtol * float(finite.norm())

    @property
    def _rounded(self) -> Tensor:
        """The results of float64, in the dtype of PyTorch's."""
        return self.exact.to(self.own.dtype)
