"""The nodes of a model, and the checks of them that ONNX Runtime does not make."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from onnxop_runtime import model_nodes

FLOATS = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
OPERATORS = {
    "my_lib::scale": {"domain": "my_lib", "op_type": "scale", "version": 2, "attributes": ["by"]}
}


def model(*nodes: onnx.NodeProto, version: int = 1) -> onnx.ModelProto:
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", version)]
    return helper.make_model(helper.make_graph(nodes, "g", [FLOATS], []), opset_imports=imports)


def scale(**attributes: Any) -> onnx.NodeProto:
    return helper.make_node("scale", ["x"], ["y"], domain="my_lib", **attributes)


def test_nodes_of_subgraphs() -> None:
    branch = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "branch", [], [])
    outer = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    assert [node.op_type for node in model_nodes.nodes_of([outer])] == ["If", "Neg", "Neg"]


def test_tensors_of_attributes() -> None:
    constant = helper.make_node(
        "Constant", [], ["c"], value=helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    )
    names = [tensor.name for tensor in model_nodes.tensors_of(model(constant)) if tensor.name]
    assert names == ["value"]


@pytest.mark.parametrize(
    ("name", "shown"), [("first", "first"), ("", "y"), ("two\nlines", "two\\nlines")]
)
def test_name_of(name: str, shown: str) -> None:
    assert model_nodes.name_of(helper.make_node("Neg", ["x"], ["y"], name=name)) == shown


def test_written_domains() -> None:
    written = model()
    entries = {
        "onnxop.my_lib::scale": '{"domain": "acme"}',
        "onnxop.my_lib::other": '{"domain": "no domain"}',
        "onnxop.my_lib::broken": "{",
        "title": '{"domain": "acme"}',
    }
    helper.set_model_props(written, entries)
    assert model_nodes.written_domains(written) == {"my_lib::scale": "acme"}


def test_versions() -> None:
    nodes = scale(), scale(onnxop_version=2)
    assert model_nodes.versions(model(*nodes)) == {("my_lib", "scale"): {1, 2}}


def test_an_attribute_of_the_operator() -> None:
    model_nodes.check("m.onnx", model(scale(by=2.0)), OPERATORS, {})


@pytest.mark.parametrize("op_type", ["scale", "scale_variant_2"])
def test_an_attribute_that_the_operator_would_ignore(op_type: str) -> None:
    node = scale(bye=2.0)
    node.op_type = op_type
    with pytest.raises(
        ValueError, match=r"m.onnx: the node y has an attribute bye, which my_lib::scale"
    ):
        model_nodes.check("m.onnx", model(node), OPERATORS, {})


def test_a_later_version_than_the_library_s() -> None:
    model_nodes.check("m.onnx", model(scale(), version=2), OPERATORS, {})
    with pytest.raises(
        ValueError, match="a node of version 3 of my_lib, but the library supports 2"
    ):
        model_nodes.check("m.onnx", model(scale(), version=3), OPERATORS, {})


def test_an_operator_in_another_domain() -> None:
    node = scale(bye=2.0)
    model_nodes.check("m.onnx", model(node), OPERATORS, {"my_lib::scale": "acme"})
    node.domain = "acme"
    with pytest.raises(ValueError, match="has an attribute bye"):
        model_nodes.check("m.onnx", model(node), OPERATORS, {"my_lib::scale": "acme"})
