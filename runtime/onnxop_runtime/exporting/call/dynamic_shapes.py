"""The check that a model traced at one size holds at other sizes: the dynamo exporter drops
torch.export's guards.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ...torch_internals import DispatchMode, fake_mode, pytree
from .model_arguments import Call

_REMEDY = (
    "write it for any size, give torch.export.Dim.AUTO, or leave the dimension out of "
    "dynamic_shapes"
)
_HIGHEST_SIZE = 2**31
STEPS = (1, 2, -1)
"""The differences from the example's size at which the model runs again."""


def check_dynamic(program: torch.onnx.ONNXProgram, call: Call, shapes: object) -> None:
    """Raise ValueError if a dynamic dimension is static in the program, or if PyTorch runs other
    operators at sizes near the example's. Dimensions of ``Dim.AUTO`` may be static.
    """
    dims = [dim for dim in pytree.tree_leaves(shapes) if dim is not None]
    ports: Any = {value.name: value.shape or () for value in program.model.graph.inputs}
    requested = sum(_is_dynamic(dim) for dim in dims)
    written = sum(not isinstance(size, int) for shape in ports.values() for size in shape)
    if requested > written:
        inputs = ", ".join(f"{name}[{', '.join(map(str, shape))}]" for name, shape in ports.items())
        raise ValueError(
            f"torch.export specialised a dynamic dimension to a size; the inputs are {inputs}: the "
            f"model, or an operator in it, computes with that size; {_REMEDY}"
        )
    if "AUTO" in map(_hint, dims):
        return
    ranges = [_sizes_of(dim) for dim in dims if _is_dynamic(dim)]
    _check_near(program.exported_program, call, [*ports], ranges)


def _hint(dim: object) -> str:
    """Return the name of a ``torch.export.Dim``'s hint: AUTO, STATIC, DYNAMIC, or "" for others."""
    return getattr(getattr(dim, "type", None), "name", "")


def _is_dynamic(dim: object) -> bool:
    return _hint(dim) not in ("AUTO", "STATIC") and not isinstance(dim, int)


_Dimension = tuple[int, int]
"""The index of a tensor among the leaves of the arguments, and a dimension of it."""


def _sizes_of(dim: object) -> range:
    """Return the sizes that a ``torch.export.Dim`` allows, from 2 on."""
    lowest = getattr(dim, "min", None) or 2
    highest = getattr(dim, "max", None) or _HIGHEST_SIZE
    return range(max(2, lowest), min(highest, _HIGHEST_SIZE) + 1)


def _check_near(program: Any, call: Call, names: Sequence[str], ranges: Sequence[range]) -> None:
    """Raise ValueError if PyTorch runs other operators where a dynamic dimension has another
    size. ``ranges``: the sizes that each Dim allows.
    """
    leaves = pytree.tree_leaves(call[1:])
    indices = [index for index, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
    traced_inputs = _traced_inputs(program)
    if not len(indices) == len(traced_inputs) == len(names):
        return
    model = copy_of_model(call[0])
    if model is None:
        return
    exported = program.module()
    for same in _symbolic_dimensions(indices, traced_inputs):
        index, dimension = same[0]
        example = leaves[index].shape[dimension]
        # Which Dim is this dimension's is not known: not one that excludes the example's size.
        possible = [allowed for allowed in ranges if example in allowed]
        near = [example + step for step in STEPS]
        sizes = [size for size in near if all(size in allowed for allowed in possible)]
        size = _differing_size(
            _Runs(model, call, same), _Runs(exported, call, same), example, sizes
        )
        if size is not None:
            raise ValueError(
                f"torch.export traced the model where dynamic dimension {dimension} of "
                f"{names[indices.index(index)]} is {example}, but PyTorch runs other operators "
                f"where it is {size}; {_REMEDY}"
            )


def _traced_inputs(program: Any) -> list[Tensor]:
    """Return the fake tensors with which torch.export traced the user's inputs."""
    names = {*program.graph_signature.user_inputs}
    values = [node.meta.get("val") for node in program.graph.nodes if node.name in names]
    return [value for value in values if isinstance(value, Tensor)]


def copy_of_model(model: Any) -> Any:
    """Return a copy of a model with the same weights; None if some attribute cannot be copied. A
    model may cache results, here fake ones.
    """
    weights = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    try:
        return copy.deepcopy(model, weights)
    except Exception:  # noqa: BLE001 - runs the code of any attribute
        return None


def _symbolic_dimensions(
    indices: Sequence[int], traced_inputs: Sequence[Tensor]
) -> list[list[_Dimension]]:
    """Return the dynamic dimensions of inputs, those of the same size together."""
    by_symbol: dict[Any, list[_Dimension]] = {}
    for index, value in zip(indices, traced_inputs, strict=True):
        for dimension, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                by_symbol.setdefault(size.node.expr, []).append((index, dimension))
    return [*by_symbol.values()]


@dataclass(frozen=True)
class _Run:
    """The operators that a model called, each with its number of results, and the sizes of its
    results.
    """

    operators: list[tuple[Any, int]]
    sizes: list[torch.Size]


@dataclass(frozen=True)
class _Runs:
    """Runs of a model in which some dimensions of its arguments have other sizes."""

    model: Any
    call: Call
    dimensions: Sequence[_Dimension]

    def at(self, size: int) -> _Run | None:
        """Run the model on fake tensors; return None if it refuses the size."""
        leaves, tree = pytree.tree_flatten(self.call[1:])
        with torch.no_grad(), fake_mode(allow_non_fake_inputs=True), OperatorLog() as log:
            for index, leaf in enumerate(leaves):
                if isinstance(leaf, Tensor):
                    sizes = [*self._sizes(index, leaf, size)]
                    leaves[index] = torch.empty(sizes, dtype=leaf.dtype, device=leaf.device)
            args, kwargs = pytree.tree_unflatten(leaves, tree)
            try:
                results = pytree.tree_leaves(self.model(*args, **kwargs))
            except Exception:  # noqa: BLE001 - fake tensors have no values
                return None
        return _Run(log.operators, [r.shape for r in results if isinstance(r, Tensor)])

    def _sizes(self, index: int, leaf: Tensor, size: int) -> Iterator[int]:
        for dimension, example in enumerate(leaf.shape):
            yield size if (index, dimension) in self.dimensions else example


def _differing_size(model: _Runs, program: _Runs, example: int, sizes: Sequence[int]) -> int | None:
    """Return a size at which the model runs other operators than its exported program; None if
    there is none.

    At the example's size, both may differ in operators, as torch.export decomposes some. From there
    to another size, both must gain and lose the same ones: of a longer input, an RNN calls more
    operators, in the program, too.
    """
    model_before, program_before = model.at(example), program.at(example)
    if model_before is None or program_before is None:
        return None
    if model_before.sizes != program_before.sizes:
        return None
    for size in sizes:
        model_after = model.at(size)
        if model_after is None:
            continue
        program_after = program.at(size)
        if program_after is None or model_after.sizes != program_after.sizes:
            return size
        if _gained(model_before, model_after) != _gained(program_before, program_after):
            return size
    return None


def _gained(before: _Run, after: _Run) -> dict[tuple[Any, int], int]:
    """Return how many calls of each operator a run has more than another; negative numbers for
    fewer.
    """
    difference = Counter(after.operators)
    difference.subtract(before.operators)
    return {operator: count for operator, count in difference.items() if count}


class OperatorLog(DispatchMode):  # type: ignore[misc]
    """Records the operators called within it, each with its number of results."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[tuple[Any, int]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        results = func(*args, **(kwargs or {}))
        self.operators.append((func, len(pytree.tree_leaves(results))))
        return results
