"""Long Python expressions → several statements, each of which ruff leaves as it is.

An expression that fits on its line stays as it is. Of another one, parts go to locals of their
own until it fits: only parts that are evaluated in any case, so that nothing is computed that the
expression would not compute. What remains of a conditional becomes an if statement.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import cast

from . import pycode, pyexpr
from .pycode import Lines

_WORTHWHILE = 12  # characters: a shorter part is moved only where nothing else helps

_LONG_HEAD = 40  # characters: behind a longer one, little but a name fits


class Statements:
    """Writes assignments. The locals that it adds are none of the names taken.

    ``taken`` is shared with the caller, so that names stay free from one expression to the next.
    """

    def __init__(self, taken: set[str], part: str = "part") -> None:
        self._taken, self._part = taken, part

    def assign(self, head: str, node: ast.expr, indent: int) -> Lines:
        """``head`` and the expression, ``head`` being ``x = `` or ``return ``."""
        return self._assign(head, copy.deepcopy(node), indent)

    def test(self, keyword: str, node: ast.expr, indent: int) -> Lines:
        """``if`` or ``elif`` and the expression; the latter must fit on its line."""
        lines: Lines = []
        room = pycode.WIDTH - indent - len(f"{keyword} :")
        node = self._shorten(copy.deepcopy(node), room, lines, indent)
        return [*lines, f"{' ' * indent}{keyword} {pyexpr.show(node)}:"]

    def local(self, wanted: str) -> str:
        """A new name: ``part``, ``part_2``, ``part_3`` and so on."""
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name

    def _assign(self, head: str, node: ast.expr, indent: int) -> Lines:
        lines: Lines = []
        while not _fits(head + pyexpr.show(node), indent):
            match node:
                case ast.IfExp():
                    return lines + self._conditional(head, node, indent)
                case ast.Call(func=ast.Attribute(value=base)) if not _is_dotted(base):
                    node = self._move(node, base, lines, indent)
                    continue
                case ast.Call() | ast.List() | ast.Tuple() if _can_open(head, node, indent):
                    return lines + self._brackets(head, node, indent)
                case ast.BoolOp() | ast.Compare(ops=[_, _, *_]) if not _is_variable(head):
                    node = self._move(node, node, lines, indent)
                    continue
                case ast.BoolOp():
                    return lines + self._chain(head, node, indent)
                case ast.Compare(ops=[_, _, *_]):
                    node = self._comparisons(node, lines, indent)
                    continue
            is_free = len(head) <= _LONG_HEAD
            shorter = self._move_longest(node, lines, indent) if is_free else None
            if shorter is None:
                return lines + self._whole(head, node, indent)
            node = shorter
        return [*lines, f"{' ' * indent}{head}{pyexpr.show(node)}"]

    def _whole(self, head: str, node: ast.expr, indent: int) -> Lines:
        """An expression that has no parts left to be moved, behind a head that may be long."""
        if len(head) <= len(f"{self._part}_999 = ") or isinstance(node, ast.Name):
            return pycode.atom(head, pyexpr.show(node), indent=indent)
        lines: Lines = []
        name = self._move(node, node, lines, indent)
        return lines + pycode.atom(head, pyexpr.show(name), indent=indent)

    def _shorten(self, node: ast.expr, room: int, lines: Lines, indent: int) -> ast.expr:
        """The expression in ``room`` columns, if need be as a local that ``lines`` assigns."""
        while pycode.width(pyexpr.show(node)) > room:
            shorter = None
            if not isinstance(node, ast.IfExp | ast.BoolOp):
                shorter = self._move_longest(node, lines, indent)
            if shorter is None:
                return node if _is_short(node) else self._move(node, node, lines, indent)
            node = shorter
        return node

    def _conditional(self, head: str, node: ast.IfExp, indent: int, keyword: str = "if") -> Lines:
        _merge(node)
        lines: Lines = []
        room = pycode.WIDTH - indent - len(f"{keyword} :")
        node.test = self._shorten(node.test, room, lines, indent)
        pad = " " * indent
        if lines and _fits(head + pyexpr.show(node), indent):
            return [*lines, f"{pad}{head}{pyexpr.show(node)}"]
        lines.append(f"{pad}{keyword} {pyexpr.show(node.test)}:")
        lines += self._assign(head, node.body, indent + 4)
        otherwise = node.orelse
        if head == "return ":
            return lines + self._assign(head, otherwise, indent)
        if (
            isinstance(otherwise, ast.IfExp)
            and not _fits(head + pyexpr.show(otherwise), indent + 4)
            and _fits(f"elif {pyexpr.show(otherwise.test)}:", indent)
        ):
            return lines + self._conditional(head, otherwise, indent, "elif")
        return [*lines, f"{pad}else:", *self._assign(head, otherwise, indent + 4)]

    def _brackets(self, head: str, node: ast.Call | ast.List | ast.Tuple, indent: int) -> Lines:
        """A call, list or tuple, with what is in its brackets on lines of its own."""
        lines: Lines = []
        room = pycode.WIDTH - indent - len("    ,")
        if isinstance(node, ast.Call):
            words = [self._shorten(argument, room, lines, indent) for argument in node.args]
            texts = [pyexpr.item(word) for word in words]
            for keyword in node.keywords:
                name = f"{keyword.arg}="
                value = self._shorten(keyword.value, room - len(name), lines, indent)
                texts.append(f"{name}{pyexpr.item(value)}")
            opening = f"{head}{pyexpr.show(node.func)}("
            return lines + pycode.call(opening, texts, indent=indent)
        texts = [pyexpr.item(self._shorten(item, room, lines, indent)) for item in node.elts]
        opening, closing = ("[", "]") if isinstance(node, ast.List) else ("(", ")")
        return lines + pycode.display(f"{head}{opening}", texts, closing, indent=indent)

    def _chain(self, head: str, node: ast.BoolOp, indent: int) -> Lines:
        """``x and y`` as statements: y is computed only where x leaves the answer open."""
        target = head.removesuffix(" = ")
        test = f"if {target}:" if isinstance(node.op, ast.And) else f"if not {target}:"
        lines: Lines = []
        values = node.values
        while values:
            inner = indent + 4 if lines else indent
            count = len(values)
            while count > 1 and not _fits(
                head + pyexpr.show(_joined(node.op, values[:count])), inner
            ):
                count -= 1
            lines += [f"{' ' * indent}{test}"] if lines else []
            lines += self._assign(head, _joined(node.op, values[:count]), inner)
            values = values[count:]
        return lines

    def _comparisons(self, node: ast.Compare, lines: Lines, indent: int) -> ast.expr:
        """``a < b < c`` as ``a < b and b < c``, b being a name."""
        middle, *others = node.comparators
        if not isinstance(middle, ast.Name):
            return self._move(node, middle, lines, indent)
        first = ast.Compare(node.left, node.ops[:1], [middle])
        return ast.BoolOp(ast.And(), [first, ast.Compare(middle, node.ops[1:], others)])

    def _move_longest(self, node: ast.expr, lines: Lines, indent: int) -> ast.expr | None:
        """The expression with its longest part moved to a local; None where it has none."""
        if _is_dotted(node):
            return None
        room = pycode.WIDTH - indent - len(f"{self._part}_999 = ")
        parts = list(_parts(node, room))
        if all(_length(part) < _WORTHWHILE for part in parts):
            parts += _atoms(node)
        longest = max(parts, key=_length, default=None)
        if longest is None or _is_short(longest):
            return None
        return self._move(node, longest, lines, indent)

    def _move(self, node: ast.expr, part: ast.expr, lines: Lines, indent: int) -> ast.expr:
        name = self.local(self._part)
        lines += self._assign(f"{name} = ", part, indent)
        return cast(ast.expr, _Replacement(part, ast.Name(name)).visit(node))


class _Replacement(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _parts(node: ast.expr, room: int) -> Iterator[ast.expr]:
    """The parts of an expression that are evaluated in any case: the largest that fit in a line,
    and those that can be broken over lines."""
    for part in _evaluated(node):
        if _is_dotted(part):
            continue
        if _length(part) > room and not isinstance(part, ast.IfExp | ast.BoolOp):
            inner = list(_parts(part, room))
            if any(_length(found) >= _WORTHWHILE for found in inner):
                yield from inner
                continue
        yield part


def _evaluated(node: ast.expr) -> Iterator[ast.expr]:
    """The direct parts of an expression that are evaluated in any case."""
    match node:
        case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]):
            yield first
        case ast.Compare(left=left, comparators=[right, *_]):
            yield from (left, right)
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(func, ast.Attribute):
                yield func.value
            yield from (*args, *(keyword.value for keyword in keywords))
        case ast.Subscript(value=value, slice=index):
            yield value
            for item in index.elts if isinstance(index, ast.Tuple) else [index]:
                if isinstance(item, ast.Slice):
                    yield from (part for part in (item.lower, item.upper, item.step) if part)
                else:
                    yield item
        case _:
            yield from (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def _atoms(node: ast.AST) -> Iterator[ast.expr]:
    """The names and literals in an expression; evaluating one of them early changes nothing."""
    if isinstance(node, ast.Name | ast.Constant):
        yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Call) and child is node.func and isinstance(child, ast.Name)):
            yield from _atoms(child)


def _merge(node: ast.IfExp) -> None:
    """``a if x else a if y else b`` → ``a if x or y else b``."""
    while isinstance(node.orelse, ast.IfExp) and _is_same(node.body, node.orelse.body):
        values = [*_operands(node.test, ast.Or()), *_operands(node.orelse.test, ast.Or())]
        node.test, node.orelse = ast.BoolOp(ast.Or(), values), node.orelse.orelse


def _operands(node: ast.expr, op: ast.boolop) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and type(node.op) is type(op):
        return node.values
    return [node]


def _joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(op, values)


def _is_same(left: ast.expr, right: ast.expr) -> bool:
    return ast.dump(left) == ast.dump(right)


def _is_dotted(node: ast.expr) -> bool:
    """Whether this is a name, a literal, or an attribute of one, such as ``torch.special``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def _can_open(head: str, node: ast.Call | ast.List | ast.Tuple, indent: int) -> bool:
    """Whether there is something in the brackets, and all before it fits on its line."""
    if isinstance(node, ast.Call):
        is_full = bool(node.args or node.keywords)
        return is_full and _fits(f"{head}{pyexpr.show(node.func)}(", indent)
    return bool(node.elts) and _fits(f"{head}(", indent)


def _is_variable(head: str) -> bool:
    """Whether it is ``x = ``, and no longer than to leave room behind it."""
    return head.endswith(" = ") and len(head) <= _LONG_HEAD


def _fits(text: str, indent: int) -> bool:
    return indent + pycode.width(text) <= pycode.WIDTH


def _length(node: ast.expr) -> int:
    return pycode.width(pyexpr.show(node))


def _is_short(node: ast.expr) -> bool:
    """Whether the name of a local would be no shorter."""
    return _length(node) <= len("part_999")
