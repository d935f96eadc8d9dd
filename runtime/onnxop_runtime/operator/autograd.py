"""Derivatives of operators, of any order: backward, forward-mode AD and torch.func.

`torch.library.register_autograd` would silently drop the tangents of forward-mode AD.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .. import torch_internals as internals
from ..torch_internals import schema_of
from . import autocast, composed, dispatch, forward_mode, reference, vmap
from .arguments import Signature
from .dispatch import redispatch
from .export_context import current_export
from .lists import as_list, flat, has_tensors, items_of, nested, saved, tensors_in
from .model import Operator


class Function(torch.autograd.Function):
    """The base class of operators' Functions, whose gradients the dispatcher's operator uses,
    too.
    """

    registered: type[Function] | None = None
    """The class from which the dispatcher's operator has its gradients."""

    @classmethod
    def apply(cls, *args: object) -> Any:
        if cls is not cls.registered and _is_overridden(cls):
            return super().apply(*args)  # type: ignore[no-untyped-call,unused-ignore]
        # The operator has the same gradients and supports transforms. In a TorchScript trace, the
        # Function becomes a node with its own symbolic, but PyTorch does not support lists of
        # tensors there.
        if internals.tracing_state() is None or any(map(has_tensors, args)):
            return cls.forward(*args)
        return super().apply(*args)  # type: ignore[no-untyped-call,unused-ignore]

    @staticmethod
    def mark_without_gradients(ctx: Any, outputs: Sequence[Tensor]) -> None:
        """Mark the results that have no gradients, integer and boolean ones, if there are some."""
        integers = (t for t in outputs if not (t.is_floating_point() or t.is_complex()))
        ctx.mark_non_differentiable(*integers)


_METHODS = ("forward", "setup_context", "backward", "vjp", "jvp", "vmap")


def _is_overridden(function: type[Function]) -> bool:
    """Return whether a subclass computes something in another way than the registered Function."""
    registered = function.registered
    return any(getattr(function, name) is not getattr(registered, name, None) for name in _METHODS)


def register(operator: Operator, function: Any, source: str = "") -> Callable[..., Any]:
    """Register the operator's derivatives, from its Function, and its transforms and autocast.
    Return a function that calls the operator, faster if nothing is differentiated. ``source``: the
    file of the kernel, if it computes gradients.
    """
    function.registered = function
    _differentiate(operator.overload, function, _Reference(operator))
    vmap.register(operator)
    autocast.register(operator)
    if operator.differentiable:
        dispatch.implement_fake(f"{operator}_backward", _fake_backward(operator))
        vmap.register_loop(operator.backward)
        if operator.reference is None:
            _refuse_second_derivatives(operator.backward, source)
        else:
            _differentiate_through_reference(operator)
    return _fast_call(operator)


_NO_TENSORS = frozenset({int, float, bool, str, list, tuple, type(None)})
"""The types of arguments that neither are nor hold tensors."""


def _fast_call(operator: Operator) -> Callable[..., Any]:
    """Return a call of the operator that skips the dispatcher's autograd if nothing is traced,
    transformed or differentiated. Else, and after an error, the dispatcher makes the call, or names
    the cause.
    """
    overload, compute = operator.overload, reference.compute_of(operator)
    directly = internals.direct_call(overload)  # what OpOverload.__call__ calls
    takes_lists = any(tensor.is_list for tensor in operator.tensors)
    # Local names for speed: a call takes 2.0 us for 1,000 floats, and look-ups are part of it.
    is_compiling, is_grad_enabled = torch.compiler.is_dynamo_compiling, torch.is_grad_enabled
    tracing_state, are_transforms_active = internals.tracing_state, internals.are_transforms_active
    forward_level = internals.forward_level
    # below_autograd() is a context manager, which takes three times as long.
    exclude, is_excluded, autograd = internals.exclude, internals.is_excluded, internals.AUTOGRAD
    plain_types, other_types = reference.PLAIN, _NO_TENSORS

    def call(*args: object, **kwargs: object) -> object:
        # torch.jit.trace compares graphs, source locations included.
        is_traced = is_compiling() or tracing_state() is not None
        if is_traced or forward_level() >= 0 or are_transforms_active():
            return overload(*args, **kwargs)
        values: Sequence[Any] = (*args, *kwargs.values()) if kwargs else args
        for value in items_of(values) if takes_lists else values:
            value_type = type(value)
            if value_type in plain_types:
                if value.requires_grad and is_grad_enabled():
                    return dispatch.call(operator, args, kwargs)
            elif value_type not in other_types:  # a subclass of Tensor, or what holds tensors
                return dispatch.call(operator, args, kwargs)
        was_excluded = is_excluded(autograd)
        try:
            exclude(autograd, True)
            try:
                return directly(*args, **kwargs)
            finally:
                exclude(autograd, was_excluded)
        except (AttributeError, RuntimeError, TypeError):
            # Perhaps an unsupported dtype, under torch.inference_mode, where autograd is skipped.
            values = operator.signature.bind(args, kwargs)
            if compute is not None and reference.kernel_unsupported(operator, values):
                return compute(*values)
        return dispatch.call(operator, args, kwargs)

    internals.leave_uncompiled(call)
    return call


class _Reference:
    """Decides where the reference implementation computes in place of the kernel."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._compute = reference.compute_of(operator)
        through = {*operator.differentiable, *operator.through_reference}
        self._has_derivatives = self._compute is not None and bool(through)
        arguments = enumerate(operator.arguments)
        self._others = [index for index, a in arguments if a.name not in through]
        self._has_backward = operator.is_native and bool(operator.differentiable)
        self.is_compiled, self.devices = operator.is_native, operator.devices - {"meta"}

    def computes(self, values: Sequence[object]) -> bool:
        """Return whether it computes a call, as the kernel cannot; False in traces with a fake,
        which have no values. Record such a call in an export that writes nodes of the operator.
        """
        if self._compute is None or self._is_opaque():
            return False
        if not reference.kernel_unsupported(self._operator, values):
            return False
        context, is_traced = current_export(), internals.dispatch_modes() > 0
        if context is None or not is_traced or not context.domain_of(self._operator):
            return True
        if reference.is_widened(self._operator, values):
            return False  # the node, which the library computes in float32
        context.log.fell_back_to_reference[self._operator] = tensors_in(values)[0].dtype
        return True

    def differentiates(self, values: Sequence[object], has_tangents: bool) -> bool:
        """Return whether autograd goes through the reference: in transforms, or if the kernel
        cannot compute.
        """
        is_whole = self._is_whole(values)
        is_transformed = has_tangents or internals.are_transforms_active()
        if is_whole and is_transformed and not self._has_backward:
            return not self._is_opaque()
        # A spec's formulas hold for real numbers only.
        is_complex = any(tensor.is_complex() for tensor in tensors_in(values))
        return (is_whole or is_complex) and self.computes(values)

    def _is_whole(self, values: Sequence[object]) -> bool:
        """Return whether all derivatives of a call come from the reference: no other tensor is a
        float, which would have a formula, or no gradient.
        """
        others = tensors_in([values[index] for index in self._others])
        has_others = any(tensor.is_floating_point() or tensor.is_complex() for tensor in others)
        return self._has_derivatives and not has_others

    def _is_opaque(self) -> bool:
        return self._operator.fake is not None and internals.dispatch_modes() > 0

    def __call__(self, values: Sequence[object]) -> object:
        assert self._compute is not None  # computes() was true
        return self._compute(*values)


def computed(operator: Operator, ctx: Any, grads: Sequence[Tensor]) -> list[Any]:
    """Return a gradient for each argument, from the kernel or from autograd through the reference;
    lists for lists, and None if there is none or none is requested. The arguments were saved first.
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
    if operator.has_reference and reference.kernel_unsupported(operator, values):
        by_kernel, through = [], by_kernel + through
    arguments = dict(zip(names, values, strict=True))
    gradients: dict[str, Any] = {}
    if by_kernel:
        wants = [wanted[name] if name in by_kernel else False for name in operator.differentiable]
        lengths = composed.lengths(operator, arguments)
        results = operator.backward(*grads, *values, flat(wants, lengths))
        gradients |= zip(operator.differentiable, nested(as_list(results), lengths), strict=True)
    if through:
        create_graph = torch.is_grad_enabled()
        requested = {name: wanted[name] for name in through}
        gradients |= composed.vjp(operator, grads, arguments, requested, create_graph=create_graph)
    return [gradients[name] if name in wanted and name in gradients else None for name in names]


def _fake_backward(operator: Operator) -> Callable[..., Any]:
    """Return the fake kernel of the operator that computes gradients."""

    def fake(*args: Any) -> object:
        """Return fake gradients; those not requested are empty."""
        *values, wants = args[len(operator.results) :]
        arguments = dict(zip((a.name for a in operator.arguments), values, strict=True))
        lengths = composed.lengths(operator, arguments)
        tensors = flat([arguments[name] for name in operator.differentiable], lengths)
        gradients = [
            torch.empty(0) if tensor is None else tensor.new_empty(tensor.shape if is_wanted else 0)
            for tensor, is_wanted in zip(tensors, wants, strict=True)
        ]
        return composed.as_returned(gradients, lengths)

    return fake


def _differentiate(overload: Any, function: Any, substitute: _Reference | None = None) -> None:
    """Register an operator's derivatives from the `setup_context` and `backward` of a Function.

    Both get all arguments in the order of the schema, defaults included.
    """
    kernel = _AutogradKernel(overload, function, substitute)
    is_compiled = substitute is not None and substitute.is_compiled
    call = kernel.quick_call() if is_compiled else kernel.call
    dispatch.implement(overload, call, "Autograd", with_keyset=True)


class _AutogradKernel:
    """An operator's kernel for the dispatch key Autograd: it records calls, and computes tangents.

    Args:
        overload: the operator.
        function: the class with `setup_context` and `backward`.
        substitute: computes in place of the kernel below autograd, where that cannot.
    """

    def __init__(self, overload: Any, function: Any, substitute: _Reference | None) -> None:
        self.overload, self.function, self._substitute = overload, function, substitute
        self.signature = Signature.of_overload(overload)
        self._recorded = _recorded_function(self)
        devices = substitute.devices if substitute is not None else ()
        self._backends = internals.backends_of_plain_calls(devices)

    def call(self, keyset: Any, *args: object, **kwargs: object) -> object:
        """Compute the results, which autograd or forward-mode AD may differentiate."""
        try:
            return self._results(keyset, args, kwargs)
        except (AttributeError, RuntimeError, TypeError):
            self.signature.check_tensors(args, kwargs)
            raise

    def quick_call(self) -> Callable[..., object]:
        """Return `call` with a short way for plain tensors of which nothing is recorded: their
        compiled kernel, without guards. After an error, `call` names the cause, or uses another
        dtype's kernel.
        """
        call, backends = self.call, self._backends
        redispatched = internals.direct_redispatch(self.overload)
        is_grad_enabled, requires_grad = torch.is_grad_enabled, internals.any_requires_grad
        has_tangents = forward_mode.has_tangents
        are_transforms_active = internals.are_transforms_active

        def quick(keyset: Any, *args: object, **kwargs: object) -> object:
            backend = backends.get(keyset.raw_repr())
            if backend is None or kwargs or are_transforms_active() or has_tangents(args):
                return call(keyset, *args, **kwargs)
            if is_grad_enabled() and requires_grad(*args):
                return call(keyset, *args, **kwargs)
            try:
                return redispatched(backend, *args)
            except (AttributeError, RuntimeError, TypeError):
                return call(keyset, *args, **kwargs)

        return quick

    def _results(self, keyset: object, args: Sequence[object], kwargs: dict[str, Any]) -> object:
        """Compute the results as autograd, forward mode and transforms need them."""
        inputs = (*args, *kwargs.values())
        is_recorded, has_tangents = _is_recorded(inputs), forward_mode.has_tangents(inputs)
        if not (is_recorded or has_tangents or internals.are_transforms_active()):
            return self.below(keyset, args, kwargs)
        values = self.signature.bind(args, kwargs)
        if self._substitute is not None and self._substitute.differentiates(values, has_tangents):
            return self._substitute(values)
        if has_tangents:
            return self._with_tangents(keyset, values)
        if is_recorded:
            lengths = self.signature.lengths(values)
            with internals.single_level_functions():
                return self._recorded.apply(*flat(values, lengths), (keyset, lengths))
        return self.below(keyset, args, kwargs)

    def below(self, keyset: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> object:
        """Compute the results by the kernel below autograd, or by its substitute."""
        substitute = self._substitute
        with internals.below_autograd():
            if substitute is None:
                return redispatch(self.overload, keyset, args, kwargs)
            has_kernel = keyset.raw_repr() in self._backends
            if not has_kernel:
                values = self.signature.bind(args, kwargs)
                if substitute.computes(values):
                    return substitute(values)
            try:
                return redispatch(self.overload, keyset, args, kwargs)
            except RuntimeError:  # perhaps a dtype that the kernel lacks
                values = self.signature.bind(args, kwargs)
                if not substitute.computes(values):
                    raise
            return substitute(values)

    def _with_tangents(self, keyset: object, values: Sequence[object]) -> object:
        """Return the results with their tangents."""
        signature = self.signature
        lengths = signature.lengths(values)
        leaves = flat(values, lengths)
        primals, tangents = zip(*map(forward_mode.unpacked, leaves), strict=True)
        args, kwargs = signature.split(nested(primals, lengths))
        output = self.call(keyset, *args, **kwargs)
        if not internals.are_transforms_active():
            _set_duals(output, leaves)
        result = forward_mode.jvp(signature, self.function, primals, tangents, output, lengths)
        return forward_mode.with_tangents(output, result)

    def context_with_duals(self, ctx: Any) -> object:
        """Return a context that saves the tensors with their tangents, if the call had some."""
        if internals.forward_level() < 0 or not hasattr(ctx, "duals") or not ctx.saved_tensors:
            return ctx
        values = nested(ctx.duals, ctx.lengths)
        args, kwargs = self.signature.split(values)
        context = forward_mode.Context(ctx.needs_input_grad)
        self.function.setup_context(context, tuple(values), self.overload(*args, **kwargs))
        return context


def _set_duals(results: object, duals: Sequence[object]) -> None:
    """Give the arguments with their tangents to the contexts of the calls that made the results,
    for a backward pass under forward-mode AD.
    """
    for result in as_list(results):
        context: Any = result.grad_fn
        is_of_operator = hasattr(context, "lengths")  # of the class RecordedCall, below
        if is_of_operator:
            context.duals = duals


def _recorded_function(kernel: _AutogradKernel) -> Any:
    """Return the class of Functions that record a kernel's calls. Their inputs are the arguments,
    with lists flattened, and a pair: the call's dispatch keys, and the lengths of lists.
    """

    class RecordedCall(internals.SingleLevelFunction):  # type: ignore[misc]
        @staticmethod
        def forward(*inputs: Any) -> object:
            *leaves, (keyset, lengths) = inputs
            args, kwargs = kernel.signature.split(nested(leaves, lengths))
            if not internals.are_transforms_active():
                return kernel.below(keyset, args, kwargs)
            # apply() has disabled both modes, which outer transforms need.
            with torch.enable_grad(), internals.set_forward_grad_enabled(True):
                return kernel.below(keyset, args, kwargs)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            *leaves, (_, ctx.lengths) = inputs
            ctx.is_transformed = internals.are_transforms_active()
            kernel.function.setup_context(ctx, tuple(nested(leaves, ctx.lengths)), output)

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
            before = ctx.needs_input_grad
            *wants, _ = before
            ctx.needs_input_grad = tuple(nested(wants, ctx.lengths))
            try:
                context = kernel.context_with_duals(ctx)
                gradients = flat(kernel.function.backward(context, *grads), ctx.lengths)
            finally:
                ctx.needs_input_grad = before
            if ctx.is_transformed:  # torch.func would turn None into zeros
                names = flat(kernel.signature.names, ctx.lengths)
                _check_gradients(kernel.signature, names, gradients, wants)
            return (*gradients, None)

    internals.leave_uncompiled(RecordedCall.backward)  # called by the autograd engine
    return RecordedCall


def _check_gradients(
    signature: Signature,
    names: Sequence[str],
    gradients: Sequence[Tensor | None],
    wants: Sequence[bool],
) -> None:
    """Raise NotImplementedError if a requested gradient is missing."""
    for name, gradient, is_wanted in zip(names, gradients, wants, strict=True):
        if gradient is None and is_wanted:
            raise signature.refusal(name, "torch.func asks for its gradient")


def _differentiate_through_reference(operator: Operator) -> None:
    """Register autograd through the reference for the operator that computes gradients."""
    signature = Signature.of_overload(operator.backward)
    compute = composed.gradients(operator, create_graph=True)

    def kernel(keyset: object, *args: object, **kwargs: object) -> object:
        values = signature.bind(args, kwargs)
        if _is_recorded(values) or forward_mode.has_tangents(values):
            return compute(*values)
        return redispatch(operator.backward, keyset, args, kwargs)

    dispatch.implement(operator.backward, kernel, "Autograd", with_keyset=True)


def _refuse_second_derivatives(overload: Any, source: str) -> None:
    """Have an operator that computes gradients raise an error when its own derivatives are
    requested.
    """

    class Refused:
        @staticmethod
        def setup_context(ctx: object, inputs: tuple[object, ...], output: object) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
            raise NotImplementedError(
                f"{schema_of(overload).name}: {source} computes these gradients, and nothing "
                "differentiates them: there are no second derivatives and no forward-mode AD; for "
                "those, give formulas in [autograd] of the spec in place of backward in [kernel]"
            )

    _differentiate(overload, Refused)


def _is_recorded(values: Sequence[object]) -> bool:
    return torch.is_grad_enabled() and internals.any_requires_grad(*values)
