"""Calls of models, with their arguments and results, and models that call operators."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Any

import torch

from onnxop_runtime.processes import quiet
from onnxop_runtime.torch_internals import function_of, is_tracing, pytree, schema_of
from onnxop_runtime.verification.model_call import double_of, doubled, parameters_of

from . import places, recurrent_sizes

_ONE_EACH = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


Tensors = Sequence[torch.Tensor]
Known = tuple[Tensors, Tensors]
"""The tensors of a call, and its results."""


class Large(tuple[Any, ...]):
    """A set of tensors or arguments for which results must only be finite where PyTorch's are."""


class Untied(tuple[Any, ...]):
    """A set of tensors in which sizes differ that are equal in the example.

    Attributes:
        axes: the dimensions that are of equal size in the example.
    """

    axes: Sequence[tuple[int, int]] = ()

    @classmethod
    def at(cls, axes: Iterable[tuple[int, int]], tensors: Iterable[Any]) -> Untied:
        """Return the set of tensors, with the dimensions that are of equal size in the example."""
        untied = cls(tensors)
        untied.axes = tuple(axes)
        return untied


@dataclass(frozen=True)
class Call:
    """A call to try: a model, or an exported program, and its arguments.

    Attributes:
        model: the module or program.
        args: its positional arguments.
        kwargs: its keyword arguments.
        axes: the dynamic dimensions, by the index of their tensor.
        others: further sets of tensors, for which the exported model must be right, too.
        is_beyond: whether to try sizes beyond the conditions that torch.export keeps, too.
        is_as_written: whether the exporter gets the model and all its arguments, as from a user,
            and not a module that takes the tensors alone.
        is_no_grad: whether to export under `torch.no_grad`.
        known: tensors, each set with the model's results for it, as a process computed them that
            had not exported the model.
        exact: the same in float64.
    """

    model: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[int, Collection[int]] = field(default_factory=dict)
    others: tuple[tuple[torch.Tensor, ...], ...] = ()
    is_beyond: bool = False
    is_as_written: bool = False
    is_no_grad: bool = False
    known: tuple[Known, ...] = ()
    exact: tuple[Known, ...] = ()

    @property
    def is_program(self) -> bool:
        """Whether the model is an exported program."""
        return isinstance(self.model, torch.export.ExportedProgram)

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensors in the arguments, in order."""
        leaves = pytree.tree_leaves((self.args, dict(self.kwargs)))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    @property
    def own_tensors(self) -> Sequence[torch.Tensor]:
        """The tensors of the example: the first of the others if it is exported at other sizes."""
        return self.others[0] if self.axes else self.tensors

    @property
    def names(self) -> list[str]:
        """What messages call the tensors: the arguments of ``forward``, with the path of nested
        ones, or ``input 0`` and so on.
        """
        names = [f"input {n}" for n in range(len(self.tensors))]
        try:
            parameters = inspect.signature(self.model.forward).parameters.values()
        except (AttributeError, TypeError, ValueError):  # of programs and of scripted modules
            return names
        positional = [parameter.name for parameter in parameters if parameter.kind in _ONE_EACH]
        by_name = {**dict(zip(positional, self.args, strict=False)), **self.kwargs}
        if len(positional) < len(self.args):
            return names
        return [
            f"{path[0].key}{pytree.keystr(path[1:])}"
            for path, leaf in pytree.tree_leaves_with_path(by_name)
            if isinstance(leaf, torch.Tensor)
        ]

    def with_tensors(self, tensors: Sequence[torch.Tensor]) -> Call:
        """Return the call with other tensors in place of its own."""
        leaves, tree = pytree.tree_flatten((self.args, dict(self.kwargs)))
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = pytree.tree_unflatten(leaves, tree)
        return Call(
            self.model,
            args,
            kwargs,
            is_as_written=self.is_as_written,
            known=self.known,
            exact=self.exact,
        )

    def in_float64(self) -> Call:
        """Return the call of a copy of the model, in float64. Raise the errors of the copy."""
        model = self.model.module() if self.is_program else self.model
        call = replace(self, model=double_of(model), known=(), exact=())
        return call.with_tensors([doubled(tensor) for tensor in self.tensors])

    def count_parameters(self) -> int:
        """Return the number of the model's parameters."""
        return 0 if self.is_program else parameters_of(self.model)

    def known_results(self) -> list[torch.Tensor] | None:
        """Return the model's results if they are known."""
        return self._of_own_tensors(self.known)

    def known_exact(self) -> list[torch.Tensor] | None:
        """Return the model's results in float64 if they are known."""
        return self._of_own_tensors(self.exact)

    def _of_own_tensors(self, known: Iterable[Known]) -> list[torch.Tensor] | None:
        own = self.tensors
        for tensors, results in known:
            pairs = zip(own, tensors, strict=True)
            if all(a.dtype == b.dtype and a.equal(b) for a, b in pairs):
                return [*results]
        return None

    def spare(self) -> Call | None:
        """Return the call of a copy of the model, which shares its weights and buffers, or None if
        it cannot be copied.
        """
        if self.is_program:
            return None
        tensors = chain(self.model.parameters(), self.model.buffers())
        shared = {id(tensor): tensor for tensor in tensors}
        try:
            return replace(self, model=copy.deepcopy(self.model, shared))
        except Exception:  # noqa: BLE001 - of the user's model
            return None

    def with_copies(self) -> Call:
        """Return the call, with its dynamic dimensions, on copies of its tensors."""
        copies = [tensor.detach().clone() for tensor in self.tensors]
        return replace(self.with_tensors(copies), axes=self.axes)

    @property
    def dynamic_shapes(self) -> object:
        """The ``dynamic_shapes`` for exporting the module that `module_of_tensors` returns."""
        indices, auto = range(len(self.tensors)), torch.export.Dim.AUTO
        shapes = tuple(dict.fromkeys(self.axes.get(index, ()), auto) for index in indices)
        return (shapes,) if self.axes else ()

    @contextmanager
    def kept_buffers(self) -> Iterator[None]:
        """Restore the model's buffers at the end: the values of those that were written in place,
        and the tensors in place of which others were assigned.
        """
        state = self.model.state_dict if self.is_program else dict(self.model.named_buffers())
        before = [
            (name, buffer, buffer.detach().clone())
            for name, buffer in state.items()
            if not isinstance(buffer, torch.nn.Parameter)
        ]
        try:
            yield
        finally:
            now = state if self.is_program else dict(self.model.named_buffers())
            with torch.no_grad():
                for name, buffer, values in before:
                    if not buffer.equal(values):
                        buffer.copy_(values)
                    if now.get(name) is not buffer:
                        owner, _, attribute = name.rpartition(".")
                        setattr(self.model.get_submodule(owner), attribute, buffer)

    def returned(self) -> list[Any]:
        """Run the model on copies of its arguments and buffers, and return all its results. A model
        that differentiates is run with gradients.
        """
        try:
            return self._returned(has_grad=False)
        except RuntimeError as error:
            if "grad" not in str(error):
                raise
            return self._returned(has_grad=True)

    def _returned(self, *, has_grad: bool) -> list[object]:
        args, kwargs = pytree.tree_map_only(
            torch.Tensor, lambda t: t.detach().clone(), (self.args, dict(self.kwargs))
        )
        torch.manual_seed(torch.seed() % 2**31)
        model = self.model.module() if self.is_program else self.model
        with quiet(), torch.set_grad_enabled(has_grad), self.kept_buffers():
            leaves = pytree.tree_leaves(model(*args, **kwargs))
            return [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in leaves]

    def is_accepted(self) -> bool:
        """Run the model, and return whether it raises nothing."""
        try:
            with recurrent_sizes.checked_features():
                self.returned()
        except (Exception, SystemExit):  # noqa: BLE001 - the user's model, whatever it raises
            return False
        return True

    def first_accepted(
        self, sets: Iterable[Sequence[torch.Tensor]]
    ) -> tuple[torch.Tensor, ...] | None:
        """Return the first set of tensors with which the model raises nothing."""
        accepted = (tensors for tensors in sets if self.with_tensors(tensors).is_accepted())
        first = next(accepted, None)
        return None if first is None else tuple(first)

    def resized_tensors(
        self, dims: Iterable[tuple[int, int]], size: int
    ) -> tuple[torch.Tensor, ...]:
        """Return the tensors with another size of some dimensions, each with the index of its
        tensor.
        """
        tensors = [*self.tensors]
        for at, d in dims:
            tensors[at] = resized(tensors[at], d, size)
        return tuple(tensors)

    def results(self) -> list[torch.Tensor]:
        """Run the model, and return its results that are tensors or numbers, as tensors."""
        return as_tensors(self.returned())


def as_tensors(returned: Iterable[Any]) -> list[torch.Tensor]:
    """Return those of a model's results that are tensors or numbers, as tensors."""
    numbers = bool, int, float, complex, torch.Tensor
    leaves = (leaf for leaf in returned if isinstance(leaf, numbers))
    return [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in leaves]


def has_complex(tensors: Sequence[torch.Tensor]) -> bool:
    """Return whether a tensor is complex."""
    return any(tensor.is_complex() for tensor in tensors)


def module_of_tensors(call: Call) -> Any:
    """Return the call's model, if it takes tensors only and no dimension is dynamic; else a module
    of ``*tensors``, whose dynamic shapes are those of one argument.
    """
    is_plain = all(isinstance(value, torch.Tensor) for value in call.args)
    if is_plain and not call.axes and not call.kwargs:
        return call.model
    leaves, tree = pytree.tree_flatten((call.args, dict(call.kwargs)))
    indices = [index for index, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    class OfTensors(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = call.model

        def forward(self, *tensors: object) -> object:
            values = list(leaves)
            for index, tensor in zip(indices, tensors, strict=True):
                values[index] = tensor
            args, kwargs = pytree.tree_unflatten(values, tree)
            return self.model(*args, **kwargs)

    return OfTensors().train(getattr(call.model, "training", False))


class Without(torch.nn.Module):
    """A model without some of its results, whose indices are ``dropped``."""

    def __init__(self, model: torch.nn.Module, dropped: Collection[int]) -> None:
        super().__init__()
        self.model, self.dropped = model, dropped
        self.train(getattr(model, "training", False))

    def forward(self, *args: Any, **kwargs: Any) -> object:
        """Return the other results."""
        results = pytree.tree_leaves(self.model(*args, **kwargs))
        return tuple(result for n, result in enumerate(results) if n not in self.dropped)


def program_of(call: Call) -> torch.export.ExportedProgram:
    """Return torch.export's program of the module that `module_of_tensors` returns. Raise the
    errors of torch.export.
    """
    tensors, shapes = tuple(call.tensors), call.dynamic_shapes or None
    with places.recording_lines():
        return torch.export.export(
            module_of_tensors(call), tensors, dynamic_shapes=shapes, strict=False
        )


_LONGEST = 100  # characters of an argument in a message

Arguments = tuple[Sequence[Any], Mapping[str, Any]]


def call_of_overload(
    overload: object,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    fixed: Collection[int] = (),
    used: Collection[int] | None = None,
    others: Sequence[Arguments] = (),
) -> Call:
    """Return a call of a module that calls an overload. Dimensions that differ in other arguments
    are dynamic; integers that differ become the sizes of one more tensor.

    Args:
        overload: the overload.
        args: its positional arguments.
        kwargs: its keyword arguments.
        fixed: the ids of tensors that are buffers of the module; the other tensors are inputs.
        used: the indices of the results that the module returns; None: all results.
        others: other arguments, the first of which are those to export at, unless they are `Large`.

    Raises:
        ValueError: other arguments differ in a value that cannot be an input.
    """
    if others and isinstance(others[0], Large):
        others = (args, kwargs), *others
    leaves, tree = pytree.tree_flatten((tuple(args), dict(kwargs)))
    leaves_of_others = [pytree.tree_leaves((tuple(a), dict(k))) for a, k in others]
    leaves_of_calls = [leaves, *leaves_of_others]
    sizes = _differing_integers(leaves_of_calls)
    inputs = [n for n, leaf in enumerate(leaves) if _is_tensor(leaf) and id(leaf) not in fixed]
    model = OneCall(overload, leaves, tree, inputs, [*sizes], used)
    sets_of_inputs = [tuple(values[n] for n in inputs) for values in leaves_of_calls]
    if sizes:
        for index, sizes_of_call in enumerate(zip(*sizes.values(), strict=True)):
            carrier = torch.empty([*sizes_of_call, 0])  # the tensor of which they are the sizes
            sets_of_inputs[index] = (*sets_of_inputs[index], carrier)
    model.eval()
    if not others:
        return Call(model, sets_of_inputs[0])
    recorded, example, *further = sets_of_inputs
    for index, arguments in enumerate(others[1:]):
        if isinstance(arguments, Large):
            further[index] = Large(further[index])
    axes = _differing_axes(recorded, [example, *further])
    return Call(model, example, axes=axes, others=(recorded, *further))


class OneCall(torch.nn.Module):
    """Calls an overload with tensors, and the other arguments that it was made with.

    Args:
        overload: the overload.
        leaves: all values in its arguments.
        tree: the structure of its arguments.
        inputs: the indices of the values that are inputs; other tensors are buffers.
        sizes: the indices of the integers that the shape of one more, last, input carries, one
            dimension each, so that an export takes them for dynamic sizes.
        used: the indices of the results to return; None: all.
    """

    def __init__(
        self,
        overload: Any,
        leaves: Sequence[Any],
        tree: Any,
        inputs: Sequence[int],
        sizes: Sequence[int],
        used: Collection[int] | None,
    ) -> None:
        super().__init__()
        schema = schema_of(overload)
        self.overload = overload
        self.function_of_trace = _function_of_trace(overload)
        self.is_mutable = schema.is_mutable
        self.constants = [None if _is_tensor(leaf) else leaf for leaf in leaves]
        self.tree = tree
        self.inputs = inputs
        self.sizes = sizes
        self.used = used
        tensors = [n for n, leaf in enumerate(leaves) if _is_tensor(leaf)]
        self.indices_of_buffers = [n for n in tensors if n not in inputs]
        for n in self.indices_of_buffers:
            self.register_buffer(f"buffer{n}", leaves[n].detach())

    def forward(self, *tensors: Any) -> object:
        """Call the overload with these inputs."""
        values = list(self.constants)
        buffers = [getattr(self, f"buffer{n}") for n in self.indices_of_buffers]
        indices = [*self.indices_of_buffers, *self.inputs]
        for n, tensor in zip(indices, [*buffers, *tensors], strict=False):
            values[n] = tensor.clone() if self.is_mutable else tensor
        for dim, n in enumerate(self.sizes):
            values[n] = tensors[-1].shape[dim]
        args, kwargs = pytree.tree_unflatten(values, self.tree)
        function = self.function_of_trace if self.sizes and is_tracing() else self.overload
        results = function(*args, **kwargs)
        return results if self.used is None else tuple(results[n] for n in sorted(self.used))


def _function_of_trace(overload: Any) -> Any:
    """Return PyTorch's function in Python, of which a trace records the integers that it takes, or
    the overload if there is none.
    """
    name = str(schema_of(overload).name).partition("::")[2]
    return _sliced if name == "slice" else function_of(name) or overload


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _differing_integers(leaves_of_calls: Sequence[Sequence[object]]) -> dict[int, tuple[int, ...]]:
    """Return the arguments that differ between calls and are no tensors, by their index in the
    leaves of a call. Raise ValueError if they cannot be sizes of an input.

    ``leaves_of_calls``: those of the recorded call, of the one to export at, and of others.
    """
    differing: dict[int, tuple[int, ...]] = {}
    for n, values in enumerate(zip(*leaves_of_calls, strict=True)):
        if _is_tensor(values[0]):
            continue  # whose text takes long to make
        texts = {*map(repr, values)}  # NaN equals nothing
        if len(texts) > 1:
            differing[n] = values
    for values in differing.values():
        for call, value in enumerate(values):
            least = 2 if call == 1 else 0  # torch.export makes constants of 0 and 1
            if type(value) is not int or value < least:
                raise ValueError(f"{differing} are no sizes")
    return differing


def _differing_axes(
    tensors: Sequence[torch.Tensor], other_sets: Sequence[Sequence[torch.Tensor]]
) -> dict[int, Collection[int]]:
    """Return the dimensions in which other tensors differ, by tensor index. Raise ValueError if
    ranks differ.
    """
    axes: dict[int, Collection[int]] = {}
    for other in other_sets:
        for index, dims in differing_dims(tensors, other).items():
            axes[index] = {*axes.get(index, ()), *dims}
    return axes


def _sliced(
    tensor: torch.Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> torch.Tensor:
    """Return a slice of the tensor, as ``aten::slice`` does, for which PyTorch has no function in
    Python.
    """
    return tensor[(slice(None),) * (dim % tensor.dim()) + (slice(start, end, step),)]


def differing_dims(
    tensors: Sequence[torch.Tensor], other: Sequence[torch.Tensor]
) -> dict[int, list[int]]:
    """Return the dimensions whose sizes differ, by tensor index. Raises ValueError if ranks
    differ.
    """
    dims: dict[int, list[int]] = {}
    for index, (a, b) in enumerate(zip(tensors, other, strict=True)):
        for dim, (n, m) in enumerate(zip(a.shape, b.shape, strict=True)):
            if n != m:
                dims.setdefault(index, []).append(dim)
    return dims


def values_of(
    tensors: Sequence[torch.Tensor], other: Sequence[torch.Tensor], names: Sequence[str]
) -> str:
    """Return the ranges of values of the tensors that differ, of three at most, as text, or ``""``
    if sizes differ.
    """
    pairs = [] if differing_dims(tensors, other) else [*enumerate(zip(tensors, other, strict=True))]
    changed = [(n, b.double()) for n, (a, b) in pairs if not b.is_complex() and not a.equal(b)]
    more = len(changed) - 3
    rest = f", and {more} more" if more > 0 else ""
    return "".join(f", {_range(b)} in {names[n]}" for n, b in changed[:3]) + rest


def _range(values: torch.Tensor) -> str:
    """Return the smallest and the largest value, as text, or that all are one value; and whether
    some are NaN.
    """
    numbers = values[~values.isnan()]
    if not numbers.numel():
        return "all NaN"
    low, high = f"{numbers.min():.4g}", f"{numbers.max():.4g}"
    some = " and NaN" if numbers.numel() < values.numel() else ""
    return f"all {low}{some}" if low == high else f"from {low} to {high}{some}"


def dynamic_sizes(program: Any) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield ((tensor index, dimension), SymPy size) of each dynamic dimension of a program's
    inputs.
    """
    names = {*program.graph_signature.user_inputs}
    values = [node.meta.get("val") for node in program.graph.nodes if node.name in names]
    for index, value in enumerate(v for v in values if isinstance(v, torch.Tensor)):
        for dim, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt):
                yield (index, dim), size.node.expr


def resized(tensor: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    """Return the tensor with another size of a dimension: its first values, or its own again, of
    floats a little smaller ones, so that they are in range, and in no order with the others. Values
    that increase, such as offsets, or decrease, such as lengths of packed sequences, do so again.
    """
    former = tensor.shape[dim]
    values = tensor.detach().index_select(dim, torch.arange(size, device=tensor.device) % former)
    if size > former and tensor.is_floating_point() and not torch.equal(tensor, tensor.round()):
        values.narrow(dim, former, size - former).mul_(0.98)
    if is_sorted(tensor, dim):
        return values.sort(dim).values
    if is_sorted(tensor.flip(dim), dim):
        return values.sort(dim, descending=True).values
    return values


def with_smaller_integers(tensors: Sequence[torch.Tensor], share: float) -> tuple[Any, ...]:
    """Return the tensors with integers of a ``share`` of their size, those above 0 at least 1: where
    PyTorch refuses a smaller size, they may be lengths, which are at most the size.
    """

    def smaller(tensor: torch.Tensor) -> torch.Tensor:
        is_number = tensor.dtype in (torch.int32, torch.int64)
        if not is_number:
            return tensor
        cut = (tensor * share).to(tensor.dtype)
        return torch.where(tensor > 0, cut.clamp(min=1), tensor)

    return tuple(map(smaller, tensors))


def is_sorted(tensor: torch.Tensor, dim: int) -> bool:
    """Return whether two or more values increase along a dimension, or stay the same."""
    more = tensor.shape[dim] - 1
    if more < 1 or tensor.is_complex():
        return False
    return bool((tensor.narrow(dim, 0, more) <= tensor.narrow(dim, 1, more)).all())


def together(calls: Sequence[Call]) -> Call:
    """Return a call of one model that makes calls of `call_of_overload` and returns all their
    results.
    """

    class Together(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.models = torch.nn.ModuleList([call.model for call in calls])

        def forward(self, *tensors: object) -> object:
            results: list[Any] = []
            rest = [*tensors]
            for call, model in zip(calls, self.models, strict=True):
                inputs, rest = rest[: len(call.args)], rest[len(call.args) :]
                results += pytree.tree_leaves(model(*inputs))
            return tuple(results)

    if len(calls) == 1:
        return calls[0]
    axes: dict[int, Collection[int]] = {}
    inputs: list[Any] = []
    for call in calls:
        axes |= {len(inputs) + index: dims for index, dims in call.axes.items()}
        inputs += call.args
    sets: list[tuple[Any, ...]] = []
    for kind in (tuple, Large):
        rows = zip_longest(*([s for s in call.others if type(s) is kind] for call in calls))
        parts = ([s or call.args for s, call in zip(row, calls, strict=True)] for row in rows)
        sets += [kind(chain(*sets_of_calls)) for sets_of_calls in parts]
    return Call(Together().eval(), tuple(inputs), {}, axes, tuple(sets))


def format_arguments(args: Sequence[object], kwargs: Mapping[str, object]) -> str:
    """Return the arguments of a call as text, such as ``float32[2, 3], dim=1``."""
    arguments = [format_value(value) for value in args]
    arguments += [f"{name}={format_value(value)}" for name, value in kwargs.items()]
    return ", ".join(arguments)


def format_value(value: object) -> str:
    """Return an argument as text: a tensor as its dtype and sizes, such as ``float32[2, 3]``."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(format_value(item) for item in value)}]"
    if isinstance(value, torch.nn.Module):
        return type(value).__name__
    try:
        text = " ".join(str(value).split())
    except Exception:  # noqa: BLE001 - of the user's __str__
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
