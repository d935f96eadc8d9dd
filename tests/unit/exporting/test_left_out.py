"""The results that a mapping leaves out."""

from __future__ import annotations

import pytest
from onnxscript import ir

from onnxop_runtime.exporting.domain_nodes import left_out


def model(outputs: str) -> ir.Model:
    return ir.from_onnx_text(
        f"""
        <ir_version: 8, opset_import: ["": 18, "onnxop.left_out": 1]>
        graph (float[2] x) => ({outputs}) {{
            y = Relu (x)
            z = onnxop.left_out.max__indices ()
        }}
        """
    )


def test_an_unused_placeholder_is_removed() -> None:
    written = model("float[2] y")
    left_out.check_unused(written)
    assert [node.op_type for node in written.graph] == ["Relu"]
    assert [*written.graph.opset_imports] == [""]


def test_a_used_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="the model uses result indices of max, but the mapping"):
        left_out.check_unused(model("float[2] y, int64[2] z"))
