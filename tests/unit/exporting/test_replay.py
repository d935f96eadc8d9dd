"""The nodes that the dynamo exporter wrote, copied into a TorchScript graph: refusals. Values:
test_writers.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from onnxscript import ir

from onnxop_runtime.exporting.rules.replay import Replay

from .graphs import exported, op_types
from .samples import OPSET
from .test_torchscript_writer import written

pytestmark = pytest.mark.filterwarnings("ignore")


def replayed(text: str) -> Any:
    model = ir.from_onnx_text(f'<ir_version: 8, opset_import: ["": 18, "acme": 1]>\n{text}')

    def write(writer: Any, x: torch.Value) -> torch.Value:
        return Replay(writer._g, model, [x]).results([torch.float32])[0]

    return written(write)


def test_nodes_and_initializers() -> None:
    model = replayed(
        "graph (float[2, 3] x) => (float[2, 3] y) <float two = {2}> { y = Mul (x, two) }"
    )
    assert "Mul" in op_types(model)


def test_results_get_pytorch_s_dtype() -> None:
    model = replayed("graph (float[2, 3] x) => (double[2, 3] y) { y = Cast <to = 11> (x) }")
    assert op_types(model)[-1] == "Cast"
    assert model.graph.output[0].type.tensor_type.elem_type == 1


def test_a_node_of_a_domain_is_refused() -> None:
    with pytest.raises(ValueError, match="it needs acme::F, not a standard node"):
        replayed("graph (float[2, 3] x) => (float[2, 3] y) { y = acme.F (x) }")


def test_a_function_is_refused() -> None:
    text = """
    graph (float[2, 3] x) => (float[2, 3] y) { y = acme.F (x) }
    <domain: "acme", opset_import: ["": 18]> F (a) => (b) { b = Relu (a) }
    """
    with pytest.raises(ValueError, match="it needs ONNX functions; export with dynamo=True"):
        replayed(text)


def test_the_dynamo_exporter_s_graphs_are_of_this_form() -> None:
    model = exported(torch.relu, torch.ones(2), dynamo=True, opset_version=OPSET)
    assert op_types(model) == ["Relu"]
