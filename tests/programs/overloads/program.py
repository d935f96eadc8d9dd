# Run by test_overloads_in_one_package of test_overloads.py.
import sys

import onnxruntime
import overloads
import torch
from torch.nn.functional import interpolate

x, y = torch.rand(4, 5), torch.rand(1, 4, 1)
calls = {
    "median": (lambda x: x.median(), x, 1.0),
    "median.dim": (lambda x: x.median(1).values, x, 2.0),
    "squeeze": (lambda x: x.squeeze(), y, y.squeeze()),
    "squeeze.dim": (lambda x: x.squeeze(0), y, y.squeeze(0)),
    "squeeze.dims": (lambda x: x.squeeze((0, 2)), y, 3.0),
}
if sys.argv[1] == "TorchScript":  # dynamo decomposes it
    calls["upsample"] = (lambda x: interpolate(x, size=1, mode="nearest-exact"), y, 4.0)
    calls["scaled"] = (lambda x: interpolate(x, scale_factor=1.7, mode="nearest-exact"), y, 5.0)


class Model(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, x):
        return self.call(x)


for name, (call, argument, wanted) in calls.items():
    overloads.export(
        Model(call), (argument,), "m.onnx", dynamo=sys.argv[1] == "dynamo", input_names=["x"]
    )
    [actual] = onnxruntime.InferenceSession("m.onnx").run(None, {"x": argument.numpy()})
    actual = torch.from_numpy(actual)
    torch.testing.assert_close(
        actual, torch.as_tensor(wanted).expand(call(argument).shape), msg=name
    )
assert {str(op) for op in overloads.package.operators} == {
    "aten::median",
    "aten::median.dim",
    "aten::squeeze.dims",
    "aten::_upsample_nearest_exact1d.vec",
}
assert overloads.MedianDim(1)(x)[0].shape == (4,)
