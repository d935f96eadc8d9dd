"""asinh::asinh in ONNX, as the TorchScript exporter wants it: nodes written by ``g.op``.

TorchScript has no overloads, so it asks this rule for all of them, and it renames some operators
before it asks (`aten::det` to `aten::linalg_det`): the rule of that name holds then.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.onnx import symbolic_helper

from asinh import _node


@symbolic_helper.parse_args("v")
def symbolic(g: Any, self: torch.Value) -> Any:
    if domain := _node.domain():
        return _node.torchscript(g, domain, self)
    return g.op("Asinh", self)


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_unregister: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_TARGETS = ["asinh::asinh", "aten::asinh"]
OPSETS = range(9, 24)


def register(opset: int) -> None:
    """At one opset: PyTorch's own rules win from the opset on at which they are registered."""
    for target in _TARGETS:
        _register(target, symbolic, opset)


def unregister(opset: int) -> None:
    for target in _TARGETS:
        _unregister(target, opset)


for _opset in OPSETS:
    register(_opset)
