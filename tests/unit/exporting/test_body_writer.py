"""The writer of function bodies."""

from __future__ import annotations

import pytest
from onnx import TensorProto

from onnxop_runtime.exporting.domain_nodes.body_writer import BodyWriter
from onnxop_runtime.mapping.writing import NamedTensor

X = NamedTensor("x")


def writer(opset: int = 18, **types: int) -> BodyWriter:
    sizes = {"x": (2, "n", None)}
    return BodyWriter(opset, ["x", "relu_0_0"], types, sizes, is_dynamo=True, can_be_dynamo=True)


def test_no_value_has_the_name_of_an_input() -> None:
    body = writer()
    assert body.node("Relu", X) == NamedTensor("relu_0_0_")
    assert body.node("Relu", X) == NamedTensor("relu_1_0")


def test_sizes_and_types_of_inputs() -> None:
    body = writer(x=TensorProto.DOUBLE)
    assert body.known_sizes(X) == (2, "n", None)
    assert body.known_sizes(NamedTensor("y")) is None
    assert body.element_type(X) == "DOUBLE"
    assert body.element_type(NamedTensor("y")) is None


def test_a_number_takes_the_type_of_a_tensor() -> None:
    body = writer()
    body.constant(0.5, like=X)
    assert [node.op_type for node in body.nodes] == ["Constant", "CastLike"]
    before = writer(14, x=TensorProto.FLOAT16)
    before.constant(0.5, like=X)
    assert [node.op_type for node in before.nodes] == ["Constant", "Cast"]
    assert before.nodes[1].attribute[0].i == TensorProto.FLOAT16


def test_a_number_that_the_type_cannot_hold() -> None:
    with pytest.raises(ValueError, match=r"0\.5 is combined with integers"):
        writer(x=TensorProto.INT32).constant(0.5, like=X)
    with pytest.raises(ValueError, match="the number 300 does not fit UINT8"):
        writer().constant(300, like="UINT8")
