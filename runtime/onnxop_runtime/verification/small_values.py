"""Results within the tolerance → those that are wrong all the same, as their values are smaller
than it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .differences import Tensors, as_pairs
from .pytorch_results import PyTorchResults

_MOST = 0.1  # relative error in norm; rounding makes less where PyTorch's own values are exact
_MOST_OF_PYTORCH = 3e-3  # the relative error in norm of PyTorch's own: bfloat16's is 2e-3


def wrong_small_values(results: Tensors, pytorch: PyTorchResults) -> list[str]:
    """Return what is wrong with results that no element's tolerance shows, one sentence each: as a
    whole, a result is off by more than a tenth, where PyTorch's own is exact. Values of 1e-9 would
    else be right beside zeros.
    """
    far = [
        index
        for index, (result, own) in enumerate(zip(results, pytorch.expected, strict=True))
        if own.is_floating_point() or own.is_complex()
        if _relative_error(result, own) > _MOST
    ]
    if not far:
        return []
    every = pytorch.exact_of(far)
    if isinstance(every, str):
        return []
    texts = []
    for index in far:
        exact, own = every[index], pytorch.expected[index]
        own_error = _relative_error(own, exact)
        error = _relative_error(results[index], exact)
        if own_error <= _MOST_OF_PYTORCH and error > _MOST:
            texts.append(
                f"output {index}: it is off by {error:.0%} as a whole (norm), PyTorch's own values "
                f"by {own_error:.1g}; each element is within the tolerance, because the values are "
                f"that small, {float(exact.abs().max()):.1g} at most"
            )
    return texts


def _relative_error(result: Tensor, expected: Tensor) -> float:
    """Return the error in norm, relative to the expected values'; 0 where one is not finite."""
    actual, wanted = as_pairs(result).double(), as_pairs(expected).double()
    norm = float(torch.linalg.vector_norm(wanted))
    error = float(torch.linalg.vector_norm(actual - wanted))
    is_known = 0 < norm < torch.inf and error < torch.inf
    return error / norm if is_known else 0.0
