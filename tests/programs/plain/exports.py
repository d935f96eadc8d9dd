"""Plain calls of `torch.onnx.export` use the rules of imported packages, with function bodies."""

import io
import os
import sys
import warnings
from typing import Any

import numpy as np
import onnx
import onnxruntime
import plain_op
import torch
from torch.onnx import export  # before a package is imported

warnings.simplefilter("ignore")


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(3))

    def forward(self, x: torch.Tensor) -> Any:
        return plain_op.shifted(plain_op.doubled(x), self.weight)


def check(file: Any, x: torch.Tensor) -> None:
    """Check that stock ONNX Runtime computes what PyTorch does, from one node of the domain plain."""
    data = file.getvalue() if isinstance(file, io.BytesIO) else open(file, "rb").read()
    proto = onnx.load_from_string(data)
    onnx.checker.check_model(proto)
    nodes = [node.op_type for node in proto.graph.node if node.domain == "plain"]
    assert nodes == ["shifted"], nodes
    assert [function.name for function in proto.functions] == ["shifted"]
    assert "onnxop.plain::shifted" in {entry.key for entry in proto.metadata_props}
    session = onnxruntime.InferenceSession(data)
    (result,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    np.testing.assert_allclose(result, Model.forward(model, x).detach().numpy(), rtol=1e-5)


model = Model().eval()
x, longer = torch.rand(2, 3), torch.rand(5, 3)
for options in (
    {},
    {"dynamo": False},
    {"optimize": False},
    {"report": True},
    {"opset_version": 18},
    {"opset_version": 17},
    {"opset_version": 15, "dynamo": False},
):
    if os.environ.get("ONNXOP_STRICT") and options.get("opset_version") == 17:
        continue
    stream = io.BytesIO()
    export(model, (x,), "m.onnx", verbose=False, **options)
    check("m.onnx", x)
    torch.onnx.export(model, (x,), stream, verbose=False, **options)
    check(stream, x)
for dynamo in (True, False):
    axes = {"dynamic_axes": {"x": {0: "n"}}, "input_names": ["x"]}
    torch.onnx.export(model, (x,), "m.onnx", verbose=False, dynamo=dynamo, **axes)
    check("m.onnx", longer)
program = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("n", min=1)},))
made: Any = torch.onnx.export(program, verbose=False)
made.save("m.onnx")
check("m.onnx", longer)
assert np.allclose(made(x)[0].detach(), model(x).detach())


def negated(x: Any) -> Any:
    from onnxscript import opset18 as op

    return op.Neg(x)


# The caller's table comes first.
table = {torch.ops.plain.doubled.default: negated}
torch.onnx.export(model, (x,), "m.onnx", verbose=False, custom_translation_table=table)
assert "Neg" in [node.op_type for node in onnx.load("m.onnx").graph.node]


class Refused(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return plain_op.doubled(x.reshape(-1))


for dynamo in (True, False):
    try:
        torch.onnx.export(Refused(), (x,), "m.onnx", verbose=False, dynamo=dynamo)
    except ValueError as error:
        assert str(error).startswith("plain::doubled: "), error
    else:
        sys.exit("an error of a rule is lost")
print("done")
