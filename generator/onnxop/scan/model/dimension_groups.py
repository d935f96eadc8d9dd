"""A model's inputs → groups of their dimensions that get other sizes together: those that
``dynamic_shapes`` names, or any.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import torch

from onnxop_runtime.exporting.call import model_arguments
from onnxop_runtime.messages import join_words
from onnxop_runtime.torch_internals import is_constraint_of_model, pytree, sizes_of_one_are_dynamic

from ...trial.call import dynamic_sizes
from ...trial.outcome import format_error
from .target import Target, TargetError

ANY_SIZE = range(1, 2**31)

Tensors = tuple[torch.Tensor, ...]
Axis = tuple[int, int]
"""The index of a tensor, and a dimension of it."""


@dataclass(frozen=True)
class Group:
    """Dimensions that depend on one size ``n``, each with its function of ``n``.

    Attributes:
        n: the size of the example.
        axes: the dimensions, with their functions.
        allowed: the allowed ``n``.
        is_named: whether ``dynamic_shapes`` gives their sizes one name, or says that they depend on
            one; if not, it is to try whether they have to be equal.
    """

    n: int
    axes: Mapping[Axis, Callable[[int], int]]
    allowed: range = ANY_SIZE
    is_named: bool = False

    @property
    def is_of_several(self) -> bool:
        """Whether the dimensions are of several tensors."""
        return len({at for at, _ in self.axes}) > 1


def groups_of_any_dimensions(example: Sequence[torch.Tensor]) -> list[Group]:
    """Return groups of dimensions to try: those of several inputs with equal index and size, or
    equal size; then each dimension alone; then those of equal size in one input.
    """
    every = [(at, d) for at, tensor in enumerate(example) for d in range(tensor.dim())]
    return _to_try([Group(example[at].shape[d], {(at, d): int}) for at, d in every])


def named_groups(target: Target, example: Sequence[torch.Tensor]) -> list[Group]:
    """Return the dimensions of ``dynamic_shapes``, grouped by the symbol that torch.export gives
    them. If it refuses the model, these are the groups that ``dynamic_shapes`` names, and groups of
    its other dimensions to try, `Dim.AUTO` and `Dim.DYNAMIC`.

    Raises:
        TargetError: torch.export refuses the ``dynamic_shapes``.
    """
    _check_dimensions(target)
    shapes = _with_dims(target.dynamic_shapes, of_places=2)
    try:
        program = _exported(target.module, target, shapes)
    except Exception as error:
        if is_constraint_of_model(error):
            raise _rejected(target, error) from error
        return _groups_of_inputs(target, example)
    return _groups_of_program(program, example)


def _groups_of_inputs(target: Target, example: Sequence[torch.Tensor]) -> list[Group]:
    """Return the groups that ``dynamic_shapes`` names; then those of its other dimensions, of which
    torch.export would find in the model which are equal. Raise TargetError as `named_groups`.
    """
    module = _module_of_inputs(target.module)
    shapes = _with_dims(target.dynamic_shapes, of_places=1)
    try:
        with sizes_of_one_are_dynamic():  # as they are for the TorchScript exporter
            program = _exported(module, target, shapes)
            program_of_names = _exported(module, target, _without_hints(shapes))
    except Exception as error:
        raise _rejected(target, error) from error
    named_axes = {axis for axis, _ in dynamic_sizes(program_of_names)}
    groups = _groups_of_program(program, example)
    named = [group for group in groups if named_axes.intersection(group.axes)]
    others = [replace(group, is_named=False) for group in groups if group not in named]
    return [*named, *_to_try(others), *_joined([*named, *others])]


def _groups_of_program(program: Any, example: Sequence[torch.Tensor]) -> list[Group]:
    """Return the dynamic dimensions of a program grouped by the symbol in their sizes."""
    by_symbol: dict[Any, dict[Axis, Any]] = {}
    for axis, size in dynamic_sizes(program):
        if len(size.free_symbols) == 1:
            (symbol,) = size.free_symbols
            by_symbol.setdefault(symbol, {})[axis] = size
    return [
        _group_of_symbol(symbol, sizes, example, program.range_constraints[symbol])
        for symbol, sizes in by_symbol.items()
    ]


def _to_try(groups: Sequence[Group]) -> list[Group]:
    """Return groups to try: those of several inputs with equal index and size, or equal size; then
    each of the groups alone; then those of equal size in one input.
    """
    alike = _joined(groups)
    return [*(group for group in alike if group.is_of_several), *groups, *alike]


def _joined(groups: Sequence[Group]) -> list[Group]:
    """Return groups of the dimensions of equal index and size, then of those of equal size."""
    alike: dict[tuple[int, int, int], list[Group]] = {}
    for group in groups:
        keys = [(0, d, group.n) for _, d in group.axes]
        for key in dict.fromkeys([*keys, (1, group.n, group.n)]):
            alike.setdefault(key, []).append(group)
    return [_union(alike[key]) for key in sorted(alike)]


def _union(groups: Sequence[Group]) -> Group:
    """Return the dimensions of groups of one size as one group."""
    axes = dict(chain.from_iterable(group.axes.items() for group in groups))
    least = max(group.allowed.start for group in groups)
    end = min(group.allowed.stop for group in groups)
    return Group(groups[0].n, axes, range(least, end), any(group.is_named for group in groups))


def _with_dims(shapes: Any, of_places: int) -> Any:
    """Return ``dynamic_shapes`` without the names that torch.onnx.export takes, but torch.export
    does not: with a `Dim` for a name in so many places or more, and `Dim.DYNAMIC` for another name,
    which torch.export may find to be equal to others.
    """
    counts = Counter(leaf for leaf in pytree.tree_leaves(shapes) if isinstance(leaf, str))
    dims = {
        name: torch.export.Dim(name if name.isidentifier() else f"dim{index}")
        if count >= of_places
        else torch.export.Dim.DYNAMIC
        for index, (name, count) in enumerate(counts.items())
    }
    return pytree.tree_map_only(str, dims.__getitem__, shapes)


def _without_hints(shapes: Any) -> Any:
    """Return ``dynamic_shapes`` with `Dim.STATIC` in place of `Dim.AUTO` and `Dim.DYNAMIC`."""
    static = torch.export.Dim.STATIC
    return pytree.tree_map_only(type(static), lambda _: static, shapes)


def _check_dimensions(target: Target) -> None:
    """Raise TargetError if ``dynamic_shapes`` has a dimension that its tensor does not have, of
    which torch.export raises an IndexError alone, or a negative one, which it may ignore.
    """
    for name, tensor, dims in _dimensions_of_tensors(target):
        valid = range(tensor.dim())
        for d in dims:
            if isinstance(d, int) and d not in valid:
                told = join_words(map(str, valid), "or") if valid else "none"
                raise TargetError(
                    f"{target.name}: dynamic_shapes: {name} has no dimension {d}; write {told}"
                )


def _dimensions_of_tensors(
    target: Target,
) -> Iterator[tuple[str, torch.Tensor, Mapping[Any, object]]]:
    """Yield each tensor for which ``dynamic_shapes`` has a dict: its name, and the dict; none where
    the structures differ, which torch.export tells, and none of a `torch.export.ShapesCollection`.
    """
    shapes = target.dynamic_shapes
    if not isinstance(shapes, dict | list | tuple):
        return
    with suppress(TypeError, ValueError):
        bound = dict(model_arguments.bind(target.module, target.args, target.kwargs).arguments)
        by_name = shapes if isinstance(shapes, dict) else dict(zip(bound, shapes, strict=True))
        given = pytree.tree_structure(bound).flatten_up_to(by_name)
        for (path, leaf), dims in zip(pytree.tree_leaves_with_path(bound), given, strict=True):
            if isinstance(leaf, torch.Tensor) and isinstance(dims, dict):
                yield f"{path[0].key}{pytree.keystr(path[1:])}", leaf, dims


def _exported(model: Any, target: Target, shapes: Any) -> Any:
    kwargs = dict(target.kwargs)
    return torch.export.export(model, target.args, kwargs, dynamic_shapes=shapes, strict=False)


def _rejected(target: Target, error: Exception) -> TargetError:
    return TargetError(
        f"{target.name}: torch.export rejects its dynamic_shapes: {format_error(error)}"
    )


def _module_of_inputs(model: Any) -> torch.nn.Module:
    """Return a module that has the parameters of the model's forward, and computes nothing."""

    def forward(*args: object, **kwargs: object) -> list[torch.Tensor]:
        leaves = pytree.tree_leaves((args, kwargs))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    taken: Any = forward
    taken.__signature__ = inspect.signature(model.forward)
    module = torch.nn.Module()
    module.forward = taken
    return module


def _group_of_symbol(
    symbol: Any, sizes: Mapping[Axis, Any], example: Sequence[torch.Tensor], bounds: Any
) -> Group:
    """Return the dimensions whose sizes are expressions of one symbol of SymPy, as a group."""

    def size_at(size: Any, n: int) -> int:
        return int(size.subs(symbol, n))

    (at, d), size = next(iter(sizes.items()))
    own = example[at].shape[d]
    n = next(n for n in range(own + 99) if size_at(size, n) == own)
    most = int(min(bounds.upper, 2**31))
    axes = {axis: partial(size_at, size) for axis, size in sizes.items()}
    return Group(n, axes, range(int(bounds.lower), most + 1), is_named=True)
