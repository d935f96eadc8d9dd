"""Fusion of elementwise operators by torch.compile on GPUs."""

from __future__ import annotations

from torch import Tensor

from .. import torch_internals as internals
from . import reference
from .lists import tensors_in
from .model import Operator

_with_decomposition: set[Operator] = set()


def fuse_on_gpu(operator: Operator, first: Tensor) -> None:
    """Have Inductor trace an elementwise operator's reference on GPUs, where torch.compile traces a
    call: it then computes the operator in one kernel with its neighbours. Exporters and gradients
    still see the operator. ``first``: the call's first tensor.

    On CPUs, the operator's own kernel stays: Inductor's code is slower for functions such as asinh.
    """
    if operator in _with_decomposition or not first.is_cuda or not internals.is_tracing_compile():
        return
    _with_decomposition.add(operator)
    compute = reference.compute_of(operator)
    assert compute is not None  # an elementwise kernel's expression

    def decomposition(*args: object, **kwargs: object) -> object:
        values = operator.signature.bind(args, kwargs)
        return compute(*values) if tensors_in(values)[0].is_cuda else NotImplemented

    internals.decompose_in_inductor(operator.overload, decomposition, operator.spec_hash)
