"""The graph that a mapping records as it runs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from onnxop_runtime.mapping import MappingError, language, placeholders, tracing
from onnxop_runtime.mapping.sample_model import Mapped

X = SimpleNamespace(dtype="float32", sizes=[2, 3], names=())


def op_types(mapping: str, opset: int = 18, **scalars: object) -> list[str]:
    """Return the op types that a mapping of ``x`` and numbers writes."""
    to_onnx = language.function(mapping, ["x", *scalars])
    mapped = Mapped(to_onnx, opset, dict.fromkeys(scalars, "float"))
    made = mapped.model(opset, {"x": X, **scalars}).model
    return [node.op_type for node in made.graph.node]


def test_nodes_are_recorded_in_order() -> None:
    assert op_types("op.Neg(op.Abs(x))") == ["Abs", "Neg"]


def test_operators_of_python_are_nodes() -> None:
    assert op_types("-x * x / 2.0") == ["Neg", "Mul", "Constant", "Div"]
    assert op_types("x > 0.0") == ["Constant", "Greater"]


def test_nodes_that_no_result_needs_are_dropped() -> None:
    text = "unused = op.Exp(x)\nreturn op.Abs(x)"
    to_onnx = language.function(text, ["x"])
    trace = tracing.Trace(SimpleNamespace(), 18)
    result = to_onnx(trace, placeholders.Value(trace, name="x"))
    trace.graph.results = [result]
    assert [node.op for node in trace.graph.nodes] == ["Exp", "Abs"]
    trace.graph.drop_unused(set())
    assert [node.op for node in trace.graph.nodes] == ["Abs"]


def test_numbers_are_computed_by_python() -> None:
    assert op_types("x * (2.0 * alpha)", alpha=3.0) == ["Constant", "Mul"]


def test_a_mapping_sees_its_opset() -> None:
    text = "op.Abs(x) if opset >= 18 else op.Neg(x)"
    assert op_types(text) == ["Abs"]
    assert op_types(text, 13) == ["Neg"]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("op.Abs()", "takes 1"),
        ("op.Nonsense(x)", "op.Nonsense"),
        ("op.Abs(x, axis=0)", "axis"),
        ("x if x else op.Abs(x)", "tensor"),
    ],
)
def test_a_wrong_call_is_refused(mapping: str, message: str) -> None:
    with pytest.raises(MappingError, match=message):
        op_types(mapping)
