"""A call of a model: what it is given, what it returns, and models of calls of operators."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
        axes: the dynamic dimensions, by the place of their tensor.
        others: tensors in place of its own, for which what is exported has to be right, too.
    """

    model: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[int, Collection[int]] = field(default_factory=dict)
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
        places, auto = range(len(self.tensors)), torch.export.Dim.AUTO
        shapes = tuple(dict.fromkeys(self.axes.get(at, ()), auto) for at in places)
        return (shapes,) * bool(self.axes)

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
    is_plain = all(isinstance(value, torch.Tensor) for value in call.args)
    if is_plain and not call.axes and not call.kwargs:
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


Arguments = tuple[Sequence[Any], Mapping[str, Any]]


def one_call(
    overload: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    fixed: Collection[int] = (),
    used: Collection[int] | None = None,
    second: Arguments | None = None,
) -> Call:
    """Return a module that calls an overload, and the tensors that it is given: all but those of
    ``fixed``, by identity, which are its buffers. It returns the results ``used``, or all. It has to be right
    for the ``second`` arguments, too: what differs of shapes is dynamic, and integers that do are taken
    from the shape of one more tensor.

    Raises:
        ValueError: the second ones differ in what no model can be given.
    """
    leaves, shape = pytree.tree_flatten((tuple(args), dict(kwargs)))
    more = leaves if second is None else pytree.tree_leaves((tuple(second[0]), dict(second[1])))
    tensors = {at: leaf for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)}
    given = {at: tensor for at, tensor in tensors.items() if id(tensor) not in fixed}
    held = [at for at in tensors if at not in given]
    pairs = [(at, a, b) for at, (a, b) in enumerate(zip(leaves, more, strict=True))]
    sizes = {at: (a, b) for at, a, b in pairs if at not in tensors and a != b}
    if any(type(a) is not int or type(b) is not int or a < 2 or b < 0 for a, b in sizes.values()):
        raise ValueError(f"{sizes} are no sizes")
    is_mutable = overload._schema.is_mutable
    name = str(overload._schema.name).partition("::")[2]
    homes = torch._C._VariableFunctions, torch._C._nn, torch.Tensor
    # PyTorch's function in Python, whose integers a trace follows.
    function = next((f for home in homes if (f := getattr(home, name, None))), overload)

    class OneCall(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for place in held:
                self.register_buffer(f"held{place}", tensors[place].detach())

        def forward(self, *tensors: Any) -> Any:
            values = list(others)
            for place in held:
                values[place] = getattr(self, f"held{place}")
            for place, tensor in zip(given, tensors, strict=False):
                values[place] = tensor.clone() if is_mutable else tensor
            for number, place in enumerate(sizes):
                values[place] = tensors[-1].shape[number]
            args, kwargs = pytree.tree_unflatten(values, shape)
            called = function if sizes and torch._C._is_tracing() else overload
            found = called(*args, **kwargs)
            return found if used is None else tuple(found[place] for place in sorted(used))

    others = [None if at in tensors else leaf for at, leaf in enumerate(leaves)]
    own, other = [*given.values()], [more[at] for at in given]
    if sizes:  # the one more, without elements
        own.append(torch.empty([a for a, _ in sizes.values()] + [0]))
        other.append(torch.empty([b for _, b in sizes.values()] + [0]))
    found = Call(OneCall().eval(), tuple(own))
    return (
        found if second is None else replace(found, axes=unlike(own, other), others=(tuple(other),))
    )


def unlike(own: Sequence[Any], other: Sequence[Any]) -> dict[int, list[int]]:
    """Return the dimensions whose sizes differ, by the place of the tensor. Raises ValueError where tensors
    have other numbers of dimensions.
    """
    found: dict[int, list[int]] = {}
    for at, (a, b) in enumerate(zip(own, other, strict=True)):
        for d, (n, m) in enumerate(zip(a.shape, b.shape, strict=True)):
            if n != m:
                found.setdefault(at, []).append(d)
    return found


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
    axes: dict[int, Collection[int]] = {}
    given: list[Any] = []
    others: list[Any] = []
    for call in calls:
        axes |= {len(given) + place: dims for place, dims in call.axes.items()}
        given += call.args
        others += call.others[0] if call.others else call.args
    sets = (tuple(others),) * any(call.others for call in calls)
    return Call(Together().eval(), tuple(given), {}, axes, sets)


def words_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the arguments of a call in words."""
    given = [words(value) for value in args]
    given += [f"{name}={words(value)}" for name, value in kwargs.items()]
    return ", ".join(given)


def words(value: Any) -> str:
    """Return an argument in words: a tensor by its dtype and sizes."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(words(item) for item in value)}]"
    return str(value)
