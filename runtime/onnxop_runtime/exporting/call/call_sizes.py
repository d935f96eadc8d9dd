"""The sizes of operators' tensors in a model with dynamic axes, which the TorchScript exporter
loses on its way.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from types import CodeType
from typing import Any

import torch
from torch import Tensor

from ...operator.export_context import Size, Sizes
from ...operator.model import Operator
from ...torch_internals import TensorType, Value, pytree, sizes_of_one_are_dynamic
from ..size_symbols import is_symbol
from .model_arguments import Axes, Call, bind, dynamic_shapes

_QUERIES = frozenset(("shape", "rank", "is_dynamic"))


class CallSizes:
    """The sizes of tensors at each call of an operator, by torch.export.

    The TorchScript exporter converts calls in the order of the trace. If it drops one, its calls
    are others than torch.export's, which `is_matched` tells at the end.
    """

    def __init__(self, call: Call, dynamic_shapes: object) -> None:
        self._call, self._dynamic_shapes = call, dynamic_shapes
        self._program: Any = None
        self._has_failed = False
        self._converted = Counter[Operator]()
        self._typed: set[Operator] = set()
        self._by_value: dict[int, Sizes] = {}

    def set_types(self, operator: Operator, values: Sequence[Any]) -> None:
        """Set the sizes of the next converted call's tensors as the types of TorchScript's
        values.
        """
        position = self._converted[operator]
        self._converted[operator] += 1
        if not reads_sizes(operator) or not any(map(_is_unsized, values)):
            return
        tensors = [value for value in values if _is_tensor(value)]
        sizes_by_tensor = self.at(operator, position)
        if len(tensors) != len(sizes_by_tensor):
            return
        self._typed.add(operator)
        for value, sizes in zip(tensors, sizes_by_tensor, strict=True):
            if value.type().dim() in (len(sizes), None):
                known_sizes = [size if isinstance(size, int) else None for size in sizes]
                value.setType(value.type().with_sizes(known_sizes))
                self._by_value[value.unique()] = sizes

    def sizes_of(self, value: Any) -> Sizes | None:
        """Return the sizes of a value of TorchScript that an operator has taken; None if they are
        unknown.
        """
        return self._by_value.get(value.unique())

    def at(self, operator: Operator, position: int) -> list[Sizes]:
        """Return the sizes of the tensors at a call of an operator; none if they are unknown."""
        if not reads_sizes(operator):
            return []
        calls = self._calls(operator)
        return calls[position] if position < len(calls) else []

    def is_matched(self) -> bool:
        """Return whether both exporters have seen as many calls of each operator whose types were
        set.
        """
        return all(len(self._calls(op)) == self._converted[op] for op in self._typed)

    def has_all_calls(self, operator: Operator, node_count: int) -> bool:
        """Return whether the sizes of all calls are known: the file has as many nodes of an
        operator as the exporter has converted calls, and torch.export recorded.
        """
        if not reads_sizes(operator):
            return False
        return node_count == self._converted[operator] == len(self._calls(operator))

    def _calls(self, operator: Operator) -> list[list[Sizes]]:
        """Return the sizes of the tensors of each call; none if torch.export fails."""
        if self._program is None and not self._has_failed:
            self._export()
        nodes = [] if self._program is None else self._program.graph.nodes
        overloads = [*operator.overloads, *operator.scalar_overloads]
        return [_tensor_sizes(node) for node in nodes if node.target in overloads]

    def _export(self) -> None:
        """Run torch.export, which knows the sizes of calls; note if it fails."""
        model, *arguments = self._call
        # An earlier export may have marked dimensions of these tensors as dynamic.
        args, kwargs = pytree.tree_map_only(Tensor, Tensor.detach, arguments)
        leaves = pytree.tree_leaves((args, kwargs))
        has_one = any(isinstance(leaf, Tensor) and 1 in leaf.shape for leaf in leaves)
        tracing = sizes_of_one_are_dynamic() if has_one else nullcontext()
        try:
            with warnings.catch_warnings(action="ignore"), tracing:
                self._program = torch.export.export(
                    model, args, kwargs, dynamic_shapes=self._dynamic_shapes, strict=False
                )
        except Exception:  # noqa: BLE001 - torch.export does not take every model
            self._has_failed = True


def reads_sizes(operator: Operator) -> bool:
    """Return whether the operator's mapping reads the sizes or the rank of an argument."""
    return operator.rule is not None and _has_query(operator.rule.__code__)


def _has_query(code: CodeType) -> bool:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return bool(_QUERIES & {*code.co_names}) or any(map(_has_query, inner))


def _is_tensor(value: Any) -> bool:
    is_value = isinstance(value, Value)
    return is_value and isinstance(value.type(), TensorType) and value.type().kind() == "TensorType"


def _is_unsized(value: Any) -> bool:
    if not _is_tensor(value):
        return False
    sizes = value.type().varyingSizes()
    return sizes is None or None in sizes


def sizes_of_calls(call: Call, names: Sequence[str], axes: Axes) -> CallSizes:
    """Return the sizes of tensors at the calls of operators, in a model whose inputs have these
    names. Without dynamic axes, the exporter still knows no sizes behind a node of a domain.
    """
    if not any(axes.get(name) for name in names):
        return CallSizes(call, None)
    bound = bind(*call)
    shapes = pytree.tree_map(_size_of_any_axis, dynamic_shapes(bound, iter(names), axes))
    return CallSizes((call[0], bound.args, bound.kwargs), shapes)


def _size_of_any_axis(name: str | None) -> object:
    """Return a dynamic size for an axis with a name; None for an argument without dynamic axes."""
    return None if name is None else torch.export.Dim.DYNAMIC


def _tensor_sizes(node: Any) -> list[Sizes]:
    leaves = pytree.tree_leaves((node.args, node.kwargs))
    values = [leaf.meta.get("val") for leaf in leaves if isinstance(leaf, torch.fx.Node)]
    return [tuple(map(_size, value.shape)) for value in values if isinstance(value, Tensor)]


def _size(size: int | torch.SymInt) -> Size:
    if isinstance(size, int):
        return size
    return str(size) if is_symbol(str(size)) else None
