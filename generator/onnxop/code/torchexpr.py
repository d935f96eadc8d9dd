"""An elementwise expression → Python: the reference implementation in PyTorch's operators."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from onnxop_runtime.specs import pyexpr

from ..kernel import expression as ex

# torch's names for functions of <cmath>; the runtime has the other functions.
_TORCH_FUNCTIONS = {
    name: name
    for name in (
        "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh "
        "acosh atanh erf erfc lgamma ceil floor trunc abs isnan isinf isfinite signbit pow atan2 "
        "hypot fmod fmin fmax copysign nextafter"
    ).split()
} | {"fabs": "abs", "nearbyint": "round", "rint": "round"}
_COMPARING = {"isgreater": ">", "isgreaterequal": ">=", "isless": "<", "islessequal": "<="}
_COMPARISONS: Mapping[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
_ARITHMETIC: Mapping[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
}


def to_torch(
    expression: ex.Expression,
    rename: Mapping[str, str],
    tensors: Collection[str],
    booleans: Collection[str] = (),
) -> str:
    """Return Python text for the expression's value: ``2 * a + b``, ``torch.where(x > 0, x, 0)``.

    The value is a Python number if the expression has no tensor. The module must import
    ``onnxop_runtime``. ``rename`` has the arguments' names in Python, if they differ;
    ``tensors`` are those that are tensors, the first one first, and ``booleans`` the bools.
    """
    return pyexpr.show(_TorchWriter(rename, list(tensors), booleans).plain(expression))


@dataclass(frozen=True)
class _TorchWriter:
    """Writes tensors and Python numbers differently: `&` for the former, `and` for the latter."""

    rename: Mapping[str, str]
    tensors: list[str]
    booleans: Collection[str]

    def plain(self, node: ex.Expression) -> ast.expr:
        """Return the node as the numbers or booleans that it is."""
        return self.condition(node) if self.is_condition(node) else self.value(node)

    def value(self, node: ex.Expression) -> ast.expr:
        """Return the node as numbers."""
        if self.is_condition(node):
            truth = self.condition(node)
            if not self.is_tensor(node):
                return ast.Call(ast.Name("int"), [truth], [])
            return ast.Call(ast.Attribute(truth, "to"), [ast.Attribute(self.first, "dtype")], [])
        match node:
            case ex.NumberLiteral(text=text):
                return ast.Constant(int(text) if text.isdigit() else float(text))
            case ex.Unary(operator="-", operand=operand) if self.is_condition(operand):
                # C++ negates an integer here, which has no negative zero.
                return ast.BinOp(ast.Constant(0), ast.Sub(), self.value(operand))
            case ex.Unary(operator="-", operand=operand):
                return ast.UnaryOp(ast.USub(), self.value(operand))
            case ex.Unary(operand=operand):
                return self.value(operand)
            case ex.Binary(operator=operator, left=left, right=right):
                by_number = operator == "/" and not self.is_tensor(left) and self.is_tensor(node)
                first = self.as_tensor(left) if by_number else self.value(left)
                return ast.BinOp(first, _ARITHMETIC[operator](), self.value(right))
            case ex.Conditional(test=test, then=then, otherwise=otherwise):
                if not self.is_tensor(test) and self.is_tensor(node):
                    return self.choice(test, self.as_tensor(then), self.as_tensor(otherwise))
                are_numbers = not (self.is_tensor(then) or self.is_tensor(otherwise))
                make = self.as_tensor if are_numbers and self.is_tensor(test) else self.value
                return self.choice(test, make(then), self.value(otherwise))
            case ex.FunctionCall(function="pow", arguments=(base, exponent)) if self.is_tensor(
                base
            ) or self.is_tensor(exponent):
                return _torch("pow", [self.value(base), self.value(exponent)])
            case ex.FunctionCall(function=function, arguments=arguments):
                return _call(function, [self.as_tensor(argument) for argument in arguments])
            case ex.Name(name=name):
                return self.name(name)

    def condition(self, node: ex.Expression) -> ast.expr:
        """Return the node as booleans."""
        if not self.is_condition(node):
            return _compared(self.value(node), "!=", ast.Constant(0))
        match node:
            case ex.NumberLiteral(text=text):
                return ast.Constant(text == "true")
            case ex.Unary(operand=operand):
                sign = ast.Invert() if self.is_tensor(operand) else ast.Not()
                return ast.UnaryOp(sign, self.condition(operand))
            case ex.Binary(operator=operator, left=left, right=right) if operator in ex.LOGICAL:
                sides = [self.condition(left), self.condition(right)]
                if not self.is_tensor(node):
                    return ast.BoolOp(ast.And() if operator == "&&" else ast.Or(), sides)
                bitwise = ast.BitAnd() if operator == "&&" else ast.BitOr()
                return ast.BinOp(sides[0], bitwise, sides[1])
            case ex.Binary(operator=operator, left=left, right=right):
                return _compared(self.value(left), operator, self.value(right))
            case ex.Conditional(test=test, then=then, otherwise=otherwise):
                branches = [self.condition(then), self.condition(otherwise)]
                if not self.is_tensor(test) and self.is_tensor(node):
                    branches = [
                        _runtime("as_tensor_like", [branch, self.first]) for branch in branches
                    ]
                return self.choice(test, *branches)
            case ex.FunctionCall(function=function, arguments=arguments):
                operands = [self.as_tensor(argument) for argument in arguments]
                if comparison := _COMPARING.get(function):
                    return _compared(operands[0], comparison, operands[1])
                return _call(function, operands)
            case ex.Name(name=name):
                return self.name(name)

    def choice(self, test: ex.Expression, then: ast.expr, else_: ast.expr) -> ast.expr:
        if self.is_tensor(test):
            return _torch("where", [self.condition(test), then, else_])
        return ast.IfExp(self.condition(test), then, else_)

    def as_tensor(self, node: ex.Expression) -> ast.expr:
        """Return the node as a tensor, for functions of torch."""
        value = self.value(node)
        return value if self.is_tensor(node) else _runtime("as_tensor_like", [value, self.first])

    def is_tensor(self, node: ex.Expression) -> bool:
        """Return whether the node is a tensor rather than a Python number."""
        match node:
            case ex.NumberLiteral():
                return False
            case ex.Name(name=name):
                return name in self.tensors
            case ex.FunctionCall():
                return True
            case ex.Unary(operand=operand):
                return self.is_tensor(operand)
            case ex.Binary(operator=operator, left=left, right=right):
                # Python raises when a number is divided by zero; a tensor does not.
                by_zero = operator == "/" and not (
                    isinstance(right, ex.NumberLiteral) and float(right.text)
                )
                return self.is_tensor(left) or self.is_tensor(right) or by_zero
            case ex.Conditional(test=test, then=then, otherwise=otherwise):
                return any(self.is_tensor(part) for part in (test, then, otherwise))

    def is_condition(self, node: ex.Expression) -> bool:
        return ex.is_condition(node, self.booleans)

    @property
    def first(self) -> ast.expr:
        return self.name(self.tensors[0])

    def name(self, name: str) -> ast.expr:
        return ast.Name(self.rename.get(name, name))


def _compared(left: ast.expr, operator: str, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [_COMPARISONS[operator]()], [right])


def _call(function: str, arguments: list[ast.expr]) -> ast.expr:
    if name := _TORCH_FUNCTIONS.get(function):
        return _torch(name, arguments)
    return _runtime(function, arguments)


def _torch(function: str, arguments: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name("torch"), function), arguments, [])


def _runtime(function: str, arguments: list[ast.expr]) -> ast.expr:
    module = ast.Attribute(ast.Name("onnxop_runtime"), "cmath")
    return ast.Call(ast.Attribute(module, function), arguments, [])
