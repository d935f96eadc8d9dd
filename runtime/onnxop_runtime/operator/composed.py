"""Kernels that compose PyTorch's operators: their registration, and their gradients by autograd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import (
    DispatchKey,
    dynamic_output,
    has_kernel_for,
    is_tracing_compile,
    kernel_of,
    pending_sizes,
    pytree,
    untraceable,
)
from . import frames, reference
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
    fake = operator.fake or _fake(operator.kernel)
    frames.skip(fake)
    torch.library.register_fake(name, fake, allow_override=True)
    if operator.existing:
        _trace(operator)


_COMPOSITE = DispatchKey.CompositeImplicitAutograd
_SIZES = ("Meta", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
_traced: set[str] = set()


def _trace(operator: Operator) -> None:
    """Where torch.export cannot follow what PyTorch composes the existing operator of, since that asks
    for values, or makes numbers of sizes that are open, it sees this one; and of one that is not composed,
    and that it knows no sizes of, its fake.
    """
    _, existing = operator.overloads
    is_composite = has_kernel_for(existing.name(), _COMPOSITE.name)
    if not is_composite:
        _fake_existing(operator, existing)
        return
    if existing.name() in _traced:
        return
    _traced.add(existing.name())
    own = existing.py_kernels.pop(_COMPOSITE, kernel_of(existing, _COMPOSITE))

    def trace(*args: Any, **kwargs: Any) -> Any:
        count = len(pending_sizes())
        if _is_open((args, kwargs)) and not is_tracing_compile():
            return operator.call(args, kwargs)
        try:
            return own(*args, **kwargs)
        except untraceable():
            if is_tracing_compile():  # which leaves the graph there
                raise
            del pending_sizes()[count:]
            return operator.call(args, kwargs)

    existing.py_impl(_COMPOSITE)(trace)


def _fake_existing(operator: Operator, existing: Any) -> None:
    """The existing operator takes the spec's fake where PyTorch has none of it, or one that refuses."""
    is_of_values = torch.Tag.dynamic_output_shape in existing.tags
    has_one = DispatchKey.Meta in existing.py_kernels or any(
        has_kernel_for(existing.name(), key) for key in _SIZES
    )
    fake = operator.fake
    if fake is None or (has_one and not is_of_values):
        return

    def trace(*args: Any, **kwargs: Any) -> Any:
        if is_of_values and is_tracing_compile():  # which leaves the graph there
            raise dynamic_output(existing)
        return fake(*args, **kwargs)

    torch.library.register_fake(existing.name(), trace, allow_override=True)


def _is_open(arguments: Any) -> bool:
    """Whether a size of a tensor among them is open."""
    return any(
        isinstance(size, torch.SymInt)
        for value in pytree.tree_leaves(arguments)
        if isinstance(value, Tensor)
        for size in value.shape
    )


def _define(name: str, schema: str, implementation: Kernel) -> None:
    torch.library.define(name, schema)
    torch.library.impl(name, "default", implementation)


def gradients(operator: Operator, *, create_graph: bool = False) -> Kernel:
    """The gradients as an operator gives them: empty where one is not wanted.

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
    """Those of the lists among the tensors whose gradients an operator computes."""
    chosen = [tensor for tensor in operator.tensors if tensor.name in operator.differentiable]
    return lengths_of(chosen, [arguments[tensor.name] for tensor in chosen])


def as_returned(gradients: list[Tensor], given: Lengths) -> Any:
    """The gradients as that operator returns them: of lists one after the other, in one list."""
    if given:
        return gradients
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


def _fake(kernel: Kernel) -> Kernel:
    def fake(*args: Any, **kwargs: Any) -> Any:
        found = kernel(*args, **kwargs)
        layout = torch.contiguous_format
        made = [torch.empty_like(each, memory_format=layout) for each in listed(found)]
        return made[0] if isinstance(found, Tensor) else tuple(made)

    return fake


def vjp(
    operator: Operator,
    grads: Sequence[Tensor],
    arguments: Mapping[str, Any],
    wanted: Mapping[str, Any],
    *,
    create_graph: bool = False,
) -> dict[str, Any]:
    """The gradients by PyTorch's own autograd through the reference.

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
        if wants:
            inputs.append(_leaf(value, create_graph))
        return inputs[-1] if wants else value

    with torch.enable_grad():
        leaves = {name: leaf(value, wanted.get(name)) for name, value in arguments.items()}
        compute = reference.of(operator)
        assert compute is not None  # which is why it is asked
        results = listed(compute(*leaves.values()))
        given = [pair for pair in zip(results, grads, strict=True) if pair[0].requires_grad]
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
