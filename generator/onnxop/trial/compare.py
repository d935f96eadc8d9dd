"""Results of ONNX Runtime against PyTorch's: what is right, random, or an order of equal values."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.utils import _pytree as pytree

from onnxop_runtime.verification import runners, verify

from .call import Call

_DRAWS = 20  # until what is random is another

Tensors = Sequence[torch.Tensor]


def difference(found: Tensors, expected: Tensors) -> str:
    """Say how the results differ from those expected, by the runtime's comparison; empty where they do
    not. Complex numbers may be pairs of real ones, as the dynamo exporter writes them.
    """
    if len(found) == len(expected):
        pairs = zip(found, expected, strict=True)
        expected = [_as_pairs(other) if not one.is_complex() else other for one, other in pairs]
    wanted, actual = ([runners.as_array(t) for t in tensors] for tensors in (expected, found))
    return next(iter(verify.compare(wanted, actual)[1]), "")


def _as_pairs(tensor: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def unlike(found: Tensors, expected: Tensors) -> set[int]:
    """Return the places of the results that are not as expected."""
    if len(found) != len(expected):
        return set()
    places = range(len(expected))
    return {at for at in places if difference(found[at : at + 1], expected[at : at + 1])}


def drawn(call: Call, found: Tensors, expected: Tensors) -> set[int]:
    """Return the places of the results that are not as expected, and in PyTorch neither, where it is
    called again. What is drawn from a few may come out the same several times.
    """
    wrong = unlike(found, expected)
    random: set[int] = set()
    for _ in range(_DRAWS):
        again = call.results()
        for at in wrong:
            one, other, anew = found[at], expected[at], again[at]
            is_alike = one.shape == other.shape or anew.shape != other.shape
            if one.dtype == other.dtype and is_alike and difference([anew], [other]):
                random.add(at)
        unused = torch.Generator().manual_seed(torch.initial_seed())
        if random == wrong or torch.equal(unused.get_state(), torch.get_rng_state()):
            break
    return random


def without_equals(call: Call) -> Call | None:
    """Return the call with floats of which no two are equal; None where it has none that are, or more
    than their dtype has.
    """

    def shuffled(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point():
            return tensor
        return (torch.randperm(tensor.numel()) / tensor.numel()).view(tensor.shape).to(tensor)

    given = call.args, dict(call.kwargs)
    unequal = Call(call.model, *pytree.tree_map_only(torch.Tensor, shuffled, given))
    return unequal if _has_equals(call) and not _has_equals(unequal) else None


def _has_equals(call: Call) -> bool:
    floats = [tensor for tensor in call.tensors if tensor.is_floating_point()]
    return any(tensor.unique().numel() < tensor.numel() for tensor in floats)
