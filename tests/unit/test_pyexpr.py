"""Python expressions: read with their positions, printed like ruff."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from onnxop_runtime.mapping import MappingError, language
from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.pyexpr import ExpressionProblem

SHOWN = [
    ("((a))", "a"),
    ("a+b*c", "a + b * c"),
    ("(a+b)*c", "(a + b) * c"),
    ("a-(b-c)", "a - (b - c)"),
    ("a ** -b", "a**-b"),
    ("-a**2", "-(a**2)"),
    ("a**b**f(c)", "a**b ** f(c)"),
    ("a**None", "a**None"),
    ("not a**2", "not (a**2)"),
    ("(-a)**2", "(-a) ** 2"),
    ("2**x.y", "2**x.y"),
    ("f(x)**2", "f(x) ** 2"),
    ("not (a and b) or c", "not (a and b) or c"),
    ("a<b<c", "a < b < c"),
    ("(a<b)<c", "(a < b) < c"),
    ("(a if b else c) if d else e", "(a if b else c) if d else e"),
    ("f( x,k=1 )[0,1:2,::3]", "f(x, k=1)[0, 1:2, ::3]"),
    ("x[a:c, :f, a::b, -1:]", "x[a:c, :f, a::b, -1:]"),
    ("x[a,]", "x[a,]"),
    ("(1,)", "(1,)"),
    ("()", "()"),
    ("'it'", '"it"'),
    ("'say \"x\"'", "'say \"x\"'"),
    ("'\\n\"'", "'\\n\"'"),
    ("(2).real", "(2).real"),
    ("1e999", 'float("inf")'),
    ("float('inf')", 'float("inf")'),
    ("-float('+Infinity')", '-float("inf")'),
    ("f(float('-inf'), [float('NaN')])", 'f(float("-inf"), [float("nan")])'),
    ("float('0.5')", 'float("0.5")'),
    ("  a\n", "a"),
    ("\n  a.b", "a.b"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_show(text: str, shown: str) -> None:
    _, node = pyexpr.parse_expression(text)
    assert pyexpr.show(node) == shown


def test_ruff_leaves_it(tmp_path: Path) -> None:
    """Check it within brackets, as ruff adds and removes those around a whole value."""
    path = tmp_path / "shown.py"
    path.write_text("".join(f"x = [{shown}]\n" for _, shown in SHOWN), encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--check", str(path)]
    subprocess.run(command, check=True, capture_output=True)


def _more(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    binary = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult]
    compare = [ast.Lt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.NotIn]
    return st.one_of(
        st.builds(ast.BinOp, inner, st.sampled_from([sign() for sign in binary]), inner),
        st.builds(
            ast.UnaryOp,
            st.sampled_from([ast.USub(), ast.UAdd(), ast.Invert(), ast.Not()]),
            inner,
        ),
        st.builds(
            lambda left, sign, right: ast.Compare(left, [sign], [right]),
            inner,
            st.sampled_from([sign() for sign in compare]),
            inner,
        ),
        st.builds(
            ast.BoolOp,
            st.sampled_from([ast.And(), ast.Or()]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(lambda base: ast.Attribute(base, "attr", ast.Load()), inner),
        st.builds(lambda base, item: ast.Subscript(base, item, ast.Load()), inner, inner),
        st.builds(
            lambda base, bounds: ast.Subscript(base, ast.Slice(*bounds), ast.Load()),
            inner,
            st.tuples(*[st.none() | inner] * 3),
        ),
        st.builds(lambda base, power: ast.BinOp(base, ast.Pow(), power), inner, inner),
        st.builds(lambda f, a, k: ast.Call(f, [a], [ast.keyword("key", k)]), inner, inner, inner),
        st.builds(lambda items: ast.List(items, ast.Load()), st.lists(inner, max_size=3)),
        st.builds(lambda items: ast.Tuple(items, ast.Load()), st.lists(inner, max_size=3)),
    )


LEAVES = st.one_of(
    st.sampled_from(["a", "b", "alpha"]).map(lambda name: ast.Name(name, ast.Load())),
    st.integers(0, 10**6).map(ast.Constant),
    st.floats(0, 1e30).map(lambda value: ast.Constant(abs(value))),
    st.text(max_size=6).map(ast.Constant),
    st.sampled_from([True, False, None]).map(ast.Constant),
)
TREES = st.recursive(LEAVES, _more, max_leaves=12)


@pytest.mark.slow
@given(TREES)
@example(ast.parse("x[a, (b,)]", mode="eval").body)
@example(ast.parse("x[(a, b),]", mode="eval").body)
def test_round_trip(tree: ast.expr) -> None:
    again = ast.parse(pyexpr.show(tree), mode="eval").body
    assert ast.dump(again) == ast.dump(tree)


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("op.Add(a b)", "not valid Python: invalid syntax. Perhaps you forgot a comma?", "a"),
        ("x = 1\n  y = 2", "not valid Python: unexpected indent", " "),
        ("  x = 1\ny = 2", "indented less than the lines before", "y = 2"),
        ("é = ($)", "not valid Python", "$"),
        ("f(a", "not valid Python: '(' was never closed", "("),
        ("'a", "not valid Python: unterminated string literal", "'"),
        ("a\0", "not valid Python: source code string cannot contain null bytes", "a"),
        ("+".join("a" * 200), "nested more than 60 levels deep", "a"),
        ("-" * 9000 + "a", "nested too deeply", "-"),  # Python 3.13 parses 5000
        ("a" * 20_000, "has more than 10000 characters", "a"),
    ],
)
def test_problems(text: str, message: str, marked: str) -> None:
    with pytest.raises(ExpressionProblem) as caught:
        pyexpr.parse(text)
    problem = caught.value
    assert problem.message.startswith(message)
    assert text[problem.offset :].startswith(marked)


NEWER_PYTHON = [
    "def double[T](a: T) -> T:\n    return 2 * a",
    "type Size = int",
    "try:\n    a\nexcept TypeError, ValueError:\n    b",
    't"{a}"',
    'f"{", ".join(a)}"',
    "f'{a['b']}'",
    'f"{f"{a}"}"',
    "f'{f\"{'b'}\"}'",
    r"""f"{'\n'.join(a)}" """,
]


@pytest.mark.parametrize("text", NEWER_PYTHON)
def test_syntax_of_newer_pythons(text: str) -> None:
    """Packages run in Python 3.11, whichever Python reads the spec."""
    with pytest.raises(ExpressionProblem, match="not valid"):
        pyexpr.parse(text)


def test_a_mapping_in_the_syntax_of_newer_pythons() -> None:
    with pytest.raises(MappingError, match="not valid Python"):
        language.function("def twice[T](a: T):\n    return op.Add(a, a)\nreturn twice(x)", ["x"])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 does not parse the f-string")
@pytest.mark.parametrize("indent", ["", "    "])
def test_the_place_in_an_f_string(indent: str) -> None:
    text = f'{indent}é = a\n{indent}f"{{a}} é {{"é"}}"'
    with pytest.raises(ExpressionProblem, match="within the braces of an f-string") as caught:
        pyexpr.parse(text)
    problem = caught.value
    assert text[problem.offset :][: problem.length] == '"é"'


@pytest.mark.parametrize(
    "text",
    [
        r"""f"{', '.join(a)} \n {f'{a}'} {{" """,
        """'a' f"{a['b']!r:>{c}}" "d" """,
        """f"{a}" + f'{"b"}' + f"{c}" """,
        """f'''{a["b"]} {f"{c}"}'''""",
        "with (a as b, c as d):\n    pass",
        "x[*a]",
    ],
)
def test_syntax_of_python_3_11(text: str) -> None:
    pyexpr.parse(text)


@pytest.mark.parametrize(
    "text", ["é + xyz", "\n\n  é +\\\n  xyz", "# é\né + xyz", "  é + xyz  # é"]
)
def test_places(text: str) -> None:
    source, body = pyexpr.parse(text)
    name = next(n for n in ast.walk(body[0]) if isinstance(n, ast.Name) and n.id == "xyz")
    assert text[source.offset(name) :][: source.length(name)] == "xyz"


@pytest.mark.parametrize("text", ["", "  ", "a; b", "x = 1", "return a", "import os"])
def test_one_expression(text: str) -> None:
    with pytest.raises(ExpressionProblem):
        pyexpr.parse_expression(text)


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, "18446744073709551616"])
def test_an_integer_that_no_dtype_holds(digits: str) -> None:
    """Python refuses to read the first, and to print the second."""
    with pytest.raises(ExpressionProblem, match="does not fit in 64 bits") as problem:
        pyexpr.parse(f"x + {digits}")
    assert problem.value.offset in (0, 4)
    with pytest.raises(MappingError, match="does not fit in 64 bits"):
        language.function(f"x + {digits}", ["x"])
