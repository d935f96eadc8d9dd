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
    """A call to try: a model, or an exported program, and its arguments.

    Attributes:
        model: what is called.
        args: its arguments.
        kwargs: its keyword arguments.
        axes: the dynamic dimensions, as ``torch.export`` takes them, by the place of their tensor.
        others: tensors in place of its own, for which what is exported has to be right, too.
    """

    model: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    others: tuple[tuple[torch.Tensor, ...], ...] = ()

    @property
    def is_program(self) -> bool:
        """Whether its model is an exported program."""
        return isinstance(self.model, torch.export.ExportedProgram)

    @property
    def tensors(self) -> list[Any]:
        """The tensors that the model is given, in order."""
        leaves = pytree.tree_leaves((self.args, dict(self.kwargs)))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def given(self, tensors: Sequence[torch.Tensor]) -> Call:
        """Return the call with other tensors in place of its own."""
        leaves, shape = pytree.tree_flatten((self.args, dict(self.kwargs)))
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        return Call(self.model, *pytree.tree_unflatten(leaves, shape))

    @property
    def dynamic_shapes(self) -> Any:
        """The dynamic dimensions of the module that `of_tensors` gives, for ``torch.export``."""
        shapes = tuple(dict(self.axes.get(place, {})) for place in range(len(self.tensors)))
        return (shapes,) if self.axes else None

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
    """Return a module that calls the model with its tensors alone; it holds what else there is. That of a
    call with dynamic dimensions takes ``*tensors``.
    """
    if (
        not call.axes
        and not call.kwargs
        and all(isinstance(value, torch.Tensor) for value in call.args)
    ):
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


def two_sized(
    overload: Any,
    first: tuple[Sequence[Any], Mapping[str, Any]],
    second: tuple[Sequence[Any], Mapping[str, Any]],
    fixed: Collection[int],
    used: Collection[int] | None,
) -> Call | None:
    """Return `one_call` of the first arguments, which has to be right for the second, too: sizes that differ
    are dynamic dimensions, and so are integers, which the model takes from the shape of one more tensor.
    None where the arguments differ in what no model can be given.
    """
    one = one_call(overload, *first, fixed, used)
    leaves, shape = pytree.tree_flatten((tuple(first[0]), dict(first[1])))
    others, other_shape = pytree.tree_flatten((tuple(second[0]), dict(second[1])))
    if shape != other_shape:
        return None
    places = range(len(leaves))
    is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
    given = [at for at in places if is_tensor[at] and id(leaves[at]) not in fixed]
    if any(leaves[at].dim() != others[at].dim() for at in given):
        return None
    sizes = [at for at in places if not is_tensor[at] and leaves[at] != others[at]]
    numbers = [(leaves[at], others[at]) for at in sizes]
    if not all(type(n) is int and n > 1 and type(m) is int and m >= 0 for n, m in numbers):
        return None
    function = _of_python(overload) if sizes else None
    held = [value if is_tensor[at] and at not in given else None for at, value in enumerate(leaves)]

    class OfSizes(torch.nn.Module):
        def forward(self, *tensors: Any) -> Any:
            values = [
                own if own is not None else leaf for own, leaf in zip(held, leaves, strict=True)
            ]
            for place, tensor in zip(given, tensors, strict=False):
                values[place] = tensor.clone() if overload._schema.is_mutable else tensor
            for number, place in enumerate(sizes):
                values[place] = tensors[-1].shape[number]
            args, kwargs = pytree.tree_unflatten(values, shape)
            call = function if function and torch._C._is_tracing() else overload
            found = call(*args, **kwargs)
            return found if used is None else tuple(found[place] for place in sorted(used))

    tensors = [leaves[at] for at in given]
    more = [others[at] for at in given]
    if sizes:  # without elements
        tensors.append(torch.empty([n for n, _ in numbers] + [0]))
        more.append(torch.empty([m for _, m in numbers] + [0]))
    pairs = [zip(a.shape, b.shape, strict=True) for a, b in zip(tensors, more, strict=True)]
    auto = torch.export.Dim.AUTO
    axes = {at: {d: auto for d, (n, m) in enumerate(p) if n != m} for at, p in enumerate(pairs)}
    model = OfSizes().eval() if sizes else one.model
    return Call(model, tuple(tensors), {}, {k: v for k, v in axes.items() if v}, (tuple(more),))


def _of_python(overload: Any) -> Any:
    """PyTorch's function in Python of an operator, whose integers a trace follows."""
    name = str(overload._schema.name).partition("::")[2]
    homes = torch._C._VariableFunctions, torch._C._nn, torch.Tensor
    return next((found for home in homes if (found := getattr(home, name, None))), None)


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
    axes: dict[int, Mapping[int, Any]] = {}
    count = 0
    for call in calls:
        axes |= {count + place: dims for place, dims in call.axes.items()}
        count += len(call.args)
    sets = max(len(call.others) for call in calls)
    others = [[c.others[at] if at < len(c.others) else c.args for c in calls] for at in range(sets)]
    return Call(
        Together().eval(),
        tuple(value for call in calls for value in call.args),
        {},
        axes,
        tuple(tuple(value for tensors in each for value in tensors) for each in others),
    )
