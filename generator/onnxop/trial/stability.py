"""Results of PyTorch → whether rounding changes them, and whether those of ONNX Runtime are finite
where they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from onnxop_runtime.verification.differences import as_pairs
from onnxop_runtime.verification.pytorch_results import PyTorchResults
from onnxop_runtime.verification.rounding import is_near

from .call import Call
from .outcome import Outcome

Tensors = Sequence[torch.Tensor]


def is_stable(call: Call) -> bool:
    """Return whether PyTorch's results are finite, and rounding does not change them: they are
    equal in float64, or for inputs that differ by rounding if PyTorch does not compute in float64.
    """
    own = [*map(as_pairs, call.results())]
    floats = [tensor for tensor in own if tensor.is_floating_point()]
    if any(tensor.dtype != torch.float32 or not tensor.isfinite().all() for tensor in floats):
        return False
    again = _rounded_otherwise(call, own)
    return len(own) == len(again) and all(
        is_near(one, other, 0.1) for one, other in zip(own, again, strict=True)
    )


def outcome_by_finiteness(call: Call, results: Tensors, expected: Tensors) -> Outcome:
    """Return the outcome of a comparison by finiteness alone: the results must be finite where
    PyTorch's are in float32, and nearly the same in float64.
    """
    expected = [*map(as_pairs, expected)]
    for n, (result, own) in enumerate(zip(results, expected, strict=True)):
        lost = own.isfinite() & ~result.isfinite()
        if lost.any():
            again = _rounded_otherwise(call, expected)
            lost &= torch.isclose(again[n], own, 1e-3, 1e-3)
        if lost.any():
            where = f"{lost.sum()} of {lost.numel()} elements are infinite or NaN"
            example = f"{result[lost][0]} instead of {own[lost][0]}"
            return Outcome("values", f"output {n}: {where}, such as {example}")
    return Outcome("right")


def _rounded_otherwise(call: Call, in_float32: Tensors) -> list[torch.Tensor]:
    """Return PyTorch's results in float64, or for inputs that differ by rounding if PyTorch does
    not compute in float64. ``in_float32`` are those in float32. Raises the model's errors.
    """
    exact = PyTorchResults(call, in_float32).exact
    if not isinstance(exact, str):
        return [tensor.float() if tensor.is_floating_point() else tensor for tensor in exact]
    rounded = [t * (1 + 1e-6) if t.is_floating_point() else t for t in call.tensors]
    return [*map(as_pairs, call.with_tensors(rounded).results())]
