"""The library for ONNX Runtime: which element types it declares for the outputs."""

from pathlib import Path

import pytest

from onnxop import load
from onnxop.runtime_code import runtime_code

SPEC = """
op.schema = "m::f(Tensor x, Tensor y, bool flag=True) -> {returns}"
kernel.source = "kernel.h"
{onnx}

[[samples]]
x = "float32[2]"
y = "int32[2]"
"""
MAPPING = "onnx.opset = 13\nonnx.mapping = '''{}'''"


def outputs(returns: str, onnx: str, folder: Path) -> list[str]:
    """The type of each output; of several, that a node may leave each of them out."""
    path = folder / "op.toml"
    path.write_text(SPEC.format(returns=returns, onnx=onnx), encoding="utf-8")
    lines = "".join(runtime_code(load.load(path))["onnxruntime_outputs"])
    ports = lines.split("ort::Port{")[1:]
    words = [port.partition("}")[0].split(", ")[1:] for port in ports]
    assert all((".is_optional = true" in word) == (len(ports) > 1) for word in words)
    types = [[w.partition("ElementType::")[2] for w in word if "Type::" in w] for word in words]
    return ["".join(kind) for kind in types]


@pytest.mark.parametrize(
    ("returns", "mapping", "expected"),
    [
        ("Tensor", "op.Exp(x)", [""]),
        ("Tensor", "op.ArgMax(x)", ["int64"]),
        ("Tensor", "op.Greater(x, 0.0)", ["boolean"]),
        ("Tensor", "op.Neg(y)", ["int32"]),
        ("Tensor", "op.Exp(x) if flag else op.Cast(x, to=7)", ["any"]),
        ("(Tensor, Tensor)", "op.TopK(x, [1])", ["", "int64"]),
        ("(Tensor a, Tensor b)", "op.Cast(x, to=10), op.Neg(y)", ["float16", "int32"]),
    ],
)
def test_types_that_the_mapping_tells(
    returns: str, mapping: str, expected: list[str], tmp_path: Path
) -> None:
    assert outputs(returns, MAPPING.format(mapping), tmp_path) == expected


def test_types_that_infer_is_to_say(tmp_path: Path) -> None:
    assert outputs("(Tensor, Tensor)", 'onnx.domain = "m"', tmp_path) == ["any", "any"]
