"""The expressions of a mapping: what each stands for, and the nodes that it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import did_you_mean, listed
from ..schema.signature import UNKNOWN_TYPE, Argument, OpSchema
from ..words import names, pyexpr
from ..words.pyexpr import ExpressionProblem, Source
from . import evaluate, scalars
from .graph import (
    Branch,
    Choice,
    Each,
    ElementType,
    Found,
    Item,
    Let,
    Listed,
    Node,
    Omitted,
    Repeat,
    Scalar,
    Set,
    Spread,
    Statement,
    Tensor,
    Tensors,
    Unknown,
    Value,
    as_value,
    is_list,
    nodes_of,
    sources,
    type_of,
    without_types_like,
)
from .nodes import Call, Keywords, Nodes
from .onnxdefs import spoken_type

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "Add",
    ast.Sub: "Sub",
    ast.Mult: "Mul",
    ast.Div: "Div",
    ast.Pow: "Pow",
    ast.MatMult: "MatMul",
    ast.USub: "Neg",
    ast.Lt: "Less",
    ast.LtE: "LessOrEqual",
    ast.Gt: "Greater",
    ast.GtE: "GreaterOrEqual",
    ast.Eq: "Equal",
}
_AT_LENGTH = 16  # parts of an expression
_TAKEN = frozenset(
    "Any bool constant float int ir list omitted op opset rank str symbolic symbolic_helper torch translation".split()
)
"""What the code of a mapping may name besides its own: modules, types and functions."""


def _tensor_argument(argument: Argument) -> Tensor | Tensors:
    kind = ElementType(like=argument.name)
    if not argument.is_list:
        return Tensor(argument.name, kind, argument.is_optional)
    return Tensors(argument.name, kind, argument.has_optional_items)


def is_node(node: ast.expr) -> bool:
    """Whether this is ``op.<Name>(...)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"))):
            return True
        case _:
            return False


@dataclass
class Side:
    """One side of a branch; ``own`` are the tensors that are given in it alone."""

    own: set[str]
    statements: tuple[Statement, ...] = ()
    assigned: dict[str, Found] = field(default_factory=dict)
    results: tuple[Found, ...] = ()

    def seen(self, value: Found) -> Found:
        """The value as it is seen from outside."""
        return without_types_like(value, self.own)


class Values:
    """Reads expressions. The nodes that they take go to ``statements``; what is wrong goes to
    ``problems``, and stands for an `Unknown` value.
    """

    def __init__(
        self,
        source: Source,
        schema: OpSchema | None,
        opset: int,
        *,
        is_converted: bool,
        written_for: int,
    ) -> None:
        self._source, self.opset = source, written_for
        self._is_open = schema is None
        self.names: dict[str, Found] = {}  # what may be read: arguments, and what was assigned
        for argument in schema.free if schema else ():
            value: Found = Unknown()
            if argument.is_tensor:
                value = _tensor_argument(argument)
            elif argument.type != UNKNOWN_TYPE:
                value = scalars.of_argument(argument)
            self.names[argument.name] = value
        self.arguments = tuple(self.names)
        self._held = {a.name: a.type for a in schema.arguments if a.is_held} if schema else {}
        self._sides = 0  # of branches that it is in
        self._items: set[str] = set()  # tensors of lists that the operator is given
        self._given: frozenset[str] = frozenset()  # names that are known not to be None
        self._taken = {*self.names, *self._held, *_TAKEN}
        self._numbers: dict[str, int] = {}  # the last one behind a name that was taken
        self.statements: list[Statement] = []
        self.problems: list[ExpressionProblem] = []
        self.choices: list[bool] = []  # what the conditions on the opset came to
        self._nodes = Nodes(source, opset, self.problems, is_converted=is_converted)

    def reserve(self, body: list[ast.stmt]) -> None:
        """Keeps the names of nodes off those of the functions that the mapping calls."""
        called = (
            node.func for part in body for node in ast.walk(part) if isinstance(node, ast.Call)
        )
        self._taken |= {func.id for func in called if isinstance(func, ast.Name)}

    def read(self, node: ast.expr, hint: str = "") -> Found:
        try:
            return self._kind_of(node, hint)
        except ExpressionProblem as problem:
            self.problems.append(problem)
            return Unknown()

    def _kind_of(self, node: ast.expr, hint: str) -> Found:
        match node:
            case ast.Name(id=name):
                return self._named(node, name)
            case ast.Constant(value=None):
                return Omitted()
            case ast.Constant(value=bool() | int() | float() | str() as value):
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    raise self._source.problem(
                        node, "this integer does not fit in 64 bits; write a float, such as 1e20"
                    )
                return Scalar(node, type(value).__name__)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return self._list(node, items, hint)
            case ast.ListComp():
                return self._comprehension(node, hint)
            case ast.Attribute(attr="shape"):
                tensor = self._argument_named(node, node.value)
                return tensor and scalars.asked("shape", tensor.name, "int[]") or Unknown()
            case ast.Call(func=ast.Name(id="rank"), args=[value], keywords=[]) if (
                "rank" not in self.names
            ):
                tensor = self._argument_named(node, value)
                return tensor and scalars.asked("rank", tensor.name, "int") or Unknown()
            case ast.Call(func=ast.Name(id=name)) if name in scalars.FUNCTIONS:
                return self._function(node, name)
            case ast.Call():
                return self.outputs(node, (hint,))[0]
            case ast.Subscript():
                return self._subscript(node, hint)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
                return self._test_for_none(node)
            case ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.BoolOp():
                return self._operation(node, hint)
            case ast.IfExp():
                return self._conditional(node, hint)
            case _:
                raise self._source.problem(node, f"not allowed here: {scalars.SUBSET}")

    def _named(self, node: ast.expr, name: str) -> Found:
        if name in self.names:
            return (
                self._known_as_given(self.names[name]) if name in self._given else self.names[name]
            )
        if name == "opset":
            raise self._source.problem(
                node,
                "opset stands alone in a condition; write op.A(x) if opset >= 18 else op.B(x), say, "
                "and other conditions within",
            )
        if name in self._held:
            raise self._source.problem(
                node,
                f"{name} is held at None, since a {self._held[name]} means nothing in ONNX; write "
                "the mapping without it",
            )
        if self._is_open and name != "op":
            return Unknown()
        if name == "op":
            raise self._source.problem(node, "op alone is no value; write op.Add(a, b), say")
        known = [known for known in self.names if known]
        raise self._source.problem(
            node,
            f"{name} is neither an argument nor assigned before"
            f"{did_you_mean(name, known) or '; known here: ' + listed(known)}",
        )

    @staticmethod
    def _known_as_given(value: Found) -> Found:
        if isinstance(value, Tensor):
            return replace(value, may_be_none=False)
        return scalars.given(value) if isinstance(value, Scalar) else value

    @contextmanager
    def _knowing(self, names_given: frozenset[str]) -> Iterator[None]:
        """Within it, these names are known not to be None."""
        before, self._given = self._given, self._given | names_given
        try:
            yield
        finally:
            self._given = before

    def _value_given(self, node: ast.expr) -> Found:
        """The value, which must not be a non-tensor that may be None."""
        return self._nodes.needed(node, self.read(node))

    def _test_for_none(self, node: ast.Compare) -> Found:
        """``x is None`` or ``x is not None``."""
        value = self.read(node.left)
        name = pyexpr.show(node.left) if isinstance(node.left, ast.Name) else ""
        right = node.comparators[0]
        if not (name and isinstance(right, ast.Constant) and right.value is None):
            raise self._source.problem(
                node, "is compares an argument with None; write x is None, or use =="
            )
        if isinstance(value, Unknown):
            return value
        tested = value.node if isinstance(value, Scalar) else None
        if isinstance(value, Tensor) and value.may_be_none:
            return Scalar(ast.Compare(ast.Name(value.name), node.ops, [right]), "bool")
        if tested is None or not isinstance(value, Scalar) or not value.type.endswith("?"):
            raise self._source.problem(
                node, f"{name} is never None here; only an optional argument can be: leave this out"
            )
        return Scalar(ast.Compare(tested, node.ops, [right]), "bool")

    def _function(self, node: ast.Call, name: str) -> Found:
        if name in self.names:
            raise self._source.problem(
                node.func,
                f"{name} is a value here, not Python's function; write a if a < b else b, say",
            )
        for word in node.keywords:
            raise self._source.problem(word.value, f"{name} takes no keywords; leave this out")
        values = [self._value_given(argument) for argument in node.args]
        match values:
            case [Tensors(name=tensors)] if name == "len":
                return Scalar(ast.Call(ast.Name("len"), [ast.Name(tensors)], []), "int")
        for place, value in zip(node.args, values, strict=True):
            if not isinstance(value, Scalar | Unknown):
                raise self._source.problem(
                    place, f"{name} takes non-tensor arguments; for tensors write op.<Name>(...)"
                )
        found = [value for value in values if isinstance(value, Scalar)]
        if len(found) < len(values):
            return Unknown()
        return scalars.call(self._source, node, name, found)

    def _argument_named(self, place: ast.expr, node: ast.expr) -> Tensor | None:
        """The argument of the operator that is asked for its sizes, which are known of arguments
        alone; None once a problem with it is noted.
        """
        value = self.read(node)
        if isinstance(value, Unknown):
            return None
        if isinstance(value, Tensor) and not value.may_be_none and self._has_sizes(value.name):
            return value
        what = "may be None" if isinstance(value, Tensor) and value.may_be_none else ""
        what = what or "is no tensor that the operator is given, whose sizes alone are known"
        raise self._source.problem(
            place,
            f"{pyexpr.show(node)} {what}; write rank(x) or x.shape[0] of an argument that is a "
            "Tensor, or op.Shape(...)",
        )

    def _has_sizes(self, name: str) -> bool:
        return name in self.arguments or name in self._items

    def _subscript(self, node: ast.Subscript, hint: str) -> Found:
        match node:
            case ast.Subscript(value=ast.Attribute(value=base, attr="shape"), slice=index) if (
                not isinstance(index, ast.Slice)
            ):
                tensor, place = self._argument_named(node, base), self._value_given(index)
                if tensor is None or isinstance(place, Unknown):
                    return Unknown()
                if isinstance(place, Scalar) and place.type == "int":
                    return scalars.asked("size", tensor.name, "int", place.node)
                raise self._source.problem(index, "a size is asked for by an integer; write [0]")
        value = self._value_given(node.value)
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Tensors):
            return self._item(node, value, hint)
        if not isinstance(value, Scalar):
            raise self._source.problem(
                node, "a tensor is not indexed here; write op.Gather(a, 0, axis=0), say"
            )
        if isinstance(node.slice, ast.Slice):
            return scalars.subscript(self._source, node, value)
        return scalars.subscript(self._source, node, value, self._value_given(node.slice))

    def _item(self, node: ast.Subscript, tensors: Tensors, hint: str) -> Tensor | Tensors:
        """``tensors[0]`` or ``tensors[1:]``."""
        parts = (
            [node.slice.lower, node.slice.upper, node.slice.step]
            if isinstance(node.slice, ast.Slice)
            else [node.slice]
        )
        bounds: list[ast.expr | None] = []
        for part in parts:
            found = None if part is None else self._value_given(part)
            if found is not None and not (isinstance(found, Scalar) and found.type == "int"):
                raise self._source.problem(
                    part or node, "tensors of a list are indexed by integers; write [0] or [1:]"
                )
            bounds.append(None if found is None else found.node)
        name = self._fresh(hint or "item")
        if isinstance(node.slice, ast.Slice):
            index = ":".join("" if bound is None else pyexpr.show(bound) for bound in bounds)
            index = index.removesuffix(":") if bounds[2] is None else index
            self.statements.append(Item(tensors.name, index, name))
            return Tensors(name, tensors.type, tensors.may_have_none)
        assert bounds[0] is not None
        self.statements.append(Item(tensors.name, pyexpr.show(bounds[0]), name))
        self._items.add(name)
        return Tensor(name, tensors.type, tensors.may_have_none)

    def _list(self, node: ast.expr, items: list[ast.expr], hint: str) -> Found:
        """``[1, 2]`` or ``[a, b]``, numbers or tensors, ``*`` before a list for those in it."""
        found = [self._spread(item) or self._value_given(item) for item in items]
        if any(isinstance(value, Unknown) for value in found):
            return Unknown()
        numbers = [value for value in found if isinstance(value, Scalar)]
        if len(numbers) == len(found):
            return self._numbers_in(node, items, numbers)
        for item, value in zip(items, found, strict=True):
            if isinstance(value, Tensors | Omitted):
                self.problems.append(
                    self._source.problem(
                        item,
                        "a list holds numbers, or tensors; write *tensors for those of another list",
                    )
                )
        if any(isinstance(value, Tensors | Omitted) for value in found):
            return Unknown()
        return self._listed(found, hint)

    def _numbers_in(self, node: ast.expr, items: list[ast.expr], found: list[Scalar]) -> Scalar:
        """``[1, *axes]``: the numbers, those of lists one by one."""
        parts: list[Scalar] = []
        alone: list[Scalar] = []
        for item, value in zip(items, found, strict=True):
            if not isinstance(item, ast.Starred):
                alone.append(value)
                continue
            parts += [scalars.list_of(self._source, node, alone)] if alone else []
            parts, alone = [*parts, value], []
        if alone or not parts:
            parts.append(scalars.list_of(self._source, node, alone))
        whole = parts[0]
        for part in parts[1:]:
            joined = ast.BinOp(whole.node, ast.Add(), part.node)
            whole = scalars.operation(self._source, joined, [whole, part])
        return whole

    def _listed(self, found: list[Found], hint: str) -> Tensors:
        name = self._fresh(hint or "tensors")
        kind = next((kind for value in found if (kind := type_of(value)) is not None), None)
        self.statements.append(Listed(tuple(as_value(value, kind) for value in found), name))
        is_open = any(isinstance(value, Spread) for value in found)
        return Tensors(name, kind, length=None if is_open else len(found))

    def _spread(self, node: ast.expr) -> Found | None:
        """``*tensors``; None of anything else."""
        if not isinstance(node, ast.Starred):
            return None
        value = self.read(node.value)
        if isinstance(value, Tensors):
            return Spread(value)
        if is_list(value):
            return value
        if not isinstance(value, Unknown):
            raise self._source.problem(
                node, "* takes a list: an argument Tensor[], or [op.Exp(t) for t in ...]"
            )
        return value

    def _comprehension(self, node: ast.ListComp, hint: str) -> Found:
        """``[op.Exp(t) for t in tensors]`` or ``[2 * size for size in sizes]``."""
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise self._source.problem(node, "a list is made by one for alone; write two lists")
        loop = node.generators[0]
        if loop.ifs:
            raise self._source.problem(
                loop.ifs[0], "which items a list has is not chosen by if; slice what it is made of"
            )
        variables, text, over = self._loop(loop)
        outer_names, self.names = self.names, self.names | dict(variables)
        outer, self.statements = self.statements, []
        items = {value.name for _, value in variables if isinstance(value, Tensor)}
        self._items |= items
        try:
            value = self._value_given(node.elt)
        finally:
            self.names = outer_names
            statements, self.statements = tuple(self.statements), outer
        if isinstance(value, Unknown) or any(isinstance(each, Unknown) for _, each in variables):
            return Unknown()
        names_ = tuple(
            each.name if isinstance(each, Tensor) else pyexpr.show(each.node)
            for _, each in variables
            if isinstance(each, Tensor | Scalar)
        )
        if isinstance(value, Scalar) and not statements:
            if value.type.endswith(("[]", "?")):
                raise self._source.problem(node.elt, "a list holds single numbers or tensors")
            item_type = "float" if value.type == "number" else value.type
            target = ast.parse(f"[0 for {', '.join(names_)} in {text}]", mode="eval").body
            assert isinstance(target, ast.ListComp)
            item = (
                ast.Call(ast.Name("float"), [value.node], [])
                if value.type == "number"
                else value.node
            )
            return Scalar(ast.ListComp(item, target.generators), f"{item_type}[]")
        if isinstance(value, Omitted | Tensors):
            raise self._source.problem(node.elt, "a list holds single numbers or tensors")
        name = self._fresh(hint or "tensors")
        result = as_value(value, None)
        self.statements.append(Each(names_, text, over, statements, result, name))
        kind = type_of(result)
        made = {output for node in nodes_of(statements) for output in node.outputs} | items
        known = kind if kind is None or kind.like not in made else None
        return Tensors(name, known)

    @contextmanager
    def repeated(self, node: ast.For, assigned: Iterable[str]) -> Iterator[None]:
        """Within it, what is read is done once for each item of a list. What it assigns, and what
        was there before, one round hands to the next.
        """
        loop = ast.comprehension(node.target, node.iter, [], 0)
        variables, text, over = self._loop(loop)
        if any(isinstance(value, Unknown) for _, value in variables):
            raise self._source.problem(node.iter, "what this for goes over is not known")
        carried: dict[str, Tensor | Tensors] = {}
        before: list[Value] = []
        for name in assigned:
            value = self.names.get(name)
            if value is None or isinstance(value, Unknown):
                continue
            if isinstance(value, Scalar) and isinstance(value.node, ast.List) and not value.length:
                value = self._listed([], name)  # a list of tensors to be
            if isinstance(value, Scalar | Omitted):
                raise self._source.problem(
                    node,
                    f"{name} is no tensor, and a for hands on tensors alone; name it otherwise",
                )
            fresh, kind = self._fresh(name), type_of(value)
            is_list = isinstance(value, Tensors)
            carried[name] = Tensors(fresh, kind) if is_list else Tensor(fresh, kind)
            before.append(as_value(value, None))
        outputs = tuple(value.name for value in carried.values())
        if not outputs:
            raise self._source.problem(
                node, "this for changes nothing; assign what it computes to a name from before it"
            )
        self.statements.append(Set(outputs, tuple(before)))
        (outer, self.statements), names_before = (self.statements, []), self.names
        self.names = self.names | dict(variables) | carried
        self._items |= {value.name for _, value in variables if isinstance(value, Tensor)}
        try:
            yield
            after = [self.names[name] for name in carried]
        finally:
            statements, self.statements = self.statements, outer
            self.names = names_before | carried
        for name, value in zip(carried, after, strict=True):
            if isinstance(value, Unknown):
                return
            if isinstance(value, Scalar | Omitted) or (
                isinstance(value, Tensors) != isinstance(carried[name], Tensors)
            ):
                raise self._source.problem(node, f"{name} is of another kind behind each round")
            if type_of(value) != type_of(carried[name]):
                self.names[name] = replace(carried[name], type=None)
        last = Set(
            outputs,
            tuple(as_value(v, type_of(carried[n])) for n, v in zip(carried, after, strict=True)),
        )
        words = tuple(
            each.name if isinstance(each, Tensor) else pyexpr.show(each.node)
            for _, each in variables
            if isinstance(each, Tensor | Scalar)
        )
        self.statements.append(Repeat(words, text, over, (*statements, last), outputs))

    def _loop(self, loop: ast.comprehension) -> tuple[list[tuple[str, Found]], str, frozenset[str]]:
        """The variables of a comprehension, what it goes over as Python, and the tensors therein."""
        word = ""
        match loop.iter:
            case ast.Call(func=ast.Name(id="enumerate" | "zip" as name), args=args, keywords=[]):
                word, lists = name, args
            case _:
                lists = [loop.iter]
        found = [self._value_given(each) for each in lists]
        kinds: list[Found] = [Scalar(ast.Name("_"), "int")] if word == "enumerate" else []
        parts, over = [], set()
        for place, value in zip(lists, found, strict=True):
            if isinstance(value, Scalar) and value.type.endswith("[]"):
                kinds.append(Scalar(ast.Name("_"), value.type.removesuffix("[]")))
                parts.append(pyexpr.show(value.node))
            elif isinstance(value, Tensors):
                kinds.append(Tensor("_", value.type, value.may_have_none))
                parts.append(value.name)
                over.add(value.name)
            elif isinstance(value, Unknown):
                kinds.append(value)
            else:
                raise self._source.problem(
                    place,
                    "for goes over a list of numbers or tensors; write for i in range(2), say",
                )
        target = loop.target
        words = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(words) != len(kinds):
            raise self._source.problem(target, f"for gives {len(kinds)} values; name as many")
        variables: list[tuple[str, Found]] = []
        for node, kind in zip(words, kinds, strict=True):
            if not isinstance(node, ast.Name):
                raise self._source.problem(node, "only a plain name stands behind for")
            if why := names.problem_with(node.id):
                raise self._source.problem(node, f"the name {node.id!r} {why}; choose another")
            fresh = self._fresh(node.id)
            if isinstance(kind, Tensor):
                like = kind.type
                # The items' own type, where a list's is that of its first one.
                kind = replace(kind, name=fresh, type=like and ElementType(like=fresh))
            elif isinstance(kind, Scalar):
                kind = replace(kind, node=ast.Name(fresh))
            variables.append((node.id, kind))
        text = ", ".join(parts)
        text = f"{word}({text})" if word else text
        return variables, text, frozenset(over)

    def _operation(self, node: ast.expr, hint: str) -> Found:
        parts: list[Any]
        match node:
            case ast.UnaryOp(operand=operand):
                operands, parts = [operand], [node.op]
            case ast.BinOp(left=left, right=right):
                operands, parts = [left, right], [node.op]
            case ast.Compare(left=left, ops=signs, comparators=others):
                operands, parts = [left, *others], list(signs)
            case ast.BoolOp(values=operands):
                parts = [node.op]
            case _:
                raise TypeError(node)
        values = self._operands(node, operands)
        if any(isinstance(value, Unknown) for value in values):
            return Unknown()
        found = [value for value in values if isinstance(value, Scalar)]
        if len(found) == len(values):
            return scalars.operation(self._source, node, found)
        op = _OPERATORS.get(type(parts[0])) if len(parts) == 1 else None
        if op is None:
            raise self._source.problem(
                node, "this operator does not work on tensors; write it with op.<Name>(...)"
            )
        inputs = tuple(zip(operands, values, strict=True))
        return self._node(Call(node, op, inputs, {}, outputs=1), (hint,))[0]

    def _operands(self, node: ast.expr, operands: list[ast.expr]) -> list[Found]:
        """The operands; each of ``x is not None and x > 1`` is read only where those before hold."""
        if any(isinstance(part, ast.Constant) and part.value is None for part in operands):
            raise self._source.problem(
                node, "None is compared by is alone; write x is None, or x is not None"
            )
        values: list[Found] = []
        given: frozenset[str] = frozenset()
        for operand in operands:
            with self._knowing(given):
                values.append(self._value_given(operand))
            if isinstance(node, ast.BoolOp):
                given |= scalars.given_by(operand)[isinstance(node.op, ast.Or)]
        return values

    def chosen(self, test: ast.expr) -> bool | None:
        """What a condition comes to that is on the opset; None of one on anything else."""
        holds = self._on_opset(test)
        if holds is not None:
            self.choices.append(holds)
        return holds

    def _on_opset(self, test: ast.expr) -> bool | None:
        match test:
            case ast.BoolOp(op=op, values=parts):
                found = [self._on_opset(part) for part in parts]
                decisive = isinstance(op, ast.Or)
                if decisive in found:
                    return decisive
                return None if None in found else not decisive
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                holds = self._on_opset(operand)
                return None if holds is None else not holds
            case ast.Compare() if "opset" not in self.names and any(
                isinstance(part, ast.Name) and part.id == "opset" for part in ast.walk(test)
            ):
                try:
                    return bool(evaluate.value(test, {"opset": self.opset}))
                except evaluate.CannotTell:
                    return None
            case _:
                return None

    def condition(self, node: ast.expr) -> Scalar | Unknown:
        """A condition on what is known while the model is exported."""
        test = self._value_given(node)
        if isinstance(test, Scalar | Unknown) and not is_list(test):
            return test
        self.problems.append(
            self._source.problem(
                node,
                "the condition must be on non-tensor arguments; for tensors write "
                "op.Where(condition, x, y)",
            )
        )
        return Unknown()

    def _conditional(self, node: ast.IfExp, hint: str) -> Found:
        if (holds := self.chosen(node.test)) is not None:
            return self.read(node.body if holds else node.orelse, hint)
        test = self.condition(node.test)
        when_true, when_false = scalars.given_by(node.test)
        then, then_statements = self._branch(node.body, when_true)
        otherwise, else_statements = self._branch(node.orelse, when_false)
        if isinstance(test, Unknown) or isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        condition = pyexpr.show(test.node)
        if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
            return self._chosen_scalar(node, test, then, otherwise)
        then, otherwise = (
            self._nodes.needed(node.body, then),
            self._nodes.needed(node.orelse, otherwise),
        )
        if isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        self._nodes.check_constant(node.body, then)
        self._nodes.check_constant(node.orelse, otherwise)
        if isinstance(then, Tensors) != isinstance(otherwise, Tensors):
            raise self._source.problem(
                node, "one branch is a list of tensors, the other none; give both one type"
            )
        if not then_statements and not else_statements:
            return Choice(condition, as_value(then, None), as_value(otherwise, None))
        left, right = as_value(then, type_of(otherwise)), as_value(otherwise, type_of(then))
        if isinstance(left, Omitted) or isinstance(right, Omitted):
            raise self._source.problem(
                node, "a branch that computes cannot stand beside None; assign it first"
            )
        name = self._fresh(hint or "chosen")
        self.statements.append(
            Branch(condition, then_statements, else_statements, (left,), (right,), (name,))
        )
        kind = type_of(left) or type_of(right)
        return Tensors(name, kind) if isinstance(left, Tensors) else Tensor(name, kind)

    @contextmanager
    def side(self, given: frozenset[str]) -> Iterator[Side]:
        """Within it, what is read belongs to one side of a branch, in which these names are not
        None.
        """
        tensors = [self.names.get(name) for name in given]
        own = {t.name for t in tensors if isinstance(t, Tensor) and t.may_be_none}
        side = Side(own)
        (outer, self.statements), before = (self.statements, []), self.names
        self.names = dict(before)
        self._sides += 1
        try:
            with self._knowing(given):
                yield side
        finally:
            self._sides -= 1
            side.statements, self.statements = tuple(self.statements), outer
            side.assigned = {n: v for n, v in self.names.items() if before.get(n) is not v}
            self.names = before

    def _branch(self, node: ast.expr, given: frozenset[str]) -> tuple[Found, tuple[Statement, ...]]:
        """A branch's value and the statements it takes; the names given are not None in it."""
        with self.side(given) as side:
            value = self.read(node)
        return side.seen(value), side.statements

    def joined(self, node: ast.If, test: Scalar, then: Side, otherwise: Side) -> tuple[Found, ...]:
        """The mapping's results, where each side of an ``if`` returns its own."""
        hints = ("result",) * len(then.results)
        return self._both(node, test, then, otherwise, then.results, otherwise.results, hints)

    def assign_joined(self, node: ast.If, test: Scalar, then: Side, otherwise: Side) -> None:
        """Gives the names that either side of an ``if`` assigns what they are behind it."""
        words = [
            name
            for name in dict.fromkeys((*then.assigned, *otherwise.assigned))
            if all(name in side.assigned or name in self.names for side in (then, otherwise))
        ]
        left, right = (
            tuple(side.assigned.get(name) or self.names[name] for name in words)
            for side in (then, otherwise)
        )
        found = self._both(node, test, then, otherwise, left, right, tuple(words))
        self.names.update(zip(words, found, strict=True))

    def kept(self, name: str, value: Found) -> Found:
        """A value that is assigned: what Python computes at length is computed once."""
        if self._sides or not isinstance(value, Scalar):
            return value
        if len(list(ast.walk(value.node))) < _AT_LENGTH:
            return value
        fresh = self._fresh(name)
        self.statements.append(Let(fresh, pyexpr.show(value.node)))
        return replace(value, node=ast.Name(fresh))

    def _both(
        self,
        node: ast.If,
        test: Scalar,
        then: Side,
        otherwise: Side,
        left: tuple[Found, ...],
        right: tuple[Found, ...],
        hints: tuple[str, ...],
    ) -> tuple[Found, ...]:
        """What values are of which each side has its own."""
        found: list[Found] = []
        outputs: list[tuple[str, Value, Value]] = []
        for hint, one, other in zip(hints, left, right, strict=True):
            one, other = then.seen(one), otherwise.seen(other)
            if isinstance(one, Unknown) or isinstance(other, Unknown):
                found.append(Unknown())
            elif isinstance(one, Scalar) and isinstance(other, Scalar):
                found.append(self._chosen_scalar(node.test, test, one, other))
            elif isinstance(one, Omitted) and isinstance(other, Omitted):
                found.append(one)
            elif (
                isinstance(one, Omitted)
                or isinstance(other, Omitted)
                or isinstance(one, Tensors) != isinstance(other, Tensors)
            ):
                raise self._source.problem(
                    node.test,
                    f"{hint} is a tensor where this holds, or where it does not, and none or a list "
                    "otherwise; give it one kind of value",
                )
            else:
                values = as_value(one, type_of(other)), as_value(other, type_of(one))
                kind, name = type_of(values[0]) or type_of(values[1]), self._fresh(hint)
                outputs.append((name, *values))
                is_many = isinstance(one, Tensors)
                found.append(Tensors(name, kind) if is_many else Tensor(name, kind))
        if outputs:
            names_, ones, others = zip(*outputs, strict=True)
            condition = pyexpr.show(test.node)
            self.statements.append(
                Branch(condition, then.statements, otherwise.statements, ones, others, names_)
            )
        return tuple(found)

    def _chosen_scalar(
        self, place: ast.expr, test: Scalar, then: Scalar, otherwise: Scalar
    ) -> Scalar:
        kind = scalars.joined({then.type, otherwise.type})
        if kind is None:
            raise self._source.problem(
                place,
                f"one branch is {spoken_type(then.type)}, the other {spoken_type(otherwise.type)}"
                "; give both one type",
            )
        length = then.length if then.length == otherwise.length else None
        return Scalar(ast.IfExp(test.node, then.node, otherwise.node), kind, length)

    def outputs(
        self, node: ast.expr, wanted: tuple[str, ...], *, are_results: bool = False
    ) -> tuple[Found, ...]:
        """What ``op.<Name>(...)`` gives: as many outputs as are wanted, under these names if they
        are free; of the mapping's results, as many as the op must have where none are named.
        """
        func = node.func if isinstance(node, ast.Call) else None
        if not (isinstance(node, ast.Call) and isinstance(func, ast.Attribute) and is_node(node)):
            if isinstance(node, ast.Call):
                for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                    self.read(part)
            raise self._source.problem(
                node if func is None else func,
                f"only op.<Name>(...) and, on scalars, {listed(scalars.FUNCTIONS)} can be called: "
                f"{scalars.SUBSET}",
            )
        inputs = tuple((each, self._spread(each) or self.read(each)) for each in node.args)
        keywords: Keywords = {}
        for keyword in node.keywords:
            value = self.read(keyword.value)
            if keyword.arg is None:
                raise self._source.problem(
                    keyword.value, "** is not allowed; write the attributes out"
                )
            if keyword.arg in keywords:
                raise self._source.problem(
                    keyword, f"{keyword.arg} is given twice; remove one of them"
                )
            keywords[keyword.arg] = (keyword, value)
        call = Call(node, func.attr, inputs, keywords, len(wanted), are_results)
        return self._node(call, wanted)

    def _node(self, call: Call, wanted: tuple[str, ...]) -> tuple[Found, ...]:
        """The outputs of a new node."""
        node = self._nodes.checked(call)
        if node is None:
            return tuple(Unknown() for _ in wanted)
        wanted = wanted or ("",) * len(node.types)
        fresh = tuple(self._fresh(name or names.snake(call.op)) for name in wanted)
        place = call.place.func if isinstance(call.place, ast.Call) else call.place
        self.statements.append(
            Node(call.op, node.inputs, node.attributes, fresh, node.formal_outputs, place)
        )
        return tuple(Tensor(name, kind) for name, kind in zip(fresh, node.types, strict=True))

    def as_outputs(self, results: tuple[Found, ...]) -> tuple[Found, ...]:
        """The results as a graph may have them: a graph's input is not its output, nor is one value
        two outputs, so a copy by `Identity` stands for these.
        """
        taken = set(self.arguments)
        found: list[Found] = []
        for result in results:
            if isinstance(result, Tensors):
                result = self._copies(result)
            if isinstance(result, Tensor | Choice):
                tensors = sources(result, self.statements)
                if tensors & taken:
                    result = self._copy(result)
                taken |= tensors
            found.append(result)
        return tuple(found)

    def _copies(self, tensors: Tensors) -> Tensors:
        """The tensors of a list that is an argument, or that may hold one, each by `Identity`."""
        made = {s.output for s in self.statements if isinstance(s, Each)}
        nodes = {name for node in nodes_of(tuple(self.statements)) for name in node.outputs}
        listed = {s.output: s for s in self.statements if isinstance(s, Listed)}
        values = listed[tensors.name].values if tensors.name in listed else ()
        own = [value.name for value in values if isinstance(value, Tensor)]
        is_new = len({*own}) == len(values) and nodes.issuperset(own) and bool(values)
        if is_new or tensors.name in made:
            return tensors
        item, name = self._fresh("item"), self._fresh("results")
        copy = self._fresh("copy")
        identity = Node("Identity", (Tensor(item, None),), (), (copy,))
        over = frozenset({tensors.name})
        self.statements.append(
            Each((item,), tensors.name, over, (identity,), Tensor(copy, None), name)
        )
        return replace(tensors, name=name)

    def _copy(self, value: Tensor | Choice) -> Tensor:
        name = self._fresh("result")
        self.statements.append(Node("Identity", (as_value(value, None),), (), (name,)))
        return Tensor(name, type_of(value))

    def _fresh(self, wanted: str) -> str:
        """A name for the generated code, whose own helpers start with an underscore."""
        name = wanted.lstrip("_") or "value"
        base = name[: names.MAX_LENGTH - len("_10000")]
        if names.problem_with(f"{base}_2"):  # nor would any other number help
            name = base = "value"
        while name in self._taken or names.problem_with(name):
            self._numbers[base] = number = self._numbers.get(base, 1) + 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name
