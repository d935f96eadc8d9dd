"""What exporters write into a model for people, and how it is removed."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

from onnxop_runtime import debug_info


def model() -> onnx.ModelProto:
    """Return a model with the paths of its author, in a subgraph, too."""
    inner = helper.make_node("Neg", ["x"], ["n"], doc_string="/home/me/model.py")
    branch = helper.make_graph([inner], "branch", [], [])
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value='File "/home/me/model.py"')
    node.metadata_props.add(key="mine", value="kept")
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2], doc_string="/home/me")
    made = helper.make_model(helper.make_graph([node], "g", [value], []), doc_string="/home/me")
    helper.set_model_props(made, {"author": "me"})
    return made


def test_strip() -> None:
    stripped = model()
    assert debug_info.strip(stripped)
    assert b"/home/me" not in stripped.SerializeToString()
    assert [entry.key for entry in stripped.graph.node[0].metadata_props] == ["mine"]
    assert stripped.metadata_props[0].value == "me"
    assert not debug_info.strip(stripped)


def test_strip_file(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    onnx.save(model(), file)
    debug_info.strip_file(file)
    assert b"/home/me" not in file.read_bytes()
