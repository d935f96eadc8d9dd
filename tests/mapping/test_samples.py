"""A mapping and samples → what ONNX refuses, without a session."""

import pytest

from onnxop.check.calls import values_of
from onnxop.check.mapping import scalars_of
from onnxop.schema import signature as schema
from onnxop_runtime.mapping import MappingError, checking, language
from onnxop_runtime.mapping.checking import Checked
from onnxop_runtime.mapping.definitions import definition
from onnxop_runtime.mapping.sample_model import Mapped
from onnxop_runtime.specs import samples
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems


def op_schema(text: str) -> OpSchema:
    problems = Problems()
    parsed = schema.parse(text, problems)
    assert parsed is not None and not problems
    return parsed


SCHEMA = op_schema(
    "m::f(Tensor x, Tensor y, Tensor? w=None, float alpha=0.5, int n=1, bool flag=True, "
    "str mode='linear', int[] dims=[0]) -> Tensor"
)


def checked(text: str, opset: int = 13, **inputs: object) -> Checked:
    """Check the mapping with one sample."""
    table = {"x": "float32[2, 3, 4, 4]", "y": "float32[2, 3, 4, 4]", **inputs}
    problems = Problems()
    sample = samples.parse_sample(table, SCHEMA, ("samples", 0), problems, is_elementwise=False)
    assert not problems
    function = language.function(text, [argument.name for argument in SCHEMA.caller_arguments])
    mapped = Mapped(function, opset, scalars_of(SCHEMA), None if "return a, b" in text else 1)
    return checking.check(
        mapped, {"sample 1": values_of(sample, SCHEMA)}, remedy="change one of them"
    )


def refused(text: str, opset: int = 13, **samples: object) -> list[str]:
    """Return the messages of a check that fails."""
    try:
        checked(text, opset, **samples)
    except MappingError as error:
        return [*map(str, error.problems)]
    return []


INT = {"x": "int64[2, 3]", "y": "int64[2, 3]"}
BOOL = {"x": "bool[2, 3]", "y": "bool[2, 3]"}


@pytest.mark.parametrize(
    ("text", "opset", "inputs"),
    [
        ("op.Equal(x, y)", 11, {}),
        ("op.Equal(x, y)", 9, INT),
        ("op.And(x, y)", 13, BOOL),
        ("op.And(x, y) if flag else op.Neg(x)", 13, {"flag": False}),
        ("op.And(x, y) if n > 2 and not flag or mode == 'cubic' else op.Neg(x)", 13, {}),
        ("op.Where(op.Greater(x, 0), x, -1e300)", 13, {}),
        ("op.Add(x, w) if w is not None else op.Neg(x)", 13, {}),
        ("op.Add(x, w) if w is not None else op.Neg(x)", 13, {"w": "float32[4]"}),
        ("op.Clip(x, None, alpha)", 13, {}),
        ("op.Add(x, None if n > 5 else y)", 13, {}),
        ("op.Resize(x, [], [1.0] * 4, mode=mode)", 13, {}),
        ("op.Slice(x, [0], [2**63 - 1], [dims[0]])", 13, {}),
        ("op.Reshape(x, [0, -1])", 13, {}),
        ("op.Mul(x, alpha / (1 - n))", 13, {"n": 2}),
        ("op.Mul(x, 2.0) + op.Cast(x > 3, to=7)", 13, INT),
        ("op.Neg(x) if n < 2 else op.Mul(x, alpha / (1 - dims[0]) * x.shape[9])", 13, {}),
        ("op.Softmax(x, axis=-dims[0] if len(dims) == 1 else max(dims))", 13, {}),
        ("op.Pow(x, 2) * alpha", 13, {"x": "float16[0, 2]", "y": "float64[]"}),
        ("op.Elu(x, alpha=1e999)", 13, {}),
        ('op.Elu(x, alpha=float("inf"))', 13, {}),
        # ONNX propagates their values as if they had one dimension.
        ("op.Cast(op.Range(0, 2, n) + op.Unsqueeze(op.Range(0, 3, n), [1]), to=1)", 14, {}),
        ('op.Where(x > float("-inf"), x, min(alpha, float("nan")))', 13, {}),
        ('least = float("-inf")\nreturn op.Clip(x, least, -least)', 13, {}),
        ("op.Elu(x, alpha=alpha)", 13, {"alpha": 1}),
        ("op.Elu(x, alpha=min(alpha, 1) if flag else n)", 13, {"alpha": 3}),
        ("op.Cast(x, to=1 if flag else 11) + op.EyeLike(x, dtype=1)", 13, {"x": "float32[2, 2]"}),
        ("op.QuantizeLinear(x, 0.1, output_dtype=0)", 21, {}),
        ("a, b = op.Dropout(x, 0.5, False)\nreturn a", 13, {}),
        ("op.Exp(x) if flag else op.Concat(x, y, axis=9)", 13, {}),
        ("op.Transpose(x, perm=[0, 1, 3, 2]) @ y", 13, {}),
        ("op.Mod(x, y)", 13, INT),
        ("x * n", 14, {"x": "uint8[3]", "y": "uint8[3]", "n": 255}),
        ("op.Mod(x, y, fmod=n)", 13, {}),
        ("op.SequenceAt(op.SequenceConstruct(x, y), 0)", 13, {}),
        ("op.Sum(*[t for i, t in enumerate([x, y, x]) if i != n])", 13, {}),
        ("for i in range(9):\n    x = x * 2\n    if i > n:\n        return x\nreturn y", 13, {}),
        ("a = b = op.Neg(x)\n(c, d), e = [a, b], dims\nreturn c + d * len(e)", 13, {}),
        # The attribute gives the element type.
        ("op.EyeLike(x, dtype=7) + 1", 13, {"x": "float32[2, 2]"}),
        ("op.RandomUniform(shape=[2], dtype=11) * 0.5", 13, {}),
    ],
)
def test_what_is_right_is_taken(text: str, opset: int, inputs: dict[str, object]) -> None:
    assert refused(text, opset, **inputs) == []


@pytest.mark.parametrize(
    ("text", "opset", "inputs", "facts"),
    [
        (
            "op.And(x, y)",
            13,
            {},
            "ONNX refuses op.And: A typestr: T, has unsupported type: tensor(float), as in sample 1",
        ),
        ("op.Equal(x, y)", 9, {}, "ONNX refuses op.Equal: A typestr: T, has unsupported type"),
        (
            "op.Sum(x, y, x)",
            9,
            INT,
            "op.Sum: data_0 typestr: T, has unsupported type: tensor(int64)",
        ),
        ("op.Max(x, y)", 9, INT, "op.Max: data_0 typestr: T, has unsupported type"),
        (
            "x + y",
            13,
            {"y": "float64[4]"},
            "op.Add: B has inconsistent type tensor(double), as in sample 1",
        ),
        ("op.Not(op.Exp(x))", 13, {}, "op.Not: X typestr: T, has unsupported type: tensor(float)"),
        ("op.Add(x > 0, x)", 13, {}, "op.Add: A typestr: T, has unsupported type: tensor(bool)"),
        ("op.Softmax(x, axis=n + 3)", 13, {}, "'axis' must be in [-4 , 3]. Its actual value is: 4"),
        ("op.Exp(x) if flag else op.Softmax(x, axis=7)", 13, {"flag": False}, "op.Softmax"),
        ("op.Concat(x, y, axis=9)", 13, {}, "ONNX refuses op.Concat: axis must be in"),
        ("op.MatMul(x, y)", 13, {"y": "float32[3, 2]"}, "Incompatible dimensions for matrix"),
        ("op.Conv(x, y, strides=[n])", 13, {}, "Attribute strides has incorrect size"),
        ("op.Resize(x, [], [1.0] * 4, mode=mode)", 13, {"mode": "cubik"}, "did you mean cubic?"),
        (
            "x * op.Cast(op.Gather(op.Shape(y), 0) + (2**63 - 1), to=1)",
            15,
            {},
            "ONNX refuses op.Add: Integer overflow in Add during data propagation",
        ),
        (
            "x * op.Cast(op.Gather(op.Shape(y), n + 8), to=1)",
            13,
            {},
            "ONNX refuses op.Gather: indices must be in [-rank, rank-1]",
        ),
        (
            "op.Elu(x, alpha=alpha)",
            13,
            {"alpha": 1e39},
            "cannot be 1e+39 at opset 13, as in sample 1",
        ),
        (
            'op.Einsum(x, y, equation="..i,...j->...ij")',
            13,
            {},
            "attribute equation of op.Einsum cannot be '..i,...j->...ij'",
        ),
        ("op.Einsum(x, y, equation='...i...,j')", 13, {}, "op.Einsum cannot be '...i...,j'"),
        ("op.Cast(x, to=n)", 13, {"n": 0}, "attribute to of op.Cast cannot be 0 at opset 13"),
        ("op.Clip(x, alpha, min=alpha)", 13, {}, "op.Clip has no attribute min at opset 13"),
        ("op.Transpose(x, perm=[x, y])", 13, {}, "takes a list of integers, not a tensor"),
        (
            "op.Loop(n, None, x, body=lambda i, keep, y: keep)",
            13,
            {},
            "op.Loop needs other results: body returns 1",
        ),
        (
            "op.If(op.ReduceMax(x) > 0, then_branch=lambda: (x, y), else_branch=lambda: x)",
            13,
            {},
            "then_branch returns 2 and else_branch returns 1",
        ),
        (
            "op.Mod(x, y)",
            13,
            {},
            "fmod of op.Mod must be 1 for floats, as in sample 1; write fmod=1",
        ),
        ("op.Mod(op.Exp(x), 2)", 13, {}, "fmod of op.Mod must be 1 for floats"),
        ("op.SequenceConstruct(x, y)", 13, {}, "the result is not a tensor, as in sample 1"),
        ("op.Optional(x)", 18, {}, "the result is not a tensor"),
        ("op.Cast(x, to=8)", 13, {}, "the result has strings"),
        ("op.Mul(x, alpha / (1 - n))", 13, {}, "alpha / (1 - n) cannot be computed: "),
        (
            "op.Mul(x, x.shape[n + 8])",
            13,
            {},
            "x.shape[n + 8] cannot be computed: the dimension is out of range for a tensor of rank 4",
        ),
        ("op.Mul(x, dims[rank(x)])", 13, {}, "dims[rank(x)] cannot be computed: list "),
        ("op.Mul(x, 10.0 ** (n * 999))", 13, {}, "cannot be computed: "),
        ("op.Mul(x, (n - 2) ** alpha)", 13, {}, "cannot be computed: a complex number"),
        ("op.Mul(x, n ** (10 ** (n * 9)))", 13, {"n": 3}, "an integer of more than 10000 bits"),
        ("op.Mul(x, max(range(n * 10**9)))", 13, {}, "more than 10000 items"),
        (
            "for i in range(n * 9999):\n    for j in range(9):\n        x = op.Neg(x)\nreturn x",
            13,
            {},
            "more than 10000 nodes",
        ),
        (
            "x + 0.5",
            13,
            INT,
            "the number 0.5 does not fit INT64, the other input's element type, as in sample 1",
        ),
        ("op.Where(x > 0, x, alpha)", 13, INT, "the number 0.5 does not fit INT64"),
        (
            "x * n",
            13,
            {"x": "uint8[3]", "y": "uint8[3]", "n": -1},
            "-1 does not fit UINT8, the other",
        ),
        ("x * n", 13, {"x": "uint8[3]", "y": "uint8[3]", "n": 256}, "256 does not fit UINT8"),
        ("x * n", 13, {"x": "int8[3]", "y": "int8[3]", "n": 128}, "128 does not fit INT8"),
        ("op.Equal(x, n)", 13, {**BOOL, "n": 2}, "2 does not fit BOOL, the other"),
        (
            "a, b = op.Split(*[x])\nreturn a",
            13,
            {},
            "as in sample 1 at opset 18; change one of them",
        ),
    ],
)
def test_what_onnx_refuses(text: str, opset: int, inputs: dict[str, object], facts: str) -> None:
    message, *_ = refused(text, opset, **inputs)
    assert facts in message


OUTER = "op.{}(op.Reshape(x, [-1, 1]), op.Reshape(x, [1, -1]))"


@pytest.mark.parametrize(
    ("op", "node", "count"),
    [
        ("Concat", "op.Concat(x, x, axis=0)", 30),
        ("Concat", "op.Relu(op.Concat(x, op.Neg(x), axis=n))", 30),
        ("Concat", "op.SequenceAt(op.SequenceConstruct(op.Concat(x, x, axis=0)), 0)", 30),
        ("Add", OUTER.format("Add"), 4),
        ("MatMul", OUTER.format("MatMul"), 4),
    ],
)
def test_a_tensor_that_grows_again_and_again(op: str, node: str, count: int) -> None:
    text = "for i in range({}):\n    x = {}\nreturn op.ReduceMax(x)"
    with pytest.raises(MappingError) as caught:
        checked(text.format(count, node))
    (problem,) = caught.value.problems
    assert problem.fact == f"op.{op} makes more than 268,435,456 numbers here, as in sample 1"
    assert problem.remedy == "write smaller numbers"
    assert problem.span is not None
    assert checked(text.format(2, node))


@pytest.mark.parametrize(
    ("text", "opset", "inputs", "later"),
    [
        ("op.Add(x, y)", 13, {}, []),
        ("a, b = op.Split(x)\nreturn a", 13, {}, [*range(18, 26)]),
        ("a, b = op.Split(x, axis=0)\nreturn a", 13, {}, [*range(18, 26)]),
        ("a, b = op.Split(x, [1, 1])\nreturn a", 13, {}, []),
        (
            "op.ReduceMax(x, axes=[1])",
            13,
            {},
            [],
        ),  # another form since opset 18, where the mapping does not apply
    ],
)
def test_what_onnx_refuses_later(
    text: str, opset: int, inputs: dict[str, object], later: list[int]
) -> None:
    result = checked(text, opset, **{"x": "float32[2, 3]", "y": "float32[2, 3]", **inputs})
    assert not {*later} & result.opsets.holds


@pytest.mark.parametrize(
    ("text", "inputs", "fact"),
    [
        (
            "a, b, c = op.Split(x, axis=1, num_outputs=2)\nreturn a",
            {},
            "op.Split has 2 outputs, but 3 are assigned, as in sample 1; name 2 outputs",
        ),
        (
            "a, b = op.Split(x, num_outputs=n)\nreturn a",
            {"n": 1},
            "op.Split has 1 output, but 2 are assigned, as in sample 1; name 1 output",
        ),
        (
            "op.GatherND(x, y, batch_dims=-n)",
            INT,
            "cannot be -1 at opset 18, as in sample 1; write 0 or more",
        ),
    ],
)
def test_what_ends_the_process_in_onnx(text: str, inputs: dict[str, object], fact: str) -> None:
    (message,) = refused(text, 18, **inputs)
    assert fact in message


@pytest.mark.parametrize(
    ("op", "opset", "name", "known", "unknown"),
    [
        ("Resize", 13, "mode", "nearest linear cubic", "bilinear bicubic"),
        ("Pad", 13, "mode", "constant reflect edge", "wrap"),
        ("Pad", 19, "mode", "constant reflect edge wrap", "circular"),
        ("GridSample", 16, "mode", "bilinear nearest bicubic", "linear cubic"),
        ("GridSample", 20, "mode", "linear nearest cubic", "bilinear bicubic"),
        ("ScatterElements", 16, "reduction", "none add mul", "max min"),
        ("ScatterElements", 18, "reduction", "none add mul max min", "sum"),
        ("Conv", 11, "auto_pad", "NOTSET SAME_UPPER SAME_LOWER VALID", "SAME"),
        ("BitShift", 11, "direction", "LEFT RIGHT", "left"),
        ("DepthToSpace", 13, "mode", "DCR CRD", "dcr"),
        ("RoiAlign", 16, "coordinate_transformation_mode", "half_pixel output_half_pixel", "half"),
        ("Resize", 18, "keep_aspect_ratio_policy", "stretch not_larger not_smaller", "smallest"),
        ("LSTM", 14, "direction", "forward reverse bidirectional", "backward"),
    ],
)
def test_words_of_attributes(op: str, opset: int, name: str, known: str, unknown: str) -> None:
    """Check choices that onnx.defs has in prose only."""
    schema_of_op = definition(op, opset)
    assert schema_of_op is not None
    assert {*known.split()} <= {*schema_of_op.choices[name]}
    assert not {*unknown.split()} & {*schema_of_op.choices[name]}
