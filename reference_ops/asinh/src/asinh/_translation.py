"""asinh::asinh in ONNX, as the dynamo exporter wants it: nodes written by onnxscript."""

from __future__ import annotations

from typing import Any

from onnxscript import opset18

op: Any = opset18


def translation(self: Any) -> Any:
    return op.Asinh(self)
