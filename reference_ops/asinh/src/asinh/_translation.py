"""asinh::asinh in ONNX, as the dynamo exporter wants it: nodes written by onnxscript.

The exporter asks for it only where the call is still there: torch.export takes some operators
apart before (`aten::hardshrink`), and a number that is not of the tensor's type becomes a tensor,
so that another overload is called (`aten::lerp.Scalar`). No translation has a say in that.
"""

from __future__ import annotations

from typing import Any

from onnxscript import opset18

from asinh import _node

op: Any = opset18


def translation(self: Any) -> Any:
    if domain := _node.domain():
        return _node.dynamo(domain, self)
    return op.Asinh(self)
