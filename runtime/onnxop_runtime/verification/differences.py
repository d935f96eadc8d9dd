"""Results of a runtime and PyTorch's, as tensors → which differ, and how."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .comparison import compare
from .runners import Array, as_array

Tensors = Sequence[Tensor]


def difference(results: Tensors, expected: Tensors) -> str:
    """Return how the results differ, or ``""``; pairs of real numbers may stand for complex
    ones.
    """
    _, texts = compare_tensors(results, expected)
    return next(iter(texts), "")


def compare_tensors(results: Tensors, expected: Tensors) -> tuple[float, list[str]]:
    """Return the worst absolute error, and how each result that differs does so."""
    wanted = [as_array(as_pairs(tensor)) for tensor in expected]
    actual = [as_array(as_pairs(tensor)) for tensor in results]
    return compare(wanted, actual)


def differing_results(results: Tensors, expected: Tensors) -> set[int]:
    """Return the indices of the results that differ from those expected."""
    if len(results) != len(expected):
        return set()
    indices = range(len(expected))
    return {n for n in indices if difference(results[n : n + 1], expected[n : n + 1])}


def as_pairs(tensor: Tensor) -> Tensor:
    """Return complex numbers as pairs of real ones, in a last dimension of size 2."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def as_tensor(array: Array) -> Tensor:
    """Return a numpy array as a tensor; the opposite of `as_array`."""
    is_reversed = any(stride < 0 for stride in array.strides)
    if is_reversed or not array.flags.writeable:  # onnx.reference returns such; PyTorch refuses
        array = array.copy()
    if array.dtype.name == "bfloat16":  # torch.from_numpy does not support it
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)
