"""A call that makes a Python number of a tensor or a size, as `len()` does → what to write instead."""

from __future__ import annotations

import ast

_INTEGER = (
    "Leave the number a tensor, without {0}: sizes, as those of torch.zeros, may be tensors, too"
)
_ADVICE_ON_SIZE = (
    "Compute it without {0} and without fractions: a size stays one in n // 4 and in 3 * n // 4"
)
_ADVICE_ON_FRACTION = (
    "If it is of a tensor, leave it one, without {0}. If it is of sizes, compute it of integers: "
    "{1}"
)
_ROUNDED = "(2 * n * a + b) // (2 * b) is round(n * a / b)"
_CUT = "n * a // b is int(n * a / b)"
_ADVICE_ON_CONSTANT = (
    "If forward does not write to {0}, make the number in __init__: it depends on no input"
)
_LENGTH = "Write {0}.shape[0] in place of len({0}), which is a constant in a file"
_COUNTS = "numel", "size", "shape"  # attributes of a tensor
_CONVERSIONS = "int", "float", "bool"
_METHODS = "item", "tolist"


def conversion_in(tree: ast.AST) -> ast.Call | None:
    """Return the first call within a tree that makes a Python number of a tensor."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
        if is_method or is_name(node.func, _CONVERSIONS):
            return node
    return None


def instead_of(conversion: ast.Call) -> str:
    """Return what to write instead of a call that makes a Python number of a tensor or a size."""
    number = _converted(conversion)
    if _is_of_model(number):
        return _ADVICE_ON_CONSTANT.format(ast.unparse(number))
    code = _code_of(conversion)
    if _is_of_sizes(number):
        return _ADVICE_ON_SIZE.format(code)
    if _is_fraction(number):
        return _ADVICE_ON_FRACTION.format(code, _ROUNDED if _is_rounded(number) else _CUT)
    return _INTEGER.format(code)


def instead_of_length(tree: ast.AST) -> str:
    """Return what to write instead of the first ``len()`` within a tree; ``""`` if there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and is_name(node.func, ("len",)) and node.args:
            return _LENGTH.format(ast.unparse(node.args[0]))
    return ""


def _converted(conversion: ast.Call) -> ast.expr:
    """Return what a call makes a Python number of."""
    if isinstance(conversion.func, ast.Attribute):
        return conversion.func.value
    return conversion.args[0] if conversion.args else conversion


def _is_of_model(number: ast.expr) -> bool:
    """Return whether an expression is a parameter, a buffer or a number of the model:
    ``self.shift``.
    """
    while isinstance(number, ast.Attribute):
        number = number.value
    return is_name(number, ("self",))


def _is_of_sizes(number: ast.expr) -> bool:
    """Return whether an expression makes a number of sizes alone, by no call of a tensor's methods
    but those of its sizes.
    """
    nodes = [node for node in ast.walk(number) if isinstance(node, ast.expr)]
    calls = (node for node in nodes if isinstance(node, ast.Call))
    methods = (call for call in calls if isinstance(call.func, ast.Attribute))
    is_of_values = any(
        not is_count(call) and not ast.unparse(call.func).startswith("math.") for call in methods
    )
    return any(map(is_count, nodes)) and not is_of_values


def _is_fraction(number: ast.expr) -> bool:
    """Return whether an expression has a product or a quotient, and calls no method: it may be of
    sizes.
    """
    nodes = [*ast.walk(number)]
    has_method = any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) for node in nodes
    )
    return not has_method and any(isinstance(node, ast.Mult | ast.Div) for node in nodes)


def _is_rounded(number: ast.expr) -> bool:
    return isinstance(number, ast.Call) and is_name(number.func, ("round",))


def _code_of(conversion: ast.Call) -> str:
    """Return the code of a conversion without the number: ``int()`` or ``.item()``."""
    if isinstance(conversion.func, ast.Attribute):
        return f".{conversion.func.attr}()"
    return f"{ast.unparse(conversion.func)}()"


def is_count(node: ast.expr) -> bool:
    """Return whether an expression is a number of elements."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr in _COUNTS
    return is_name(node, ("len",))


def is_name(node: ast.expr, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Name) and node.id in names
