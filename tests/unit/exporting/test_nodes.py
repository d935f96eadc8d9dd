"""An operator as one node of a domain, written by each exporter."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from onnx import helper
from torch import Tensor

from onnxop_runtime.exporting.domain_nodes.onnxscript_ops import onnxscript_op

from .graphs import exported, registered
from .samples import existing

pytestmark = pytest.mark.filterwarnings("ignore")
EXPORTERS = pytest.mark.parametrize("dynamo", [True, False], ids=["dynamo", "torchscript"])
X = torch.linspace(-1, 1, 5)


@EXPORTERS
def test_scalars_are_attributes(dynamo: bool) -> None:
    operator = existing(
        "aten::elu.default", "op.Elu(self, alpha=alpha)", default_domain="acme", op_type="Elu2"
    )
    with registered(operator):
        model = exported(lambda x: torch.ops.aten.elu(x, 1.7), X, dynamo=dynamo)
    [node] = model.graph.node
    assert (node.domain, node.op_type) == ("acme", "Elu2")
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    assert attributes["alpha"] == pytest.approx(1.7)
    [function] = model.functions
    assert (function.domain, [*function.input]) == ("acme", ["self"])
    assert {entry.domain for entry in model.opset_import} == {"", "acme"}


@EXPORTERS
def test_floats_beside_float64_are_exact(dynamo: bool) -> None:
    operator = existing("aten::elu.default", "op.Elu(self, alpha=alpha)", default_domain="acme")
    third = 1 / 3
    with registered(operator):
        model = exported(lambda x: torch.ops.aten.elu(x, third), X.double(), dynamo=dynamo)
    [node] = model.graph.node
    texts = [a.s.decode() for a in node.attribute if a.name.endswith("float64_alpha")]
    assert texts == [repr(third)]


@EXPORTERS
def test_a_list_is_spread(dynamo: bool) -> None:
    operator = existing(
        "aten::hstack.default", "op.Concat(*tensors, axis=0)", default_domain="acme"
    )

    def hstack(a: Tensor, b: Tensor) -> Tensor:
        return torch.hstack([a, b])

    with registered(operator):
        model = exported(hstack, X, X + 1, dynamo=dynamo)
    [node] = [node for node in model.graph.node if node.domain == "acme"]
    assert len(node.input) == 2
    assert [*model.functions[0].input] == ["tensors_0", "tensors_1"]


def test_an_op_that_onnxscript_does_not_know() -> None:
    op = onnxscript_op("acme", "F", 2, [("a", True), ("b", False)], ["y"], [("n", "INT")])
    schema = op.op_schema
    assert schema is not None
    assert (schema.domain, schema.name, schema.since_version) == ("acme", "F", 2)
    options: list[Any] = [port.option for port in schema.inputs]
    assert [option.name for option in options] == ["Single", "Optional"]
    assert not schema.attributes["n"].required
