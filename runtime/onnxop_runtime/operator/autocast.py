"""Operators under torch.autocast: their tensors of floats are cast to one dtype, and autocast is off
within.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import DispatchKey, DispatchKeySet, ExcludeKeys, pytree
from . import dispatch
from .description import Operator

_DEVICES = {
    "AutocastCPU": "cpu",
    "AutocastCUDA": "cuda",
    "AutocastMPS": "mps",
    "AutocastXPU": "xpu",
    "AutocastHPU": "hpu",
}


def register(operator: Operator) -> None:
    """Has the dispatcher's operator take part in torch.autocast."""
    for key, device in _DEVICES.items():
        dispatch.implement(operator.overload, _kernel(operator, key, device), key)


def _kernel(operator: Operator, key: str, device: str) -> Any:
    keys = DispatchKeySet(getattr(DispatchKey, key))

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with ExcludeKeys(keys):
            args, kwargs = _cast(operator, device, (args, kwargs))
            return operator.overload(*args, **kwargs)

    return kernel


def _cast(operator: Operator, device: str, given: Any) -> Any:
    """The arguments with the floats among them of one dtype."""
    tensors = [leaf for leaf in pytree.tree_leaves(given) if isinstance(leaf, Tensor)]
    dtypes = [tensor.dtype for tensor in tensors if tensor.is_floating_point()]
    if not dtypes:
        return given
    dtype = _dtype(operator, device, dtypes)

    def cast(tensor: Tensor) -> Tensor:
        # A cast to its own dtype would be a node of a model that is traced.
        is_other = tensor.is_floating_point() and tensor.dtype != dtype
        return tensor.to(dtype) if is_other else tensor

    return pytree.tree_map_only(Tensor, cast, given)


def _dtype(operator: Operator, device: str, given: Sequence[torch.dtype]) -> torch.dtype:
    """float64 stays what it is, as with PyTorch's own operators."""
    widest = reduce(torch.promote_types, given)
    if widest == torch.float64:
        return widest
    match operator.autocast:
        case "lower":
            chosen = torch.get_autocast_dtype(device)
        case "float32":
            chosen = torch.float32
        case _:
            chosen = widest
    is_computed = not operator.dtypes or chosen in operator.dtypes
    return chosen if is_computed else torch.float32
