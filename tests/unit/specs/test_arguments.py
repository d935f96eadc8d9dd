"""An argument's type and default: their meaning, and their notation."""

import pytest

from onnxop_runtime.specs.arguments import Argument, Default, is_supported, read_default


@pytest.mark.parametrize(
    ("type_", "kind", "python_type"),
    [
        ("Tensor", "Tensor", "Tensor"),
        ("Tensor?", "Tensor", "Tensor | None"),
        ("float", "float", "float"),
        ("int?", "int", "int | None"),
        ("SymInt", "int", "int"),
        ("SymInt?", "int", "int | None"),
        ("str", "str", "str"),
        ("Scalar", "Scalar", "float"),
        ("Scalar?", "Scalar", "float | None"),
        ("int[]", "int", "Sequence[int]"),
        ("SymInt[2]", "int", "Sequence[int]"),
        ("bool[3]", "bool", "Sequence[bool]"),
        ("float[]?", "float", "Sequence[float] | None"),
        ("?", "?", "Any"),
        ("ScalarType?", "ScalarType", "torch.dtype | None"),
        ("Tensor[]", "Tensor", "Sequence[Tensor]"),
        ("Tensor?[]", "Tensor", "Sequence[Tensor | None]"),
        ("Device?", "Device?", "Any"),
    ],
)
def test_types(type_: str, kind: str, python_type: str) -> None:
    argument = Argument("a", type_)
    assert (argument.base_type, argument.python_type) == (kind, python_type)
    assert argument.is_tensor == (kind == "Tensor")
    assert argument.is_list == ("[" in type_)
    assert argument.is_symbolic == type_.startswith("SymInt")
    assert argument.is_always_none == (type_ == "Device?")
    assert argument.is_optional == (type_.endswith("?") and type_ != "?")


def test_length() -> None:
    types = ("int[2]", "int[]", "int", "float[3]?")
    assert [Argument("a", type_).length for type_ in types] == [2, None, None, 3]
    fixed = [Argument("a", type_).fixed_length for type_ in ("int[2]", "int[1]", "int[]")]
    assert fixed == [2, None, None]  # PyTorch accepts int[1] of any length


@pytest.mark.parametrize(
    "type_",
    ["str[]", "Scalar[]", "float?[]", "int[][]", "Device", "?", ""],
)
def test_unsupported(type_: str) -> None:
    assert not is_supported(type_)


@pytest.mark.parametrize(
    ("text", "type_", "value", "written"),
    [
        ("1", "float", 1.0, "1.0"),
        ("1.", "float", 1.0, "1.0"),
        ("1.0000000000000001e-05", "float", 1e-05, "1e-05"),
        ("-3", "SymInt", -3, "-3"),
        ("true", "bool", True, "True"),
        ("None", "int?", None, "None"),
        ("None", "Tensor?", None, "None"),
        ("2", "Scalar", 2, "2"),
        ("0.5", "Scalar", 0.5, "0.5"),
        ("1", "int[2]", (1, 1), "[1, 1]"),
        ("[1, 2]", "int[2]", (1, 2), "[1, 2]"),
        ("[]", "int[]", (), "[]"),
        ("[1., 2]", "float[]", (1.0, 2.0), "[1.0, 2.0]"),
        ("[True, false]", "bool[2]", (True, False), "[True, False]"),
        ("None", "float[]?", None, "None"),
        ("1", "int[1]?", (1,), "[1]"),
        ("[-2, -1]", "int[1]", (-2, -1), "[-2, -1]"),
        ("'mean'", "str", "mean", '"mean"'),
        ('"a=1, b"', "str", "a=1, b", '"a=1, b"'),
    ],
)
def test_defaults(text: str, type_: str, value: Default, written: str) -> None:
    defaults = read_default(text, type_)
    assert defaults == (value,)
    assert type(defaults[0]) is type(value)
    assert Argument("a", type_, True, value).schema_default == written


@pytest.mark.parametrize(
    ("text", "type_", "example"),
    [
        ("None", "Tensor", ""),
        ("1", "Tensor?", "None"),
        ("None", "float", "1.0"),
        ("True", "int", "1"),
        ("1.5", "SymInt", "1"),
        ("mean", "str", "'mean'"),
        ("'a\\n'", "str", "'mean'"),
        ("1", "int[]", "[1, 1]"),
        ("[1]", "int[2]", "[1, 1]"),
        ("[[1]]", "int[]", "[1, 1]"),
        ("(1, 1)", "int[2]", "[1, 1]"),
        ("[1e999]", "float[]?", "[1.0, 1.0]"),
    ],
)
def test_wrong_defaults(text: str, type_: str, example: str) -> None:
    assert read_default(text, type_) is None
    assert Argument("a", type_).example_default == example


def test_pytorch_reads_what_is_written() -> None:
    import torch

    cases: list[tuple[str, Default]] = [
        ("str", "a'b"),
        ("str", 'a"b\\'),
        ("int[2]", (1, 2)),
        ("float[]", ()),
        ("bool[2]", (True, False)),
        ("Scalar?", 1e20),
        ("float", 1e-7),
    ]
    for type_, value in cases:
        argument = Argument("b", type_, True, value)
        text = f"m::f(Tensor a, {type_} b={argument.schema_default}) -> Tensor"
        parsed = torch._C.parse_schema(text).arguments[1].default_value  # type: ignore[attr-defined,unused-ignore]
        assert parsed == (list(value) if isinstance(value, tuple) else value)
