"""Derivatives of operators: backward, forward-mode and those of torch.func, of any order.

`torch.library.register_autograd` would lose the tangents of forward-mode AD without a word.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .. import registry
from .. import torch_internals as internals
from ..torch_internals import schema_of
from . import autocast, composed, dispatch, forward_mode, frames, reference, vmap
from .description import Operator
from .dispatch import Schema, redispatch
from .lists import flat, has_tensors, items_of, listed, nested, saved, tensors_in


class Function(torch.autograd.Function):
    """What the operators' Functions have in common."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        frames.skip_members(cls)  # which PyTorch calls from C++

    @classmethod
    def apply(cls, *args: Any) -> Any:
        # The operator knows of tangents and of torch.func, what is complex, and of lists of tensors.
        if is_transformed() or _are_complex(args) or any(map(has_tensors, args)):
            return cls.forward(*args)
        return super().apply(*args)  # type: ignore[no-untyped-call,unused-ignore]

    @staticmethod
    def mark_integers(ctx: Any, outputs: Sequence[Tensor]) -> None:
        """Say that results of integers and truth values have no gradient."""
        kinds = [
            output for output in outputs if not (output.is_floating_point() or output.is_complex())
        ]
        ctx.mark_non_differentiable(*kinds)


def register(operator: Operator, function: Any, source: str = "") -> Callable[..., Any]:
    """Gives the dispatcher's operator the gradients of its Function, and its part in transforms and
    in autocast.

    ``source`` is the file of the kernel, where that computes gradients.

    Returns:
        What calls the operator, by a shorter way where nothing is differentiated.
    """
    _differentiate(operator.overload, function, _Reference(operator))
    vmap.register(operator)
    autocast.register(operator)
    if operator.differentiable:
        torch.library.register_fake(
            f"{operator}_backward", _fake_backward(operator), allow_override=True
        )
        vmap.register_loop(operator.backward)
        if operator.reference is None:
            _refuse(operator.backward, source)
        else:
            through = composed.gradients(operator, create_graph=True)
            _differentiate_through(operator.backward, through)
    return _shorter(operator)


def _shorter(operator: Operator) -> Callable[..., Any]:
    overload: Any = operator.overload
    directly = internals.direct_call(overload)  # all that OpOverload.__call__ calls
    is_compiling, is_grad_enabled = torch.compiler.is_compiling, torch.is_grad_enabled
    tracing_state = internals.tracing_state  # torch.jit.trace compares graphs, places included
    are_transformed = internals.are_transforms_active
    below_autograd = internals.below_autograd
    plain, others = reference.PLAIN, _NO_TENSORS
    takes_lists = any(tensor.is_list for tensor in operator.tensors)
    compute = reference.of(operator)

    def call(*args: Any, **kwargs: Any) -> Any:
        is_traced = is_compiling() or tracing_state() is not None
        if is_traced or internals.forward_level() >= 0 or are_transformed():
            return overload(*args, **kwargs)
        given: Sequence[Any] = (*args, *kwargs.values()) if kwargs else args
        for value in items_of(given) if takes_lists else given:
            kind = type(value)
            if kind in plain:
                if value.requires_grad and is_grad_enabled():
                    return operator.call(args, kwargs)
            elif kind not in others:
                return operator.call(args, kwargs)
        try:
            with below_autograd():
                return directly(*args, **kwargs)
        except (AttributeError, OverflowError, TypeError):
            operator.check_given(operator.signature.values(args, kwargs))
            raise
        except RuntimeError:  # of dtypes that the kernel lacks, perhaps
            values = operator.signature.values(args, kwargs)
            operator.check_given(values)
            if compute is None or not reference.is_needed(operator, values):
                raise
        return compute(*values)

    return call


# The keys of a call with plain tensors on the CPU, of which only the dtype is to be looked at.
_USUAL = internals.usual_keys()
# The types of arguments that are no tensors, nor hold any.
_NO_TENSORS = frozenset({int, float, bool, str, list, tuple, type(None)})


class _Reference:
    """Where the reference computes in place of the kernel."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._compute = reference.of(operator)
        through = {*operator.differentiable, *operator.through_reference}
        # Whether its derivatives are the operator's, for which the spec gives no formulas.
        self._is_whole = self._compute is not None and through >= {t.name for t in operator.tensors}
        self._is_transformed = self._is_whole and not (
            operator.is_native and operator.differentiable
        )

    def is_needed(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        if self._compute is None or self._is_opaque():
            return False
        return reference.is_needed(self._operator, (*args, *kwargs.values()))

    def differentiates(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """Whether PyTorch's own autograd goes through it: where there is no other, and in transforms."""
        if self._compute is None or self._is_opaque():
            return False
        if _are_complex((*args, *kwargs.values())) and self.is_needed(args, kwargs):
            return True  # a spec's formulas are those of real numbers
        if not self._is_whole:
            return False
        if self._is_transformed and internals.are_transforms_active():
            return True
        if self._is_transformed and _have_tangents(args, kwargs):
            return True
        return self.is_needed(args, kwargs)

    def _is_opaque(self) -> bool:
        """Whether this is traced, which must not come to what depends on values."""
        return self._operator.fake is not None and internals.dispatch_modes() > 0

    def __call__(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        assert self._compute is not None  # or it would not be needed
        values = self._operator.signature.values(args, kwargs)
        _tell_absent(self._operator, values)
        return self._compute(*values)


def _tell_absent(operator: Operator, values: Sequence[Any]) -> None:
    """Warn that a model which is to have the operator as a node gets the nodes of its reference, where that
    computes with dtypes that the kernel lacks. ``values`` are its arguments.
    """
    domain = registry.domain_of(operator)
    if registry.exporting() is None or not domain or not operator.dtypes:
        return
    dtypes = {tensor.dtype for tensor in tensors_in(values)}
    if lacked := sorted(str(dtype) for dtype in dtypes - operator.computed_dtypes):
        warnings.warn(
            f"{operator} has no kernel for {', '.join(lacked)}, and no node in the domain {domain} here: "
            "the model has the nodes of its reference; convert the tensors where one is wanted",
            stacklevel=2,
        )


def computed(operator: Operator, ctx: Any, grads: Sequence[Tensor]) -> list[Any]:
    """The gradients that the kernel computes, or autograd through the reference, one an argument, and
    lists of them for lists; None where neither does, or none is wanted. The arguments were saved first.
    """
    names = [argument.name for argument in operator.arguments]
    values = saved(ctx)[: len(names)]
    wanted = {
        name: wants
        for name, wants in zip(names, ctx.needs_input_grad, strict=False)
        if (any(wants) if isinstance(wants, list) else wants)
    }
    by_kernel = [name for name in operator.differentiable if name in wanted]
    through = [name for name in operator.through_reference if name in wanted]
    if operator.has_reference and reference.is_needed(operator, values):
        by_kernel, through = [], by_kernel + through
    arguments = dict(zip(names, values, strict=True))
    given: dict[str, Any] = {}
    if by_kernel:
        wants = [wanted[name] if name in by_kernel else False for name in operator.differentiable]
        lengths = composed.lengths(operator, arguments)
        found = operator.backward(*grads, *values, flat(wants, lengths))
        given |= zip(operator.differentiable, nested(listed(found), lengths), strict=True)
    if through:
        create_graph = torch.is_grad_enabled()
        chosen = {name: wanted[name] for name in through}
        given |= composed.vjp(operator, grads, arguments, chosen, create_graph=create_graph)
    return [given[name] if name in wanted and name in given else None for name in names]


def _fake_backward(operator: Operator) -> Callable[..., Any]:
    def fake(*args: Any) -> Any:
        """The gradients, without their values; empty where one is not wanted."""
        *values, wants = args[len(operator.results) :]
        arguments = dict(zip((a.name for a in operator.arguments), values, strict=True))
        lengths = composed.lengths(operator, arguments)
        tensors = flat([arguments[name] for name in operator.differentiable], lengths)
        found = [
            torch.empty(0) if tensor is None else tensor.new_empty(tensor.shape if is_wanted else 0)
            for tensor, is_wanted in zip(tensors, wants, strict=True)
        ]
        return composed.as_returned(found, lengths)

    return fake


def _differentiate(operator: Any, function: Any, other: _Reference | None = None) -> None:
    """Differentiates an operator by the `setup_context` and `backward` of a Function.

    They see every argument in the order of the schema, and defaults where they were left out.
    """
    schema = Schema(operator)

    def below(keyset: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        with internals.below_autograd():
            if other is None:
                return redispatch(operator, keyset, args, kwargs)
            if keyset.raw_repr() != _USUAL and other.is_needed(args, kwargs):
                return other(args, kwargs)
            try:
                return redispatch(operator, keyset, args, kwargs)
            except RuntimeError:  # of dtypes that the kernel lacks, perhaps
                if not other.is_needed(args, kwargs):
                    raise
            return other(args, kwargs)

    class Recorded(internals.SingleLevelFunction):  # type: ignore[misc]
        @staticmethod
        def forward(*inputs: Any) -> Any:
            *leaves, (keyset, _, lengths) = inputs
            values = nested(leaves, lengths)
            if not internals.are_transforms_active():
                return below(keyset, *schema.split(values))
            # Outer transforms differentiate, too, but apply() has switched both off.
            with torch.enable_grad(), internals.set_forward_grad_enabled(True):
                return below(keyset, *schema.split(values))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            *leaves, (_, ctx.is_dual, ctx.lengths) = inputs
            ctx.is_transformed = internals.are_transforms_active()
            function.setup_context(ctx, tuple(nested(leaves, ctx.lengths)), output)
            if ctx.is_dual:
                ctx.constants = [None if isinstance(each, Tensor) else (each,) for each in leaves]
                tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
                ctx.save_for_forward(*tensors, *listed(output))

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
            *wants, _ = asked = ctx.needs_input_grad
            ctx.needs_input_grad = tuple(nested(wants, ctx.lengths))
            try:
                found = flat(function.backward(ctx, *grads), ctx.lengths)
            finally:
                ctx.needs_input_grad = asked
            if ctx.is_transformed:  # torch.func would make zeros of None
                names = flat(schema.names, ctx.lengths)
                for name, grad, is_wanted in zip(names, found, wants, strict=True):
                    if grad is None and is_wanted:
                        raise schema.refusal(name, "torch.func asks for its gradient")
            return (*found, None)

        @staticmethod
        def jvp(ctx: Any, *tangents: Tensor | None) -> Any:
            saved = list(ctx.saved_tensors)
            values = [saved.pop(0) if each is None else each[0] for each in ctx.constants]
            output = tuple(saved) if len(saved) > 1 else saved[0]
            pairs = zip(tangents[:-1], ctx.is_dual, strict=True)
            given = [tangent if is_dual else None for tangent, is_dual in pairs]  # zeros otherwise
            found = forward_mode.jvp(schema, function, values, given, output, ctx.lengths)
            return tuple(found) if len(found) > 1 else found[0]

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        is_recorded = _is_recorded(args, kwargs)
        if not (is_recorded or is_transformed()):
            return below(keyset, args, kwargs)
        if other is not None and other.differentiates(args, kwargs):
            return other(args, kwargs)
        values = schema.values(args, kwargs)
        lengths = schema.lengths(values)
        leaves = flat(values, lengths)
        if is_recorded:
            is_dual: list[bool] = []
            if is_transformed():
                is_dual = [forward_mode.unpacked(leaf)[1] is not None for leaf in leaves]
            with internals.single_level_functions():
                return Recorded.apply(*leaves, (keyset, is_dual, lengths))
        if not _have_tangents(args, kwargs):
            return below(keyset, args, kwargs)
        duals = [forward_mode.unpacked(leaf) for leaf in leaves]
        primals, tangents = zip(*duals, strict=True)
        output = below(keyset, *schema.split(nested(primals, lengths)))
        found = forward_mode.jvp(schema, function, primals, tangents, output, lengths)
        results = tuple(map(forward_mode.dual, listed(output), found))
        return results if isinstance(output, tuple) else results[0]

    dispatch.implement(operator, kernel, "Autograd", with_keyset=True)


def _differentiate_through(operator: Any, compute: Callable[..., Any]) -> None:
    """Differentiates an operator by PyTorch's own autograd through a function of its arguments."""
    schema = Schema(operator)

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_recorded(args, kwargs) or _have_tangents(args, kwargs):
            return compute(*schema.values(args, kwargs))
        return redispatch(operator, keyset, args, kwargs)

    dispatch.implement(operator, kernel, "Autograd", with_keyset=True)


def _refuse(operator: Any, source: str) -> None:
    """Has an operator that computes gradients say that nothing differentiates these, as soon as
    they are to be.
    """

    class Refused:
        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
            raise NotImplementedError(
                f"{schema_of(operator).name}: {source} computes these gradients, and nothing "
                "differentiates them: there are no second derivatives and no forward-mode AD; for "
                "those, give formulas in [autograd] of the spec in place of backward in [kernel]"
            )

    _differentiate(operator, Refused)


def is_transformed() -> bool:
    """Whether there can be tangents, or transforms of torch.func's."""
    # What torch.compile has traced enters a level without telling forward_ad of it.
    return (
        internals.forward_level() >= 0
        or internals.are_transforms_active()
        or internals.dispatch_modes() > 0
        or internals.is_called_by_graph(_OURS)  # as with the backend eager
    )


_OURS = frozenset({__file__, internals.__file__, internals.OPS_FILE})


def _are_complex(values: Sequence[Any]) -> bool:
    return any(tensor.is_complex() for tensor in tensors_in(values))


def _is_recorded(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    return torch.is_grad_enabled() and internals.any_requires_grad(*args, **kwargs)


def _have_tangents(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    return is_transformed() and any(
        forward_mode.unpacked(tensor)[1] is not None
        for tensor in tensors_in((*args, *kwargs.values()))
    )
