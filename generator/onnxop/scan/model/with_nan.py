"""A call of a model that asks for NaNs, as by `torch.isnan` → its inputs with NaNs that are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from onnxop_runtime.torch_internals import pytree

from ...trial.call import Call

_ASKING = frozenset(
    "isnan nan_to_num nan_to_num_ nanmean nansum nanmedian nanquantile fmax fmin".split()
)
"""The functions whose results depend on which of their inputs are NaNs."""

Tensors = tuple[torch.Tensor, ...]


def with_nan(call: Call, example: Tensors) -> list[Tensors]:
    """Return the inputs with a NaN in each that reaches a function which asks for it; none if the
    model asks nowhere, PyTorch does not accept them, or they reach another side of a condition.
    """
    own = _asked(call)
    if not own.is_called:
        return []
    changed = list(example)
    for at, tensor in enumerate(example):
        if tensor.is_floating_point() and tensor.dim() and tensor.numel() > 1:
            alone = [*example[:at], _with_one(tensor), *example[at + 1 :]]
            if _asked(call.with_tensors(alone)).is_as(own):
                changed[at] = alone[at]
    is_changed = any(a is not b for a, b in zip(changed, example, strict=True))
    if is_changed and _asked(call.with_tensors(changed)).is_as(own):
        return [tuple(changed)]
    return []


def _with_one(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor with a NaN in its middle."""
    changed = tensor.detach().clone(memory_format=torch.contiguous_format)
    changed.view(-1)[tensor.numel() // 2] = torch.nan
    return changed


def _asked(call: Call) -> _Asked:
    """Run the model, and return whether it asks for NaNs, and finds some."""
    asked = _Asked()
    with asked:
        is_accepted = call.is_accepted()
    asked.is_answered &= is_accepted
    return asked


class _Asked(TorchFunctionMode):
    """Notes whether a model asks for NaNs.

    Attributes:
        is_called: whether it calls a function that asks for them.
        is_answered: whether one has a NaN among its inputs.
        names: the names of all functions that it calls.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_called = self.is_answered = False
        self.names: list[str] = []

    def is_as(self, own: _Asked) -> bool:
        """Return whether a NaN is found by the functions that the example calls, too."""
        return self.is_answered and self.names == own.names

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call the function, and look for NaNs before it if it asks for them."""
        name = getattr(func, "__name__", "").partition(".")[0]
        self.names.append(name)
        if name in _ASKING or _is_unlike_itself(name, args):
            self.is_called = True
            self.is_answered |= any(_has_nan(tensor) for tensor in _floats((args, kwargs)))
        return func(*args, **(kwargs or {}))


def _is_unlike_itself(name: str, args: Sequence[object]) -> bool:
    """Return whether a tensor is compared with itself, as ``x != x``."""
    return name in ("ne", "eq", "__ne__", "__eq__") and len(args) > 1 and args[0] is args[1]


def _floats(values: object) -> Iterator[torch.Tensor]:
    """Yield the tensors of floats in values."""
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
            yield leaf


def _has_nan(tensor: torch.Tensor) -> bool:
    return bool(tensor.isnan().any())
