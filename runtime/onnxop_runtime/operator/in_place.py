"""Operators that write to arguments: they call their functional form, and copy what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .. import torch_internals as internals
from .export_context import current_export
from .library import check_is_free, has_registered, note_registered
from .lists import as_list
from .model import Operator, overload_named


def define(operator: Operator) -> Callable[..., Any]:
    """Register the operator that writes to arguments, once, and return it.

    Raises:
        ImportError: another package has registered it.
    """
    short_name, bracket, rest = operator.in_place.partition("(")
    name = f"{operator.namespace}::{short_name}"
    package = operator.package.name
    if not has_registered(package, name):
        check_is_free(name, package)
        torch.library.define(name, bracket + rest)
        _Writing(name, operator).register()
        note_registered(package, name)
    overload: Callable[..., Any] = overload_named(f"{name}.default")
    return overload


class _Writing:
    """The kernels of an operator that writes to arguments."""

    def __init__(self, name: str, operator: Operator) -> None:
        self._name, self._operator = name, operator

    def register(self) -> None:
        """Register the kernels by dispatch key."""
        kernels = {
            "CompositeExplicitAutograd": self._compute,
            "Autograd": self._differentiate,
            # So that torch.export, torch.compile and torch.jit.trace record the functional form.
            "Functionalize": self._write,
            "Tracer": self._write,
        }
        for key, kernel in kernels.items():
            internals.leave_uncompiled(kernel)
            torch.library.impl(self._name, key, kernel)
        torch.library.register_fake(self._name, self._fake)

    def _write(self, *args: object, **kwargs: object) -> object:
        """Copy what the functional form returns to the arguments."""
        arguments = self._bind(args, kwargs)
        self._note_lost(arguments)
        return self._copy(arguments, *self._results(arguments))

    def _copy(self, arguments: Mapping[str, Any], returned: Any, results: Sequence[Tensor]) -> Any:
        written = dict(zip(self._operator.writes, results, strict=True))
        for argument, value in written.items():
            self._check(argument, arguments[argument], value)
        for argument, value in written.items():
            arguments[argument].copy_(value)
        return returned

    def _compute(self, *args: object, **kwargs: object) -> object:
        # As PyTorch's kernels do, it may write to tensors that require gradients.
        with torch.no_grad():
            return self._write(*args, **kwargs)

    def _differentiate(self, *args: object, **kwargs: object) -> object:
        """Compute with the gradients of the functional form. A leaf that requires gradients, to
        which PyTorch lets only kernels write, has none afterwards.
        """
        arguments = self._bind(args, kwargs)
        is_recorded = torch.is_grad_enabled() and internals.any_requires_grad(*arguments.values())
        leaves = [a for a in self._operator.writes if _is_leaf(arguments[a])] if is_recorded else []
        if is_recorded and not leaves:
            # The functional form saves its arguments for the backward pass, before they are written
            # to.
            before = {argument: arguments[argument].clone() for argument in self._operator.writes}
            return self._copy(arguments, *self._results({**arguments, **before}))
        returned = self._compute(*args, **kwargs)
        for argument in leaves if internals.dispatch_modes() == 0 else ():
            arguments[argument].register_hook(self._refusal(argument))
        return returned

    def _fake(self, *args: object, **kwargs: object) -> object:
        return self._results(self._bind(args, kwargs))[0]

    def _bind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, Any]:
        """Return all arguments of a call, by name."""
        signature = self._operator.signature
        return dict(zip(signature.names, signature.bind(args, kwargs), strict=True))

    def _results(self, arguments: Mapping[str, object]) -> tuple[Any, Sequence[Tensor]]:
        """Return what the operator returns, and what it writes."""
        results = as_list(self._operator.overload(**arguments))
        count = len(results) - len(self._operator.writes)
        returned = {0: None, 1: results[0]}.get(count, tuple(results[:count]))
        return returned, results[count:]

    def _check(self, argument: str, tensor: Tensor, value: Tensor) -> None:
        """Raise RuntimeError if an argument cannot hold what the kernel computes."""
        if tensor.shape != value.shape or tensor.dtype != value.dtype:
            raise RuntimeError(
                f"{self._name}: {argument} is {tensor.dtype}{[*tensor.shape]}, but the kernel "
                f"writes {value.dtype}{[*value.shape]}; give a tensor of that dtype and these sizes"
            )

    def _refusal(self, argument: str) -> Callable[[Tensor], None]:
        def refuse(grad: Tensor) -> None:
            raise NotImplementedError(
                f"{self._name} has written to {argument}, a leaf that requires gradients, which "
                f"has no gradient then; call {self._operator}, which returns the result instead, "
                "or detach it"
            )

        return refuse

    def _note_lost(self, arguments: Mapping[str, Any]) -> None:
        """Record the writes of a trace that the file does not have."""
        for argument in self._operator.writes:
            note_lost_write(self._name, argument, arguments[argument])


def note_lost_write(operator: str, argument: str, tensor: Tensor) -> None:
    """Record what a trace writes to a tensor, if it is an input or a buffer of the model, which a
    file does not have, or a view, from which PyTorch's TorchScript exporter writes nothing back.
    """
    context = current_export()
    if context is None or internals.tracing_state() is None:
        return
    log = context.log
    if internals.is_given_to_trace(tensor):
        log.lost_writes.setdefault(operator, set()).add(argument)
    elif internals.is_view(tensor):
        log.writes_to_views.setdefault(operator, set()).add(argument)


def _is_leaf(tensor: Tensor) -> bool:
    return tensor.is_leaf and tensor.requires_grad
