"""A call of a model, which can be repeated: with other tensors, and in float64."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor

from ..exporting.call import model_arguments as calls
from ..operator import originals, registry
from ..torch_internals import place_in_trace, pytree, scripted_inputs


class ModelCall:
    """A model and copies of the arguments that it is called with.

    Args:
        model: the model, or an exported program.
        args: its positional arguments.
        kwargs: its keyword arguments.
        input_names: the names of the inputs, as exporters take them.
        is_eval: whether to put the model in the mode of inference for its calls.
        calls_originals: whether to call the functions themselves that `replaced` has others for.
    """

    def __init__(
        self,
        model: Any,
        args: Any,
        kwargs: Mapping[str, Any] | None = None,
        input_names: Sequence[str] = (),
        *,
        is_eval: bool = False,
        calls_originals: bool = True,
    ) -> None:
        if isinstance(model, torch.export.ExportedProgram):
            example, named = model.example_inputs or ((), {})
            args, kwargs = (args, kwargs) if args or kwargs else (example, named)
            model = model.module()
        self._model, self._is_eval, self._names = model, is_eval, [*input_names]
        self._calls_originals = calls_originals
        self._bound = _bound(model, *calls.split_arguments(args, kwargs))
        values, self._tree = pytree.tree_flatten([*self._bound.arguments.values()])
        self._values = [_copy(value) for value in values]

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors among the arguments, in the order of the model's parameters."""
        return [value for value in self._values if isinstance(value, Tensor)]

    def with_tensors(self, tensors: Sequence[Tensor], /) -> ModelCall:
        """Return the call with other tensors in place of its own."""
        rest = iter(tensors)
        values = [next(rest) if isinstance(v, Tensor) else v for v in self._values]
        return self._changed(_values=values)

    def in_float64(self) -> ModelCall:
        """Return the call of a copy of the model, in float64. Raise the errors of the copy."""
        call = self._changed(_model=double_of(self._model))
        return call.with_tensors([doubled(tensor) for tensor in self.tensors])

    def _changed(self, **attributes: object) -> ModelCall:
        """Return a copy of this call with other attributes."""
        call = copy.copy(self)
        vars(call).update(attributes)
        return call

    def count_parameters(self) -> int:
        """Return the number of the model's parameters."""
        return parameters_of(self._model)

    def results(self) -> list[Tensor]:
        """Return PyTorch's results that are tensors. The model, its buffers and the arguments stay
        as they are.
        """
        arguments = pytree.tree_unflatten([_copy(value) for value in self._values], self._tree)
        named = dict(zip(self._bound.arguments, arguments, strict=True))
        bound = inspect.BoundArguments(self._bound.signature, named)
        functions = originals.restored() if self._calls_originals else nullcontext()
        with _as_exported(self._model, is_eval=self._is_eval), functions:
            outputs = self._model(*bound.args, **bound.kwargs)
        leaves = pytree.tree_leaves(outputs)
        return [leaf.detach().clone() for leaf in leaves if isinstance(leaf, Tensor)]

    def names_of(self, inputs: Sequence[str]) -> list[str]:
        """Return the names of the tensors, of which a file has these inputs: exporters leave out
        those that the model does not use. Raise ValueError if the inputs are none of them.
        """
        named = self._own_names()
        places = [self._place_of(name, named) for name in inputs]
        numbers = [value for value in self._values if isinstance(value, int | float)]
        if None in places and len(inputs) == len(self.tensors) and not numbers:
            return [*inputs]
        if None in places or len(named) != len(self.tensors):
            remedy = "pass input_names to the exporter"
            if numbers:
                remedy = f"numbers may be inputs, but only tensors are compared: pass {numbers[0]} as a tensor"
            raise ValueError(f"the file has the inputs {[*inputs]}, the model {named}; {remedy}")
        by_place = dict(zip(places, inputs, strict=True))
        return [by_place.get(place, name) for place, name in enumerate(named)]

    def _own_names(self) -> list[str]:
        """Return the names of the tensors as exporters give them, of which the caller's
        come first.
        """
        if isinstance(self._model, torch.jit.ScriptModule | torch.jit.ScriptFunction):
            names = scripted_inputs(self._model)
            return [*self._names, *names[len(self._names) :]]
        return [
            *calls.input_tensors(self._model, self._bound.args, self._bound.kwargs, self._names)
        ]

    def _place_of(self, name: str, named: Sequence[str]) -> int | None:
        """Return the place of a file's input among the tensors; None for one that is none
        of them.
        """
        if name in named:
            return named.index(name)
        place = place_in_trace(name)
        traced = [value for value in self._values if isinstance(value, Tensor | int | float)]
        if place is None or place >= len(traced) or not isinstance(traced[place], Tensor):
            return None
        return sum(isinstance(value, Tensor) for value in traced[:place])


def double_of(model: Any) -> Any:
    """Return a copy of a model in float64. Raise the errors of the copy."""
    return copy.deepcopy(model).double() if isinstance(model, torch.nn.Module) else model


def doubled(tensor: Tensor) -> Tensor:
    """Return a tensor in float64, or complex128; integers as they are."""
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    return tensor.double() if tensor.is_floating_point() else tensor


def parameters_of(model: Any) -> int:
    """Return the number of a model's parameters."""
    if not isinstance(model, torch.nn.Module):
        return 0
    return sum(parameter.numel() for parameter in model.parameters())


def _bound(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """Bind the arguments to the model's parameters; models of ``torch.jit`` have no Python
    signature.
    """
    try:
        return inspect.signature(getattr(model, "forward", model)).bind(*args, **kwargs)
    except (TypeError, ValueError):
        kind = inspect.Parameter
        parameters = [kind("args", kind.VAR_POSITIONAL), kind("kwargs", kind.VAR_KEYWORD)]
        return inspect.Signature(parameters).bind(*args, **kwargs)


def _copy(value: object) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


@contextmanager
def _as_exported(model: Any, *, is_eval: bool) -> Iterator[None]:
    """Put the model in the mode of the export, and restore its mode and its buffers."""
    modules = [*model.modules()] if isinstance(model, torch.nn.Module) else []
    modes = [module.training for module in modules]
    buffers = [*model.buffers()] if modules else []
    values = [buffer.detach().clone() for buffer in buffers]
    try:
        if is_eval and modules:
            model.eval()
        # An export in another thread would trace this call: PyTorch watches the calls of all
        # modules.
        with registry.lock, torch.no_grad():
            yield
    finally:
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode
        with torch.no_grad():
            for buffer, value in zip(buffers, values, strict=True):
                buffer.data.copy_(value)
