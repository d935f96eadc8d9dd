"""What makes names, nodes or items out of a value in a mapping has a limit, and a sentence."""

from __future__ import annotations

import pytest

from onnxop_runtime.mapping import MappingError, language, running
from onnxop_runtime.mapping.calls import MOST_PARTS
from onnxop_runtime.mapping.known import MOST_NUMBERS
from onnxop_runtime.mapping.sample_model import Mapped, Tensor

SAMPLE = {"x": Tensor("float32", (4, 3)), "n": 3}


@pytest.fixture
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a mapping reach the limit of items before that of seconds, on any machine."""
    monkeypatch.setattr(running, "_SECONDS", 60.0)


def message(text: str, n: int = 3) -> str:
    """Return the message about a mapping of ``x`` and an integer ``n``, or an empty string."""
    try:
        function = language.function(text, [*SAMPLE])
        Mapped(function, 18, {"n": "int"}).model(18, {**SAMPLE, "n": n})
    except MappingError as error:
        return str(error)
    except ArithmeticError as error:
        return f"cannot be computed: {error}"
    return ""


@pytest.mark.parametrize("count", [2**40, MOST_PARTS + 1, 0, -1, -(2**40)])
@pytest.mark.parametrize(
    "text", ["op.Split(x, num_outputs=n)", "a, b = op.Split(x, num_outputs=n)\nreturn a"]
)
def test_parts_by_their_number(text: str, count: int) -> None:
    assert f"op.Split cannot have {count} outputs; write 1 to 1000" in message(text, count)


@pytest.mark.parametrize("count", [2**40, 2**2000, MOST_NUMBERS + 1])
@pytest.mark.parametrize(
    "node",
    [
        "op.Range(0, n, 1)",
        "op.Range(0.0, float(n) if n < 2**99 else 1e30, 1.0)",
        "op.Range(n, 0, -1)",
        "op.ConstantOfShape([1, n])",
        "op.Expand(x, [n, 1, 1])",
    ],
)
def test_numbers_out_of_known_ones(node: str, count: int) -> None:
    fact = message(f"return op.Add(x, op.CastLike({node}, x))", count)
    is_held = count < 2**63
    told = "makes more than 268,435,456 numbers here; write smaller numbers"
    assert (told if is_held else "does not fit INT64") in fact or "op.Range makes more" in fact


@pytest.mark.parametrize(
    "size",
    [
        "op.Mul([1000000], [1000000])",
        "op.Mul(op.Shape(x), 1000000)",
        "op.Mul(op.Shape(op.Neg(x)), op.Cast(op.Mul([1e3], 1e3), to=7))",
        "op.Concat([1000000], op.Sub([2000000], [1]), axis=0)",
        "op.Unsqueeze(op.ReduceProd([1000, 1000, 1000], keepdims=0), [0])",
        "op.Gather([1, 10000000000], [1])",
        "op.Slice([1, 2, 10000000000], [2], [3])",
        "op.Div([-100000000000], [-7])",
        "op.Mul(op.Shape(op.Range(0, op.Add(1000000, 1), 1)), 1000000)",
        "op.Mul(op.Size(op.ConstantOfShape([1000, 1000])), [1000000])",
    ],
)
def test_numbers_out_of_computed_ones(size: str) -> None:
    fact = message(f"s = {size}\nreturn op.Add(x, op.CastLike(op.Size(op.ConstantOfShape(s)), x))")
    assert "makes more than 268,435,456 numbers here; write smaller numbers" in fact


@pytest.mark.parametrize(
    "node",
    [
        "op.Range(0, op.Mul(n, 10000000000), 1)",
        "op.Tile(x, op.Mul([100000], [1, 100000]))",
        "op.Pad(x, op.Mul([0, 0, 100000, 100000], [100]))",
        "op.Expand(x, op.Mul([100000], [100000, 1, 1]))",
        "op.OneHot([1], op.Mul(100000, 100000), [0.0, 1.0])",
    ],
)
def test_nodes_of_computed_sizes(node: str) -> None:
    fact = message(f"return op.Add(x, op.CastLike(op.Size({node}), x))")
    assert "makes more than 268,435,456 numbers here; write smaller numbers" in fact


def test_few_numbers_out_of_known_ones() -> None:
    for node in ("op.Range(0, n, 1)", "op.ConstantOfShape([n])", "op.Expand(x, [n, 1, 1])"):
        assert message(f"return op.Add(x, op.CastLike({node}, x))") == ""


@pytest.mark.parametrize("sizes", ["[]", "[1] * 1001", "[*range(5000)]"])
def test_parts_by_their_sizes(sizes: str) -> None:
    assert "op.Split cannot have" in message(f"a = op.Split(x, {sizes})\nreturn a")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "node",
    [
        "op.Add(x, s)",
        "op.Add(x, op.Constant(value_ints=s))",
        "op.Transpose(x, perm=s)",
        "op.Sum(*[x for i in s])",
        "op.Add(x, op.Constant(value_string=t))",
        "op.Split(x, num_outputs=1000)",
    ],
)
@pytest.mark.usefixtures("slow_machine")
def test_items_count_where_nodes_take_them(node: str) -> None:
    lines = [
        "s = [1] * 9000",
        f"t = '{'ab' * 1000}'",
        "for i in range(2000):",
        f"    x = {node}",
        "return x",
    ]
    fact = message("\n".join(lines))
    assert "items together" in fact or "iterations" in fact, fact


@pytest.mark.nightly
@pytest.mark.usefixtures("slow_machine")
def test_500_times_one_list() -> None:
    text = "s = [1.0] * 10000\nfor i in range({}):\n    x = op.Add(x, s)\nreturn x"
    assert "more than 1,000,000 items together" in message(text.format(500))
    assert message(text.format(50)) == ""


@pytest.mark.parametrize("items", ["range(n)", "range(0, n, 1)", "[*range(n)]", "[0] * n"])
@pytest.mark.parametrize("count", [10_001, 2**40, 2**63 - 1])
def test_lists(items: str, count: int) -> None:
    text = f"for i in {items}:\n    x = op.Neg(x)\nreturn x"
    assert "more than 10000 items" in message(text, count)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("s = '''a\nb'''\nreturn op.Neg(x)", "a string over several lines; write it on one line"),
        ("s = 'a\\\n    b'\nreturn op.Neg(x)", "a string over several lines; write it on one line"),
        ("  s = '''a\n  b'''\n  return op.Neg(x)", "a string over several lines"),
        *(
            (f"s = 'a{control}b'\nreturn op.Neg(x)", "has the control character")
            for control in "\f\v\x1c\x85\u2028\u2029\0"
        ),
    ],
)
def test_strings_that_another_indent_changes(text: str, fact: str) -> None:
    with pytest.raises(MappingError) as error:
        language.function(text, [*SAMPLE])
    assert fact in str(error.value)
    assert error.value.problems[0].span is not None


def test_strings_side_by_side_are_one_text() -> None:
    assert message("s = ('a'\n    'b')\nreturn op.Neg(x)") == ""
