# Run by test_packages_work_in_one_process of test_together.py.
import math
import tempfile
from pathlib import Path

import dynamic_resize
import onnx
import onnxruntime
import torch


class SuperResolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolutions = torch.nn.Sequential(
            torch.nn.Conv2d(3, 64, 9, padding=4),
            torch.nn.ReLU(),
            torch.nn.Conv2d(64, 32, 1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(32, 3, 5, padding=2),
        )

    def forward(self, x, scales):
        return self.convolutions(dynamic_resize.resize(x, scales))


net, folder = SuperResolution().eval(), Path(tempfile.mkdtemp())
FACTORS = [(1, 1), (2, 2), (3, 3), (0.5, 0.5), (1.1, 1.1), (1.5, 2.25), (0.5, 0.75)]
args = torch.rand(1, 3, 10, 10), torch.tensor([1, 1, 2, 2], dtype=torch.float32)
for dynamo, opset in ((False, 11), (False, 20), (True, 25)):
    path = folder / "net.onnx"
    dynamic_resize.export(
        net,
        args,
        path,
        dynamo=dynamo,
        opset_version=opset,
        dynamic_axes={"x": {0: "n", 2: "h", 3: "w"}},
    )
    model = onnx.load(path)
    (resize,) = (node for node in model.graph.node if node.op_type == "Resize")
    print([entry.name for entry in model.graph.input] == ["x", "scales"])
    print(resize.input[0] == "x" and resize.input[2] == "scales")
    session = onnxruntime.InferenceSession(path)
    for shape in ((1, 3, 10, 10), (2, 3, 7, 12), (1, 3, 13, 8), (1, 3, 2, 3)):
        for factors in FACTORS:
            if any(math.floor(a * b) < 1 for a, b in zip(shape[2:], factors)):
                continue
            x, scales = torch.rand(shape), torch.tensor([1, 1, *factors], dtype=torch.float32)
            with torch.no_grad():
                wanted = net(x, scales)
            (actual,) = session.run(None, {"x": x.numpy(), "scales": scales.numpy()})
            assert actual.shape == wanted.shape, (shape, factors, actual.shape, wanted.shape)
            assert abs(actual - wanted.numpy()).max() < 1e-4, (shape, factors)
    print(True)

# PyTorch's own interpolate, where ONNX Runtime's rules say the same.
x = torch.rand(1, 3, 10, 10, dtype=torch.float64)
for factors in FACTORS:
    scales = torch.tensor([1, 1, *factors], dtype=torch.float32)
    wanted = torch.nn.functional.interpolate(
        x, scale_factor=scales.tolist()[-2:], mode="bicubic", align_corners=False
    )
    print(torch.allclose(dynamic_resize.resize(x, scales), wanted))

# Equal sizes are copied, a single row or column is sampled at 0: as ONNX Runtime does it.
dynamic_resize.export(
    dynamic_resize.Resize(),
    args,
    folder / "resize.onnx",
    dynamic_axes={"input": {2: "h", 3: "w"}},
    input_names=["input", "scales"],
)
session = onnxruntime.InferenceSession(folder / "resize.onnx")
for height, width, scale_h, scale_w in (
    (5, 5, 1.1, 1.1),
    (5, 9, 1.1, 1.2),
    (2, 7, 0.5, 2),
    (7, 3, 2, 0.4),
):
    x, scales = torch.rand(1, 3, height, width), torch.tensor([1, 1, scale_h, scale_w])
    (actual,) = session.run(None, {"input": x.numpy(), "scales": scales.numpy()})
    print(torch.allclose(torch.tensor(actual), dynamic_resize.resize(x, scales), atol=1e-5))
