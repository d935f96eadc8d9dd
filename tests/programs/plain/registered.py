"""Rules of `register` and of the gallery reach plain exports, and are gone once they are removed."""

import sys
import warnings
from typing import Any

import onnx
import torch

import onnxop_runtime

warnings.simplefilter("ignore")
SPEC = """
[op]
schema = "aten::special_i0e(Tensor self) -> Tensor"

[onnx]
opset = 13
mapping = "op.Neg(self)"
"""


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.special.i0e(x)


def nodes(dynamo: bool) -> list[str]:
    torch.onnx.export(Model(), (torch.rand(3),), "m.onnx", verbose=False, dynamo=dynamo)
    return [node.op_type for node in onnx.load("m.onnx").graph.node]


def check_stock() -> None:
    for dynamo in (True, False):
        try:
            nodes(dynamo)
        except Exception:
            continue
        sys.exit("a rule is used where none is registered")


check_stock()
operators = onnxop_runtime.register(SPEC)
for dynamo in (True, False):
    assert nodes(dynamo) == ["Neg"]
onnxop_runtime.unregister(operators)
check_stock()
import onnxop_runtime.gallery

for dynamo in (True, False):
    assert "Exp" in nodes(dynamo)
print("done")
