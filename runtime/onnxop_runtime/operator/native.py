"""Compiled kernels in PyTorch: their registration, and their fake kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import has_kernel_for, is_contiguous_or_false
from . import dispatch, fusion, reference
from .lists import tensors_in
from .model import Operator


def implement(operator: Operator, module: object) -> None:
    """Register a kernel that takes a Scalar. Python does this, as libtorch's stable ABI cannot pass
    Scalars.
    """
    name = operator.short_name
    names = [name, f"{name}_backward"] if operator.differentiable else [name]
    for name in names:
        full = f"{operator.namespace}::{name}"
        if not has_kernel_for(full, "CPU"):
            torch.library.impl(full, "cpu", getattr(module, name))


def register_elementwise(operator: Operator) -> None:
    """Register an elementwise kernel's reference and its fake kernel, which gives the broadcast
    shape.
    """
    reference.register(operator)
    compute = reference.compute_of(operator)
    assert compute is not None  # the spec's expression

    def fake(*args: object, **kwargs: object) -> object:
        values = operator.signature.bind(args, kwargs)
        tensors = reference.check(operator, values)
        first = tensors[0]
        if first.dtype not in operator.dtypes:
            return compute(*values)
        fusion.fuse_on_gpu(operator, first)
        shape = torch.broadcast_shapes(*(tensor.shape for tensor in tensors))  # type: ignore[no-untyped-call,unused-ignore]
        result = first.new_empty(shape, dtype=operator.result_dtype or first.dtype)
        if not (order := _order(tensors, shape)):
            return result
        inverse = [order.index(dimension) for dimension in range(len(order))]
        return result.new_empty([shape[d] for d in order]).permute(inverse)

    dispatch.implement_fake(str(operator), fake)


def _order(tensors: Sequence[Tensor], shape: torch.Size) -> list[int]:
    """Return the dimensions of an elementwise result in memory order, outermost first. The first
    tensor of the result's shape without strides of 0 gives it; [] for row-major order, or without
    such a tensor.
    """
    for tensor in tensors:
        if tensor.shape != shape:
            continue
        if is_contiguous_or_false(tensor):
            return []
        strides, sized = tensor.stride(), [d for d, size in enumerate(shape) if size != 1]
        if any(strides[d] == 0 for d in sized):
            continue
        order = sorted(sized, key=lambda d: strides[d], reverse=True)
        rest = [d for d in range(len(shape)) if d not in sized]
        return order + rest if order != sized else []
    return []


def register_source(operator: Operator) -> None:
    """Register the reference and the fake kernel, from infer(), of a kernel written by hand."""
    reference.register(operator)
    compute, infer = reference.compute_of(operator), operator.infer
    assert infer is not None  # each kernel written by hand has one

    def fake(*args: object, **kwargs: object) -> object:
        values = operator.signature.bind(args, kwargs)
        if compute is not None and reference.kernel_unsupported(operator, values):
            return compute(*values)
        like = next(iter(tensors_in(values)), torch.empty(0))
        results = tuple(_empty(like, *output) for output in infer(*values))
        return results if len(results) > 1 else results[0]

    dispatch.implement_fake(str(operator), fake)


def _empty(like: Tensor, dtype: torch.dtype, sizes: list[Any]) -> Tensor:
    """Return an empty tensor as infer() describes it. A size of None depends on data."""
    if None in sizes:
        context: Any = torch.library.get_ctx()
        sizes = [context.new_dynamic_size() if size is None else size for size in sizes]
    return like.new_empty(sizes, dtype=dtype)
