"""`[[samples]]` and `[[errors]]` → values of the arguments."""

from typing import Any

import pytest

from onnxop.schema import signature as schema
from onnxop_runtime.specs import samples
from onnxop_runtime.specs.arguments import UNKNOWN_TYPE, Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.tensors import Literal, RandomTensor, SampleValue

SCHEMA = schema.parse(
    "m::f(Tensor a, Tensor b, float x=1.0, int n=1, bool f=True) -> Tensor", Problems()
)
RICH = schema.parse(
    "m::f(Tensor a, Tensor? b, float? y, int[2] pair=[1, 1], int[] many=[], float[]? floats=None, "
    "bool[1] flags=[], str mode='mean', Scalar s=1, Tensor? c=None, SymInt size=1) -> Tensor",
    Problems(),
)
B: dict[str, Any] = {"b": [1.0]}


def read(table: dict[str, Any], of: OpSchema | None = RICH, **how: bool) -> dict[str, Any]:
    """Return the values of a valid sample."""
    problems = Problems()
    is_elementwise = how.get("is_elementwise", False)
    values = samples.parse_sample(table, of, (), problems, is_elementwise=is_elementwise)
    assert not list(problems)
    return values


def fixed(*shape: int, dtype: str = "float32") -> RandomTensor:
    return RandomTensor(dtype, shape, shape)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("float32[1, 3]", fixed(1, 3)),
        (" int8 [ 2 ]", fixed(2, dtype="int8")),
        ("bool[]", fixed(dtype="bool")),
        ("float16[2, 0,]", fixed(2, 0, dtype="float16")),
        ({"dtype": "float64", "shape": []}, fixed(dtype="float64")),
        (
            {"dtype": "float32", "shape": [2], "low": -1, "high": 1.5},
            RandomTensor("float32", (2,), (2,), -1, 1.5),
        ),
        ([[1, 2.5], [3, 4]], Literal("[[1, 2.5], [3, 4]]", "float32", (2, 2))),
        ([], Literal("[]", "float32", (0,))),
        ([[], []], Literal("[[], []]", "float32", (2, 0))),
        ([True], Literal("[True]", "bool", (1,))),
        ([float("inf"), 1e30], Literal('[float("inf"), 1e30]', "float32", (2,))),
        ({"dtype": "int64", "values": [[0, 1]]}, Literal("[[0, 1]]", "int64", (1, 2))),
        ({"dtype": "int8", "values": [-128]}, Literal("[-128]", "int8", (1,), False)),
        ({"dtype": "float32", "values": [1]}, Literal("[1]", "float32", (1,), False)),
        ({"dtype": "float64", "values": 1.5}, Literal("1.5", "float64", (), False)),
        ({"dtype": "bool", "values": True}, Literal("True", "bool", ())),
    ],
)
def test_tensor(raw: Any, value: SampleValue) -> None:
    single = schema.parse("m::f(Tensor a) -> Tensor", Problems())
    assert read({"a": raw}, single) == {"a": value}


def test_a_literal_tensor_names_its_dtype_if_needed() -> None:
    assert Literal("[0, 1]", "int64", (2,)).tensor_arguments == ["[0, 1]"]
    assert Literal("[0, 1]", "int32", (2,), False).tensor_arguments == [
        "[0, 1]",
        "dtype=torch.int32",
    ]


@pytest.mark.parametrize(("name", "raw"), [("x", 2.5), ("n", -3), ("f", False)])
def test_a_number_of_a_sample_is_a_literal(name: str, raw: float) -> None:
    sample = {"a": [1.0], **B, name: raw}
    assert read(sample, SCHEMA, is_elementwise=True)[name] == Literal(repr(raw))


def test_integers_of_float_arguments_are_floats() -> None:
    schema_ = schema.parse("m::f(Tensor a, float x, float[] xs, Scalar s) -> Tensor", Problems())
    values = read({"a": [1.0], "x": 1, "xs": [1, 0.5], "s": 1}, schema_)
    expressions = [values[name].expression for name in ("x", "xs", "s")]
    assert expressions == ["1.0", "[1.0, 0.5]", "1"]


@pytest.mark.parametrize(
    ("name", "raw", "expression"),
    [
        ("pair", [2, 3], "[2, 3]"),
        ("pair", [], "[]"),
        ("pair", 2, "[2, 2]"),
        ("many", [1, 2, 3], "[1, 2, 3]"),
        ("floats", [1, 0.5], "[1.0, 0.5]"),
        ("flags", True, "[True]"),
        ("flags", [True, False], "[True, False]"),
        ("mode", 'a "b"', "'a \"b\"'"),
        ("s", True, "True"),
        ("s", 0.5, "0.5"),
        ("y", 1.5, "1.5"),
        ("size", 3, "3"),
    ],
)
def test_a_value_that_is_no_tensor_stays_as_written(name: str, raw: Any, expression: str) -> None:
    assert read({"a": "float32[2]", name: raw})[name] == Literal(expression)


def test_optional_arguments_left_out_are_none() -> None:
    values = read({"a": "float32[2]"})
    assert values == {"a": fixed(2), "b": Literal("None"), "y": Literal("None")}
    assert RICH is not None
    default = samples.default_sample(RICH, is_elementwise=False)
    assert default == values | {"a": fixed(1, 3, 10, 10)}


@pytest.mark.parametrize(
    ("a", "b", "shapes"),
    [
        ("float32[n=2, 3]", "float32[n]", [(2, 3), (3, 3), (2,), (3,)]),
        ("float32[n]", "float32[ n = 2 , ]", [(2,), (3,), (2,), (3,)]),
        (
            "float32[n, 18, (h + 2*1 - 3)//2 + 1, w - -2]",
            "float32[n=2, h=10, w=12]",
            [(2, 18, 5, 14), (3, 18, 6, 15), (2, 10, 12), (3, 11, 13)],
        ),
        ("float32[7 % n, +n, (\n n)]", "int64[n=4]", [(3, 4, 4), (2, 5, 5), (4,), (5,)]),
        (
            {"dtype": "float32", "shape": ["n=2", 3, "n * 2"]},
            {"dtype": "float32", "shape": ["n=2"]},
            [(2, 3, 4), (3, 3, 6), (2,), (3,)],
        ),
    ],
)
def test_named_sizes(a: Any, b: Any, shapes: list[tuple[int, ...]]) -> None:
    values = read({"a": a, "b": b})
    actual = [shape for name in "ab" for shape in (values[name].shape, values[name].larger)]
    assert actual == shapes


@pytest.mark.parametrize(
    ("a", "b", "larger"),
    [
        ("float32[1, 3, 0]", "float32[3, 1]", ((1, 4, 0), (4, 1))),
        ("float32[1, 3]", [1.0], ((1, 3),)),  # a literal tensor has one size
        ("float32[n=2, 3]", "float32[3]", ((3, 3), (3,))),
        ("float32[n=2, 3]", [1.0], ((3, 3),)),
    ],
)
def test_sizes_of_elementwise_samples(a: Any, b: Any, larger: tuple[Any, ...]) -> None:
    values = read({"a": a, "b": b}, SCHEMA, is_elementwise=True)
    assert tuple(v.larger for v in values.values() if isinstance(v, RandomTensor)) == larger
    assert SCHEMA is not None
    default = samples.default_sample(SCHEMA, is_elementwise=True)
    assert default == dict.fromkeys("ab", RandomTensor("float32", (1, 3, 10, 10), (1, 4, 11, 11)))


def test_other_kernels_take_any_dtypes_and_shapes() -> None:
    assert len(read({"a": "float32[2]", "b": "int64[3]"}, SCHEMA)) == 2


def problem(table: dict[str, Any], of: OpSchema | None) -> str:
    problems = Problems()
    samples.parse_sample(table, of, ("samples", 0), problems, is_elementwise=of is SCHEMA)
    return next(iter(problems)).message


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"a": "float32"}, "not a tensor; write dtype[shape]"),
        ({"a": "float32[1 2]"}, "'1 2' is not a size"),
        ({"a": "float32[1\t2]"}, "'1 2' is not a size"),
        ({"a": "float32[n #]"}, "'n #' is not a size"),
        ({"a": "float32[True]"}, "'True' is not a size"),
        ({"a": "float32[n=2, n()]"}, "'n()' is not a size"),
        ({"a": "float32[1,,2]"}, "'' is not a size"),
        ({"a": f"float32[{'9' * 5000}]"}, "'999"),
        ({"a": f"float32[{'(' * 500}1{')' * 500}]"}, "'(((("),
        ({"a": f"float32[{'-' * 100}1]"}, "'------"),
        ({"a": f"float32[0, {'*'.join(['9' * 18] * 3)}]"}, "the size is 99"),
        ({"a": "float32[100000, 100000]"}, "the shape has more than"),
        ({"a": f"float32[{'1,' * 17}]"}, "the shape has more than"),
        ({"a": "float32[n=10000000]"}, "with every named size one larger, the shape has"),
        (
            {"a": "float32[1000, 10000]", "b": "float32[1]"},
            "with every size above 1 one larger, the shape has",
        ),
        ({"a": {"dtype": "float32", "shape": [1] * 17}}, "the shape has more than"),
        ({"a": {"dtype": "float32", "shape": ["x"]}}, "no size of the sample is named x"),
        (
            {"a": {"dtype": "float32", "shape": ["n", "n=2"], "values": 1}},
            "shape is not allowed here",
        ),
        ({"a": "float[1]"}, "dtype float is not supported here;"),
        ({"a": "complex64[1]"}, "dtype complex64 is not supported here"),
        ({"a": "float8_e5m2[1]"}, "dtype float8_e5m2 is not supported here"),
        ({"a": "bf16[1]"}, "dtype bf16 is not supported here"),
        ({"a": 1.0}, "argument a is of type Tensor"),
        ({"a": [[1], [1, 2]]}, "a literal tensor must have rows of equal length"),
        ({"a": [1, [2]]}, "a literal tensor must have rows of equal length"),
        ({"a": [1, True]}, "a literal tensor must have rows of equal length"),
        ({"a": ["x"]}, "a literal tensor must have rows of equal length"),
        ({"a": [2**63]}, "int64 cannot hold 9223372036854775808"),
        ({"a": {}}, "missing; write { dtype"),
        ({"a": {"dtype": "float32", "shape": [True]}}, "True is not a size"),
        ({"a": {"dtype": "float32", "shape": 2}}, "2 is not valid for shape"),
        ({"a": {"dtype": "float32", "shape": [2], "low": float("nan")}}, "float32 cannot hold nan"),
        ({"a": {"dtype": "float32", "shape": [2], "low": 10**400}}, "float32 cannot hold 1000"),
        ({"a": {"dtype": "float32", "shape": [2], "low": 2, "high": 1}}, "low = 2 is above"),
        ({"x": "1"}, "argument x is of type float; write x = 0.5"),
        ({"x": True}, "argument x is of type float; write x = 0.5"),
        ({"n": 1.0}, "argument n is of type int; write n = 1"),
        ({"n": 2**64}, "18446744073709551616 does not fit"),
        ({"f": 1}, "argument f is of type bool; write f = true"),
        ({"c": 1}, "the schema has no argument c"),
        ({"a": "float32[2]", "b": "float64[2]"}, "b is float64, but a is float32"),
        ({"a": "float32[2]", "b": "float32[3]"}, "the shape [3] of b does not broadcast"),
    ],
)
def test_problems(changes: dict[str, Any], fact: str) -> None:
    assert problem({"a": [1.0], **B, **changes}, SCHEMA).startswith(fact)


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"pair": [1, 2, 3]}, "argument pair is of type int[2]; write pair"),
        ({"pair": [1.0, 2]}, "argument pair is of type int[2]; write pair = [1, 1]"),
        ({"many": 1}, "argument many is of type int[]; write many = [1, 1]"),
        ({"many": [2**64]}, "18446744073709551616 does not fit"),
        ({"floats": [True]}, "argument floats is of type float[]?; write floats = [0.5, 0.5]"),
        ({"mode": 1}, "argument mode is of type str; write mode"),
        ({"mode": "a\tb"}, "no text of 200 printable"),
        ({"mode": "a" * 201}, "no text of 200 printable"),
        ({"s": "a"}, "argument s is of type Scalar"),
        ({"b": 1}, "argument b is of type Tensor?; write b"),
        ({"size": "n"}, "argument size is of type SymInt; write size = 1"),
        ({"a": {"dtype": "float16", "values": [65505]}}, "float16 cannot hold 65505"),
        ({"a": {"dtype": "int32", "values": [1.0]}}, "int32 cannot hold 1.0"),
        ({"a": {"dtype": "int32", "values": [True]}}, "int32 cannot hold True"),
        ({"a": {"dtype": "int32", "values": "1"}}, "'1' is not valid for values"),
        ({"a": [1e39]}, "float32 cannot hold 1e+39"),
        ({"a": "float32[n=2]", "b": "float32[n=3]"}, "n is 3 here, and 2 elsewhere"),
        ({"a": "float32[n=2]", "b": "float32[m]"}, "no size of the sample is named m"),
    ],
)
def test_problems_of_other_types(changes: dict[str, Any], fact: str) -> None:
    assert problem({"a": [1.0], **changes}, RICH).startswith(fact)


def test_held_arguments_cannot_be_given() -> None:
    arguments = (Argument("a", "Tensor"), Argument("g", "Generator?", True))
    held = OpSchema("m", "f", "", arguments)
    assert read({"a": "float32[2]"}, held) == {"a": fixed(2)}
    assert problem({"a": "float32[2]", "g": 1}, held).startswith("argument g is of type Generator?")


def test_what_is_not_known_is_taken_as_it_is() -> None:
    unknown = OpSchema("m", "f", "", (Argument("a", UNKNOWN_TYPE),))
    for raw in ("text", 1, [["x"]], [1, [2]], True):
        assert read({"a": raw}, unknown) == read({"a": raw}, None) == {}
    assert problem({"a": "float3[2]"}, unknown).startswith("dtype float3 is not supported here")


def test_missing_arguments() -> None:
    problems = Problems()
    samples.parse_sample({}, SCHEMA, ("samples", 0), problems, is_elementwise=True)
    assert [problem.path for problem in problems] == [("samples", 0, "a"), ("samples", 0, "b")]


def test_refused_calls_may_hold_anything() -> None:
    problems = Problems()
    table = {"a": "complex64[2]", "x": [1.0], "raises": "TypeError", "match": "x"}
    values = samples.parse_error(table, SCHEMA, ("errors", 0), problems)
    assert values == {"a": fixed(2, dtype="complex64"), "x": Literal("[1.0]", "float32", (1,))}
    assert not problems


def test_strings_and_lists_of_refused_calls() -> None:
    problems = Problems()
    table = {"a": "float32[n=2]", "mode": "float32[2]", "pair": ["x"], "s": "bool[n]", "raises": ""}
    values = samples.parse_error(table, RICH, ("errors", 0), problems)
    assert values == {
        "a": fixed(2),
        "mode": Literal('"float32[2]"'),
        "pair": Literal('["x"]'),
        "s": fixed(2, dtype="bool"),
    }
    assert not problems
