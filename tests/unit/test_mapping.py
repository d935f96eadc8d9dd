"""[onnx] mapping → graph: its problems, the types of its results, and the opsets at which it holds."""

from __future__ import annotations

import pytest

from onnxop.errors import Problems
from onnxop.mapping import graph
from onnxop.mapping import lowering as mapping
from onnxop.mapping.graph import ElementType, Tensor
from onnxop.schema import signature as schema
from onnxop.schema.signature import OpSchema
from onnxop.words import names
from onnxop.words.pyexpr import ExpressionProblems


def op_schema(text: str) -> OpSchema:
    problems = Problems()
    found = schema.parse(text, problems)
    assert found is not None and not problems
    return found


SCHEMA = op_schema("m::f(Tensor a, Tensor b, float alpha=1.0, int n=1, bool flag=True) -> Tensor")

# Each mapping with its translation; the symbolic is the same in another notation.

RICH = op_schema(
    "m::f(Tensor x, Tensor? bias=None, float? eps=None, int[2] pad=0, SymInt[] size=[], "
    "Scalar s=1, str mode='reflect', bool[2] flags=True, float[]? scales=None, int? n=None, "
    "bool? on=None) -> Tensor"
)

SEVERAL = op_schema("m::f(Tensor a, Tensor b, bool flag=True) -> (Tensor values, Tensor indices)")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("op.Ad(op.Mull(a), c)", ["op.Mull is", "c is neither", "op.Ad is"]),
        ("x = op.Ad(a, b)\nreturn op.Add(x, y)", ["op.Ad is", "y is neither"]),
        ("op.Add(a)", ["op.Add takes 2 inputs"]),
        ("op.Add(op.Add(a), A=b)", ["op.Add takes 2 inputs", "input A of op.Add is given twice"]),
        ("op.Softmax(a, axis='x', axs=1)", ["attribute axis", "op.Softmax has no attribute axs"]),
        ("return", ["the last line"]),
        ("n", ["the result must be a tensor"]),
        ("op.Clip(a, 1) if flag else None", ["a branch that computes cannot"]),
        (
            "op.Concat([a, b], axis=0)",
            ["a list of tensors is given to op.Concat by *; write *[a, b]"],
        ),
        (
            "op.Cast(a, to=99)",
            ["attribute to of op.Cast cannot be 99, which is no element type of ONNX"],
        ),
        ("op.Concat('x', 'y', axis=0)", ["text cannot be a tensor", "text cannot be a tensor"]),
        ("a if flag else 'x'", ["text cannot be a tensor"]),
        ("op.Cast(a, to=14) + 1", ["attribute to of op.Cast cannot be 14, COMPLEX64"]),
        ("op.Add(a, [1, True])", ["a list must hold"]),
        ("op.Add(a, 'x' * 2)", ["this does not work on int and str"]),
    ],
)
def test_problems(text: str, facts: list[str]) -> None:
    with pytest.raises(ExpressionProblems) as caught:
        mapping.lower(text, SCHEMA, 13)
    found = [problem.message for problem in caught.value.problems]
    assert [message[: len(fact)] for message, fact in zip(found, facts, strict=True)] == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("op.Add(x, bias)", ["bias may be None, but input B"]),
        ("x + eps", ["eps may be None; write eps if eps is not None else 0.0"]),
        ("op.Clip(x, eps)", ["eps may be None; write eps if eps is not None else None"]),
        ("op.Softmax(x, axis=n)", ["n may be None; write n if n is not None else 0"]),
        (
            "op.Reshape(x, scales)",
            ["scales may be None; write scales if scales is not None else [0"],
        ),
        ("op.Exp(x) if on else x", ["on may be None"]),
        ("x * eps if eps is None else x", ["eps may be None"]),
        ("x * eps if eps is not None or on else x", ["on may be None", "eps may be None"]),
        ("op.Clip(x, bias if s > 0 else None)\n", None),
        ("bias", ["the result must be a tensor"]),
        ("x if x is None else -x", ["x is never None here"]),
        ("x * pad[2]", ["the list has 2 items, and no [2]"]),
        ("x * (pad + pad)[4]", ["the list has 4 items, and no [4]"]),
        ("x * pad[1:][1]", ["the list has 1 item, and no [1]"]),
        ("x * size[7]", None),
        ("x * size[n]", ["n may be None", "a list is indexed by an integer"]),
        ("x[0]", ["a tensor is not indexed here"]),
        ("op.Pad(x, pad + [1.5])", ["this does not work on float[] and int[]"]),
        ("op.Pad(x, pad, mode=s)", ["attribute mode of op.Pad takes a string, not a number"]),
        ("x * min(x, 1)", ["min takes non-tensor arguments"]),
        ("x * len(s)", ["len takes one list"]),
        ("x * (1 if on is not None else 'x')", ["one branch is an integer, the other a string"]),
    ],
)
def test_rich_problems(text: str, facts: list[str] | None) -> None:
    found: list[str] = []
    try:
        mapping.lower(text, RICH, 18)
    except ExpressionProblems as caught:
        found = [problem.message for problem in caught.problems]
    facts = facts or []
    assert [message[: len(fact)] for message, fact in zip(found, facts, strict=True)] == facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("op.Exp(a)", "op.Exp has 1 output, but the schema returns 2 tensors"),
        ("x = op.Exp(a)\nreturn x", "the mapping returns 1 result, but the schema 2 tensors"),
        ("op.Exp(a), op.Exp(a), op.Exp(a)", "the mapping returns 3 results, but the schema 2"),
        ("op.Exp(a), 1.0", "the result must be a tensor"),
        ("None, None", "every result is left out"),
        ("[op.Exp(a), op.Exp(a)]", "the mapping returns 1 result, but the schema 2 tensors"),
    ],
)
def test_problems_of_several_results(text: str, fact: str) -> None:
    with pytest.raises(ExpressionProblems) as caught:
        mapping.lower(text, SEVERAL, 17)
    assert caught.value.problems[0].message.startswith(fact)


def test_open_schema() -> None:
    """Where the schema cannot be read, names pass and all else is checked."""
    with pytest.raises(ExpressionProblems) as caught:
        mapping.lower("op.Ad(x, op.LeakyRelu(y, alfa=z))", None, 13)
    assert [p.message.partition(" has")[0][:12] for p in caught.value.problems] == [
        "op.LeakyRelu",
        "op.Ad is not",
    ]


@pytest.mark.parametrize("opset", range(9, 26))
@pytest.mark.parametrize(
    "text",
    [
        *("op.Unsqueeze(a, [0])", "op.Unsqueeze(a, axes=[0])", "op.Squeeze(a, [n])"),
        *("op.ReduceSum(a, [1, n], keepdims=0)", "op.ReduceMean(a, [n])", "op.ReduceMax(a, [n])"),
        *("op.Slice(a, [0], [n])", "op.Slice(a, [0], [n], [1], [2])", "op.Clip(a, None, alpha)"),
        *("op.Clip(a, min=0.0)", "op.Dropout(a, 0.5)", "op.Dropout(a, ratio=0.5)"),
        *("op.Pad(a, [0, n], alpha)", "op.Pad(a, pads=[0, n], value=2.0)", "op.Cast(a, 1)"),
        *("op.Resize(a, [1.0])", "op.Upsample(a, [1.0])"),
        *("op.TopK(a, [n], axis=1)", "op.TopK(a, k=n, axis=1)", "op.Split(a, [n, 2], axis=1)"),
        *("op.Softmax(a, n)", "op.Transpose(a, [1, 0])", "op.Gather(a, b, 1)", "op.Concat(a, b)"),
    ],
)
def test_a_call_of_another_opset_is_told_the_form_of_this_one(text: str, opset: int) -> None:
    """What a message says to write is right, and the only problem."""
    is_pair = any(op in text for op in ("TopK", "Split"))

    def problems(call: str, opset: int) -> list[str]:
        text = f"c, d = {call}\nreturn op.Sub(c, d)" if is_pair else call
        try:
            mapping.lower(text, SCHEMA, opset)
        except ExpressionProblems as error:
            return [problem.message for problem in error.problems]
        return []

    found = problems(text, opset)
    assert len(found) < 2
    for message in found:
        remedy = message.partition("write ")[2]
        if remedy.startswith("opset"):
            assert not problems(text, int(remedy.removeprefix("opset = ")))
        elif remedy.startswith("op."):
            assert not problems(remedy, opset)
        else:
            fact = "use op.Resize" if "Upsample" in text else "an input now: write constant_value="
            assert fact in message


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("op.Add(a, b)", ElementType(like="a")),
        ("op.Add(1, b)", ElementType(like="b")),
        ("a > b", ElementType(fixed="BOOL")),
        ("op.Shape(a)", ElementType(fixed="INT64")),
        ("op.Cast(a, to=10)", ElementType(fixed="FLOAT16")),
        ("op.Where(a > b, b, a)", ElementType(like="b")),
        ("op.Constant(value_float=alpha)", ElementType(fixed="FLOAT")),
        ("op.Exp(b) if flag else op.Exp(b)", ElementType(like="b")),
    ],
)
def test_element_type(text: str, kind: ElementType) -> None:
    result = mapping.lower(text, SCHEMA, 13).results[0]
    assert isinstance(result, Tensor)
    assert result.type == kind


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("op.TopK(a, [2])", [ElementType(like="a"), ElementType(fixed="INT64")]),
        (
            "op.Exp(b) if flag else op.Exp(a), op.Greater(a, b)",
            [None, ElementType(fixed="BOOL")],
        ),
        (
            "op.Exp(b) if flag else op.Neg(b), op.Cast(a, to=10)",
            [ElementType(like="b"), ElementType(fixed="FLOAT16")],
        ),
    ],
)
def test_types_of_results(text: str, kinds: list[ElementType | None]) -> None:
    lowered = mapping.lower(text, SEVERAL, 17)
    assert [lowered.type_of_result(place) for place in range(2)] == kinds


def test_names_of_nodes_are_those_assigned_where_generated_code_can_have_them() -> None:
    long = "a" * names.MAX_LENGTH
    text = f"_1 = op.Neg(a)\nſum = op.Exp(_1)\n{long} = op.Neg(_1)\n{long} = op.Abs(sum)\n"
    text += f"return op.Neg({long})"
    nodes = graph.nodes_of(mapping.lower(text, SCHEMA, 13).statements)
    found = [name for node in nodes for name in node.outputs]
    assert found == ["value", "sum", long, f"{long[:94]}_2", "result"]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("op.Add(a, b)", 9, 25),
        ("op.ReduceSum(a, axes=[n])", 9, 12),  # the attribute became an input
        ("op.ReduceSum(a, [n])", 13, 25),
        ("op.Upsample(a, [2.0])", 9, 9),
        ("op.Scatter(a, op.Cast(b, to=7), a)", 9, 10),
        ("op.Gelu(a)", 20, 25),
    ],
)
def test_opsets(text: str, first: int, last: int) -> None:
    mapping.lower(text, SCHEMA, first)
    assert mapping.last_opset(text, SCHEMA, first) == last
    if first > 9:
        with pytest.raises(ExpressionProblems):
            mapping.lower(text, SCHEMA, first - 1)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("op.Softmax(a, axis=1)", 11, 12),
        ("op.Softmax(a)", 11, 12),
        ("op.Softmax(a)", 13, 25),
        ("op.Softmax(a, axis=-1)", 11, 25),
        ("op.Exp(a) if flag else op.Softmax(a, axis=0)", 11, 12),
        ("op.GridSample(a, b, mode='bilinear')", 16, 19),
        ("op.GridSample(a, b, mode='nearest')", 16, 25),
        ("op.GridSample(a, b, mode='linear')", 20, 25),
        ("op.RoiAlign(a, b, [0])", 10, 15),
        ("op.RoiAlign(a, b, [0])", 16, 25),
    ],
)
def test_opsets_of_one_meaning(text: str, first: int, last: int) -> None:
    assert mapping.last_opset(text, SCHEMA, first) == last
    assert mapping.last_opset(text, SCHEMA, first, converts=True) == 25
    graph = mapping.lower(text, SCHEMA, first)
    assert mapping.keeps_meaning(graph, first, 25) == (last == 25)


@pytest.mark.parametrize(
    ("text", "lacks"),
    [("op.Cast(a, to=13)", True), ("op.Cast(a, to=2)", False), ("op.Exp(a)", False)],
)
def test_types_that_torchscript_lacks(text: str, lacks: bool) -> None:
    assert mapping.torchscript_lacks(mapping.lower(text, SCHEMA, 13)) == lacks


def test_held_arguments() -> None:
    cumsum = op_schema("aten::cumsum")
    assert [argument.name for argument in cumsum.free] == ["self", "dim"]
    mapping.lower("op.CumSum(self, dim)", cumsum, 14)
    with pytest.raises(ExpressionProblems, match="dtype is held at None"):
        mapping.lower("op.Cast(self, to=dtype)", cumsum, 14)
