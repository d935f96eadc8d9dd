"""Kernels that compose PyTorch's operators: their registration, and their gradients by autograd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import (
    DispatchKey,
    decompose_by,
    dynamic_output,
    has_kernel_for,
    is_tracing_compile,
    kernel_of,
    leave_uncompiled,
)
from . import dispatch, reference
from .description import Operator
from .library import check_is_free, is_registered
from .lists import Lengths, flat, lengths_of, listed, nested

Kernel = Callable[..., Any]


def define(operator: Operator) -> None:
    """Register the operator with PyTorch's dispatcher, once.

    Raises:
        ImportError: another library has registered the operator.
    """
    name, own = str(operator), f"{operator.package.name}:{operator}"
    if own not in torch.ops.loaded_libraries or not is_registered(name):
        check_is_free(name, operator.package.name)
        _define(name, operator.schema, reference.owned(operator.kernel))
        if operator.backward_schema:
            _define(f"{name}_backward", operator.backward_schema, gradients(operator))
        torch.ops.loaded_libraries.add(own)
        if operator.is_decomposed:  # by the kernel, in the dynamo exporter
            decompose_by(operator.overload, operator.kernel)
    dispatch.implement_fake(name, operator.fake or _fake(operator.kernel))
    if operator.existing:
        _trace_instead(operator)
        _give_fake(operator)


def _define(name: str, schema: str, implementation: Kernel) -> None:
    torch.library.define(name, schema)
    leave_uncompiled(implementation)
    torch.library.impl(name, "default", implementation)


def _fake(kernel: Kernel) -> Kernel:
    def fake(*args: Any, **kwargs: Any) -> Any:
        found = kernel(*args, **kwargs)
        layout = torch.contiguous_format
        made = [torch.empty_like(each, memory_format=layout) for each in listed(found)]
        return made[0] if isinstance(found, Tensor) else tuple(made)

    return fake


_COMPOSITE = DispatchKey.CompositeImplicitAutograd
_traced: set[str] = set()


def _trace_instead(operator: Operator) -> None:
    """Have torch.export see the operator where it would trace what PyTorch composes the existing one of, which
    may ask for values.
    """
    _, existing = operator.overloads
    name = existing.name()
    if name in _traced or not has_kernel_for(name, _COMPOSITE.name):
        return
    _traced.add(name)
    own = existing.py_kernels.pop(_COMPOSITE, kernel_of(existing, _COMPOSITE))

    under_way: list[bool] = []  # the kernel may call the existing operator itself

    def trace(*args: Any, **kwargs: Any) -> Any:
        if under_way or is_tracing_compile():
            return own(*args, **kwargs)
        under_way.append(True)
        try:
            return operator.call(args, kwargs)
        finally:
            under_way.clear()

    existing.py_impl(_COMPOSITE)(trace)


def _give_fake(operator: Operator) -> None:
    """Give the existing operator the spec's fake where its sizes depend on values, for which PyTorch has none."""
    _, existing = operator.overloads
    fake, name = operator.fake, existing.name()
    is_composite = has_kernel_for(name, _COMPOSITE.name)
    if fake is None or is_composite or torch.Tag.dynamic_output_shape not in existing.tags:
        return

    def sizes(*args: Any, **kwargs: Any) -> Any:
        if is_tracing_compile():  # which leaves the graph there
            raise dynamic_output(existing)
        return fake(*args, **kwargs)

    torch.library.register_fake(name, sizes, allow_override=True)


def gradients(operator: Operator, *, create_graph: bool = False) -> Kernel:
    """Return what gives the gradients as an operator does: empty where one is not wanted.

    ``create_graph``: they are to be differentiated themselves.
    """

    def compute(*args: Any) -> Any:
        count = len(operator.results)
        grads, values, wants = args[:count], args[count:-1], args[-1]
        arguments = dict(zip((a.name for a in operator.arguments), values, strict=True))
        given = lengths(operator, arguments)
        wanted = dict(zip(operator.differentiable, nested(wants, given), strict=True))
        found = vjp(operator, grads, arguments, wanted, create_graph=create_graph)
        inputs = flat([arguments[name] for name in operator.differentiable], given)
        empty = [torch.empty(0) if x is None else x.new_empty(0) for x in inputs]
        pairs = zip(flat([*found.values()], given), empty, strict=True)
        return as_returned([nothing if grad is None else grad for grad, nothing in pairs], given)

    return compute


def lengths(operator: Operator, arguments: Mapping[str, Any]) -> Lengths:
    """Return those of the lists among the tensors whose gradients an operator computes."""
    chosen = [tensor for tensor in operator.tensors if tensor.name in operator.differentiable]
    return lengths_of(chosen, [arguments[tensor.name] for tensor in chosen])


def as_returned(gradients: list[Tensor], given: Lengths) -> Any:
    """Return the gradients as that operator does: of lists one after the other, in one list."""
    if given:
        return gradients
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


def vjp(
    operator: Operator,
    grads: Sequence[Tensor],
    arguments: Mapping[str, Any],
    wanted: Mapping[str, Any],
    *,
    create_graph: bool = False,
) -> dict[str, Any]:
    """Return the gradients by PyTorch's own autograd through the reference.

    Args:
        operator: the operator, which has one.
        grads: the gradients with respect to the results, of their shapes.
        arguments: those of the operator, by name.
        wanted: by the names of tensors whether their gradients are; of a list, that of each item.
        create_graph: whether the gradients are to be differentiable themselves.
    """
    inputs: list[Tensor] = []

    def leaf(value: Any, wants: Any) -> Any:
        if isinstance(wants, list):
            return [leaf(*pair) for pair in zip(value, wants, strict=True)]
        if not wants:
            return value
        inputs.append(_leaf(value, create_graph))
        return inputs[-1]

    with torch.enable_grad():
        leaves = [leaf(value, wanted.get(name)) for name, value in arguments.items()]
        compute = reference.of(operator)
        assert compute is not None  # which is why it is asked
        pairs = zip(listed(compute(*leaves)), grads, strict=True)
        given = [pair for pair in pairs if pair[0].requires_grad]
        if given:
            found = torch.autograd.grad(
                [result for result, _ in given],
                inputs,
                [grad for _, grad in given],
                create_graph=create_graph,
                materialize_grads=True,
            )
        else:  # they depend on none of them
            found = tuple(torch.zeros_like(tensor) for tensor in inputs)
    rest = iter(found)

    def gradient(wants: Any) -> Any:
        if isinstance(wants, list):
            return [gradient(each) for each in wants]
        return next(rest) if wants else None

    return {name: gradient(wanted[name]) for name in arguments if name in wanted}


def _leaf(tensor: Tensor, create_graph: bool) -> Tensor:
    """A tensor to differentiate with respect to; hooks on the original are not called."""
    if not create_graph:
        return tensor.detach().requires_grad_()
    viewed = tensor.view_as(tensor)
    if viewed.requires_grad:  # which a tensor of a transform that is over only says it does
        return viewed
    # Not detached: it may have a tangent, or belong to a transform of torch.func's.
    one = torch.ones((), dtype=tensor.dtype, device=tensor.device, requires_grad=True)
    return viewed * one
