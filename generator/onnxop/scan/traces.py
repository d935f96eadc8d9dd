"""A trace → the calls in it: its graph is run once, a node at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..trial import places
from ..trial.call import Call, of_tensors
from ..trial.outcome import said
from .calls import Record, Recorded, gives_tensors


def traced(call: Call, sets: Sequence[Sequence[Any]] = ()) -> list[Recorded]:
    """Return the calls that the TorchScript exporter sees, each for all ``sets`` of inputs, where there are some.
    Raises what `torch.jit.trace` raises, or NotImplementedError where the graph cannot be run a call at a
    time: why.
    """
    inner, given = of_tensors(call), call.tensors

    class Flat(torch.nn.Module):
        """The model with its tensors as results, in whatever else it gives them."""

        def __init__(self) -> None:
            super().__init__()
            self.model = inner

        def forward(self, *tensors: Any) -> Any:
            leaves = pytree.tree_leaves(self.model(*tensors))
            return tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))

    model = Flat().train(inner.training)
    trace: Any = torch.jit.trace
    # As the exporter does it, with gradients: without them, PyTorch takes other ways, as in attention.
    found = trace(model, tuple(t.detach().clone() for t in given), check_trace=False, strict=False)
    record = Record()

    def run(tensors: Sequence[Any]) -> None:
        _Run(record).graph(found.inlined_graph, [found, *(t.detach().clone() for t in tensors)])

    try:
        return record.of_runs(run, sets or [given])
    except NotImplementedError:
        raise
    except Exception as error:
        raise NotImplementedError(f"run a call at a time, it raises {said(error)}") from error


class _Run:
    """Runs the graph of a trace. What TorchScript has no operator for is here."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._fixed: dict[int, Any] = {}  # weights and constants, which keep their identity so

    def graph(self, graph: Any, given: Sequence[Any]) -> None:
        """Run the nodes, and record the calls of operators."""
        values = {i.debugName(): value for i, value in zip(graph.inputs(), given, strict=True)}
        for node in graph.nodes():
            outputs = [output.debugName() for output in node.outputs()]
            found = self._results(node, [values[value.debugName()] for value in node.inputs()])
            values |= zip(outputs, [found] if len(outputs) == 1 else found or (), strict=True)

    def _results(self, node: Any, given: Sequence[Any]) -> Any:
        kind = node.kind()
        if kind in ("prim::Constant", "prim::GetAttr"):
            value = getattr(given[0], node.s("name")) if given else node.output().toIValue()
            if isinstance(value, torch.Tensor):
                self._fixed[id(value)] = value
            return value
        if kind in _BUILT_IN:
            return _BUILT_IN[kind](given)
        if node.schema() == "(no schema)":
            raise NotImplementedError(f"it has scripted code, {kind}")
        return self._operator(node, given)

    def _operator(self, node: Any, given: Sequence[Any]) -> Any:
        schema = torch._C.parse_schema(node.schema())
        if any(_is_written_list(argument) for argument in schema.arguments):
            raise NotImplementedError(f"it has scripted code, {node.kind()} of a list")
        namespace, _, name = node.kind().partition("::")
        packet = getattr(getattr(torch.ops, namespace), name)
        overload = getattr(packet, schema.overload_name or "default")
        names = [argument.name for argument in schema.arguments if argument.kwarg_only]
        kinds = [str(argument.real_type) for argument in overload._schema.arguments]
        pairs = zip(given, kinds, strict=True)
        given = [_dtype(v) if "ScalarType" in k and v is not None else v for v, k in pairs]
        count = len(given) - len(names)
        args, kwargs = given[:count], dict(zip(names, given[count:], strict=True))
        if gives_tensors(overload) and namespace != "prim" and node.kind() not in _OF_TRACING:
            told, taken = overload, args
            if name == "_convolution":  # PyTorch's own, with what its backends take
                told, taken = torch.ops.aten.convolution.default, args[:9]
            place = places.of_range(node.sourceRange())
            used = [at for at, value in enumerate(node.outputs()) if value.uses()]
            self.record.add(told, taken, kwargs, self._fixed, place, used)
        return overload(*args, **kwargs)


def _is_written_list(argument: Any) -> bool:
    """Whether TorchScript writes to it, where PyTorch, called from Python, writes to a copy."""
    is_list = argument.type.kind() in ("ListType", "DictType")
    return is_list and argument.alias_info is not None and argument.alias_info.is_write


def _dtype(number: int) -> torch.dtype:
    """Return the dtype of the number that it is in a trace."""
    return torch.ops.aten.empty.memory_format([0], dtype=number).dtype  # type: ignore[no-any-return]


def _one_or_all(found: Sequence[Any]) -> Any:
    return found[0] if len(found) == 1 else found


_BUILT_IN: dict[str, Callable[[Sequence[Any]], Any]] = {
    "prim::ListConstruct": list,
    "prim::TupleConstruct": tuple,
    "prim::DictConstruct": lambda given: dict(zip(given[::2], given[1::2], strict=True)),
    "prim::ListUnpack": lambda given: _one_or_all(given[0]),
    "prim::TupleUnpack": lambda given: _one_or_all(given[0]),
    "prim::TupleIndex": lambda given: given[0][given[1]],
}
_OF_TRACING = frozenset(
    f"aten::{name}"
    for name in "_shape_as_tensor detach tensor Int ScalarImplicit Bool Float".split()
)
