"""A call → inputs of sizes for which a comparison in the model, as ``if x.shape[1] > 512``, gives
something else, found where torch.export stops before it tells its conditions on sizes.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import torch

from onnxop_runtime.processes import quiet
from onnxop_runtime.torch_internals import is_tracing

from .call import Call, module_of_tensors
from .watched_methods import Method, watched_methods

Tensors = tuple[torch.Tensor, ...]
Comparison = tuple[int, int, Callable[[int, int], bool]]
"""The size, the number to which it is compared, and the operator."""

_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "__gt__": operator.gt,
    "__ge__": operator.ge,
    "__lt__": operator.lt,
    "__le__": operator.le,
}


def with_other_results(call: Call, most: int) -> Iterator[Tensors]:
    """Yield inputs of sizes, of at most ``most`` and at least 2, for which a comparison gives
    something else than for the call's, where PyTorch takes them. All dynamic dimensions of equal
    size get them.
    """
    dynamic = [(at, d) for at, dims in call.axes.items() for d in dims]
    for size, number, compare in dict.fromkeys(_comparisons(call)):
        alike = [(at, d) for at, d in dynamic if call.tensors[at].shape[d] == size]
        for other in _others(size, number, compare):
            tensors = call.resized_tensors(alike, other)
            is_new = any(a.shape != b.shape for a, b in zip(tensors, call.tensors, strict=True))
            if is_new and 2 <= other <= most and call.with_tensors(tensors).is_accepted():
                yield tensors


def _others(size: int, number: int, compare: Callable[[int, int], bool]) -> Iterator[int]:
    """Yield sizes for which the comparison gives something else: the one next to the number, and if
    that is smaller than the call's, half of the number, where the results may differ by more.
    """
    result = compare(size, number)
    nearest = next(n for n in (number, number + 1, number - 1) if compare(n, number) != result)
    yield nearest
    if nearest < size and number // 2 < nearest:
        yield number // 2


def _comparisons(call: Call) -> list[Comparison]:
    """Return the comparisons of integers that the model makes while `torch.jit.trace`, to which
    sizes are tensors, records it; those before its error, if it raises one.
    """
    copies = tuple(tensor.detach().clone() for tensor in call.tensors)
    trace: Any = torch.jit.trace
    with quiet(), warnings.catch_warnings(), suppress(Exception), _recorded() as comparisons:
        warnings.simplefilter("ignore")
        trace(module_of_tensors(call.spare() or call), copies, check_trace=False, strict=False)
    return comparisons


@contextmanager
def _recorded() -> Iterator[list[Comparison]]:
    """Yield a list of the comparisons of integer scalars with numbers in a trace meanwhile."""
    comparisons: list[Comparison] = []
    watch = {
        name: partial(_noting, compare=compare, comparisons=comparisons)
        for name, compare in _OPERATORS.items()
    }
    with watched_methods(watch):
        yield comparisons


def _noting(
    original: Method, compare: Callable[[int, int], bool], comparisons: list[Comparison]
) -> Method:
    """Return a method of tensors that notes a comparison, and makes it."""

    def method(tensor: torch.Tensor, other: object) -> Any:
        is_size = isinstance(other, int) and not tensor.dim() and tensor.dtype == torch.int64
        if is_size and isinstance(other, int) and is_tracing():
            comparisons.append((int(tensor), other, compare))
        return original(tensor, other)

    return method
