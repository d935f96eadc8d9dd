"""Kernels composed of PyTorch's operators: their registration, and their gradients by autograd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .. import torch_internals as internals
from . import dispatch, originals, reference
from .arguments import Signature, lengths_of
from .library import check_is_free, has_registered, note_registered
from .lists import Lengths, as_list, flat, nested
from .model import Operator, overload_named

Kernel = Callable[..., Any]


def define(operator: Operator) -> None:
    """Register the operator with PyTorch's dispatcher, once; raise ImportError if another has."""
    name, package = str(operator), operator.package.name
    assert operator.kernel is not None  # a composed operator has one
    kernel = originals.calling(operator.kernel)
    if not has_registered(package, name):
        check_is_free(name, package)
        _define(name, operator.schema, reference.owned(kernel))
        if operator.backward_schema:
            _define(f"{name}_backward", operator.backward_schema, gradients(operator))
        note_registered(package, name)
        if operator.is_decomposed:  # by the kernel, in the dynamo exporter
            internals.decompose_by(operator.overload, kernel)
    fake = originals.calling(operator.fake) if operator.fake else _fake(kernel)
    dispatch.implement_fake(name, fake)
    if operator.existing:
        _trace_instead(operator)
        _give_fake(operator)


def _define(name: str, schema: str, implementation: Kernel) -> None:
    torch.library.define(name, schema)
    implementation = dispatch.of_tensors(
        Signature.of_overload(overload_named(name)), implementation
    )
    internals.leave_uncompiled(implementation)
    torch.library.impl(name, "default", implementation)


def _fake(kernel: Kernel) -> Kernel:
    def fake(*args: object, **kwargs: object) -> object:
        returned = kernel(*args, **kwargs)
        layout = torch.contiguous_format
        results = [torch.empty_like(t, memory_format=layout) for t in as_list(returned)]
        return results[0] if isinstance(returned, Tensor) else tuple(results)

    return fake


_COMPOSITE = internals.DispatchKey.CompositeImplicitAutograd
_traced: set[str] = set()


def _trace_instead(operator: Operator) -> None:
    """Have torch.export trace the operator in place of an existing composite one, which may read
    values.
    """
    _, existing = operator.overloads
    name = internals.name_of(existing)
    if name in _traced or not internals.has_kernel_for(name, _COMPOSITE.name):
        return
    _traced.add(name)
    composite_kernel = existing.py_kernels.pop(
        _COMPOSITE, internals.kernel_of(existing, _COMPOSITE)
    )

    is_calling = False  # the kernel may call the existing operator itself

    def trace(*args: object, **kwargs: object) -> object:
        nonlocal is_calling
        if is_calling or internals.is_tracing_compile():
            return composite_kernel(*args, **kwargs)
        is_calling = True
        try:
            return dispatch.call(operator, args, kwargs)
        finally:
            is_calling = False

    existing.py_impl(_COMPOSITE)(trace)


def _give_fake(operator: Operator) -> None:
    """Register the spec's fake for an existing operator without one, whose sizes depend on
    values.
    """
    _, existing = operator.overloads
    name = internals.name_of(existing)
    is_composite = internals.has_kernel_for(name, _COMPOSITE.name)
    is_dynamic = torch.Tag.dynamic_output_shape in existing.tags
    if operator.fake is None or is_composite or not is_dynamic:
        return
    fake = originals.calling(operator.fake)

    def sizes(*args: object, **kwargs: object) -> Any:
        if internals.is_tracing_compile():  # torch.compile breaks the graph here
            raise internals.dynamic_output(existing)
        return fake(*args, **kwargs)

    torch.library.register_fake(name, sizes, allow_override=True)


def gradients(operator: Operator, *, create_graph: bool = False) -> Kernel:
    """Return the kernel of an operator that computes gradients; those not requested are empty."""

    def compute(*args: Any) -> object:
        count = len(operator.results)
        grads, values, wants = args[:count], args[count:-1], args[-1]
        arguments = dict(zip((a.name for a in operator.arguments), values, strict=True))
        sizes = lengths(operator, arguments)
        requested = dict(zip(operator.differentiable, nested(wants, sizes), strict=True))
        gradients = vjp(operator, grads, arguments, requested, create_graph=create_graph)
        inputs = flat([arguments[name] for name in operator.differentiable], sizes)
        empty = [torch.empty(0) if x is None else x.new_empty(0) for x in inputs]
        pairs = zip(flat([*gradients.values()], sizes), empty, strict=True)
        return as_returned([nothing if grad is None else grad for grad, nothing in pairs], sizes)

    return compute


def lengths(operator: Operator, arguments: Mapping[str, object]) -> Lengths:
    """Return the lengths of the lists among the differentiable tensors."""
    tensors = [tensor for tensor in operator.tensors if tensor.name in operator.differentiable]
    return lengths_of(tensors, [arguments[tensor.name] for tensor in tensors])


def as_returned(gradients: list[Tensor], list_lengths: Lengths) -> object:
    """Return gradients in the form of their operator's schema: with lists among them, one flat
    list.
    """
    if list_lengths:
        return gradients
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


def vjp(
    operator: Operator,
    grads: Sequence[Tensor],
    arguments: Mapping[str, Any],
    requested: Mapping[str, bool | list[bool]],
    *,
    create_graph: bool = False,
) -> dict[str, Any]:
    """Return the gradients by PyTorch's autograd through the reference implementation.

    ``grads``: those of the results. ``requested``: by tensor name, whether the gradient is
    requested; for a list, one entry per item. ``create_graph``: the gradients are differentiable.
    """
    inputs: list[
        Tensor
    ] = []  # the tensors whose gradients are requested, in the order of arguments

    def leaf(value: Any, is_requested: bool | list[bool]) -> object:
        """Return a value, detached and added to ``inputs`` if its gradient is requested."""
        if isinstance(is_requested, list):
            return [leaf(*pair) for pair in zip(value, is_requested, strict=True)]
        if not is_requested:
            return value
        inputs.append(_leaf(value, create_graph))
        return inputs[-1]

    with torch.enable_grad():
        leaves = [leaf(value, requested.get(name, False)) for name, value in arguments.items()]
        compute = reference.compute_of(operator)
        assert compute is not None  # the caller checked
        results = as_list(compute(*leaves))
        remaining = iter(_gradients(results, inputs, grads, create_graph))

    def gradient(is_requested: bool | list[bool]) -> object:
        if isinstance(is_requested, list):
            return [gradient(item) for item in is_requested]
        return next(remaining) if is_requested else None

    return {name: gradient(requested[name]) for name in arguments if name in requested}


def _gradients(
    results: Sequence[Tensor], inputs: Sequence[Tensor], grads: Sequence[Tensor], create_graph: bool
) -> Sequence[Tensor]:
    """Return the inputs' gradients; zeros if no result depends on them."""
    pairs = zip(results, grads, strict=True)
    differentiable = [(result, grad) for result, grad in pairs if result.requires_grad]
    if not differentiable:
        return [torch.zeros_like(tensor) for tensor in inputs]
    return torch.autograd.grad(
        [result for result, _ in differentiable],
        inputs,
        [grad for _, grad in differentiable],
        create_graph=create_graph,
        materialize_grads=True,
    )


def _leaf(tensor: Tensor, create_graph: bool) -> Tensor:
    """Return a tensor to differentiate with respect to, without the hooks of the original."""
    if not create_graph:
        return tensor.detach().requires_grad_()
    viewed = tensor.view_as(tensor)
    if viewed.requires_grad:  # a tensor of a finished transform may only claim it
        return viewed
    # Not detached, because it may have a tangent or belong to a torch.func transform.
    one = torch.ones((), dtype=tensor.dtype, device=tensor.device, requires_grad=True)
    return viewed * one
