"""A model's inputs → inputs of the same sizes with other values, which PyTorch accepts, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import torch

from onnxop_runtime import processes

from ...trial.call import Call, Large, is_sorted
from ...trial.stability import is_stable
from .overwritten import is_in_any_order
from .with_nan import with_nan

_SECONDS = 20.0  # to look for them
_LARGEST = 16.0, 4.0  # floats to try: beyond 17, the sigmoid of float32 is 1, and results tie
_OVERFLOWING = 1000.0, 100.0  # floats to try: exp of float32 is infinite beyond 88
_INTEGERS = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64

Tensors = tuple[torch.Tensor, ...]
Candidates = Callable[[torch.Tensor], Iterable[torch.Tensor]]


def other_values(call: Call, example: Tensors) -> list[Tensors]:
    """Return inputs of the same sizes: flipped ones, those with integers that repeat, those with
    masks that hide all, those with NaNs where the model asks for them, extreme ones, and `Large`
    ones that overflow.
    """
    torch.set_num_threads(1)  # a fork has no other threads
    flipped = _changed(call, example, _other, Call.is_accepted)
    repeated = _in_fork(partial(_changed, call, example, _repeated, is_in_any_order))
    hidden = _in_fork(partial(_changed, call, example, _hiding, is_stable))
    of_nan = _in_fork(partial(with_nan, call, example))
    extreme = _in_fork(partial(_changed, call, example, _extreme, is_stable))
    overflowing = partial(_scaled, largest=_OVERFLOWING)
    large = _in_fork(partial(_changed, call, example, overflowing, _has_finite))
    return [*flipped, *repeated, *hidden, *of_nan, *extreme, *map(Large, large)]


def _changed(
    call: Call, example: Tensors, candidates: Candidates, accepts: Callable[[Call], bool]
) -> list[Tensors]:
    """Return inputs, each the first of its candidates that is accepted in time, or itself; none if
    none is accepted.
    """
    end = time.monotonic() + _SECONDS / 2
    changed = example
    for at, tensor in enumerate(example):
        for other in candidates(tensor) if tensor.numel() else ():
            tensors = (*changed[:at], other, *changed[at + 1 :])
            with suppress(Exception):  # the user's model, whatever it raises
                is_early = time.monotonic() < end and not other.equal(tensor)
                if is_early and accepts(call.with_tensors(tensors)):
                    changed = tensors
                    break
    return [changed] if changed is not example else []


def _other(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the tensor flipped along its first dimension above 1, and negated if it has both signs;
    of integers of at most one dimension, unless they are sorted, as offsets are, and one less or
    more. Of a mask of ones, yield one that ends with zeros, as of padded sequences.
    """
    if _is_mask_of_ones(tensor) and tensor.shape[-1] > 1:
        padded = tensor.detach().clone()
        padded[..., (tensor.shape[-1] + 1) // 2 :] = 0
        yield padded
    d = next((d for d, size in enumerate(tensor.shape) if size > 1), None)
    is_few = tensor.dim() < 2 and tensor.dtype in _INTEGERS
    if d is not None and not (is_few and is_sorted(tensor, d)):
        is_signed = tensor.is_floating_point() and (tensor > 0).any() and (tensor < 0).any()
        yield tensor.detach().flip(d) * (-1 if is_signed else 1)
    if is_few and (tensor > 0).all():
        yield tensor - 1
    if is_few:
        yield tensor + 1


def _repeated(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield integers of which each second one is the one before it, along the dimensions in which
    none repeats. The last one stays, as that of offsets is a size.
    """
    if tensor.dtype not in _INTEGERS:
        return
    repeated = tensor.detach()
    dims = [d for d, size in enumerate(tensor.shape) if size > 1]
    for d in [d for d in dims if tensor.shape[d] > 2] or dims[-1:]:
        count = tensor.shape[d]
        if torch.unique(tensor, dim=d).shape[d] == count:
            kept = torch.arange(count) // 2 * 2
            kept[2:][-1:] = count - 1
            repeated = repeated.index_select(d, kept.to(tensor.device))
    yield repeated


def _hiding(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield masks that hide all: of several sequences, the last one, and of all of them. A mask has
    zeros and ones alone, and at least one of these.
    """
    is_mask = tensor.dim() > 1 and bool(((tensor == 0) | (tensor == 1)).all())
    if not is_mask or not tensor.any():
        return
    if tensor.shape[0] > 1:
        hidden = tensor.detach().clone()
        hidden[-1] = 0
        yield hidden
    yield torch.zeros_like(tensor)


def _is_mask_of_ones(tensor: torch.Tensor) -> bool:
    """Return whether the tensor may be a mask that hides nothing."""
    return tensor.dim() > 1 and bool((tensor == 1).all())


def _in_fork(work: Callable[[], list[Tensors]]) -> list[Tensors]:
    """Do the work in a fork, as operators may read memory beyond their inputs."""
    with suppress(Exception):
        return list(processes.run(work, limits=processes.Limits(seconds=_SECONDS)))
    return []


def _has_finite(call: Call) -> bool:
    return all(result.isfinite().any() for result in call.results())


def _extreme(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield integers negated, of which sorted ones stay sorted, the opposite truth values, or large
    floats. Masks are not negated, nor sorted integers that begin with 0, as offsets and positions do.
    """
    if tensor.dtype == torch.bool:
        yield ~tensor
    if tensor.dtype in _INTEGERS and tensor.dtype.is_signed and not _is_mask_of_ones(tensor):
        is_in_order = tensor.dim() == 1 and is_sorted(tensor, 0)
        if not is_in_order:
            yield -tensor
        elif tensor[0] != 0:
            yield -tensor.flip(0)
    yield from _scaled(tensor, _LARGEST)


def _scaled(tensor: Any, largest: Sequence[float]) -> Iterator[torch.Tensor]:
    """Yield the tensor multiplied, so that its largest number becomes each of these. Numbers of one
    sign are first shifted to both signs, then not. Corners of boxes stay in order; columns of whole
    numbers, which may be indices, labels or masks, stay as they are.
    """
    if not tensor.is_floating_point() or not tensor.dim():
        return
    columns = tensor.detach().reshape(-1, tensor.shape[-1])
    is_kept = (columns == columns.round()).all(0)
    if is_kept.all():
        return
    changed = columns[:, ~is_kept]
    low, high = changed.min(), changed.max()
    shifts = [0.0] if low * high < 0 else [(low + high) / 2, 0.0]
    for shift in shifts:
        size = max(float((changed - shift).abs().max()), 1e-30)
        for new_size in largest:
            factor = max(new_size / size, 1.0)
            yield torch.where(is_kept, tensor, (tensor - shift) * factor)
