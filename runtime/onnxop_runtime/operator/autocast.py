"""Operators under torch.autocast: float tensors are cast to one dtype, or to none, and autocast is
off within. `torch.library.register_autocast` is not enough: here the dtype depends on the tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from ..torch_internals import DispatchKey, DispatchKeySet, ExcludeKeys, pytree
from . import dispatch
from .lists import tensors_in
from .model import Operator


def register(operator: Operator) -> None:
    """Register the operator's autocast kernels with the dispatcher."""
    for device in ("CPU", "CUDA", "MPS", "XPU", "HPU"):
        _register(operator, device)


def _register(operator: Operator, device: str) -> None:
    """Register the operator's casts for a device."""
    key = f"Autocast{device}"
    keys = DispatchKeySet(getattr(DispatchKey, key))

    def kernel(*args: object, **kwargs: object) -> object:
        with ExcludeKeys(keys):
            tensors = tensors_in((*args, *kwargs.values()))
            dtypes = [tensor.dtype for tensor in tensors if tensor.is_floating_point()]
            if dtypes and operator.autocast != "none":
                dtype = _dtype(operator, device.lower(), dtypes)

                def cast(tensor: Tensor) -> Tensor:
                    # A cast to the same dtype would be a node in a traced model.
                    is_other = tensor.is_floating_point() and tensor.dtype != dtype
                    return tensor.to(dtype) if is_other else tensor

                args, kwargs = pytree.tree_map_only(Tensor, cast, (args, kwargs))
            return operator.overload(*args, **kwargs)

    dispatch.implement(operator.overload, kernel, key)


def _dtype(operator: Operator, device: str, dtypes: Sequence[torch.dtype]) -> torch.dtype:
    """Return the dtype to compute in; float64 is kept, as by PyTorch's own operators."""
    widest = reduce(torch.promote_types, dtypes)
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
