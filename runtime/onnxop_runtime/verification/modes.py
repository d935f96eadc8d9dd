"""Modes in which PyTorch computes a model otherwise: in float64, or with equal values in ONNX's
order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import DispatchMode, pytree, schema_of

_LARGEST = {
    torch.bfloat16: torch.float64,
    torch.float16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}
"""The most exact dtype for each dtype that rounds more."""


class InFloat64(DispatchMode):  # type: ignore[misc]
    """Have PyTorch compute in float64, also what a model converts to smaller dtypes itself."""

    def __torch_dispatch__(
        self,
        overload: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call the operator with float64 in place of smaller dtypes; a tensor that it writes, or
        returns a view of, keeps its own: what is written to a view of a copy is lost.
        """
        kwargs = kwargs or {}
        shared = _shared(overload, args, kwargs)

        def enlarged(value: object) -> object:
            if isinstance(value, Tensor):
                is_kept = id(value) in shared or value.dtype not in _LARGEST
                return value if is_kept else value.to(_LARGEST[value.dtype])
            return _LARGEST.get(value, value) if isinstance(value, torch.dtype) else value

        args, kwargs = pytree.tree_map(enlarged, (args, kwargs))
        return overload(*args, **kwargs)


def _shared(overload: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> set[int]:
    """Return the ids of the tensors that the operator writes, or returns views of."""
    arguments = schema_of(overload).arguments
    values = [*zip(arguments, args, strict=False)]
    values += [
        (argument, kwargs[argument.name]) for argument in arguments if argument.name in kwargs
    ]
    shared = [value for argument, value in values if argument.alias_info is not None]
    return {id(leaf) for leaf in pytree.tree_leaves(shared)}


class WithTiesInOnnxOrder(DispatchMode):  # type: ignore[misc]
    """Have PyTorch sort equal values as ONNX does: that of the lower index comes first. PyTorch
    itself leaves their order undefined.
    """

    def __torch_dispatch__(
        self,
        overload: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call the operator, or a stable sort in its place."""
        instead = _STABLE.get(overload, overload)
        return instead(*args, **(kwargs or {}))


def _sort(tensor: Tensor, dim: int = -1, descending: bool = False) -> object:
    return torch.sort(tensor, dim=dim, descending=descending, stable=True)


def _sort_stable(
    tensor: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> object:
    return _sort(tensor, dim, descending)


def _topk(
    tensor: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    if tensor.dim() == 0:
        return tensor.clone(), torch.zeros_like(tensor, dtype=torch.int64)
    values, indices = torch.sort(tensor, dim=dim, descending=largest, stable=True)
    return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)


def _kthvalue(
    tensor: Tensor, k: int, dim: int = -1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    if tensor.dim() == 0:
        return tensor.clone(), torch.zeros_like(tensor, dtype=torch.int64)
    values, indices = torch.sort(tensor, dim=dim, stable=True)
    kth = values.narrow(dim, k - 1, 1), indices.narrow(dim, k - 1, 1)
    return kth if keepdim else (kth[0].squeeze(dim), kth[1].squeeze(dim))


_STABLE: Mapping[object, Any] = {
    torch.ops.aten.sort.default: _sort,
    torch.ops.aten.sort.stable: _sort_stable,
    torch.ops.aten.topk.default: _topk,
    torch.ops.aten.kthvalue.default: _kthvalue,
}
