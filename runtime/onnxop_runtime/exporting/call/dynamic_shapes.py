"""Check that a model traced at one size holds at other sizes: the dynamo exporter drops torch.export's guards."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...torch_internals import DispatchMode, fake_mode, pytree
from .model_arguments import Call

_REMEDY = "write it for any size, give torch.export.Dim.AUTO, or leave the dimension out of dynamic_shapes"


def check_dynamic(program: torch.onnx.ONNXProgram, call: Call, shapes: Any) -> None:
    """Raise ValueError if a dynamic dimension is static in the program, or if PyTorch runs other
    operators at sizes near the example's. Dimensions of ``Dim.AUTO`` may be static.
    """
    dims = [dim for dim in pytree.tree_leaves(shapes) if dim is not None]
    hints = [getattr(getattr(dim, "type", None), "name", "") for dim in dims]
    ports: Any = {value.name: value.shape or () for value in program.model.graph.inputs}
    dynamic_count = sum(
        hint not in ("AUTO", "STATIC") and not isinstance(dim, int)
        for hint, dim in zip(hints, dims, strict=True)
    )
    if dynamic_count > sum(not isinstance(size, int) for shape in ports.values() for size in shape):
        inputs = ", ".join(f"{name}[{', '.join(map(str, shape))}]" for name, shape in ports.items())
        raise ValueError(
            f"torch.export specialised a dynamic dimension to a size; the inputs are {inputs}: the model, or an "
            f"operator in it, computes with that size; {_REMEDY}"
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
    input_names = {*program.graph_signature.user_inputs}
    traced_inputs = [
        n.meta["val"] for n in program.graph.nodes if n.name in input_names and "val" in n.meta
    ]
    traced_inputs = [value for value in traced_inputs if isinstance(value, Tensor)]
    if not len(places) == len(traced_inputs) == len(names):
        return
    axes: dict[Any, list[tuple[int, int]]] = {}
    for place, value in zip(places, traced_inputs, strict=True):
        for d, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                axes.setdefault(size.node.expr, []).append((place, d))
    exported, own = program.module(), {id(t): t for t in (*model.parameters(), *model.buffers())}
    try:
        model = copy.deepcopy(model, own)  # a model may cache results, here fake ones
    except Exception:  # noqa: BLE001 - some attribute cannot be copied
        return
    for same in axes.values():
        place, d = same[0]
        traced = leaves[place].shape[d]
        before, of_traced = (_called(m, call, same, traced) for m in (model, exported))
        if before is None or of_traced is None or before[1] != of_traced[1]:
            continue
        for size in (traced + step for step in (1, 2, -1)):
            after = _called(model, call, same, size) if size in allowed else None
            if after is None:
                continue
            # Of a longer input, an RNN calls more operators, in the program, too.
            new = _called(exported, call, same, size) or ([], [])
            calls, wanted = Counter(after[0] + of_traced[0]), Counter(before[0] + new[0])
            if after[1] != new[1] or calls != wanted:
                raise ValueError(
                    f"torch.export traced the model where dynamic dimension {d} of "
                    f"{names[places.index(place)]} is {traced}, but PyTorch runs other operators where it is "
                    f"{size}; {_REMEDY}"
                )


def _called(
    model: Any, call: Call, axes: Sequence[tuple[int, int]], size: int
) -> tuple[list[tuple[Any, int]], list[Any]] | None:
    """Run a model on fake tensors whose given axes have a size. Return the operators called, each with its
    number of results, and the sizes of the model's results; None if the model refuses the size.
    """
    leaves, tree = pytree.tree_flatten(call[1:])
    with torch.no_grad(), fake_mode(allow_non_fake_inputs=True), Called() as called:
        for place, leaf in enumerate(leaves):
            if isinstance(leaf, Tensor):
                sizes = [size if (place, d) in axes else n for d, n in enumerate(leaf.shape)]
                leaves[place] = torch.empty(sizes, dtype=leaf.dtype, device=leaf.device)
        args, kwargs = pytree.tree_unflatten(leaves, tree)
        try:
            results = pytree.tree_leaves(model(*args, **kwargs))
        except Exception:  # noqa: BLE001 - fake tensors have no values
            return None
    return called.operators, [tuple(x.shape) for x in results if isinstance(x, Tensor)]


class Called(DispatchMode):  # type: ignore[misc]
    """Records the operators called within it, each with its number of results."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[tuple[Any, int]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = func(*args, **(kwargs or {}))
        self.operators.append((func, len(pytree.tree_leaves(results))))
        return results
