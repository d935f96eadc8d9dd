"""A model → the calls of operators that it makes, with their arguments, and the lines they come from.

Each exporter sees the model in its own way: the dynamo exporter what `torch.export` makes of it, the
TorchScript exporter what `torch.jit.trace` does (`traces`). Both graphs are run once, a call at a time.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..trial import places
from ..trial.call import Call, one_call
from ..trial.places import Place
from .target import Target

_NUMBER = re.compile(r"(?<![\w.])-?\d[\w.+-]*")


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

    @property
    def op(self) -> str:
        """``namespace::name``; of one that writes to its arguments, of the one that does not."""
        name = str(self.overload._schema.name)
        return name.rstrip("_") if self.overload._schema.is_mutable else name

    @property
    def inputs(self) -> str:
        """The arguments in words."""
        words = [_words(value) for value in self.args]
        words += [f"{name}={_words(value)}" for name, value in self.kwargs.items()]
        return ", ".join(words)

    @property
    def plain(self) -> str:
        """The arguments by name, those left out that are the defaults: the same for both recorders."""
        schema = self.overload._schema.arguments
        defaults = {a.name: a.default_value for a in schema if a.has_default_value()}
        given = self.arguments()
        words = [
            f"{name}={_words(value)}"
            for name, value in sorted(given.items())
            if not (name in defaults and _words(defaults[name]) == _words(value))
        ]
        return ", ".join(words)

    @property
    def kind(self) -> str:
        """What is the same of calls that differ in sizes and numbers alone."""
        return f"{self.op}({_blank(self.plain)})"

    def call(self) -> Call:
        """A model that makes the call alone, with the results that are used, and what it is given."""
        return one_call(self.overload, self.args, self.kwargs, self.fixed, self.used)

    @property
    def word(self) -> str:
        """The overload's name; empty of the one without."""
        return str(self.overload._schema.overload_name)

    def called(self) -> list[tuple[str, str]]:
        """The operators, and their overloads, of which PyTorch makes the call, where it composes it."""
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
        """Another call of the same uses these."""
        both = self.used, results
        self.used = None if None in both else frozenset().union(*filter(None, both))

    @property
    def dtype(self) -> str:
        """The dtype of its floats that are not in float32, of the first such one; empty without any."""
        leaves = pytree.tree_leaves((self.args, self.kwargs))
        found = (str(leaf.dtype) for leaf in leaves if _is_other_float(leaf))
        return next(found, "").removeprefix("torch.")

    def in_float32(self) -> Recorded:
        """The same with all floats in float32."""
        fixed: set[int] = set()

        def plain(value: Any, kind: str) -> Any:
            if isinstance(value, list | tuple):
                return [plain(item, kind) for item in value]
            if _is_other_float(value):
                cast = value.float()
                if id(value) in self.fixed:
                    fixed.add(id(cast))
                return cast
            if id(value) in self.fixed:
                fixed.add(id(value))
            if isinstance(value, torch.dtype) and value.is_floating_point:
                return torch.float32
            is_number = "ScalarType" in kind and isinstance(value, int)  # as a trace has it
            return _NUMBERED["float32"] if is_number and value in _NUMBERED.values() else value

        kinds = {a.name: str(a.real_type) for a in self.overload._schema.arguments}
        args = tuple(plain(v, k) for v, k in zip(self.args, kinds.values(), strict=False))
        named = {name: plain(value, kinds[name]) for name, value in self.kwargs.items()}
        return replace(self, args=args, kwargs=named, fixed=frozenset(fixed))

    def arguments(self) -> dict[str, Any]:
        """The arguments by name."""
        names = [argument.name for argument in self.overload._schema.arguments]
        return {**dict(zip(names, self.args, strict=False)), **self.kwargs}


_NUMBERED = {"float16": 5, "float32": 6, "float64": 7, "bfloat16": 15}  # as TorchScript has them


def _is_other_float(value: Any) -> bool:
    is_float = isinstance(value, torch.Tensor) and value.dtype.is_floating_point
    return is_float and value.dtype != torch.float32


def _words(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_words(item) for item in value)}]"
    return str(value)


def _blank(words: str) -> str:
    """The words with no sizes and numbers in them, but for how many there are."""
    ranks = re.sub(r"\[[\d, ]*\]", lambda sizes: f"[{',' * sizes[0].count(',')}]", words)
    return re.sub(_NUMBER, "0", ranks)


class Record:
    """Calls in the order in which they are made first."""

    def __init__(self) -> None:
        self._found: dict[str, Recorded] = {}
        self._in_loop: dict[tuple[str, Place | None], str] = {}

    def add(
        self,
        overload: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        fixed: Collection[int],
        place: Place | None,
        *,
        used: Collection[int] = (),
        in_loop: bool = False,
    ) -> None:
        """Of several results some may be ``used``. A call ``in_loop`` is that of the first round, whatever its sizes and numbers are in others."""
        is_whole = not 0 < len(used) < len(overload._schema.returns)
        results = None if is_whole else frozenset(used)
        leaves = pytree.tree_leaves((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        key = repr(
            (
                str(overload),
                [_words(a) for a in args],
                {k: _words(v) for k, v in kwargs.items()},
                [id(tensor) in fixed for tensor in tensors],
            )
        )
        if in_loop:
            key = self._in_loop.setdefault((_blank(key), place), key)
        if key not in self._found:
            own = frozenset(id(tensor) for tensor in tensors if id(tensor) in fixed)
            # What the model goes on to write to is kept as it is now.
            copies = {id(t): t if id(t) in own else t.detach().clone() for t in tensors}
            given, named = pytree.tree_map_only(
                torch.Tensor, lambda t: copies[id(t)], (tuple(args), dict(kwargs))
            )
            self._found[key] = Recorded(overload, given, named, own, used=results)
        call = self._found[key]
        call.use(results)
        call.count += 1
        if place is not None and place not in call.places:
            call.places.append(place)

    def calls(self) -> list[Recorded]:
        return [*self._found.values()]


def exported(target: Target) -> list[Recorded]:
    """The calls that the dynamo exporter sees. Raises what `torch.export` raises."""
    program = target.model
    if not target.is_program:
        program = torch.export.export(target.model, target.args, dict(target.kwargs), strict=False)
    if any(_is_of_vmap(node.target) for node in program.graph.nodes):
        program = program.run_decompositions({})  # whose calls are of whole tensors
    module = program.module()
    record = Record()
    with torch.no_grad():
        _interpreter(record, module).run(
            *pytree.tree_leaves((target.args, dict(target.kwargs))),
            enable_io_processing=False,
        )
    return record.calls()


def _is_of_vmap(target: Any) -> bool:
    return getattr(target, "__module__", "") == "torch._functorch.predispatch"


def _interpreter(record: Record, module: Any) -> Any:
    weights = [*module.parameters(), *module.buffers()]
    fixed = frozenset(id(tensor) for tensor in weights) | _constants(module)

    class Recorder(torch.fx.Interpreter):
        def run_node(self, n: Any) -> Any:
            if n.op == "call_function":
                args, kwargs = self.fetch_args_kwargs_from_env(n)
                if isinstance(n.target, torch._ops.OpOverload):
                    if gives_tensors(n.target) and str(n.target) not in _OF_EXPORT:
                        place = places.of_stack(n.meta.get("stack_trace") or "")
                        record.add(n.target, args, kwargs, fixed, place, used=_used(n))
                elif isinstance(n.target, torch._ops.HigherOrderOperator):
                    _within(record, str(n.target), args)
            return super().run_node(n)

    return Recorder(module)


def _used(node: Any) -> list[int]:
    """The results that are taken one by one, and used; none where they are taken together."""
    if any(user.target is not operator.getitem for user in node.users):
        return []
    return [user.args[1] for user in node.users if user.users]


def _constants(module: Any) -> frozenset[int]:
    found = (getattr(module, n.target, None) for n in module.graph.nodes if n.op == "get_attr")
    return frozenset(id(value) for value in found if isinstance(value, torch.Tensor))


# Of which list of a control-flow operator's a body is given a slice.
_SLICED = {"map_impl": 0, "scan": 1}


def _within(record: Record, name: str, args: Sequence[Any]) -> None:
    """The calls in the bodies of a control-flow operator, each of them run once."""
    bodies = [value for value in args if isinstance(value, torch.fx.GraphModule)]
    lists = [[*value] for value in args if isinstance(value, list | tuple)]
    if name in _SLICED and len(lists) > _SLICED[name]:
        lists[_SLICED[name]] = [value[0] for value in lists[_SLICED[name]]]
    given = [value for values in lists for value in values]
    given = given or [value for value in args if isinstance(value, torch.Tensor)]
    for body in bodies:
        count = sum(node.op == "placeholder" for node in body.graph.nodes)
        try:
            _interpreter(record, body).run(*given[:count])
        except Exception:  # noqa: BLE001, S112 - a body that takes other operands than these
            continue


def gives_tensors(overload: Any) -> bool:
    """Whether an exporter has to write the call: it has results, tensors among them."""
    return any("Tensor" in str(returned.type) for returned in overload._schema.returns)


_OF_EXPORT = ("aten.lift_fresh_copy.default",)  # a constant of the model's
