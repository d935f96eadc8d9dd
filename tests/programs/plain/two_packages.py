"""Two packages with a rule for one operator: an export of all packages that calls it names both."""

import sys
import warnings
from typing import Any

import first_rule
import onnx
import second_rule
import torch

import onnxop_runtime

warnings.simplefilter("ignore")


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.special.i0e(x)


class Other(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.relu(x)


def double(x: Any) -> Any:
    from onnxscript import opset18 as op

    return op.Add(x, x)


x = torch.rand(3)
for dynamo in (True, False):
    options: Any = {"verbose": False, "dynamo": dynamo}
    for export in (torch.onnx.export, onnxop_runtime.export):
        export(Other(), (x,), "m.onnx", **options)  # calls another operator
        try:
            export(Model(), (x,), "m.onnx", **options)
        except ValueError as error:
            assert "first_rule and second_rule both have a rule" in str(error), error
            assert str(error).startswith("aten::special_i0e"), error
        else:
            sys.exit("one of two packages was taken")
    for package, op_type in ((first_rule, "Neg"), (second_rule, "Abs")):
        package.export(Model(), (x,), "m.onnx", **options)
        assert [node.op_type for node in onnx.load("m.onnx").graph.node] == [op_type]
table = {torch.ops.aten.special_i0e.default: double}
torch.onnx.export(Model(), (x,), "m.onnx", verbose=False, custom_translation_table=table)
assert [node.op_type for node in onnx.load("m.onnx").graph.node] == ["Add"]
print("done")
