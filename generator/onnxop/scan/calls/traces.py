"""A trace → its calls: the graph is run once, a node at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import torch

from onnxop_runtime.torch_internals import is_view, parse_schema, pytree, schema_of

from ...trial import places
from ...trial.call import Call, Without, module_of_tensors
from ...trial.outcome import format_error
from ...trial.places import Place
from .recorded_calls import CallLog, RecordedCall, gives_tensors

CONSTANT_RESULT = "did not have observable data dependence"
"""In the error of the TorchScript exporter about a result that depends on no input."""


def calls_in_trace(call: Call, sets: Sequence[Sequence[Any]] = ()) -> list[RecordedCall]:
    """Return the calls that the TorchScript exporter sees, each with its arguments for all ``sets``
    of inputs. Raise the errors of `torch.jit.trace`, or NotImplementedError if the graph cannot be
    run node by node.
    """
    inputs, traced_module = call.tensors, jit_trace(call)
    log = CallLog()

    def run(tensors: Sequence[Any]) -> None:
        _GraphRun(log).run_graph(
            traced_module.inlined_graph, [traced_module, *(t.detach().clone() for t in tensors)]
        )

    try:
        return log.record_runs(run, sets or [inputs])
    except NotImplementedError:
        raise
    except Exception as error:
        raise NotImplementedError(
            f"running it node by node raises {format_error(error)}"
        ) from error


@dataclass(frozen=True)
class Step:
    """A call of a trace.

    Attributes:
        op: ``namespace::name``, without the trailing underscore of an in-place operator.
        place: its line.
        module: the path of the module that makes it.
        results: the tensors that it returns, as they are after it.
        needed: a bit for each step whose results it needs, and its own.
        writes_to_view: whether it writes to a view of another tensor.
    """

    op: str
    place: Place | None
    module: str
    results: list[torch.Tensor]
    needed: int
    writes_to_view: bool


@dataclass(frozen=True)
class TracedSteps:
    """The calls of a trace that give tensors.

    Attributes:
        steps: the calls, in order.
        needed: a bit for each step that the results need.
    """

    steps: list[Step]
    needed: int


def traced_steps(call: Call, tensors: Sequence[torch.Tensor]) -> TracedSteps:
    """Return the calls of the trace of a call, run for other tensors. Raise the errors of
    `torch.jit.trace`, or any if the graph cannot be run node by node.
    """
    traced_module = jit_trace(call)
    is_wrapped = module_of_tensors(call) is not call.model
    depth = 3 if is_wrapped else 2  # of the model's own modules: __module.model.model, or .model
    run = _StepRun(CallLog(), depth)
    with torch.no_grad():
        inputs = [tensor.detach().clone() for tensor in tensors]
        run.run_graph(traced_module.inlined_graph, [traced_module, *inputs])
    return TracedSteps(run.steps, run.needed_by_results)


def jit_trace(call: Call) -> Any:
    """Return the call's model, traced as the exporter traces it. Raise the errors of
    `torch.jit.trace`.
    """
    inner, inputs = module_of_tensors(call), call.tensors

    class Flat(torch.nn.Module):
        """The model with a flat tuple of its tensors as results."""

        def __init__(self) -> None:
            super().__init__()
            self.model = inner

        def forward(self, *tensors: Any) -> Any:
            leaves = pytree.tree_leaves(self.model(*tensors))
            return tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))

    model = Flat().train(inner.training)
    trace: Any = torch.jit.trace
    # Trace with gradients, as the exporter does: without them, PyTorch calls other operators, as in
    # attention.
    copies = tuple(t.detach().clone() for t in inputs)
    return trace(model, copies, check_trace=False, strict=False)


def constant_results(call: Call) -> list[int]:
    """Return the indices of the results that depend on no input, which the TorchScript exporter
    refuses without saying which.
    """
    count = len(call.returned())
    return [
        n for n in range(count) if _is_constant(replace(call, model=_only(call.model, n, count)))
    ]


def _only(model: Any, index: int, count: int) -> Without:
    return Without(model, {*range(count)} - {index})


def _is_constant(call: Call) -> bool:
    """Return whether the TorchScript exporter refuses the call's result, as it depends on no input."""
    copies = tuple(tensor.detach().clone() for tensor in call.tensors)
    file: Any = io.BytesIO()
    try:
        torch.onnx.export(module_of_tensors(call), copies, file, dynamo=False, verbose=False)
    except Exception as error:  # noqa: BLE001 - of the user's model
        return CONSTANT_RESULT in str(error)
    return False


class _GraphRun:
    """A run of a trace's graph, with the nodes for which TorchScript has no operator."""

    def __init__(self, log: CallLog) -> None:
        self.log = log
        self._fixed: dict[int, Any] = {}  # weights and constants by id, kept alive

    def run_graph(self, graph: Any, inputs: Sequence[Any]) -> Any:
        """Run the nodes and record the operator calls. Return the results, or the only one."""
        values = {i.debugName(): value for i, value in zip(graph.inputs(), inputs, strict=True)}
        for node in graph.nodes():
            outputs = [output.debugName() for output in node.outputs()]
            inputs = [values[value.debugName()] for value in node.inputs()]
            results = self._results(node, inputs)
            self._note_results(node, inputs, results)
            values |= zip(outputs, [results] if len(outputs) == 1 else results or (), strict=True)
        results = [values[output.debugName()] for output in graph.outputs()]
        return results[0] if len(results) == 1 else results

    def _note_results(self, node: Any, inputs: Sequence[Any], results: Any) -> None:
        """Do nothing: a subclass notes what a node computes."""

    def _results(self, node: Any, inputs: Sequence[Any]) -> Any:
        kind = node.kind()
        if kind in ("prim::Constant", "prim::GetAttr"):
            value = getattr(inputs[0], node.s("name")) if inputs else node.output().toIValue()
            if isinstance(value, torch.Tensor):
                self._fixed[id(value)] = value
            return value
        if kind in _BUILT_IN:
            return _BUILT_IN[kind](inputs)
        if kind == "prim::PythonOp":  # an autograd.Function, whose operators the exporter inlines
            return self.run_graph(node.g("Subgraph"), inputs)
        if node.schema() == "(no schema)":
            raise NotImplementedError(f"it contains scripted code, {kind}")
        return self._operator(node, inputs)

    def _operator(self, node: Any, inputs: Sequence[Any]) -> Any:
        schema = parse_schema(node.schema())
        if any(_is_written_list(argument) for argument in schema.arguments):
            raise NotImplementedError(f"it contains scripted code, {node.kind()} of a list")
        namespace, _, name = node.kind().partition("::")
        packet = getattr(getattr(torch.ops, namespace), name)
        overload = getattr(packet, schema.overload_name or "default")
        names = [argument.name for argument in schema.arguments if argument.kwarg_only]
        kinds = [str(argument.real_type) for argument in schema_of(overload).arguments]
        pairs = zip(inputs, kinds, strict=True)
        inputs = [_dtype(v) if "ScalarType" in k and v is not None else v for v, k in pairs]
        count = len(inputs) - len(names)
        args, kwargs = inputs[:count], dict(zip(names, inputs[count:], strict=True))
        if gives_tensors(overload) and namespace != "prim" and node.kind() not in _MADE_BY_TRACING:
            recorded, taken = overload, args
            if name == "_convolution":  # internal, with arguments for backends
                recorded, taken = torch.ops.aten.convolution.default, args[:9]
            place = places.of_range(node.sourceRange())
            used = [at for at, value in enumerate(node.outputs()) if value.uses()]
            self.log.add(recorded, taken, kwargs, self._fixed, place, used)
        return overload(*args, **kwargs)


class _StepRun(_GraphRun):
    """A run that keeps the results of each call, and of which calls they come."""

    def __init__(self, log: CallLog, depth: int) -> None:
        super().__init__(log)
        self._depth = depth  # of the model, in the paths of its modules
        self.steps: list[Step] = []
        self.needed_by_results = 0
        self._needed: dict[str, int] = {}  # by the names of values

    def run_graph(self, graph: Any, inputs: Sequence[Any]) -> Any:
        results = super().run_graph(graph, inputs)
        self.needed_by_results = self._needed_by(graph.outputs())
        return results

    def _needed_by(self, values: Iterable[Any]) -> int:
        return reduce(or_, (self._needed.get(value.debugName(), 0) for value in values), 0)

    def _note_results(self, node: Any, inputs: Sequence[Any], results: Any) -> None:
        """Keep a call that gives tensors as a step, and which steps the node's outputs need."""
        needed = self._needed_by(node.inputs())
        tensors = [leaf for leaf in pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor)]
        kind = node.kind()
        is_call = kind.partition("::")[0] not in _NO_CALLS and kind not in _MADE_BY_TRACING
        if tensors and is_call:
            needed |= 1 << len(self.steps)  # the bit of the step that follows
            self.steps.append(self._step(node, inputs, tensors, needed))
        for output in node.outputs():
            self._needed[output.debugName()] = needed

    def _step(
        self, node: Any, inputs: Sequence[Any], results: Sequence[torch.Tensor], needed: int
    ) -> Step:
        """Return the call of a node as a step."""
        kind = node.kind()
        is_in_place = kind.endswith("_") and not kind.endswith("__")
        is_write = (is_in_place or kind in _IN_PLACE) and isinstance(inputs[0], torch.Tensor)
        path_of_module = node.scopeName().rpartition("/")[2].split(".")
        return Step(
            op=kind.removesuffix("_") if is_in_place else kind,
            place=places.of_range(node.sourceRange()),
            module=".".join(path_of_module[self._depth :]),
            results=[tensor.detach().clone() for tensor in results],
            needed=needed,
            writes_to_view=is_write and is_view(inputs[0]),
        )


def _is_written_list(argument: Any) -> bool:
    """Return whether TorchScript writes to the list, where PyTorch called from Python writes to a
    copy.
    """
    is_list = argument.type.kind() in ("ListType", "DictType")
    return is_list and argument.alias_info is not None and argument.alias_info.is_write


def _dtype(number: int) -> torch.dtype:
    """Return the dtype that a trace writes as a number."""
    return torch.ops.aten.empty.memory_format([0], dtype=number).dtype  # type: ignore[no-any-return]


def _one_or_all(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else values


_NO_CALLS = "prim", "onnx"  # the namespaces of what makes lists and constants
_BUILT_IN: dict[str, Callable[[Sequence[Any]], Any]] = {
    "prim::ListConstruct": list,
    "prim::TupleConstruct": tuple,
    "prim::DictConstruct": lambda inputs: dict(zip(inputs[::2], inputs[1::2], strict=True)),
    "prim::ListUnpack": lambda inputs: _one_or_all(inputs[0]),
    "prim::TupleUnpack": lambda inputs: _one_or_all(inputs[0]),
    "prim::TupleIndex": lambda inputs: inputs[0][inputs[1]],
}
_IN_PLACE = frozenset(f"aten::__i{name}__" for name in "and or xor lshift rshift".split())
_MADE_BY_TRACING = frozenset(
    f"aten::{name}"
    for name in "_shape_as_tensor detach tensor Int ScalarImplicit Bool Float".split()
)
