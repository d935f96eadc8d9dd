# Run by tests of test_register.py.
# ruff: noqa: F401, F841
import io
import sys
import warnings

warnings.simplefilter("ignore")
import onnx
import onnxruntime
import torch

import onnxop_runtime

MODULES = {"pydantic", "onnxop", "copier", "torchvision", "sympy.printing"}
SPEC = """
[op]
schema = "aten::asinh"

[onnx]
opset = 9
mapping = "op.NAME(self)"
DOMAIN

[[samples]]
self = "float32[3]"
"""


def spec(name, domain=""):
    return SPEC.replace("NAME", name).replace("DOMAIN", domain)


class Asinh(torch.nn.Module):
    def forward(self, x):
        return torch.asinh(x)


def nodes(model, export=torch.onnx.export, call=None, **options):
    file = io.BytesIO()
    try:
        x = torch.linspace(-2.0, 2.0, 5)
        done = export(call or Asinh(), (x,), file, dynamo=False, verbose=False, **options)
    except Exception as error:
        return [type(error).__name__]
    model = onnx.load_from_string(file.getvalue())
    return [node.op_type for node in model.graph.node]
