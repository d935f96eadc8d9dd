"""Whether what torch.export traced at one size holds at others: the dynamo exporter drops its guards."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import DispatchMode, fake_mode, pytree
from .calls import Call

_NEAR = (1, 2, -1)
_REMEDY = "write it for any size, give torch.export.Dim.AUTO, or leave the dimension out of dynamic_shapes"


def check_dynamic(program: torch.onnx.ONNXProgram, call: Call, shapes: Any) -> None:
    """Check that the dimensions that were to be dynamic are, and that sizes near the example's are computed
    as PyTorch does. Those of ``Dim.AUTO`` may be static.

    Raises:
        ValueError: one is static, or PyTorch goes another way through the model.
    """
    dims = [dim for dim in pytree.tree_leaves(shapes) if dim is not None]
    hints = [getattr(getattr(dim, "type", None), "name", "") for dim in dims]
    ports: Any = {value.name: value.shape or () for value in program.model.graph.inputs}
    wanted = sum(
        hint not in ("AUTO", "STATIC") and not isinstance(dim, int)
        for hint, dim in zip(hints, dims, strict=True)
    )
    if wanted > sum(not isinstance(size, int) for shape in ports.values() for size in shape):
        told = ", ".join(f"{name}[{', '.join(map(str, shape))}]" for name, shape in ports.items())
        raise ValueError(
            f"torch.export fixes a dimension that was to be dynamic; the inputs are {told}: the model, or an "
            f"operator in it, computes with that number; {_REMEDY}"
        )
    if "AUTO" in hints:
        return
    low = max([2, *(getattr(dim, "min", None) or 2 for dim in dims)])
    high = min([2**31, *(getattr(dim, "max", None) or 2**31 for dim in dims)])
    _check_near(program.exported_program, call, [*ports], range(low, high + 1))


def _check_near(program: Any, call: Call, names: Sequence[str], allowed: range) -> None:
    model, args, kwargs = call
    leaves, _ = pytree.tree_flatten((args, kwargs))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
    given = {*program.graph_signature.user_inputs}
    inputs = [n.meta["val"] for n in program.graph.nodes if n.name in given and "val" in n.meta]
    inputs = [value for value in inputs if isinstance(value, Tensor)]
    if not len(places) == len(inputs) == len(names):
        return
    axes: dict[Any, list[tuple[int, int]]] = {}
    for place, value in zip(places, inputs, strict=True):
        for d, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                axes.setdefault(size.node.expr, []).append((place, d))
    exported, own = program.module(), {id(t): t for t in (*model.parameters(), *model.buffers())}
    try:
        model = copy.deepcopy(model, own)  # which may keep what it computes, here without values
    except Exception:  # noqa: BLE001 - whatever it holds
        return
    for same in axes.values():
        place, d = same[0]
        traced = leaves[place].shape[d]
        before, through = (_called(m, call, same, traced) for m in (model, exported))
        if before is None or through is None or before[1] != through[1]:
            continue
        for size in (traced + step for step in _NEAR):
            after = _called(model, call, same, size) if size in allowed else None
            if after is None:
                continue
            through = _called(exported, call, same, size)
            if through is None or after[0] != before[0] or after[1] != through[1]:
                raise ValueError(
                    f"torch.export follows the model where dimension {d} of {names[places.index(place)]} is "
                    f"{traced}, but it was to be dynamic, and PyTorch goes another way where it is {size}; "
                    f"{_REMEDY}"
                )


def _called(
    model: Any, call: Call, axes: Sequence[tuple[int, int]], size: int
) -> tuple[list[tuple[str, int]], list[Any]] | None:
    """Return the operators that a model calls without values, each with how many results, and the sizes of
    its own results, where dimensions of its arguments have a size; None where it takes none of that size.
    """
    leaves, tree = pytree.tree_flatten(call[1:])
    with torch.no_grad(), fake_mode(allow_non_fake_inputs=True), _Called() as called:
        for place, leaf in enumerate(leaves):
            if isinstance(leaf, Tensor):
                sizes = [size if (place, d) in axes else n for d, n in enumerate(leaf.shape)]
                leaves[place] = torch.empty(sizes, dtype=leaf.dtype, device=leaf.device)
        args, kwargs = pytree.tree_unflatten(leaves, tree)
        try:
            results = pytree.tree_leaves(model(*args, **kwargs))
        except Exception:  # noqa: BLE001 - whatever it asks of the size, or of values, which are not there
            return None
    return called.operators, [tuple(x.shape) for x in results if isinstance(x, Tensor)]


class _Called(DispatchMode):  # type: ignore[misc]
    """Notes the operators that are called within it, each with how many results it has."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[tuple[str, int]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        self.operators.append((str(func), len(pytree.tree_leaves(found))))
        return found
