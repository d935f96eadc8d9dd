"""A model → its operator calls, with their arguments and source lines.

The dynamo exporter sees the graph of `torch.export`, the TorchScript exporter that of
`torch.jit.trace` (`traces`). Both graphs are run once, a call at a time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import torch

from onnxop_runtime import torch_internals as internals
from onnxop_runtime.exporting.call.dynamic_shapes import OperatorLog
from onnxop_runtime.torch_internals import pytree, schema_of

from ...trial import places
from ...trial.call import (
    Arguments,
    Call,
    Large,
    call_of_overload,
    format_arguments,
    format_value,
    program_of,
)
from ...trial.places import Place


@dataclass(eq=False)
class RecordedCall:
    """A call of an operator. Calls of one overload with equal arguments (for tensors: equal dtypes
    and sizes) are one, made at several ``places``.
    """

    overload: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    fixed: frozenset[int]  # the ids of tensors that are weights or constants
    places: list[Place] = field(default_factory=list)
    count: int = 0
    used: frozenset[int] | None = None  # the indices of the results in use; None: all
    others: list[Arguments] = field(default_factory=list)  # its arguments for other model inputs

    @property
    def op(self) -> str:
        """``namespace::name``, without the trailing underscore of an in-place operator."""
        name = str(schema_of(self.overload).name)
        return name.rstrip("_") if schema_of(self.overload).is_mutable else name

    @property
    def overload_name(self) -> str:
        """The overload's name, which may be empty."""
        return str(schema_of(self.overload).overload_name)

    @property
    def inputs(self) -> str:
        """The arguments as text."""
        return format_arguments(self.args, self.kwargs)

    @property
    def lines(self) -> str:
        """The lines that make the call, with their code, as text."""
        return "; ".join(place.with_code for place in self.places)

    @property
    def key(self) -> tuple[str, ...]:
        """The overload and the arguments that are not defaults: equal for both exporters."""
        schema = schema_of(self.overload).arguments
        defaults = {a.name: format_value(a.default_value) for a in schema if a.has_default_value()}
        texts = {name: format_value(value) for name, value in sorted(self.arguments().items())}
        plain = (f"{name}={text}" for name, text in texts.items() if defaults.get(name) != text)
        return str(self.overload), *plain

    def arguments(self) -> dict[str, Any]:
        """Return the arguments by name."""
        names = [argument.name for argument in schema_of(self.overload).arguments]
        return {**dict(zip(names, self.args, strict=False)), **self.kwargs}

    @property
    def can_be_fed(self) -> bool:
        """Whether the call alone can have its arguments as inputs: no quantised tensor, nor an
        object of TorchScript, such as the packed weights of a quantised module.
        """
        leaves = pytree.tree_leaves((self.args, self.kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        has_object = any(isinstance(leaf, torch.ScriptObject) for leaf in leaves)
        return not has_object and not any(tensor.is_quantized for tensor in tensors)

    def as_model_call(self) -> Call:
        """Return a model that makes this call alone and returns the used results, with its inputs."""
        fixed, used = self.fixed, self.used
        return call_of_overload(self.overload, self.args, self.kwargs, fixed, used, self.others)

    def decomposed(self) -> list[tuple[str, str]]:
        """Return the names and overloads of the operators into which PyTorch decomposes the call."""
        call = self.as_model_call()
        with torch.no_grad(), OperatorLog() as called:
            call.model(*call.args)
        schemas = (schema_of(operator) for operator, _ in called.operators)
        return [(str(schema.name), str(schema.overload_name)) for schema in schemas]

    def use(self, results: frozenset[int] | None) -> None:
        """Note the results that another call of the same kind uses."""
        both = self.used, results
        self.used = None if None in both else frozenset().union(*filter(None, both))


class CallLog:
    """Calls in the order in which they are first made."""

    def __init__(self) -> None:
        self._by_key: dict[Any, RecordedCall] = {}
        self._made: list[RecordedCall] = []
        self._again: Iterator[RecordedCall] | None = None
        self._done = set[RecordedCall]()  # of this run
        self._kind: type = tuple  # of its inputs, or Large

    def add(
        self,
        overload: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        fixed: Collection[int],
        place: Place | None,
        used: Collection[int],
    ) -> None:
        """Add a call; in a further run, add the arguments to the call recorded at the same
        position. ``used`` holds the indices of the results in use; empty: all.
        """
        leaves, tree = pytree.tree_flatten((args, kwargs))
        if self._again is not None:
            again = next(self._again, None)
            if again is not None and again.overload == overload and again not in self._done:
                self._done.add(again)
                kept = (t.detach().clone() if isinstance(t, torch.Tensor) else t for t in leaves)
                again.others.append(self._kind(pytree.tree_unflatten(kept, tree)))
            return
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        own = frozenset(id(tensor) for tensor in tensors if id(tensor) in fixed)
        is_whole = not 0 < len(used) < len(schema_of(overload).returns)
        results = None if is_whole else frozenset(used)
        new = RecordedCall(overload, tuple(args), dict(kwargs), own, used=results)
        key = new.key, *(id(tensor) in own for tensor in tensors)
        if key not in self._by_key:
            # Copy tensors, as the model may write to them later.
            copies = {id(t): t if id(t) in own else t.detach().clone() for t in tensors}
            new.args, new.kwargs = pytree.tree_map_only(
                torch.Tensor, lambda t: copies[id(t)], (new.args, new.kwargs)
            )
            self._by_key[key] = new
        call = self._by_key[key]
        call.use(results)
        call.count += 1
        self._made.append(call)
        if place is not None and place not in call.places:
            call.places.append(place)

    def record_runs(
        self, run: Callable[[Sequence[Any]], None], sets: Sequence[Sequence[Any]]
    ) -> list[RecordedCall]:
        """Run all sets of inputs, the first without suppressing errors, and return the calls."""
        with torch.no_grad():
            run(sets[0])
            for tensors in sets[1:]:
                self._again, self._done = iter(self._made), set()
                self._kind = Large if isinstance(tensors, Large) else tuple
                with suppress(Exception):
                    run(tensors)
        return self.calls()

    def calls(self) -> list[RecordedCall]:
        """Return the calls; after several runs, those that can be tried for all inputs."""
        recorded = self._by_key.values()
        return [*filter(_can_be_tried, recorded)] if self._again else [*recorded]


def _can_be_tried(call: RecordedCall) -> bool:
    try:
        return bool(call.others and call.as_model_call())
    except ValueError:
        return False


def calls_in_program(call: Call, sets: Sequence[Sequence[Any]] = ()) -> list[RecordedCall]:
    """Return the calls that the dynamo exporter sees, each with its arguments for all ``sets`` of
    inputs. Raise the errors of `torch.export`.
    """
    program = call.model if call.is_program else program_of(call)
    homes = {getattr(node.target, "__module__", "") for node in program.graph.nodes}
    if internals.VMAP in homes:
        program = program.run_decompositions({})  # whose calls are of whole tensors
    log = CallLog()

    def run(tensors: Sequence[Any]) -> None:
        other = call.with_tensors(tensors)
        inputs = pytree.tree_leaves((other.args, other.kwargs)) if call.is_program else tensors
        _interpreter(log, program.module()).run(*inputs, enable_io_processing=False)

    return log.record_runs(run, sets or [call.tensors])


def _interpreter(log: CallLog, module: Any) -> Any:
    attributes = (getattr(module, n.target, None) for n in module.graph.find_nodes(op="get_attr"))
    constants = [value for value in attributes if isinstance(value, torch.Tensor)]
    fixed = {id(tensor) for tensor in (*module.parameters(), *module.buffers(), *constants)}

    class Recorder(torch.fx.Interpreter):
        def run_node(self, node: Any) -> Any:
            if node.target == "_guards_fn":  # conditions on sizes that torch.export keeps
                return None
            if node.op == "call_function":
                args, kwargs = self.fetch_args_kwargs_from_env(node)
                if isinstance(node.target, internals.OpOverload):
                    if gives_tensors(node.target) and str(node.target) not in _OF_EXPORT:
                        place = places.of_stack(node.meta.get("stack_trace") or "")
                        log.add(node.target, args, kwargs, fixed, place, _used_results(node))
                elif isinstance(node.target, internals.HigherOrderOperator):
                    _record_bodies(log, args)
            return super().run_node(node)

    return Recorder(module)


def _used_results(node: Any) -> list[int]:
    """Return the indices of the used results; none where a user takes all results at once."""
    if any(user.target is not operator.getitem for user in node.users):
        return []
    return [user.args[1] for user in node.users if user.users]


def _record_bodies(log: CallLog, args: Sequence[Any]) -> None:
    """Record the calls in the bodies of a control-flow operator; run each body once."""
    bodies = [value for value in args if isinstance(value, torch.fx.GraphModule)]
    operands = [item for value in args if isinstance(value, list | tuple) for item in value]
    operands = operands or [value for value in args if isinstance(value, torch.Tensor)]
    for body in bodies:
        count = len(body.graph.find_nodes(op="placeholder"))
        try:
            _interpreter(log, body).run(*operands[:count])
        except Exception:  # noqa: BLE001, S112 - a body that takes other operands than these
            continue


def with_lines(calls: Iterable[RecordedCall]) -> list[str]:
    """Return the operator of each call with the lines that make it, as text; what is the same once."""
    return [*dict.fromkeys(f"{call.op} ({call.lines})" for call in calls)]


def gives_tensors(overload: Any) -> bool:
    """Return whether the call has a tensor among its results, so that an exporter has to write it."""
    return any("Tensor" in str(returned.type) for returned in schema_of(overload).returns)


_OF_EXPORT = ("aten.lift_fresh_copy.default",)  # a constant of the model
