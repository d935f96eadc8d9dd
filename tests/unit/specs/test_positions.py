"""TOML text → positions of every key and value."""

import math
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxop_runtime.specs.positions import Path, Positions, Span, locate

DOCUMENT = '''\
title = "one"  # a comment with [brackets] = "quotes"

[onnx]
opset = 13
mapping = "op.Ad(a)"
a.b . "c d" = 1979-05-27 07:32:00 # after

[[samples]]
a = { shape = [2, 3], low = -1.0 }
[samples.more]
'lit.eral' = true

[[samples]]
a = [ # first
  [1, 2],  # ] not here
  "x]",
]
[samples.more]
deep = 0x1F

[outer.inner]
text = """
one
two\\
    three"""
'''


def cut(text: str, span: Span | None) -> str:
    assert span is not None
    line = text.split("\n")[span.line - 1]
    return line[span.column - 1 : span.column - 1 + span.length]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("path", "key", "value", "line"),
    [
        (("title",), "title", '"one"', 1),
        (("onnx",), "onnx", None, 3),
        (("onnx", "mapping"), "mapping", '"op.Ad(a)"', 5),
        (("onnx", "a"), "a", None, 6),
        (("onnx", "a", "b", "c d"), '"c d"', "1979-05-27 07:32:00", 6),
        (("samples",), "samples", None, 8),
        (("samples", 0), "samples", None, 8),
        (("samples", 0, "a", "shape"), "shape", "[2, 3]", 9),
        (("samples", 0, "a", "shape", 1), "3", "3", 9),
        (("samples", 0, "a", "low"), "low", "-1.0", 9),
        (("samples", 0, "more"), "more", None, 10),
        (("samples", 0, "more", "lit.eral"), "'lit.eral'", "true", 11),
        (("samples", 1), "samples", None, 13),
        (("samples", 1, "a"), "a", "[ # first", 14),
        (("samples", 1, "a", 0, 1), "2", "2", 15),
        (("samples", 1, "a", 1), '"x]"', '"x]"', 16),
        (("samples", 1, "more", "deep"), "deep", "0x1F", 19),
        (("outer",), "outer", None, 21),
        (("outer", "inner", "text"), "text", '"""', 22),
    ],
)
def test_places(path: Path, key: str, value: str | None, line: int, newline: str) -> None:
    text = DOCUMENT.replace("\n", newline)
    tomllib.loads(text)
    positions = locate(text)
    span = positions.key(path)
    assert span is not None
    assert (span.line, cut(text, span)) == (line, key)
    assert (
        positions.value(path) is None
        if value is None
        else cut(text, positions.value(path)) == value
    )


def test_nearest_is_the_longest_known_prefix() -> None:
    positions = locate(DOCUMENT)
    assert positions.nearest(("onnx", "mapping", "x")) == positions.key(("onnx", "mapping"))
    assert positions.nearest(("onnx", "opst")) == positions.key(("onnx",))
    assert positions.nearest(("samples", 1, "b", "shape")) == positions.key(("samples", 1))
    assert positions.nearest(("nothing",)) is None
    assert positions.nearest(()) is None


def test_a_header_of_its_own_is_the_key_of_a_table_named_before() -> None:
    positions = locate("[a.b]\n[a]\nx = 1\n")
    assert positions.key(("a",)) == Span(2, 2, 1)


@pytest.mark.parametrize(
    ("text", "offset", "length", "place"),
    [
        ('k = "abc"', 1, 1, Span(1, 7, 1)),
        ('k = "abc"', 0, 99, Span(1, 6, 3)),
        (
            'k = "abc"',
            3,
            1,
            Span(1, 9, 1),
        ),  # the closing quote, where something is missing at the end
        ('k = "abc"', 4, 1, None),
        ('k = "abc"', -1, 1, None),
        ('k = ""', 0, 1, Span(1, 6, 1)),
        ('k = "a\\u00e9\\tb"', 1, 1, Span(1, 7, 6)),
        ('k = "a\\u00e9\\tb"', 3, 1, Span(1, 15, 1)),
        ("k = 'a\\tb'", 2, 2, Span(1, 8, 2)),
        ('k = """\nab\ncd"""', 3, 1, Span(3, 1, 1)),
        ('k = """\r\nab\r\ncd"""', 3, 2, Span(3, 1, 2)),
        ('k = """\nab\ncd"""', 1, 4, Span(2, 2, 1)),  # cut at the line end
        ('k = """a\\\n   \n  b"""', 1, 1, Span(3, 3, 1)),
        ("k = '''\n'a''''", 0, 3, Span(2, 1, 3)),
        ("k = 12", 0, 1, None),
    ],
)
def test_a_position_within_a_string_has_a_place(
    text: str, offset: int, length: int, place: Span | None
) -> None:
    tomllib.loads(text)
    assert locate(text).inside(("k",), offset, length) == place


# Random documents: each position is checked against the content that tomllib reads.

BARE = st.text("abzAZ09_-", min_size=1, max_size=4)
CHARACTERS = st.one_of(
    st.sampled_from("ab #'\"\\[]{}=,.\t\n"), st.characters(exclude_categories=["Cs"])
)
TEXT = st.text(CHARACTERS, max_size=8)
SPACE = st.sampled_from(["", " ", "\t", "  "])
GAP = st.sampled_from(["", " ", "\n", " # ] } ' \"\n ", "\n\n\t"])
PLAIN = ["0", "-7", "+1_000", "0xFF", "0b1", "1.5", "-2e-3", "inf", "-nan", "true", "false"]
PLAIN += ["1979-05-27", "07:32:00.5", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00-07:00"]


def escaped(text: str, multi_line: bool, uniform: bool) -> str:
    """Return a basic string's body; `uniform` escapes every character."""
    out = []
    for index, char in enumerate(text):
        code = ord(char)
        if multi_line and char == "\n" and not uniform:
            out.append("\n")
        elif uniform or char in '"\\' or code < 32 or code == 127:
            out.append(f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}")
        else:
            out.append(char)
        if multi_line and index % 3 == 2:
            out.append("\\ \n \n\t")
            if text[index + 1 : index + 2] in (" ", "\t", "\n"):
                out[-1] = ""  # the backslash would swallow it
    return "".join(out)


@st.composite
def strings(draw: st.DrawFn) -> str:
    text = draw(TEXT)
    kind = draw(st.sampled_from(["basic", "uniform", "multi", "literal", "multi literal"]))
    if kind == "basic" or kind == "uniform":
        return f'"{escaped(text, False, kind == "uniform")}"'
    if kind == "multi":
        tail = draw(st.sampled_from(["", '"', '""']))
        return f'"""{draw(st.sampled_from(["", chr(10)]))}{escaped(text, True, False)}{tail}"""'
    safe = "".join(c for c in text if c == "\t" or (ord(c) >= 32 and ord(c) != 127 and c != "'"))
    if kind == "literal":
        return f"'{safe}'"
    middle = draw(st.sampled_from(["", "\n", "'", "''", "\n\n"]))
    return f"'''{draw(st.sampled_from(['', chr(10)]))}{safe}{middle}{safe}{middle.strip()}'''"


@st.composite
def keys(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["bare", "bare", "basic", "literal"]))
    if kind == "bare":
        return draw(BARE)
    text = draw(TEXT)
    if kind == "basic":
        return f'"{escaped(text, False, False)}"'
    return "'" + "".join(c for c in text if ord(c) >= 32 and ord(c) != 127 and c != "'") + "'"


@st.composite
def pairs(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    space = draw(SPACE)
    dotted = f"{space}.{space}".join(draw(st.lists(keys(), min_size=1, max_size=3)))
    return f"{space}{dotted}{space}={space}{draw(values)}"


@st.composite
def arrays(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    spaced = st.tuples(GAP, values, GAP).map("".join)
    items = draw(st.lists(spaced, max_size=3))
    comma = draw(st.sampled_from(["", ","])) if items else ""
    return "[" + ",".join(items) + comma + draw(GAP) + "]"


@st.composite
def inline_tables(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    return "{" + ",".join(draw(st.lists(pairs(values), max_size=3))) + draw(SPACE) + "}"


VALUES = st.recursive(
    st.one_of(st.sampled_from(PLAIN), strings()),
    lambda values: st.one_of(arrays(values), inline_tables(values)),
    max_leaves=6,
)


@st.composite
def headers(draw: st.DrawFn) -> str:
    space = draw(SPACE)
    names = st.one_of(st.sampled_from("abc"), keys())
    dotted = f"{space}.{space}".join(draw(st.lists(names, min_size=1, max_size=3)))
    return f"[[{space}{dotted}{space}]]" if draw(st.booleans()) else f"[{space}{dotted}{space}]"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Draw a valid document: it omits lines that tomllib would refuse."""
    text = ""
    for _ in range(draw(st.integers(1, 8))):
        line = draw(st.one_of(headers(), pairs(VALUES), pairs(VALUES)))
        longer = text + line + draw(st.sampled_from(["\n", ' # it\'s [a] = "b"\n', "\t\n\n"]))
        try:
            tomllib.loads(longer)
        except tomllib.TOMLDecodeError:
            continue
        text = longer
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def leaves(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every written value, and the empty tables of headers."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, (*path, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from leaves(value, (*path, index))
    else:
        yield path, tree


def offset_of(text: str, span: Span) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1


def check_inside(text: str, positions: Positions, path: Path, value: str) -> None:
    """Check the position of each character: itself, a newline's end of line, or an escape."""
    before = -1
    for index, char in enumerate(value):
        span = positions.inside(path, index, 1)
        assert span is not None
        at = offset_of(text, span)
        assert at > before
        before = at
        shown = text[at : at + span.length]
        if shown.startswith("\\") and len(shown) > 1:
            assert tomllib.loads(f'k = "{shown}"')["k"] == char
        elif char == "\n":
            assert text.startswith(("\n", "\r\n"), at)
        else:
            assert shown == char
    assert positions.inside(path, len(value), 1) is not None
    assert positions.inside(path, len(value) + 1, 1) is None


@pytest.mark.slow
@given(documents())
def test_every_value_is_where_its_span_says(text: str) -> None:
    positions = locate(text)
    for path, value in leaves(tomllib.loads(text)):
        span = positions.value(path)
        assert span is not None
        assert positions.key(path) is not None
        shown = cut(text, span)
        try:
            again = tomllib.loads(f"k = {shown}")["k"]
        except tomllib.TOMLDecodeError:
            assert shown.startswith(('"""', "'''"))  # the value continues in the next line
        else:
            assert again == value or (math.isnan(again) and math.isnan(value))
        if isinstance(value, str):
            check_inside(text, positions, path, value)


@pytest.mark.slow
@given(documents())
def test_every_key_is_where_its_span_says(text: str) -> None:
    positions = locate(text)

    def check(tree: Any, path: Path) -> None:
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            span = positions.key((*path, key))
            assert span is not None
            if isinstance(key, str):
                assert key in tomllib.loads(f"{cut(text, span)} = 1")
            if isinstance(value, dict | list):
                check(value, (*path, key))

    check(tomllib.loads(text), ())


@given(st.text(st.sampled_from("ab[]{}=.,'\"\\#\n\r \t1"), max_size=40))
def test_any_text_at_all_is_survived(text: str) -> None:
    positions = locate(text)
    positions.nearest(("a", 0, "b"))
    positions.inside(("a",), 0, 1)


@pytest.mark.parametrize("text", ["[[a]]\n[a]\nx = 1\n[a.b]\n", "a = " + "[" * 100_000, '"""', "a"])
def test_what_tomllib_refuses_is_survived(text: str) -> None:
    locate(text)


def test_what_stands_before_an_error_is_known() -> None:
    assert locate("a = 1\nb = !\n?").key(("a",)) == Span(1, 1, 1)
