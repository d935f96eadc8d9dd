# Run by test_sizes_that_the_model_computes of test_export.py.
import warnings

import onnxruntime
import resize
import torch

warnings.simplefilter("ignore")


class Like(torch.nn.Module):
    def forward(self, x, y):
        size = (y.shape[0] * 2, y.shape[1])
        return torch.nn.functional.interpolate(x, size=size, mode="bilinear", antialias=True)


x, y, other = torch.rand(1, 2, 6, 8), torch.rand(5, 9), torch.rand(2, 9)
for dynamo in (True, False):
    options = {"dynamo": dynamo, "dynamic_axes": {"y": {0: "h"}}, "verbose": False}
    resize.export(Like(), (x, y), "m.onnx", **options)
    session = onnxruntime.InferenceSession("m.onnx")
    tensors = {"x": x.numpy(), "y": other.numpy()}
    [actual] = session.run(None, {port.name: tensors[port.name] for port in session.get_inputs()})
    assert abs(actual - Like()(x, other).numpy()).max() < 1e-5
try:  # as one node: its attributes cannot be dynamic
    resize.export(Like(), (x, y), "n.onnx", domain="acme", **options)
except ValueError as error:
    print(error)


# An RNN of any number of steps, also if it was traced before.
class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(3, 6)

    def forward(self, x):
        return self.gru(x)[0]


steps, x, D = Steps().eval(), torch.rand(5, 4, 3), torch.export.Dim.DYNAMIC
torch.export.export(steps, (x,))
resize.export(steps, (x,), "m.onnx", dynamic_shapes=({0: D, 1: D},), verbose=False)
session = onnxruntime.InferenceSession("m.onnx")
for count in (3, 9):
    x = torch.rand(count, 2, 3)
    [actual] = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    assert abs(actual - steps(x).detach().numpy()).max() < 1e-5
