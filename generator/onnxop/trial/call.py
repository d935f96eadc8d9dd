"""A call of a model: what it is given, what it returns, and models of calls of operators."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree


@dataclass(frozen=True)
class Call:
    """A call to try: a model, or an exported program, and its arguments."""

    model: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_program(self) -> bool:
        """Whether its model is an exported program."""
        return isinstance(self.model, torch.export.ExportedProgram)

    @property
    def tensors(self) -> list[Any]:
        """The tensors that the model is given, in order."""
        leaves = pytree.tree_leaves((self.args, dict(self.kwargs)))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    @contextmanager
    def kept_buffers(self) -> Iterator[None]:
        """Take back what is written to the model's buffers meanwhile."""
        held = self.model.state_dict.values() if self.is_program else self.model.buffers()
        buffers = [each for each in held if not isinstance(each, torch.nn.Parameter)]
        before = [(buffer, buffer.detach().clone()) for buffer in buffers]
        try:
            yield
        finally:
            with torch.no_grad():
                for buffer, values in before:
                    if not buffer.equal(values):
                        buffer.copy_(values)

    def returned(self) -> list[Any]:
        """Return all that the model returns, run on copies of its arguments and buffers."""
        args, kwargs = pytree.tree_map_only(
            torch.Tensor, lambda t: t.detach().clone(), (self.args, dict(self.kwargs))
        )
        torch.manual_seed(torch.seed() % 2**31)
        model = self.model.module() if self.is_program else self.model
        with torch.no_grad(), self.kept_buffers():
            leaves = pytree.tree_leaves(model(*args, **kwargs))
            return [x.clone() if isinstance(x, torch.Tensor) else x for x in leaves]

    def results(self) -> list[torch.Tensor]:
        """Return the results that are tensors, or numbers."""
        numbers = bool, int, float, complex, torch.Tensor
        leaves = [leaf for leaf in self.returned() if isinstance(leaf, numbers)]
        return [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in leaves]


def has_complex(tensors: Sequence[Any]) -> bool:
    """Whether a tensor holds complex numbers."""
    return any(tensor.is_complex() for tensor in tensors)


def of_tensors(call: Call) -> Any:
    """Return a module that calls the model with its tensors alone; it holds what else there is."""
    if not call.kwargs and all(isinstance(value, torch.Tensor) for value in call.args):
        return call.model
    leaves, shape = pytree.tree_flatten((call.args, dict(call.kwargs)))
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    class OfTensors(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = call.model

        def forward(self, *tensors: Any) -> Any:
            values = list(leaves)
            for place, tensor in zip(places, tensors, strict=True):
                values[place] = tensor
            args, kwargs = pytree.tree_unflatten(values, shape)
            return self.model(*args, **kwargs)

    return OfTensors().train(getattr(call.model, "training", False))


def one_call(
    overload: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    fixed: Collection[int] = (),
    used: Collection[int] | None = None,
) -> Call:
    """Return a module that calls an overload, and the tensors that it is given: all but those of
    ``fixed``, by identity, which are its buffers. It returns the results ``used``, or all.
    """
    leaves, shape = pytree.tree_flatten((tuple(args), dict(kwargs)))
    tensors = {at: leaf for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)}
    given = {at: tensor for at, tensor in tensors.items() if id(tensor) not in fixed}
    held = [at for at in tensors if at not in given]
    is_mutable = overload._schema.is_mutable

    class OneCall(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for place in held:
                self.register_buffer(f"held{place}", tensors[place].detach())

        def forward(self, *tensors: Any) -> Any:
            values = list(others)
            for place in held:
                values[place] = getattr(self, f"held{place}")
            for place, tensor in zip(given, tensors, strict=True):
                values[place] = tensor.clone() if is_mutable else tensor
            args, kwargs = pytree.tree_unflatten(values, shape)
            found = overload(*args, **kwargs)
            return found if used is None else tuple(found[place] for place in sorted(used))

    others = [None if at in tensors else leaf for at, leaf in enumerate(leaves)]
    return Call(OneCall().eval(), tuple(given.values()))


def together(calls: Sequence[Call]) -> Call:
    """Return one model that makes calls of `one_call`, and returns all their results."""

    class Together(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.models = torch.nn.ModuleList([call.model for call in calls])

        def forward(self, *tensors: Any) -> Any:
            found: list[Any] = []
            rest = [*tensors]
            for call, model in zip(calls, self.models, strict=True):
                given, rest = rest[: len(call.args)], rest[len(call.args) :]
                found += pytree.tree_leaves(model(*given))
            return tuple(found)

    if len(calls) == 1:
        return calls[0]
    return Call(Together().eval(), tuple(value for call in calls for value in call.args))
