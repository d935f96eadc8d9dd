"""Compare results of ONNX Runtime with PyTorch's, which may be random, or order equal values
freely.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch

from onnxop_runtime.torch_internals import pytree
from onnxop_runtime.verification import comparison, runners

from .call import Call
from .outcome import Outcome

_DRAWS = 20  # calls after which a random result has differed
_ROUNDED = 10  # the most tolerances that rounding may take in a deep model
_LARGEST = 100.0  # the size at which the tolerance stops growing, as a mask may be of -1e9
_FEW = 1e-3  # of the elements may be beyond the tolerance, if the whole is near
_IN_NORM = 2e-5  # the relative error in norm that rounding may make, as in sums of 1e6 elements
_MOST_PARAMETERS = 10**8  # parameters of a model that is copied in float64

Tensors = Sequence[torch.Tensor]


def difference(results: Tensors, expected: Tensors) -> str:
    """Return how the results differ, or ``""``; pairs of real numbers may stand for complex ones."""
    if len(results) == len(expected):
        pairs = zip(results, expected, strict=True)
        expected = [t if result.is_complex() else _as_pairs(t) for result, t in pairs]
    wanted, actual = ([runners.as_array(t) for t in tensors] for tensors in (expected, results))
    return next(iter(comparison.compare(wanted, actual)[1]), "")


def _as_pairs(tensor: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def differing_results(results: Tensors, expected: Tensors) -> set[int]:
    """Return the indices of the results that differ from those expected."""
    if len(results) != len(expected):
        return set()
    indices = range(len(expected))
    return {n for n in indices if difference(results[n : n + 1], expected[n : n + 1])}


def random_results(call: Call, results: Tensors, expected: Tensors) -> set[int]:
    """Return the indices of results that differ because PyTorch, too, draws other values in each
    call.
    """
    wrong = differing_results(results, expected)
    random: set[int] = set()
    for _ in range(_DRAWS):
        again = call.results()
        for n in wrong:
            result, first, second = results[n], expected[n], again[n]
            is_alike = result.shape == first.shape or second.shape != first.shape
            if result.dtype == first.dtype and is_alike and difference([second], [first]):
                random.add(n)
        unused = torch.Generator().manual_seed(torch.initial_seed())
        if random == wrong or torch.equal(unused.get_state(), torch.get_rng_state()):
            break
    return random


def is_rounding(call: Call, results: Tensors, expected: Tensors) -> bool:
    """Return whether float32 results differ by rounding alone: they are within the tolerance of the
    results' size, or as near to PyTorch in float64 as its own are: within twice their error. In a
    deep model rounding adds up.
    """
    wrong = sorted(differing_results(results, expected))
    results, expected = [*map(_as_pairs, results)], [*map(_as_pairs, expected)]
    if not wrong or any(expected[at].dtype != torch.float32 for at in wrong):
        return False
    if all(_is_near(results[at], expected[at]) for at in wrong):
        return True
    rtol, atol = comparison.TOLERANCES["float32"]
    try:
        exact = _in_float64(call)
        pairs = [(expected[at], exact[at]) for at in wrong]
        errors = [(own - true).abs() / (atol + rtol * true.abs()) for own, true in pairs]
        times = min(2 * max(float(error.max()) for error in errors), _ROUNDED)
    except Exception:  # noqa: BLE001 - a program, or a model that holds float32 itself, or takes other branches
        return False
    return all(
        _is_near(results[at], exact[at], times) or _is_near_in_norm(results[at], exact[at])
        for at in wrong
    )


def _is_near_in_norm(result: torch.Tensor, exact: torch.Tensor) -> bool:
    """Return whether the error of a result is small as a whole, and beyond the tolerance for few
    elements, by little: of a million elements, the largest rounding error is far from the typical.
    """
    if not _is_near(result, exact, _ROUNDED) or not exact.isfinite().all():
        return False
    rtol, atol = comparison.TOLERANCES["float32"]
    errors = (result - exact).abs()
    few = (errors > atol + rtol * exact.abs()).sum() <= _FEW * errors.numel()
    return bool(few and errors.norm() <= _IN_NORM * exact.norm())


def is_stable(call: Call) -> bool:
    """Return whether PyTorch's results are finite, and rounding does not change them: they are
    equal in float64, or for inputs that differ by rounding if the model is large or holds float32
    itself.
    """
    own = [*map(_as_pairs, call.results())]
    floats = [tensor for tensor in own if tensor.is_floating_point()]
    if any(tensor.dtype != torch.float32 or not tensor.isfinite().all() for tensor in floats):
        return False
    again = _rounded_otherwise(call)
    return len(own) == len(again) and all(
        _is_near(one, other, 0.1) for one, other in zip(again, own, strict=True)
    )


def outcome_by_finiteness(call: Call, results: Tensors, expected: Tensors) -> Outcome:
    """Return the outcome of a comparison by finiteness alone: the results must be finite where
    PyTorch's are in float32, and nearly the same in float64.
    """
    for n, (result, own) in enumerate(zip(results, map(_as_pairs, expected), strict=True)):
        lost = own.isfinite() & ~result.isfinite()
        if lost.any():
            lost &= torch.isclose(_rounded_otherwise(call)[n], own, 1e-3, 1e-3)
        if lost.any():
            where = f"{lost.sum()} of {lost.numel()} elements are infinite or NaN"
            example = f"{result[lost][0]} instead of {own[lost][0]}"
            return Outcome("values", f"output {n}: {where}, such as {example}")
    return Outcome("right")


def _rounded_otherwise(call: Call) -> list[torch.Tensor]:
    """Return PyTorch's results in float64, or for inputs that differ by rounding if the model is
    large or holds float32 itself. Raises the model's errors.
    """
    with suppress(Exception):  # whatever the user's model raises
        if sum(parameter.numel() for parameter in call.model.parameters()) < _MOST_PARAMETERS:
            return _in_float64(call)
    rounded = [t * (1 + 1e-6) if t.is_floating_point() else t for t in call.tensors]
    return [*map(_as_pairs, call.with_tensors(rounded).results())]


def _in_float64(call: Call) -> list[torch.Tensor]:
    """Return the results that PyTorch computes in float64, in float32. Raises the model's errors."""

    def doubled(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.double() if tensor.is_floating_point() else tensor

    model = copy.deepcopy(call.model).double()
    arguments = pytree.tree_map_only(torch.Tensor, doubled, (call.args, dict(call.kwargs)))
    results = map(_as_pairs, Call(model, *arguments).results())
    return [tensor.float() if tensor.is_floating_point() else tensor for tensor in results]


def _is_near(result: torch.Tensor, expected: torch.Tensor, times: float = 1.0) -> bool:
    """Return whether a result is within ``times`` the tolerance of float32, which is relative to
    twice the median of the magnitudes, about their root mean square, if that is larger than 1.
    """
    rtol, atol = (times * tolerance for tolerance in comparison.TOLERANCES["float32"])
    if expected.is_floating_point() and expected.numel():
        atol *= min(max(2 * float(expected.abs().nanmedian()), 1.0), _LARGEST)
    wanted, actual = [runners.as_array(expected)], [runners.as_array(result)]
    return not comparison.compare(wanted, actual, rtol=rtol, atol=atol)[1]


def without_equals(call: Call) -> Call:
    """Return the call with distinct values in each tensor of which the dtype has enough, and
    PyTorch takes them.
    """
    for at, tensor in enumerate(call.tensors):
        with suppress(Exception):  # of bool, and of indices that are too large then
            distinct = _distinct(tensor)
            other = call.with_tensors([*call.tensors[:at], distinct, *call.tensors[at + 1 :]])
            if _count_values(tensor) < tensor.numel() == _count_values(distinct):
                other.returned()
                call = other
    return call


def _count_values(tensor: Any) -> int:
    """Return the number of distinct values of a tensor."""
    return int(tensor.unique().numel())


def _distinct(tensor: torch.Tensor) -> torch.Tensor:
    """Return values with the order and signs of the tensor's, and equal ones a step larger than
    each other, in random order: of 1, of floats so small that no value is more than twice as large
    as the largest was.
    """
    flat, count = tensor.flatten(), tensor.numel()
    mixed = torch.randperm(count)
    order = mixed[flat[mixed].abs().argsort()]
    sizes, signs = flat[order].abs(), torch.where(flat[order] < 0, -1, 1)
    largest = float(sizes.nan_to_num(0, 0, 0).max()) or 1.0
    steps = torch.arange(count) * (largest / count if tensor.is_floating_point() else 1)
    larger = signs * ((sizes - steps).cummax(0).values + steps)
    return flat.scatter(0, order, larger.to(tensor)).view(tensor.shape)
