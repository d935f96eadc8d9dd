"""asinh::asinh in ONNX, as the TorchScript exporter wants it: nodes written by ``g.op``.

TorchScript has no overloads, so it asks this rule for all of them, and it renames some operators
before it asks (`aten::det` to `aten::linalg_det`): the rule of that name holds then.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.onnx import symbolic_helper


@symbolic_helper.parse_args("v")
def symbolic(g: Any, self: torch.Value) -> Any:
    return g.op("Asinh", self)


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
# At each opset: PyTorch's own rules win from the opset on at which they are registered.
for _opset in range(9, 24):
    _register("asinh::asinh", symbolic, _opset)
    _register("aten::asinh", symbolic, _opset)
