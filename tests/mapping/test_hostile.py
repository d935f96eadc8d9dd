"""Mappings made to do harm: none reaches Python, and each ends within its budget."""

import ast
import builtins
import os
import random
import subprocess
import time

import pytest

from onnxop_runtime.mapping import MappingError, language, opsets
from onnxop_runtime.mapping.sample_model import Mapped, Tensor

SECONDS = 5.0
SAMPLE = {
    "x": Tensor("float32", (2, 3)),
    "y": Tensor("float32", (2, 3)),
    "n": 3,
    "s": "text",
    "xs": [1, 2],
}
SCALARS = {"n": "int", "s": "str", "xs": "int"}

REFUSED = [
    # Each form that binds a name, and `op`, `opset` or a function under it.
    *(
        form.format(name)
        for name in (
            "op",
            "opset",
            "rank",
            "range",
            "len",
            "is_dynamic",
            "__builtins__",
            "__import__",
        )
        for form in (
            "{0} = x\nreturn op.Neg(x)",
            "a, {0} = x, y\nreturn op.Neg(x)",
            "[{0}, a] = x, y\nreturn op.Neg(x)",
            "a = {0} = x\nreturn op.Neg(x)",
            "{0}: int = 3\nreturn op.Neg(x)",
            "{0} += 1\nreturn op.Neg(x)",
            "*{0}, a = xs\nreturn op.Neg(x)",
            "for {0} in xs:\n    a = x\nreturn op.Neg(x)",
            "for i, {0} in enumerate(xs):\n    a = x\nreturn op.Neg(x)",
            "return op.Sum(*[x for {0} in xs])",
            "return op.Sum(*[x for i, {0} in enumerate(xs)])",
            "def {0}(i, keep, a):\n    return keep, a\nreturn op.Neg(x)",
            "def f({0}):\n    return x\nreturn op.Neg(x)",
            "def f(*{0}):\n    return x\nreturn op.Neg(x)",
            "def f(**{0}):\n    return x\nreturn op.Neg(x)",
            "def f(*, {0}=x):\n    return x\nreturn op.Neg(x)",
            "return op.Loop(n, None, x, body=lambda {0}, k, a: (k, a))",
            "return op.Neg({0} := x)",
            "with x as {0}:\n    pass\nreturn op.Neg(x)",
            "try:\n    pass\nexcept ValueError as {0}:\n    pass\nreturn op.Neg(x)",
            "import os as {0}\nreturn op.Neg(x)",
            "from os import path as {0}\nreturn op.Neg(x)",
            "class {0}:\n    pass\nreturn op.Neg(x)",
            "del {0}\nreturn op.Neg(x)",
            "global {0}\nreturn op.Neg(x)",
            "nonlocal {0}\nreturn op.Neg(x)",
            "match x:\n    case {0}:\n        return op.Neg(x)",
            "match x:\n    case [*{0}]:\n        return op.Neg(x)",
            "async def f():\n    pass\nreturn op.Neg({0})",
        )
    ),
    # Each way to access an attribute.
    *(
        form.format(name)
        for name in (
            "__init__",
            "__class__",
            "__globals__",
            "_trace",
            "trace",
            "raw",
            "node",
            "shape_",
        )
        for form in (
            "op.{0}",
            "op.{0}()",
            "op.{0}(x)",
            "op.Add.{0}(x, y)",
            "op.Add(x, y).{0}",
            "x.{0}",
            "x.{0}()",
            "x.shape.{0}",
            "x.shape[0].{0}()",
            "xs.{0}(1)",
            "n.{0}(1)",
            "s.{0}(1)",
            "(1).{0}(1)",
            "(lambda: x).{0}",
            "rank.{0}",
            "len.{0}(xs)",
            "op.Add(x, y, {0}=op)",
            "op.Neg(x) if x.{0} else y",
            "op.{0} = x\nreturn op.Neg(x)",
            "x.{0} = x\nreturn op.Neg(x)",
            "x.shape = xs\nreturn op.Neg(x)",
        )
    ),
    "op.Add(*op)",
    "op.Add(**{'A': x})",
    "op",
    "[op][0].Neg(x)",
    "(op if n else op).Neg(x)",
    "eval('1')",
    "exec('1')",
    "open('/etc/passwd')",
    "getattr(op, '__init__')",
    "type(x)",
    "print(x)",
    "f'{x}'",
    "{**{}}",
    "{x for x in xs}",
    "(a for a in xs)",
    "yield x",
    "await x",
    "@rank\ndef f():\n    return x\nreturn op.Neg(x)",
    "def f() -> open('a'):\n    return x\nreturn op.Neg(x)",
    "def f(a: open('a')):\n    return x\nreturn op.Neg(x)",
    "def f():\n    return op.If(x, then_branch=f, else_branch=f)\nreturn f()",
    "def f():\n    return op.If(x, then_branch=f, else_branch=f)\nreturn op.If(x, then_branch=f, else_branch=f)",
]
COSTLY = [
    "op.Mul(x, 10**10**10)",
    "op.Mul(x, 10.0**400)",
    "op.Mul(x, " + "**".join(["9"] * 20) + ")",
    "op.Mul(x, sum([1] * 10**9))",
    "op.Reshape(x, [1] * 9999 * 9999)",
    "op.Reshape(x, xs * 10**12)",
    "op.Reshape(x, 10**12 * xs)",
    "op.Reshape(x, range(10**12))",
    "op.Reshape(x, [*range(10**9)])",
    "op.Gelu(x, approximate=s * 10**9)",
    "op.Gelu(x, approximate='%01000000000d' % 1)",
    "op.Gelu(x, approximate=s + s)",
    "op.Mul(x, 1 << 10**9)",
    "for i in range(10000):\n    for j in range(10000):\n        a = i * j\nreturn op.Neg(x)",
    "for i in range(10000):\n    x = op.Sum(x, x, x)\n    x = op.Sum(x, x, x)\nreturn x",
    "a = [1, 1]\n" + "a = [*a, *a]\n" * 60 + "return op.Reshape(x, a)",
    "a = [1, 1]\n" + "a = a + a\n" * 60 + "return op.Reshape(x, a)",
    "a = 2\n" + "a = a * a\n" * 60 + "return op.Mul(x, a)",
    "a = [1]\n" + "a = [a, a]\n" * 60 + "return op.Mul(x, a)",
    "a = [sum([j for j in range(9999)]) for i in range(9999)]\nreturn op.Mul(x, a)",
    "a = xs\n" + "a = [b for b in enumerate(a)]\n" * 50 + "return op.Mul(x, a == a)",
    # Small values that take their square, or more, to compare, print or sum.
    *(
        f"a = {one}\nb = {one}\n" + f"a = {two.format('a')}\nb = {two.format('b')}\n" * 40 + use
        for one, two in (
            ("(1, 1)", "({0}, {0})"),
            ("[1, 1]", "[{0} for i in range(2)]"),
            ("xs", "[c for c in zip({0}, {0})]"),
        )
        for use in (
            "return op.Neg(x) if a == b else x",
            "return op.Softmax(x, axis=a)",
            "return op.Softmax(x, axis=max(a, b))",
        )
    ),
    "op.Reshape(x, sum([[1] * 9999 for i in range(9999)], []))",
    "for i in zip(*[range(9999) for i in range(9999)]):\n    a = i\nreturn op.Neg(x)",
    "op.Softmax(x, axis=n.shape)",
    "a = " + "(" * 59 + "1" + ")" * 59 + "\nreturn op.Mul(x, a)",
    "op.Mul(x, " + "-" * 3000 + "1)",
    "op.Mul(x, " + "[" * 500 + "]" * 500 + ")",
    "op.If(" + "op.If(x, then_branch=lambda: " * 15 + "x" + ", else_branch=lambda: x)" * 15 + ")",
    "x = op.Neg(x)\n" * 2000 + "return x",
    "\n" * 9000 + "x",
    " \t" * 4900 + "# x\n" * 40 + "x",
    "op.Mul(x, min([]))",
    "op.Mul(x, 1 / 0)",
    "op.Mul(x, int(1e400))",
]


def ends(text: str) -> str:
    """Return how a mapping ends: refused, or traced."""
    started = time.process_time()
    try:
        function = language.function(text, [*SAMPLE])
        Mapped(function, 18, SCALARS).model(18, SAMPLE)
        how = "traced"
    except MappingError as error:
        assert error.problems
        how = "refused"
    assert time.process_time() - started < SECONDS
    return how


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test on each escape from a mapping."""

    def reached(*_: object, **__: object) -> None:
        raise SystemError("a mapping ran this")

    for name in ("open", "eval", "print", "input", "breakpoint"):
        monkeypatch.setattr(builtins, name, reached)
    for name in ("system", "popen", "remove", "fork"):
        monkeypatch.setattr(os, name, reached)
    monkeypatch.setattr(subprocess, "Popen", reached)


@pytest.mark.parametrize("text", REFUSED)
def test_a_mapping_without_end_is_refused(text: str) -> None:
    assert ends(text) == "refused"


@pytest.mark.parametrize("text", COSTLY, ids=[*range(len(COSTLY))])
def test_a_hostile_mapping_ends(text: str) -> None:
    ends(text)


@pytest.mark.parametrize(
    "condition",
    ["opset ** 9**9**9 > 1", "opset in 3", "opset < 'a'", "opset.real > 1", "opset() > 3"],
)
def test_conditions_on_the_opset_are_comparisons_with_integers(condition: str) -> None:
    test = ast.parse(condition, mode="eval").body
    assert opsets.on_opset(test, 18) is None


ATOMS = (
    *"op opset x y n s xs 1 -1 2**62 1e308 'a' None True []".split(),
    *"op.Add op.__init__ x.shape x.__class__ __builtins__ rank print range len".split(),
)
FORMS = (
    *("{}({})", "{}.{}", "{}[{}]", "[{}, *{}]", "({} if {} else {})", "not {}"),
    *("{} + {}", "{} * {}", "{} ** {}", "{} % {}", "{} == {}"),
    *("op.Add({}, {})", "op.Reshape({}, {})", "op.Cast({}, to={})", "op.Neg({})"),
    *("[{} for i in {}]", "(lambda: {})", "range({})", "rank({})", "max({}, {})"),
    "op.If({}, then_branch=lambda: {}, else_branch=lambda: {})",
    "op.Loop({}, None, {}, body=lambda i, k, a: (k, {}))",
)
LINES = (
    *("{} = {}", "a, b = {}", "a = {}", "{} += {}", "del {}", "import {}", "return {}"),
    *("for i in {}:\n    a = {}", "if {}:\n    a = {}", "with {}:\n    pass"),
    "def f():\n    return {}",
)


def test_random_programs_run_nothing() -> None:
    """Run 1,000 mappings that nest harmful parts."""
    chance = random.Random(0)

    def made(depth: int) -> str:
        if depth == 0 or chance.random() < 0.2:
            return chance.choice(ATOMS)
        form = chance.choice(FORMS)
        return form.format(*(made(depth - 1) for _ in range(form.count("{}"))))

    counts = {"refused": 0, "traced": 0}
    for _ in range(1000):
        some = [chance.choice(LINES) for _ in range(chance.randrange(4))]
        parts = [line.format(*(made(3) for _ in range(line.count("{}")))) for line in some]
        counts[ends("\n".join([*parts, f"return {made(5)}"]))] += 1
    assert counts["refused"] > 500
