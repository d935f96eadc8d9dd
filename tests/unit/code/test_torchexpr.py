"""Elementwise expressions as reference implementations in torch: their text, and its values."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given

from onnxop.code.torchexpr import to_torch
from onnxop.kernel.expression import (
    FUNCTIONS,
    PREDICATES,
    Binary,
    Conditional,
    Expression,
    FunctionCall,
    Name,
    NumberLiteral,
    Unary,
)
from onnxop.kernel.grammar import parse
from onnxop_runtime.operator import cmath as CMATH
from tests.unit.kernel.test_expression_trees import TREES


def of_libm(name: str) -> Any:
    """Return a function of the C library on numbers; None where it is a macro only."""
    libm = ctypes.CDLL("libm.so.6")
    try:
        function = getattr(libm, "fabs" if name == "abs" else name)
    except AttributeError:
        return None
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double] * FUNCTIONS[name]
    return function


CLIB = {name: of_libm(name) for name in FUNCTIONS if name not in PREDICATES}


def written(text: str) -> str:
    return to_torch(parse(text), {}, ["x", "y"], ["flag"])


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("2 * x + y", "2 * x + y"),
        ("asinh(x)", "torch.asinh(x)"),
        ("x > 0 ? x : 0", "torch.where(x > 0, x, 0)"),
        ("(x > 0) - (x < 0)", "(x > 0).to(x.dtype) - (x < 0).to(x.dtype)"),
        ("x > 0 && !(y > n)", "(x > 0) & ~(y > n)"),
        ("flag && n > 2 ? x : -x", "x if flag and n > 2 else -x"),
        ("flag ? x : 2", "x if flag else onnxop_runtime.cmath.as_tensor_like(2, x)"),
        ("flag * x", "int(flag) * x"),
        ("x > 0 ? 1 : 2", "torch.where(x > 0, onnxop_runtime.cmath.as_tensor_like(1, x), 2)"),
        ("x / (1 + exp(-n * x))", "x / (1 + torch.exp(-n * x))"),
        ("1 / n * x", "onnxop_runtime.cmath.as_tensor_like(1, x) / n * x"),
        ("1 / 3 * x", "1 / 3 * x"),
        ("fmax(x, 0.5)", "torch.fmax(x, onnxop_runtime.cmath.as_tensor_like(0.5, x))"),
        ("pow(x, 3) + pow(2, x)", "torch.pow(x, 3) + torch.pow(2, x)"),
        ("sqrt(2.0) * x", "torch.sqrt(onnxop_runtime.cmath.as_tensor_like(2.0, x)) * x"),
        ("isless(x, y)", "x < y"),
        ("rint(x) + fabs(y)", "torch.round(x) + torch.abs(y)"),
        ("round(x)", "onnxop_runtime.cmath.round(x)"),
        ("1.5", "1.5"),
    ],
)
def test_an_expression_becomes_python(text: str, python: str) -> None:
    assert written(text) == python


def test_names() -> None:
    text = to_torch(parse("torch * exp(x)"), {"torch": "torch_"}, ["torch", "x"])
    assert text == "torch_ * torch.exp(x)"


def evaluated(text: str, names: dict[str, Any]) -> Any:
    scope = {"torch": torch, "onnxop_runtime": SimpleNamespace(cmath=CMATH), "int": int}
    return eval(text, scope, names)


GRID = [
    -np.inf,
    -3.5,
    -2.0,
    -1.5,
    -0.5,
    -0.25,
    -0.0,
    0.0,
    0.3,
    0.5,
    1.0,
    2.5,
    3.0,
    40.0,
    np.inf,
    np.nan,
]
A, B = (grid.ravel() for grid in np.meshgrid(GRID, GRID))
X = np.roll(A, 7)


def by_numpy(node: Expression, names: dict[str, Any]) -> Any:
    """Return the value in C++, the oracle, with booleans as numbers. Without a tensor, the text
    computes integers in Python: their zero has no sign. ``names`` has the sign bit of NaN as
    ``nan_sign``.
    """
    match node:
        case NumberLiteral(text=text):
            return int(text) if text.isdigit() else float(text)
        case Name(name=name):
            return names[name]
        case Unary(operator=operator, operand=operand):
            value = by_numpy(operand, names)
            return {"-": -value, "+": value, "!": np.equal(value, 0) * 1}[operator]
        case Binary(operator=operator, left=left, right=right):
            a, b = by_numpy(left, names), by_numpy(right, names)
            return OPERATORS[operator](a, b) * 1
        case Conditional(test=test, then=then, otherwise=otherwise):
            chosen = (by_numpy(part, names) for part in (test, then, otherwise))
            condition, *branches = chosen
            if np.ndim(condition):
                return np.where(np.not_equal(condition, 0), *branches)
            return branches[int(condition == 0)]
        case FunctionCall(function="signbit", arguments=[argument]):
            value = by_numpy(argument, names)
            return np.where(np.isnan(value), names["nan_sign"], np.signbit(value))
        case FunctionCall(function=function, arguments=arguments):
            return CALLS[function](*(by_numpy(part, names) for part in arguments)) * 1


OPERATORS: dict[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "&&": np.logical_and,
    "||": np.logical_or,
}
CALLS: dict[str, Any] = {
    "exp": np.exp,
    "abs": lambda a: np.abs(a * 1.0),
    # Copies: for one exponent 0.5 NumPy takes the square root, which is not the power of -inf.
    "pow": lambda a, b: np.power(*map(np.array, np.broadcast_arrays(a * 1.0, b))),
    "isnan": np.isnan,
}


@pytest.mark.slow
@given(TREES)
@example(parse("signbit(-(0 < a))"))
@example(parse("signbit(pow(0, a))"))
@example(parse("pow(signbit(-a), a)"))
@example(parse("pow(a, abs(0.5))"))
def test_the_text_computes_what_the_expression_says(tree: Expression) -> None:
    tensors = {"a": torch.tensor(A), "b": torch.tensor(B), "x": torch.tensor(X)}
    for flag in (False, True):
        text = to_torch(tree, {}, [*tensors], ["flag"])
        with np.errstate(all="ignore"):
            arrays = {name: tensor.numpy() for name, tensor in tensors.items()} | {
                "flag": int(flag)
            }
            expected, other = (
                np.broadcast_to(by_numpy(tree, arrays | {"nan_sign": sign}), A.shape)
                for sign in (0, 1)
            )
        actual = evaluated(text, tensors | {"flag": flag})
        actual = torch.as_tensor(actual, dtype=torch.float64).expand(A.shape).numpy()
        is_certain = np.isclose(expected, other, rtol=0, atol=0, equal_nan=True)
        actual = np.where(is_certain, actual, expected)
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_are_the_c_library_s(function: str) -> None:
    """Check the functions on ordinary numbers and on all special ones."""
    library = CLIB.get(function)
    if library is None:
        pytest.skip("a C macro")
    arity = FUNCTIONS[function]
    grids = np.meshgrid(*[GRID] * arity)
    columns = [grid.ravel() for grid in grids]
    names = ["a", "b", "c"][:arity]
    text = to_torch(parse(f"{function}({', '.join(names)})"), {}, names)
    actual = evaluated(text, {n: torch.tensor(c) for n, c in zip(names, columns, strict=True)})
    expected = np.array([library(*row) for row in zip(*columns, strict=True)])
    np.testing.assert_allclose(actual.numpy(), expected, rtol=1e-9, atol=1e-12)
