"""asinh::asinh in ONNX, as the TorchScript exporter wants it: nodes written by ``g.op``."""

from __future__ import annotations

from typing import Any

import torch
from torch.onnx import symbolic_helper


@symbolic_helper.parse_args("v")
def symbolic(g: Any, self: torch.Value) -> Any:
    return g.op("Asinh", self)


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_register("asinh::asinh", symbolic, 9)
_register("aten::asinh", symbolic, 9)
