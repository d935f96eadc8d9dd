"""ONNX functions as the bodies of operators' nodes: names, sharing, refusals. Values:
test_writers.
"""

from __future__ import annotations

import onnx
import pytest

from onnxop_runtime.exporting.domain_nodes import function_bodies
from onnxop_runtime.exporting.domain_nodes.function_bodies import OperatorNodes
from onnxop_runtime.operator.model import Operator

from .samples import OPSET, asinh, context, existing

ELU = existing("aten::elu.default", "op.Elu(self, alpha=alpha)", domain="acme", op_type="F")


def model(nodes: str, inputs: str = "float[2] x") -> onnx.ModelProto:
    return onnx.parser.parse_model(
        f"""
        <ir_version: 8, opset_import: ["": 18, "acme": 1]>
        graph ({inputs}) => (float[2] y) {{ {nodes} }}
        """
    )


def add(written: onnx.ModelProto, operator: Operator = ELU) -> list[str]:
    """Add function bodies; return the names of the functions."""
    rule = operator.rule_at(OPSET)
    assert rule is not None
    nodes = OperatorNodes(written, operator, "acme", rule, OPSET, context())
    function_bodies.add_functions(nodes)
    return [function.name for function in written.functions]


def test_op_types_of_functions() -> None:
    names = [function_bodies.variant(ELU, number) for number in (1, 2)]
    names += [function_bodies.variant(ELU, number, is_served=False) for number in (1, 2)]
    assert names == ["F", "F_variant_2", "F_function", "F_function_2"]
    assert all(function_bodies.is_of(ELU, name) for name in names)
    assert not any(function_bodies.is_of(ELU, name) for name in ("G", "F_variant", "FF"))


def test_no_nodes_no_functions() -> None:
    assert not add(model("y = Relu (x)"))


def test_nodes_of_other_values_share_a_function() -> None:
    written = model("a = acme.F <alpha = 0.5> (x) y = acme.F <alpha = 2.0> (a)")
    assert add(written) == ["F"]
    [body] = written.functions[0].node
    assert body.attribute[0].ref_attr_name
    onnx.checker.check_model(written, full_check=True)


def test_other_nodes_are_a_variant() -> None:
    text = "op.Relu(self) if alpha > 1 else op.Neg(self)"
    operator = existing("aten::elu.default", text, domain="acme", op_type="F")
    written = model("a = acme.F <alpha = 0.5> (x) y = acme.F <alpha = 2.0> (a)")
    assert add(written, operator) == ["F", "F_variant_2"]
    assert [node.op_type for node in written.graph.node] == ["F", "F_variant_2"]


def test_nodes_in_functions_of_the_model() -> None:
    written = onnx.parser.parse_model(
        """
        <ir_version: 8, opset_import: ["": 18, "acme": 1, "pkg": 1]>
        graph (float[2] x) => (float[2] y) { y = pkg.Block (x) }
        <domain: "pkg", opset_import: ["": 18, "acme": 1]>
        Block (a) => (b) { b = acme.F <alpha = 1.0> (a) }
        """
    )
    assert add(written) == ["Block", "F"]


def test_an_error_of_the_mapping_names_the_operator() -> None:
    operator = asinh(domain="acme", op_type="F")
    reshaped = existing("aten::asinh.default", "op.Softmax(self, axis=self.shape[0])")
    rule = reshaped.rule_at(OPSET)
    assert rule is not None
    written = model("y = acme.F (x)", 'float["n"] x')
    nodes = OperatorNodes(written, operator, "acme", rule, OPSET, context())
    with pytest.raises(ValueError, match="^aten::asinh: "):
        function_bodies.add_functions(nodes)


def test_a_list_s_items_are_inputs() -> None:
    operator = existing("aten::hstack.default", "op.Concat(*tensors, axis=0)")
    assert function_bodies.input_names(operator, 2) == ["tensors_0", "tensors_1"]
    assert function_bodies.input_names(ELU, 1) == ["self"]


def test_exact_floats() -> None:
    third = 1 / 3
    written = model(
        "y = acme.F <alpha = 0.3333333, onnxop_float64_alpha = '0.5'> (x)".replace("'", '"')
    )
    name = function_bodies.EXACT + "alpha"
    written.graph.node[0].attribute[1].name = name
    written.graph.node[0].attribute[1].s = repr(third).encode()
    arguments = function_bodies._arguments(ELU, written.graph.node[0], ["self"])
    assert arguments["alpha"] == third
