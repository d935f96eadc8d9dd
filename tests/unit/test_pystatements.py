"""Long expressions as statements: ruff leaves them, and they compute the same."""

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest

from onnxop import pycode
from onnxop.pystatements import Statements

LONG, LONGER = "first_" + "x" * 40, "second_" + "y" * 53


def lines_of(head: str, text: str, indent: int = 0) -> list[str]:
    return Statements({"part_2"}).assign(head, ast.parse(text, mode="eval").body, indent)


@pytest.mark.parametrize(
    ("head", "text", "lines"),
    [
        ("x = ", "f(a) + 1", ["x = f(a) + 1"]),
        ("x = ", f"f({LONG}, {LONG})", ["x = f(", f"    {LONG}, {LONG}", ")"]),
        (
            "x = ",
            f"(a + f({LONG})).g({LONG})",
            [f"part = a + f({LONG})", f"x = part.g({LONG})"],
        ),
        (
            "x = ",
            f"{LONG} + (f({LONGER}) if b else c.e)",
            [f"part = f({LONGER}) if b else c.e", f"x = {LONG} + part"],
        ),
        (
            "x = ",
            f"f({LONG}) if a else 1 / {LONGER}",
            ["if a:", f"    x = f({LONG})", "else:", f"    x = 1 / {LONGER}"],
        ),
        (
            "x = ",
            f"f({LONG}) if a else {LONGER} if b else {LONGER}.g()",
            ["if a:", f"    x = f({LONG})", "elif b:", f"    x = {LONGER}"]
            + ["else:", f"    x = {LONGER}.g()"],
        ),
        (
            "return ",
            f"f({LONG}) if a else 1 / {LONGER}",
            ["if a:", f"    return f({LONG})", f"return 1 / {LONGER}"],
        ),
        (
            "x = ",
            f"{LONG} and {LONGER}",
            [f"x = {LONG}", "if x:", f"    x = {LONGER}"],
        ),
        (
            f"grad_{LONGER} = ",
            f"{LONG}.cos()",
            [f"part = {LONG}.cos()", f"grad_{LONGER} = part"],
        ),
    ],
)
def test_lines(head: str, text: str, lines: list[str]) -> None:
    assert lines_of(head, text) == lines


def _expression(draw: random.Random, depth: int) -> str:
    def more() -> str:
        return _expression(draw, depth - 1)

    if depth == 0 or draw.random() < 0.12:
        letter = draw.choice("abcd")
        return draw.choice([letter, letter * 8, letter * 60, str(draw.randrange(9))])
    kind = draw.randrange(9)
    if kind == 0:
        return f"({more()} {draw.choice('+-*/')} {more()})"
    if kind == 1:
        return f"(-{more()})"
    if kind == 2:
        return f"({more()} if {more()} else {more()})"
    if kind == 3:
        return f"({more()} and {more()} and {more()})"
    if kind == 4:
        return f"({more()} or {more()})"
    if kind == 5:
        return f"({more()} < {more()} < {more()})"
    if kind == 6:
        return f"max({more()}, {more()})"
    if kind == 7:
        return f"sum([{more()}, {more()}, {more()}], start={more()})"
    return f"({more()}).__pow__(2).__abs__()"


HEADS = ["return ", "x = ", f"grad_{'x' * 60} = "]
CASES = [(seed, HEADS[seed % 3], seed // 3 % 3 * 4 + 4) for seed in range(600)]
VALUES = {letter * size: "abcd".index(letter) for letter in "abcd" for size in (1, 8, 60)}


def _function(seed: int, head: str, indent: int) -> tuple[str, str]:
    """An expression, and a function with it at an indent, for which conditions stand before."""
    draw = random.Random(seed)
    text = _expression(draw, draw.randint(1, 4))
    opening = ["def f(y):", "    if y:", "        while y > 0:"][: indent // 4]
    lines = lines_of(head, text, indent)
    if head != "return ":
        lines.append(f"{' ' * indent}return {head.removesuffix(' = ')}")
    return text, "\n".join([*opening, *lines, ""])


def _outcome(code: str, expression: str) -> object:
    scope: dict[str, object] = dict(VALUES)
    try:
        exec(code, scope)  # noqa: S102
        return eval(expression, scope)
    except (ArithmeticError, AttributeError) as error:
        return type(error)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_same_value() -> None:
    """Divisions by zero included: nothing is computed that the expression does not compute."""
    for seed, head, indent in CASES:
        text, code = _function(seed, head, indent)
        assert _outcome(code, "f(1)") == _outcome("", text), code


def test_ruff_leaves_it(tmp_path: Path) -> None:
    for case in CASES:
        (tmp_path / f"case_{case[0]}.py").write_text(_function(*case)[1])
        longest = max(map(pycode.width, _function(*case)[1].split("\n")))
        assert longest <= pycode.WIDTH
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=100", "--diff"]
    answer = subprocess.run([*command, str(tmp_path)], check=False, capture_output=True, text=True)
    assert answer.stdout == ""
    assert answer.returncode == 0, answer.stderr
