"""A trace → the calls in it: its graph is run once, a node at a time, scripted functions and loops too."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..trial import places
from ..trial.call import Call, of_tensors
from ..trial.outcome import said
from ..trial.places import Frame
from .calls import Record, Recorded, gives_tensors
from .target import Target


def traced(target: Target) -> list[Recorded]:
    """The calls that the TorchScript exporter sees. Raises what `torch.jit.trace` raises, or
    NotImplementedError where the graph cannot be run a call at a time: why.
    """
    call = Call(target.module, target.args, target.kwargs)
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
    graph = trace(model, tuple(t.detach().clone() for t in given), check_trace=False, strict=False)
    run = _Run(graph)
    try:
        with torch.no_grad():
            run.method(graph, "forward", [t.detach().clone() for t in given], ())
    except NotImplementedError:
        raise
    except Exception as error:
        raise NotImplementedError(f"run a call at a time, it raises {said(error)}") from error
    return run.record.calls()


@dataclass
class _Scope:
    """The values of one function's call, by name; where that is called, and whether in a loop."""

    frames: tuple[Frame, ...]
    is_loop: bool
    values: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, value: Any) -> Any:
        return self.values[value.debugName()]

    def put(self, names: Sequence[Any], found: Sequence[Any]) -> None:
        for name, value in zip(names, found, strict=True):
            self.values[name.debugName()] = value


class _Run:
    """Runs the graph of a trace, a node at a time. What TorchScript has no operator for is here."""

    def __init__(self, traced: Any) -> None:
        self.record = Record()
        self._held: list[Any] = [*traced.parameters(), *traced.buffers()]
        self._fixed = {id(tensor) for tensor in self._held}

    def method(
        self, module: Any, name: str, given: Sequence[Any], frames: tuple[Frame, ...]
    ) -> Any:
        """What a method of a module returns."""
        found = getattr(module, "_c", module)._get_method(name)
        is_known = all(_function(node) for node in found.graph.findAllNodes("prim::CallFunction"))
        graph = found.graph if is_known else found.inlined_graph
        return self._graph(graph, [module, *given], frames, is_loop=False)

    def _graph(
        self, graph: Any, given: Sequence[Any], frames: tuple[Frame, ...], *, is_loop: bool
    ) -> Any:
        scope = _Scope(frames, is_loop)
        scope.put([*graph.inputs()], given)
        self._block(graph, scope)
        (found,) = [scope[value] for value in graph.outputs()]
        return found

    def _block(self, block: Any, scope: _Scope) -> list[Any]:
        """What the block gives."""
        for node in block.nodes():
            outputs = [*node.outputs()]
            found = self._results(node, scope)
            if outputs:
                scope.put(outputs, [found] if len(outputs) == 1 else found)
        return [scope[value] for value in block.outputs()]

    def _results(self, node: Any, scope: _Scope) -> Any:
        kind = node.kind()
        given = [scope[value] for value in node.inputs()]
        if kind in ("prim::Constant", "prim::GetAttr"):
            return self._kept(node, given)
        if kind in _BUILT_IN:
            return _BUILT_IN[kind](given)
        if kind == "prim::If":
            return _one_or_all(self._block([*node.blocks()][0 if given[0] else 1], scope))
        if kind == "prim::Loop":
            return _one_or_all(self._loop(node, given, scope))
        if kind in ("prim::CallFunction", "prim::CallMethod"):
            return self._called(node, given, scope)
        if kind == "prim::RaiseException":
            raise RuntimeError(given[0])
        return self._operator(node, given, scope)

    def _kept(self, node: Any, given: Sequence[Any]) -> Any:
        """A constant, or an attribute: a tensor is no input of a call then."""
        if given:
            value = getattr(given[0], node.s("name"))
        else:
            value = None if _is_function(node.output()) else node.output().toIValue()
        if isinstance(value, torch.Tensor):
            self._fixed.add(id(value))
            self._held.append(value)  # so that no other tensor gets its identity
        return value

    def _loop(self, node: Any, given: Sequence[Any], scope: _Scope) -> list[Any]:
        most, goes_on, *carried = given
        (block,) = node.blocks()
        was_loop, scope.is_loop = scope.is_loop, True
        number = 0
        while goes_on and number < most:
            scope.put([*block.inputs()], [number, *carried])
            goes_on, *carried = self._block(block, scope)
            number += 1
        scope.is_loop = was_loop
        return carried

    def _called(self, node: Any, given: Sequence[Any], scope: _Scope) -> Any:
        frames = (*scope.frames, *places.frames_of_range(node.sourceRange()))
        if node.kind() == "prim::CallMethod":
            return self.method(given[0], node.s("name"), given[1:], frames)
        graph = _function(node).graph
        return self._graph(graph, given[1:], frames, is_loop=scope.is_loop)

    def _operator(self, node: Any, given: Sequence[Any], scope: _Scope) -> Any:
        if node.schema() == "(no schema)":
            raise NotImplementedError(f"{node.kind()} is in it")
        schema = torch._C.parse_schema(node.schema())
        namespace, _, name = node.kind().partition("::")
        if compute := _of_python(schema, given):
            return compute(*given)
        packet = getattr(getattr(torch.ops, namespace), name)
        overload = getattr(packet, schema.overload_name or "default")
        names = [argument.name for argument in schema.arguments if argument.kwarg_only]
        count = len(given) - len(names)
        args, kwargs = list(given[:count]), dict(zip(names, given[count:], strict=True))
        is_call = gives_tensors(overload) and namespace != "prim" and node.kind() not in _OF_TRACING
        if is_call:
            frames = (*scope.frames, *places.frames_of_range(node.sourceRange()))
            said, count = overload, len(args)
            if name == "_convolution":  # PyTorch's own, with what its backends take
                said, count = torch.ops.aten.convolution.default, 9
            self.record.add(
                said,
                args[:count],
                kwargs,
                self._fixed,
                places.of_frames(frames),
                used=[at for at, value in enumerate(node.outputs()) if value.uses()],
                in_loop=scope.is_loop,
            )
        return overload(*args, **kwargs)


def _function(node: Any) -> Any:
    """The scripted function that the node calls; None of a module that was loaded from a file."""
    name = node.inputsAt(0).type().annotation_str
    return torch.jit._state._python_cu.find_function(name)


def _is_function(value: Any) -> bool:
    return bool(value.type().kind() == "FunctionType")


def _one_or_all(found: Sequence[Any]) -> Any:
    return found[0] if len(found) == 1 else found


def _of_python(schema: Any, given: Sequence[Any]) -> Callable[..., Any] | None:
    """What computes the operators of TorchScript that take values of any type, or write to a list, of
    which PyTorch, called from Python, gives them a copy.
    """
    name = schema.name.partition("::")[2]
    kinds = [argument.type for argument in schema.arguments]
    if not (any(map(_is_generic, kinds)) or (kinds and _is_written(schema.arguments[0]))):
        return None
    return _OF_PYTHON.get(name) or getattr(type(given[0]), name, None)


def _is_generic(of: Any) -> bool:
    return of.kind() == "VarType" or any(map(_is_generic, of.containedTypes()))


def _is_written(argument: Any) -> bool:
    is_list = argument.type.kind() in ("ListType", "DictType")
    return is_list and argument.alias_info is not None and argument.alias_info.is_write


def _tensor(data: Any, dtype: int | None, device: Any, requires_grad: bool) -> Any:
    found = torch.tensor(data, device=device)
    return found if dtype is None else torch.ops.aten.to.dtype(found, dtype)


def _same(value: Any) -> Any:
    return value


_OF_PYTHON: dict[str, Callable[..., Any]] = {
    "Delete": operator.delitem,
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
    "__is__": operator.is_,
    "__isnot__": operator.is_not,
    "_set_item": operator.setitem,
    "_unwrap_optional": _same,
    "add": operator.add,
    "add_": operator.iadd,
    "dict": dict,
    "items": lambda of: [*of.items()],
    "keys": list,
    "len": len,
    "list": list,
    "mul": operator.mul,
    "mul_": operator.imul,
    "select": operator.getitem,
    "slice": lambda of, start, end, step: of[start:end:step],
    "sort": lambda of, reverse=False: of.sort(reverse=reverse),
    "sorted": sorted,
    "str": str,
    "tensor": _tensor,
    "unchecked_cast": _same,
    "unchecked_unwrap_optional": _same,
    "values": lambda of: [*of.values()],
}
_BUILT_IN: dict[str, Callable[[Sequence[Any]], Any]] = {
    "prim::ListConstruct": list,
    "prim::TupleConstruct": tuple,
    "prim::DictConstruct": lambda given: dict(zip(given[::2], given[1::2], strict=True)),
    "prim::ListUnpack": lambda given: _one_or_all(given[0]),
    "prim::TupleUnpack": lambda given: _one_or_all(given[0]),
    "prim::TupleIndex": lambda given: given[0][given[1]],
    "prim::Uninitialized": lambda given: None,
}
_OF_TRACING = (
    "aten::_shape_as_tensor",
    "aten::detach",
    "aten::tensor",
    "aten::Int",
    "aten::ScalarImplicit",
    "aten::Bool",
    "aten::Float",
)
