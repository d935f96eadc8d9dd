"""What a mapping computes with the non-tensor arguments: it stays Python, and is checked here."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress

from ..errors import listed
from ..schema.signature import Argument
from ..words import pyexpr
from ..words.pyexpr import Source
from . import evaluate
from .graph import Found, Scalar
from .onnxdefs import spoken_type

FUNCTIONS = ("abs", "float", "int", "len", "max", "min", "range", "sum")
SUBSET = (
    "a mapping may hold op.<Name>(...), argument names, literals, lists, arithmetic, "
    "x if condition else y, [... for x in ...], if, for, def, assignments and return"
)
_NUMBERS = ("int", "float", "number", "bool")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_DEFAULTS = {"float": "0.0", "number": "0", "int": "0", "bool": "False", "str": "'none'"}


def of_argument(argument: Argument) -> Scalar:
    """The argument as the mapping names it."""
    # A dtype is ONNX's number of it: op.Cast(x, to=dtype).
    kind = {"Scalar": "number", "ScalarType": "int"}.get(argument.kind, argument.kind)
    kind += "[]" if argument.is_list else ""
    kind += "?" if argument.is_optional else ""
    return Scalar(ast.Name(argument.name), kind, argument.fixed_length)


def asked(what: str, tensor: str, kind: str, *words: ast.expr) -> Scalar:
    """What the writer of the nodes knows of an argument: ``op.rank(x)``, ``op.size(x, 0)``."""
    call = ast.Attribute(ast.Name("op"), what)
    return Scalar(ast.Call(call, [ast.Name(tensor), *words], []), kind)


def given(value: Scalar) -> Scalar:
    """The value where it is known not to be None."""
    return Scalar(value.node, value.type.removesuffix("?"), value.length)


def instead_of_none(value: Scalar, fallback: str = "") -> str:
    """What to write for a value that may be None: the remedy of a message."""
    text = pyexpr.show(value.node)
    kind = value.type.removesuffix("?")
    fallback = fallback or ("[0]" if kind.endswith("[]") else _DEFAULTS[kind])
    return f"{text} may be None; write {text} if {text} is not None else {fallback}"


def joined(types: set[str]) -> str | None:
    """The one type of values of these types, or None where they have none in common."""
    optional = "?" if any(kind.endswith("?") for kind in types) else ""
    plain = {kind.removesuffix("?") for kind in types}
    if len(plain) == 1:
        return plain.pop() + optional
    if not plain <= {"int", "float", "number"}:
        return None
    return ("number" if "number" in plain else "float") + optional


def list_of(source: Source, node: ast.expr, items: Sequence[Scalar]) -> Scalar:
    kind = joined({item.type for item in items} or {"int"})
    if kind is None or kind.endswith("[]"):
        raise source.problem(node, "a list must hold scalars of one type; write [1, 2]")
    kind = "float" if kind == "number" else kind
    nodes = [
        ast.Call(ast.Name("float"), [item.node], []) if item.type == "number" else item.node
        for item in items
    ]
    return Scalar(ast.List(nodes), f"{kind}[]", len(items))


def operation(source: Source, node: ast.expr, values: Sequence[Scalar]) -> Scalar:
    """An operator on values of which none may be None."""
    types = {value.type for value in values}
    nodes = [value.node for value in values]
    is_numeric = types <= set(_NUMBERS)
    match node:
        case ast.Compare(ops=signs) if (is_numeric or types == {"str"}) and _are_ordered(signs):
            return Scalar(ast.Compare(nodes[0], signs, nodes[1:]), "bool")
        case ast.BoolOp(op=sign) if types == {"bool"}:
            return Scalar(ast.BoolOp(sign, nodes), "bool")
        case ast.UnaryOp(op=ast.Not()) if types == {"bool"}:
            return Scalar(ast.UnaryOp(ast.Not(), nodes[0]), "bool")
        case ast.UnaryOp(op=sign) if is_numeric and not isinstance(sign, ast.Not | ast.Invert):
            return Scalar(ast.UnaryOp(sign, nodes[0]), _number(types))
        case ast.BinOp(op=sign) if is_numeric and isinstance(sign, _ARITHMETIC):
            kind = "float" if isinstance(sign, ast.Div) else _number(types)
            return Scalar(ast.BinOp(nodes[0], sign, nodes[1]), kind)
        case ast.BinOp(op=ast.Add()) if len(types) == 1 and values[0].type.endswith("[]"):
            return _concatenation(values[0], values[1])
        case ast.BinOp(op=ast.Mult() as sign) if sum(t.endswith("[]") for t in types) == 1:
            if "int" in types and len(types) == 2:
                kind = next(t for t in types if t.endswith("[]"))
                repeated = ast.BinOp(nodes[0], sign, nodes[1])
                return Scalar(repeated, kind, _repeated_length(values))
    raise source.problem(node, f"this does not work on {listed(sorted(types))}; {SUBSET}")


def _are_ordered(signs: Sequence[ast.cmpop]) -> bool:
    return not any(isinstance(sign, ast.Is | ast.IsNot | ast.In | ast.NotIn) for sign in signs)


def _number(types: set[str]) -> str:
    return "float" if "float" in types else "number" if "number" in types else "int"


def _concatenation(left: Scalar, right: Scalar) -> Scalar:
    """``left + right``: an argument may be a tuple, which Python adds to no list."""
    length = None
    if left.length is not None and right.length is not None:
        length = left.length + right.length
    nodes = [
        part.node if _is_python_list(part.node) else ast.Call(ast.Name("list"), [part.node], [])
        for part in (left, right)
    ]
    return Scalar(ast.BinOp(nodes[0], ast.Add(), nodes[1]), left.type, length)


def _is_python_list(node: ast.expr) -> bool:
    match node:
        case ast.List() | ast.ListComp() | ast.BinOp(op=ast.Add()):
            return True
        case ast.Call(func=ast.Name(id="list")):
            return True
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _is_python_list(left) or _is_python_list(right)
        case _:
            return False


def _repeated_length(values: Sequence[Scalar]) -> int | None:
    items, times = values if values[0].type.endswith("[]") else reversed(values)
    count = _literal(times.node)
    return None if items.length is None or count is None else items.length * max(count, 0)


def _literal(node: ast.expr | None) -> int | None:
    """The integer that the expression is, with or without a sign."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return None if (found := _literal(operand)) is None else -found
        case _:
            return None


def subscript(
    source: Source, node: ast.Subscript, value: Scalar, place: Found | None = None
) -> Scalar:
    """``value[0]``, ``value[place]`` or ``value[1:]``, of a list that is not None."""
    if not value.type.endswith("[]"):
        raise source.problem(
            node,
            f"only lists are indexed, but this is {spoken_type(value.type)}; write "
            f"{pyexpr.show(value.node)} alone",
        )
    if isinstance(node.slice, ast.Slice):
        return _slice(source, node.slice, value)
    index, length = _literal(node.slice), value.length
    if index is None:
        if isinstance(place, Scalar) and place.type == "int":
            return Scalar(ast.Subscript(value.node, place.node), value.type[:-2])
        raise source.problem(node.slice, "a list is indexed by an integer; write [0] or [-1], say")
    if length is not None and not -length <= index < length:
        items = f"{length} item{'' if length == 1 else 's'}"
        remedy = f"write an index from {-length} to {length - 1}" if length else "leave this out"
        raise source.problem(node.slice, f"the list has {items}, and no [{index}]; {remedy}")
    return Scalar(ast.Subscript(value.node, node.slice), value.type[:-2])


def _slice(source: Source, node: ast.Slice, value: Scalar) -> Scalar:
    bounds: list[int | None] = []
    for bound in (node.lower, node.upper, node.step):
        literal = _literal(bound)
        if bound is not None and (literal is None or (bound is node.step and literal == 0)):
            raise source.problem(
                bound, "the bounds of a slice are integer literals; write [1:] or [::-1], say"
            )
        bounds.append(literal)
    length = None
    if value.length is not None:
        length = len(range(value.length)[slice(*bounds)])
    return Scalar(ast.Subscript(value.node, node), value.type, length)


def call(source: Source, node: ast.Call, name: str, values: Sequence[Scalar]) -> Scalar:
    """``min(...)`` and its like, of values that are not None."""
    types = {value.type for value in values}
    is_numeric = types <= set(_NUMBERS)
    written = ast.Call(ast.Name(name), [value.node for value in values], [])
    if name in ("min", "max"):
        items = {kind.removesuffix("[]") for kind in types}
        is_list = len(values) == 1 and values[0].type.endswith("[]")
        kind = joined(items - {"bool"} or {"int"})
        if (is_list or (len(values) > 1 and is_numeric)) and items <= set(_NUMBERS) and kind:
            return Scalar(written, kind)
        raise source.problem(
            node, f"{name} takes numbers, or one list of them; write {name}(a, 1), say"
        )
    if name == "len":
        if len(values) == 1 and values[0].type.endswith("[]"):
            return Scalar(written, "int")
        raise source.problem(node, "len takes one list; write len([1, 2]), say")
    if name == "range":
        if 1 <= len(values) <= 3 and types == {"int"}:
            # A list, as whoever compares it, or makes a tensor of it, takes it for.
            listed = ast.Call(ast.Name("list"), [written], [])
            return Scalar(listed, "int[]", _range_length(written))
        raise source.problem(node, "range takes integers; write range(2), say")
    if name == "sum":
        if len(values) == 1 and values[0].type in ("int[]", "float[]"):
            return Scalar(written, values[0].type[:-2])
        raise source.problem(node, "sum takes one list of numbers; write sum([1, 2]), say")
    if len(values) != 1 or not is_numeric:
        raise source.problem(node, f"{name} takes one number; write {name}(0.5), say")
    return Scalar(written, _number(types) if name == "abs" else name)


def _range_length(node: ast.Call) -> int | None:
    with suppress(evaluate.CannotTell):
        return len(evaluate.value(node))
    return None


def given_by(test: ast.expr) -> tuple[frozenset[str], frozenset[str]]:
    """The names that are not None where the condition holds, and where it does not."""
    nothing: frozenset[str] = frozenset()
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[sign], comparators=[ast.Constant(value=None)]
        ):
            found = frozenset({name})
            if isinstance(sign, ast.IsNot):
                return found, nothing
            return nothing, (found if isinstance(sign, ast.Is) else nothing)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds, fails = given_by(operand)
            return fails, holds
        case ast.BoolOp(op=op, values=values):
            parts = [given_by(value) for value in values]
            all_hold, all_fail = (nothing.union(*side) for side in zip(*parts, strict=True))
            if isinstance(op, ast.And):
                return all_hold, frozenset.intersection(*(fails for _, fails in parts))
            return frozenset.intersection(*(holds for holds, _ in parts)), all_fail
        case _:
            return nothing, nothing
