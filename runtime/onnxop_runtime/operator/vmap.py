"""torch.vmap of operators: by the reference implementation, or else one call per item."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import OpOverload, call_batched, name_of, pytree
from . import dispatch, reference
from .lists import tensors_in
from .model import Operator


def register(operator: Operator) -> None:
    """Register the operator's torch.vmap kernel, which jacrev, jacfwd and hessian use, too."""
    compute = reference.compute_of(operator)
    if compute is None or operator.fake is not None:
        register_loop(operator.overload)
        return
    looped = _looped(operator.overload)

    def kernel(*args: object, **kwargs: object) -> object:
        values = operator.signature.bind(args, kwargs)
        devices = {tensor.device.type for tensor in tensors_in(values)}
        casts = operator.autocast not in ("promote", "none")
        if casts and any(map(torch.is_autocast_enabled, devices)):
            return looped(*args, **kwargs)
        with suppress(RuntimeError):  # PyTorch cannot batch sizes that depend on values
            return compute(*values)
        return looped(*args, **kwargs)

    dispatch.implement(operator.overload, kernel, "FuncTorchBatched")


def register_loop(overload: OpOverload) -> None:
    """Register a torch.vmap kernel that calls an operator once per item."""
    dispatch.implement(overload, _looped(overload), "FuncTorchBatched")


def _looped(overload: OpOverload) -> Callable[..., Any]:
    """Return a torch.vmap kernel that calls an operator once per item."""
    call_per_item = partial(_call_per_item, overload)
    is_told = False

    def kernel(*args: object, **kwargs: object) -> object:
        nonlocal is_told
        if not is_told:
            is_told = True
            message = (
                f"torch.vmap calls {name_of(overload)} once for each item, as PyTorch cannot batch "
                "it"
            )
            warnings.warn(message, LoopWarning, stacklevel=2)
        return call_batched(call_per_item, overload, *args, **kwargs)

    return kernel


def _call_per_item(
    overload: OpOverload, info: Any, in_dims: Any, *args: Any, **kwargs: Any
) -> tuple[Any, Any]:
    """Call an operator with each item of a batch; return the stacked results, and the dimension of
    the batch in each.

    ``info`` and ``in_dims`` are PyTorch's: the size of the batch, and its dimension in each
    argument, None in one that has none.
    """
    leaves, tree = pytree.tree_flatten(args)
    dims = pytree.tree_flatten(in_dims, is_leaf=lambda dim: dim is None)[0]
    results = []
    for index in range(info.batch_size):
        pairs = zip(leaves, dims, strict=True)
        items = [leaf if dim is None else leaf.select(dim, index) for leaf, dim in pairs]
        results.append(overload(*pytree.tree_unflatten(items, tree), **kwargs))
    if not results:
        raise NotImplementedError(
            f"{overload}: vmap over 0 items cannot infer the results' sizes; give items"
        )
    columns = zip(*map(pytree.tree_leaves, results), strict=True)
    stacked = [_stacked(overload, column) for column in columns]
    result_tree = pytree.tree_flatten(results[0])[1]
    zeros = [0 for _ in stacked]
    return pytree.tree_unflatten(stacked, result_tree), pytree.tree_unflatten(zeros, result_tree)


class LoopWarning(UserWarning):
    """torch.vmap calls an operator once for each item, which is slow. It is told once for each
    operator.
    """


def _stacked(overload: OpOverload, results: Sequence[Tensor]) -> Tensor:
    shapes = [tuple(result.shape) for result in results]
    # No set, because dynamic sizes have no hash.
    if any(shape != shapes[0] for shape in shapes):
        raise RuntimeError(
            f"{overload}: vmap needs results of one shape, but those of this batch have "
            f"{sorted(set(shapes))}"
        )
    return torch.stack(list(results))
