"""Kernels that compose PyTorch's operators: their registration, and their gradients by autograd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException

from . import reference
from .native import is_registered
from .operator import Operator

Kernel = Callable[..., Any]


def define(
    operator: Operator,
    schema: str,
    *,
    module: str,
    backward: str = "",
) -> None:
    """Registers the operator with PyTorch's dispatcher, once.

    Args:
        operator: the operator.
        schema: its signature, ``(Tensor x, float alpha=1.0) -> Tensor``.
        module: the file that registers it.
        backward: the signature of the operator ``<name>_backward``, where it has one.

    Raises:
        ImportError: another library has registered the operator.
    """
    name = str(operator)
    if not is_registered(name):
        _define(name, schema, reference.owned(operator.kernel))
        if backward:
            _define(f"{name}_backward", backward, gradients(operator))
        torch.ops.loaded_libraries.add(module)
    elif module not in torch.ops.loaded_libraries:
        raise ImportError(
            f"{name} is already registered by another library; a process can hold it once, so "
            f"{module} does not register it"
        )
    fake = operator.fake or _fake(operator.kernel)
    torch.library.register_fake(name, fake, allow_override=True)
    if operator.existing:
        _trace(operator)


_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd
_UNTRACED = (DataDependentOutputException, DynamicOutputShapeException)


def _trace(operator: Operator) -> None:
    """Where torch.export cannot follow what PyTorch composes the existing operator of, since that asks
    for values, it sees this one.
    """
    _, existing = operator.overloads
    is_composite = torch._C._dispatch_has_kernel_for_dispatch_key(existing.name(), _COMPOSITE.name)
    if not is_composite or _COMPOSITE in existing.py_kernels:
        return

    @existing.py_impl(_COMPOSITE)
    def trace(*args: Any, **kwargs: Any) -> Any:
        try:
            return existing._op_dk(_COMPOSITE, *args, **kwargs)
        except _UNTRACED:
            if _compiles():  # which leaves the graph there
                raise
            return operator.call(args, kwargs)


def _compiles() -> bool:
    """Whether it is torch.compile that traces; the exporters do so in more steps than torch.export's."""
    return TracingContext.try_get() is not None and not torch.compiler.is_exporting()


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
        pairs = list(zip(operator.differentiable, wants, strict=True))
        wanted = [name for name, is_wanted in pairs if is_wanted]
        found = vjp(operator, grads, arguments, wanted, create_graph=create_graph)
        results = [
            found[name] if name in found else _nothing(arguments[name])
            for name in operator.differentiable
        ]
        return results[0] if len(results) == 1 else tuple(results)

    return compute


def _nothing(value: Tensor | None) -> Tensor:
    return torch.empty(0) if value is None else value.new_empty(0)


def _fake(kernel: Kernel) -> Kernel:
    def fake(*args: Any, **kwargs: Any) -> Any:
        found = kernel(*args, **kwargs)
        if isinstance(found, Tensor):
            return torch.empty_like(found, memory_format=torch.contiguous_format)
        return tuple(
            torch.empty_like(each, memory_format=torch.contiguous_format) for each in found
        )

    return fake


def vjp(
    operator: Operator,
    grads: Sequence[Tensor],
    arguments: Mapping[str, Any],
    wanted: Sequence[str],
    *,
    create_graph: bool = False,
) -> dict[str, Tensor]:
    """The gradients by PyTorch's own autograd through the reference.

    Args:
        operator: the operator, which has one.
        grads: the gradients with respect to the results, of their shapes.
        arguments: those of the operator, by name.
        wanted: the names of those whose gradients are wanted.
        create_graph: whether the gradients are to be differentiable themselves.
    """
    with torch.enable_grad():
        inputs = {name: _leaf(arguments[name], create_graph) for name in wanted}
        compute = reference.of(operator)
        assert compute is not None  # which is why it is asked
        results = compute(*{**arguments, **inputs}.values())
        results = [results] if isinstance(results, Tensor) else results
        given = [pair for pair in zip(results, grads, strict=True) if pair[0].requires_grad]
        if not given:  # they depend on none of them
            return {name: torch.zeros_like(tensor) for name, tensor in inputs.items()}
        found = torch.autograd.grad(
            [result for result, _ in given],
            list(inputs.values()),
            [grad for _, grad in given],
            create_graph=create_graph,
            materialize_grads=True,
        )
    return dict(zip(wanted, found, strict=True))


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
