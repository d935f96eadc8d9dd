"""A model → the calls of operators that it makes, with their arguments, and the lines they come from.

Each exporter sees the model in its own way: the dynamo exporter what `torch.export` makes of it, the
TorchScript exporter what `torch.jit.trace` does (`traces`). Both graphs are run once, a call at a time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..trial import places
from ..trial.call import Arguments, Call, of_tensors, one_call, words, words_of
from ..trial.places import Place


@dataclass(eq=False)
class Recorded:
    """A call; calls of one overload with arguments of the same dtypes, sizes and values otherwise are
    the same one, made at several ``places``.
    """

    overload: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    fixed: frozenset[int]  # the tensors that are weights or constants, by identity
    places: list[Place] = field(default_factory=list)
    count: int = 0
    used: frozenset[int] | None = None  # the results that the model uses, of several; None: all
    others: list[Arguments] = field(default_factory=list)  # what the call is given for other inputs

    @property
    def op(self) -> str:
        """``namespace::name``; of one that writes to its arguments, of the one that does not."""
        name = str(self.overload._schema.name)
        return name.rstrip("_") if self.overload._schema.is_mutable else name

    @property
    def word(self) -> str:
        """The overload's name; empty of the one without."""
        return str(self.overload._schema.overload_name)

    @property
    def inputs(self) -> str:
        """The arguments in words."""
        return words_of(self.args, self.kwargs)

    @property
    def key(self) -> tuple[str, ...]:
        """The overload, and the arguments that are not the defaults: the same for both recorders."""
        schema = self.overload._schema.arguments
        defaults = {a.name: words(a.default_value) for a in schema if a.has_default_value()}
        given = {name: words(value) for name, value in sorted(self.arguments().items())}
        plain = (f"{name}={word}" for name, word in given.items() if defaults.get(name) != word)
        return str(self.overload), *plain

    def arguments(self) -> dict[str, Any]:
        """Return the arguments by name."""
        names = [argument.name for argument in self.overload._schema.arguments]
        return {**dict(zip(names, self.args, strict=False)), **self.kwargs}

    def call(self) -> Call:
        """Return a model that makes the call alone, with the results that are used, and its inputs."""
        given = self.args, self.kwargs, self.fixed, self.used, self.others
        return one_call(self.overload, *given)

    def called(self) -> list[tuple[str, str]]:
        """Return the operators, and their overloads, of which PyTorch composes the call."""
        found: list[tuple[str, str]] = []
        call = self.call()

        class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                found.append((str(func._schema.name), str(func._schema.overload_name)))
                return func(*args, **(kwargs or {}))

        watch: Any = Watch
        with torch.no_grad(), watch():
            call.model(*call.args)
        return found

    def use(self, results: frozenset[int] | None) -> None:
        """Note that another call of the same uses these results."""
        both = self.used, results
        self.used = None if None in both else frozenset().union(*filter(None, both))


class Record:
    """Calls in the order in which they are made first."""

    def __init__(self) -> None:
        self._found: dict[Any, Recorded] = {}
        self._made: list[Recorded] = []
        self._again: Iterator[Recorded] | None = None
        self._round = 0

    def add(
        self,
        overload: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        fixed: Collection[int],
        place: Place | None,
        used: Collection[int],
    ) -> None:
        """Add a call, or what the same one, in the same order, is given in another run. Of several results some
        may be ``used``; none stands for all.
        """
        leaves, tree = pytree.tree_flatten((args, kwargs))
        if self._again is not None:
            one = next(self._again, None)
            if one is not None and one.overload == overload and len(one.others) < self._round:
                kept = (t.detach().clone() if isinstance(t, torch.Tensor) else t for t in leaves)
                one.others.append(pytree.tree_unflatten(kept, tree))
            return
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        own = frozenset(id(tensor) for tensor in tensors if id(tensor) in fixed)
        is_whole = not 0 < len(used) < len(overload._schema.returns)
        results = None if is_whole else frozenset(used)
        new = Recorded(overload, tuple(args), dict(kwargs), own, used=results)
        key = new.key, *(id(tensor) in own for tensor in tensors)
        if key not in self._found:
            # What the model goes on to write to is kept as it is now.
            copies = {id(t): t if id(t) in own else t.detach().clone() for t in tensors}
            new.args, new.kwargs = pytree.tree_map_only(
                torch.Tensor, lambda t: copies[id(t)], (new.args, new.kwargs)
            )
            self._found[key] = new
        call = self._found[key]
        call.use(results)
        call.count += 1
        self._made.append(call)
        if place is not None and place not in call.places:
            call.places.append(place)

    def of_runs(
        self, run: Callable[[Sequence[Any]], None], sets: Sequence[Sequence[Any]]
    ) -> list[Recorded]:
        """Run the first set of inputs, and the others as far as they go, and return the calls."""
        with torch.no_grad():
            run(sets[0])
            for self._round, tensors in enumerate(sets[1:], 1):
                self._again = iter(self._made)
                with suppress(Exception):
                    run(tensors)
        return self.calls()

    def calls(self) -> list[Recorded]:
        """Return the calls; where they were made again, those that can be tried for both."""
        found = self._found.values()
        return [*filter(_can_be_tried, found)] if self._again else [*found]


def _can_be_tried(call: Recorded) -> bool:
    try:
        return bool(call.others and call.call())
    except ValueError:
        return False


def exported(call: Call, sets: Sequence[Sequence[Any]] = ()) -> list[Recorded]:
    """Return the calls that the dynamo exporter sees, each for all ``sets`` of inputs, where there are some.
    Raises what `torch.export` raises.
    """
    program = call.model
    if not call.is_program:
        shapes = call.dynamic_shapes or None
        given: Any = tuple(call.tensors)
        program = torch.export.export(of_tensors(call), given, dynamic_shapes=shapes, strict=False)
    homes = {getattr(node.target, "__module__", "") for node in program.graph.nodes}
    if "torch._functorch.predispatch" in homes:  # of torch.vmap
        program = program.run_decompositions({})  # whose calls are of whole tensors
    record = Record()

    def run(tensors: Sequence[Any]) -> None:
        other = call.given(tensors)
        given = pytree.tree_leaves((other.args, other.kwargs)) if call.is_program else tensors
        _interpreter(record, program.module()).run(*given, enable_io_processing=False)

    return record.of_runs(run, sets or [call.tensors])


def _interpreter(record: Record, module: Any) -> Any:
    attributes = (getattr(module, n.target, None) for n in module.graph.find_nodes(op="get_attr"))
    constants = [value for value in attributes if isinstance(value, torch.Tensor)]
    fixed = {id(each) for each in (*module.parameters(), *module.buffers(), *constants)}

    class Recorder(torch.fx.Interpreter):
        def run_node(self, n: Any) -> Any:
            if n.op == "call_function":
                args, kwargs = self.fetch_args_kwargs_from_env(n)
                if isinstance(n.target, torch._ops.OpOverload):
                    if gives_tensors(n.target) and str(n.target) not in _OF_EXPORT:
                        place = places.of_stack(n.meta.get("stack_trace") or "")
                        record.add(n.target, args, kwargs, fixed, place, _used(n))
                elif isinstance(n.target, torch._ops.HigherOrderOperator):
                    _within(record, args)
            return super().run_node(n)

    return Recorder(module)


def _used(node: Any) -> list[int]:
    """The results that are taken one by one, and used; none where they are taken together."""
    if any(user.target is not operator.getitem for user in node.users):
        return []
    return [user.args[1] for user in node.users if user.users]


def _within(record: Record, args: Sequence[Any]) -> None:
    """The calls in the bodies of a control-flow operator, each of them run once."""
    bodies = [value for value in args if isinstance(value, torch.fx.GraphModule)]
    given = [item for value in args if isinstance(value, list | tuple) for item in value]
    given = given or [value for value in args if isinstance(value, torch.Tensor)]
    for body in bodies:
        count = len(body.graph.find_nodes(op="placeholder"))
        try:
            _interpreter(record, body).run(*given[:count])
        except Exception:  # noqa: BLE001, S112 - a body that takes other operands than these
            continue


def gives_tensors(overload: Any) -> bool:
    """Whether an exporter has to write the call: it has results, tensors among them."""
    return any("Tensor" in str(returned.type) for returned in overload._schema.returns)


_OF_EXPORT = ("aten.lift_fresh_copy.default",)  # a constant of the model's
