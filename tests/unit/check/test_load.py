"""A file → a Spec or a InvalidSpecError, for any content."""

import random
import string
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onnxop.check.load import load
from onnxop.errors import InvalidSpecError
from onnxop.spec.model import Spec
from onnxop_runtime.specs import document

ROOT = Path(__file__).parents[3]
TEXTS = [
    (ROOT / "reference_ops" / name / "ops" / f"{name}.toml").read_text(encoding="utf-8")
    for name in ("my_add", "asinh")
]
SPEC = """\
[op]
schema = "my_lib::my_add(Tensor a, Tensor b, float c=1.0, int n=1, bool f=True) -> Tensor"

[onnx]
opset = 13
mapping = "op.Add(op.Mul(a, 2.0), b)"

[kernel]
elementwise = "2 * a + b"
"""
VALUES = [
    *("0", "-1", "1.0", "inf", "nan", "true", '""', '"x"', "[]", "{}", "[[1]]", "[{}]"),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "9" * 400, "-0x0", "[[1, 2], [3]]"),
    *(
        '"\\u0000"',
        '"\\u202e\\ud7ff"',
        "'''\n\n'''",
        '"op.Add(a, b"',
        '"((((("',
        '"a\\nb"',
        "{a=1}",
    ),
    *('"float32[]"', '"float32[1,]"', '"float32[1\\t2]"', '"(" * 9', '"op.Add(*a)"', '"grad"'),
]
PIECES = [
    *("[", "]", "{", "}", '"', "'", "\\", ",", ".", "=", "#", "\n", "\r\n", "\t", "(", ")", "::"),
    *(
        "->",
        "op.",
        "*",
        "**",
        "-",
        " if ",
        " else ",
        "lambda",
        "None",
        "é",
        "😀",
        "\ufeff",
        "\u2028",
    ),
    *("op = 1\n", "[op]\n", "[[onnx]]\n", "x = 1\n", "a.b.c = 1\n", "[[samples]]\n", "[errors]\n"),
]


def mutated(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 5)):
        at = draw.randrange(len(text) + 1)
        end = min(at + draw.choice([1, 1, 2, 5, 20]), len(text))
        lines = text.split("\n")
        line = draw.randrange(len(lines))
        match draw.randrange(7):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:]
            case 2:
                text = text[:at] + draw.choice(PIECES) + text[at:]
            case 3:
                text = text[:at] + draw.choice(string.printable) + text[end:]
            case 4:
                other = draw.randrange(len(lines))
                lines[line], lines[other] = lines[other], lines[line]
                text = "\n".join(lines)
            case 5 if "=" in lines[line]:
                lines[line] = f"{lines[line].split('=')[0]}= {draw.choice(VALUES)}"
                text = "\n".join(lines)
            case _:
                del lines[line]
                text = "\n".join(lines)
    return text


@given(text=st.sampled_from([*TEXTS, SPEC]), seed=st.integers(0, 2**32))
@settings(
    deadline=2000,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_never_crashes(text: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    path.write_bytes(mutated(text, random.Random(seed)).encode())
    try:
        assert isinstance(load(path), Spec)
    except InvalidSpecError as error:
        assert error.lines
        assert all(line.startswith(str(path)) for line in error.lines)


HUGE = f"0x{'f' * 4000}"
KINDS = [
    *(HUGE, f"-{HUGE}", f"[{HUGE}]", f"{{ a = {HUGE} }}", f"[[{HUGE}]]", "9" * 4300, "1e400"),
    *("0", "true", "nan", "-nan", "inf", "-inf", "1e308", "[nan]", "[[inf]]", "[{ a = nan }]"),
    *("1979-05-27", "07:32:00.999999", "1979-05-27T07:32:00-07:00", "[1979-05-27]"),
    *("[" * 300 + "]" * 300, "{ a = " * 90 + "1" + " }" * 90, '["a", 1]', "[[1, 2], [3]]"),
    *('""', '"\\u0000"', '"\\U0010ffff"', '"(?P<a>(?P<a>"', f'"{"(" * 3000}"', '"a{999999999999}"'),
    *("[]", "{}", "[[]]", "[{}]", "{ a.b.c = 1 }", '{ dtype = "float32", shape = [2] }'),
    *(f'{{ dtype = "float32", shape = [{HUGE}] }}', f'{{ dtype = "int64", values = {HUGE} }}'),
    *('{ dtype = "float32", shape = [2], low = nan }', f"{{ dtype = {HUGE}, shape = {HUGE} }}"),
    f'{{ dtype = "float32", shape = [2], low = -{HUGE}, high = {HUGE} }}',
    *("'float32[n=99999999999999999999]'", "'int64[9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9*9]'"),
]
KEYS = [
    *document.keys_of(()),
    *(
        f"{table}.{key}"
        for table in ("op", "onnx", "kernel", "package")
        for key in document.keys_of((table,))
    ),
    *("autograd.a", "samples.a", "samples.c", "samples.n", "samples.f", "samples.s", "samples.l"),
    *("errors.a", "errors.c", "errors.s", "errors.l", "errors.raises", "errors.match"),
    *("op.requires.0", "package.authors.0", "kernel.backward.0", "unknown", "onnx.unknown"),
]


LISTS_OF_TABLES = {"samples": "[[samples]]", "errors": "[[errors]]"}
"""The headers of the tables that a spec may have several of."""
VALID_TABLES: dict[str, dict[str, str]] = {
    "[op]": {
        "schema": "\"my_lib::f(Tensor a, float c=1.0, int n=1, bool f=True, str s='', "
        'int[] l=[]) -> Tensor"'
    },
    "[onnx]": {"opset": "13", "mapping": '"op.Neg(a)"'},
    "[kernel]": {"python": '"-a"'},
}


def spec_with(key: str, value: str) -> str:
    """Return a valid spec in which a key, such as ``op.schema``, has this value. ``op.requires.0``
    is the first item of a list, and ``unknown`` a key outside tables.
    """
    table, *path = key.split(".")
    if not path:
        return f"{table} = {value}\n" + tables_text(
            {header: keys for header, keys in VALID_TABLES.items() if header != f"[{table}]"}
        )
    if path[-1] == "0":
        value = f"[{value}]"
    header = LISTS_OF_TABLES.get(table, f"[{table}]")
    own = VALID_TABLES.get(header, {"raises": '"ValueError"'} if table == "errors" else {})
    return tables_text({**VALID_TABLES, header: {**own, path[0]: value}})


def tables_text(tables: dict[str, dict[str, str]]) -> str:
    """Return tables of TOML, by header, as text."""
    return "".join(
        "\n".join([header, *(f"{key} = {value}" for key, value in keys.items()), ""])
        for header, keys in tables.items()
    )


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_every_key_takes_or_refuses_every_kind_of_value(key: str, tmp_path: Path) -> None:
    """A spec is valid, or has problems whose lines are short: no value raises another error."""
    path = tmp_path / "op.toml"
    for value in KINDS:
        path.write_text(spec_with(key, value), encoding="utf-8")
        try:
            assert isinstance(load(path), Spec)
        except InvalidSpecError as error:
            assert error.lines
            assert all(len(line) < 3000 for line in error.lines)


def written(tmp_path: Path, old: str, new: str) -> Path:
    assert SPEC.count(old) == 1
    path = tmp_path / "op.toml"
    path.write_text(SPEC.replace(old, new), encoding="utf-8")
    return path


DEEP = 10_000
STRANGE = {
    "samples": ("[op]", "samples = 'text'\n[op]"),
    "tables": ("[kernel]", "[[kernel]]"),
    "dates": ("opset = 13", "opset = 1979-05-27"),
    "huge opset": ("opset = 13", f"opset = 0x{'f' * 9000}"),
    "null": ("a, 2.0", "a, \\u0000"),
    "large": ("a, 2.0", "a" * 900_000),
    "parentheses": ("a, 2.0", f"{'(' * DEEP}a{')' * DEEP}, 2.0"),
    "sum": ("op.Mul(a, 2.0)", "+".join(["a"] * 2000)),
    "negations": ("a, 2.0", f"{'-' * 900}a, 2.0"),
    "powers": ("a, 2.0", "**".join(["2"] * 200)),
    "calls": ("op.Mul(a, 2.0)", f"{'op.Neg(' * 90}a{')' * 90}"),
    "huge integer": ("op.Mul(a, 2.0)", f"op.Softmax(a, axis={'9' * 99})"),
    "many digits": ("op.Mul(a, 2.0)", f"op.Softmax(a, axis={'9' * 5000})"),
    "elementwise": ("2 * a + b", f"{'(' * DEEP}a{')' * DEEP}"),
    "default": ("float c=1.0", f"float c={'9' * 400}"),
    "default brackets": ("float c=1.0", f"float c={'(' * 300}"),
    "infinite default": ("float c=1.0", "float c=1e999"),
    "schema": ("Tensor a,", "Tensor a, " * 3000),
    "long name": ("my_add", "m" * 300),
    "regex": ("[kernel]", "[[errors]]\nraises='ValueError'\nmatch='a{99999999999999}'\n[kernel]"),
    "authors": ("[kernel]", "[package]\nauthors = 5\n[kernel]"),
    "author": ("[kernel]", f"[package]\nauthors = ['a{' ' * 100_000}@']\n[kernel]"),
    "version": ("[kernel]", f"[package]\nversion = '{'1.' * 100_000}x'\n[kernel]"),
    "low": (
        "[kernel]",
        f"[[samples]]\na = {{dtype='float32',shape=[2],low=1{'0' * 400}}}\n[kernel]",
    ),
    "nested": ("[kernel]", f"[[samples]]\na = {'[' * 300}{']' * 300}\n[kernel]"),
    "size": ("[kernel]", f"[[samples]]\na = 'float32[{'9' * 5000}]'\n[kernel]"),
    "scalar": (
        "[kernel]",
        f"[[samples]]\na = 'float32[2]'\nb = 'float32[2]'\nc = {'9' * 500}\n[kernel]",
    ),
    "key": ("[kernel]", '"a\\nb\\u0007" = 1\n[kernel]'),
    "long key": ("[kernel]", f"{'k' * 100_000} = 1\n[kernel]"),
    "formula": ("[kernel]", f"[autograd]\na = '{'grad + ' * 900}grad'\n[kernel]"),
    "raises": ("[kernel]", "[[errors]]\nraises = [1979-05-27]\n[kernel]"),
}


@pytest.mark.parametrize("old, new", STRANGE.values(), ids=STRANGE.keys())
def test_strange_values_get_a_short_message(old: str, new: str, tmp_path: Path) -> None:
    path = written(tmp_path, old, new)
    with pytest.raises(InvalidSpecError) as caught:
        load(path)
    assert all(line.startswith(f"{path}:") and len(line) < 3000 for line in caught.value.lines)


FINE = {
    "crlf": ("\n\n[onnx]\n", "\r\n\r\n[onnx]\r\n"),
    "byte order mark": ("[op]", "\ufeff[op]"),
    "dotted": ("[kernel]\n", "[package]\nname = 'other'\n[kernel]\n"),
    "literal": ('"2 * a + b"', "'2 * a + b'"),
    "lines": (
        '"op.Add(op.Mul(a, 2.0), b)"',
        "'''\n  # 2a\n  x = op.Mul(a, 2.0)\n  return x + b\n'''",
    ),
    "spaces in the schema": ("Tensor a, Tensor b, float c=1.0", "Tensor a,Tensor  b, float c = 1"),
    "named result": ("-> Tensor", "-> Tensor result"),
}


@pytest.mark.parametrize("old, new", FINE.values(), ids=FINE.keys())
def test_unusual_but_valid_values_load(old: str, new: str, tmp_path: Path) -> None:
    assert isinstance(load(written(tmp_path, old, new)), Spec)


def test_inline_tables(tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    path.write_text(
        'op.schema = "my_lib::f(Tensor a) -> Tensor"\n'
        'onnx = { opset = 9, mapping = "op.Asinh(a)" }\n'
        'kernel.elementwise = "asinh(a)"\n'
    )
    assert load(path).schema.name == "f"


MANY = 20_000
LARGE = {
    "samples": "[[samples]]\nb = 'x'\n",
    "errors": "[[errors]]\nraises = 'x'\n",
    "unknown tables": "[k{i}]\nx = 1\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("lines", LARGE.values(), ids=LARGE.keys())
def test_much_is_read_in_linear_time(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    path.write_text(SPEC + "".join(lines.format(i=i) for i in range(MANY)), encoding="utf-8")
    start = time.process_time()
    with pytest.raises(InvalidSpecError) as caught:
        load(path)
    assert time.process_time() - start < 20  # seconds; quadratic code takes minutes
    assert caught.value.lines


def test_the_first_hundred_problems_are_told(tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    path.write_text(SPEC + "".join(f"[k{i}]\n" for i in range(150)), encoding="utf-8")
    with pytest.raises(InvalidSpecError) as caught:
        load(path)
    assert len([line for line in caught.value.lines if "unknown key" in line]) == 100
    last = f"{path}: has 50 further problems; correct those above first"
    assert caught.value.lines[-1] == last
