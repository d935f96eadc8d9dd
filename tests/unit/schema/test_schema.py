"""Schemas: their parts, and the outline of a schema with mistakes."""

import pytest

from onnxop.schema import signature as schema
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.signature import outline

A = Argument("a", "Tensor")


def parsed(text: str) -> OpSchema | None:
    problems = Problems()
    op = schema.parse(text, problems)
    assert (op is None) == bool(problems)
    return op


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("m::f(Tensor a) -> Tensor", (A,)),
        (" m::f( Tensor  a )->Tensor \n", (A,)),
        ("m::f(Tensor a,\n  float c=1) -> Tensor", (A, Argument("c", "float", True, 1.0))),
        ("m::f(Tensor a, int n = -3) -> Tensor", (A, Argument("n", "int", True, -3))),
        ("m::f(Tensor a, bool b=true) -> Tensor", (A, Argument("b", "bool", True, True))),
        ("m::f(Tensor a, *, bool b) -> Tensor", (A, Argument("b", "bool", keyword_only=True))),
        ("m::f(Tensor a) -> Tensor out", (A,)),
        ("m::f(Tensor a, Tensor? b=None) -> Tensor", (A, Argument("b", "Tensor?", True))),
        (
            "m::f(Tensor a, str m='x=1, (y', int[2] s = [ 1, 2 ]) -> Tensor",
            (A, Argument("m", "str", True, "x=1, (y"), Argument("s", "int[2]", True, (1, 2))),
        ),
        ("aten::logit", (Argument("self", "Tensor"), Argument("eps", "float?", True))),
        (
            "aten::cumsum",
            (
                Argument("self", "Tensor"),
                Argument("dim", "int"),
                Argument("dtype", "ScalarType?", True, keyword_only=True),
            ),
        ),
        (
            "aten::permute",
            (Argument("self", "Tensor"), Argument("dims", "int[]")),
        ),
        ("aten::asinh", (Argument("self", "Tensor"),)),
        ("aten::atan2(Tensor self,Tensor other)->Tensor", None),
    ],
)
def test_arguments(text: str, arguments: tuple[Argument, ...] | None) -> None:
    op = parsed(text)
    assert op is not None
    if arguments is not None:
        assert op.arguments == arguments


@pytest.mark.parametrize(
    ("text", "returns", "results"),
    [
        ("m::f(Tensor a) -> Tensor", "Tensor", ("result",)),
        ("m::f(Tensor a) -> (Tensor)", "Tensor", ("result",)),
        ("m::f(Tensor a) -> ( Tensor x, )", "Tensor", ("result",)),
        ("m::f(Tensor a) -> (Tensor,Tensor)", "(Tensor, Tensor)", ("result0", "result1")),
        ("m::f(Tensor a) -> (Tensor x, Tensor)", "(Tensor x, Tensor)", ("x", "result1")),
        ("m::f(Tensor a) -> (Tensor a, Tensor b)", "(Tensor a, Tensor b)", ("a_return", "b")),
        ("aten::topk", "(Tensor values, Tensor indices)", ("values", "indices")),
        ("aten::max.dim", "(Tensor values, Tensor indices)", ("values", "indices")),
        ("aten::var_mean", "(Tensor, Tensor)", ("result0", "result1")),
    ],
)
def test_results(text: str, returns: str, results: tuple[str, ...]) -> None:
    op = parsed(text)
    assert op is not None
    assert (op.returns, op.results) == (returns, results)
    assert op.has_several == (len(results) > 1)


def test_results_of_an_outline() -> None:
    for text, results in {
        "f(Tensr a) -> Tensor": ("result",),
        "f(Tensr a)": ("result",),
        "f(Tensr a) -> (Tensor x, Tensor)": (),
    }.items():
        op = outline(text)
        assert op is not None and op.results == results


def test_names() -> None:
    op = parsed("m::f.g(Tensor a, float x) -> Tensor")
    assert op == OpSchema("m", "f", "g", (A, Argument("x", "float")))
    assert op.tensors == (A,)
    assert [argument.name for argument in op.scalars] == ["x"]
    assert not op.exists
    known = parsed("aten::asinh")
    assert known is not None and known.exists


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ["the schema has no namespace"]),
        ("m:f(Tensor a) -> Tensor", ["the schema has no namespace"]),
        ("m::f", ["the schema is not of the form name(arguments) -> results"]),
        ("m::f(Tensor a -> Tensor", ["the schema is not of the form name(arguments) -> results"]),
        (
            "1::2(Tensor 3) -> Tensor",
            ["the namespace '1'", "the operator name '2'", "the argument"],
        ),
        (
            "m::f(Tensr a, flaot b) -> Tensor",
            ["argument a is of type Tensr; did you mean Tensor?", "argument b is of type flaot"],
        ),
        ("m::f(Tensor a,, Tensor b) -> Tensor", ["'' is not an argument"]),
        ("m::f(, Tensor a) -> Tensor", ["'' is not an argument"]),
        ("m::f(Tensor a, *) -> Tensor", ["'*' is not an argument"]),
        ("m::f(Tensor a, float b=) -> Tensor", ["'float b=' is not an argument"]),
        ("m::f(Tensor a, float b=nan) -> Tensor", ["the default nan"]),
        ("m::f(Tensor a, int b=1e3) -> Tensor", ["the default 1e3"]),
        ("m::f(Tensor a, float b=1j) -> Tensor", ["the default 1j"]),
        ("m::f(Tensor a, int b=1jif) -> Tensor", ["the default 1jif"]),
        ("m::_1(Tensor a) -> Tensor", ["the operator name '_1' starts with an underscore"]),
        ("m::f(Tensor a) -> Tensor junk words", ["Tensor junk words is not a list of results"]),
        ("aten::nonesuch_at_all", ["PyTorch has no operator aten::nonesuch_at_all"]),
        ("aten::add.Tenso", ["aten::add has no overload Tenso; write aten::add.Scalar or"]),
        ("m::f(Tensor(a) a) -> Tensor(a)", ["argument a is written to or aliased"]),
        ("m::f(Tensor a, *, Tensor? b=None) -> Tensor", ["argument b is a keyword-only Tensor"]),
        ("torchvision::nms", ["torchvision::nms is registered by torchvision; add requires"]),
        (
            "aten::item",
            ["the operator returns Scalar, but ONNX has only tensors"],
        ),
        ("m::f(Tensor a) -> (Tensor, Tensor[])", ["the operator returns (Tensor, Tensor[])"]),
        ("m::f(Tensor a) -> (Tensor, Tensor?)", ["the operator returns (Tensor, Tensor?)"]),
        ("m::f(Tensor a) -> Tensor x, Tensor", ["Tensor x, Tensor is not a list of results"]),
        ("m::f(Tensor a) -> (Tensor x, Tensor x)", ["two results are named x"]),
        ("m::f(Tensor a) -> (Tensor x, Tensor if)", ["the name 'if' is a Python keyword"]),
        ("m::f(Tensor a) -> (Tensor x, Tensor grads)", ["the name 'grads' is reserved"]),
        ("m::f(Tensor grads) -> (Tensor, Tensor)", ["the name 'grads' is reserved"]),
        (
            "m::f(Tensor a, Generator g) -> Tensor",
            ["argument g is of type Generator; this version"],
        ),
        (
            "m::f(Tensor a, Dimname d) -> Tensor",
            ["argument d is of type Dimname; this version"],
        ),
        ("m::f(Tensor a) -> int[]", ["the operator returns int[], but ONNX has only tensors"]),
        ("aten::relu_", ["the operator name 'relu_' ends with an underscore"]),
    ],
)
def test_problems(text: str, facts: list[str]) -> None:
    problems = Problems()
    assert schema.parse(text, problems) is None
    messages = [problem.message for problem in problems]
    assert [message[: len(fact)] for message, fact in zip(messages, facts, strict=True)] == facts


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("f(Tensor a, int n=1", None),
        ("f(Tensor a, int n=1)", [("Tensor", "a"), ("int", "n")]),
        (
            "m::f(Tensr a, Tensor? b, int[2] c=[1, 2]) -> x",
            [("?", "a"), ("Tensor?", "b"), ("int[2]", "c")],
        ),
        (
            "m::f(Tensor(a) a, float[]? b=None, ScalarType? c=None, str d='x, (y') -> x",
            [("Tensor", "a"), ("float[]?", "b"), ("ScalarType?", "c"), ("str", "d")],
        ),
        ("m::f(Tensor(a!) x) -> Tensor(a!)", [("Tensor", "x")]),
        ("m::f(a, b) -> Tensor", None),
        ("m::f() -> Tensor", None),
    ],
)
def test_outline(text: str, arguments: list[tuple[str, str]] | None) -> None:
    op = outline(text)
    assert (op and [(a.type, a.name) for a in op.arguments]) == arguments


@pytest.mark.parametrize(
    ("text", "name", "default"),
    [
        ("aten::huber_loss", "reduction", 1),  # torchgen's table says Mean
        ("aten::fft_fft2", "dim", (-2, -1)),  # an int[1] of two
        (
            "aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor",
            "reduction",
            1,
        ),
        (  # as PyTorch prints it
            "aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
            "delta",
            1.0,
        ),
    ],
)
def test_schemas_of_pytorch(text: str, name: str, default: object) -> None:
    problems = Problems()
    op = schema.parse(text, problems)
    assert op is not None, list(problems)
    assert next(a for a in op.arguments if a.name == name).default == default
