# Run by test_hostile_boxes of test_torchvision_gallery.py.
import sys

import onnx
import onnxruntime
import torch
from torchvision import ops

import onnxop_runtime
import onnxop_runtime.gallery.torchvision

dynamo, opset = sys.argv[1] == "dynamo", int(sys.argv[2])
bins = (3, 2)
CALLS = {
    "roi_pool": (9, lambda x, r, s: ops.roi_pool(x, r, bins, s)),
    "ps_roi_pool": (15, lambda x, r, s: ops.ps_roi_pool(x, r, bins, s)),
    "ps_roi_align, two samples": (15, lambda x, r, s: ops.ps_roi_align(x, r, bins, s, 2)),
    "ps_roi_align": (15, lambda x, r, s: ops.ps_roi_align(x, r, bins, s, -1)),
    "roi_align, two samples": (15, lambda x, r, s: ops.roi_align(x, r, bins, s, 2, True)),
    "roi_align": (15, lambda x, r, s: ops.roi_align(x, r, bins, s, -1, False)),
}


class Model(torch.nn.Module):
    def __init__(self, call, scale):
        super().__init__()
        self.call, self.scale = call, scale

    def forward(self, x, rois):
        return self.call(x, rois, self.scale)


def boxes(count, images, size):
    rois = 2 * size * torch.rand(count, 5) - size / 2
    rois[:, 0] = torch.randint(0, images, (count,))
    rois[::3, 1:] = (2 * rois[::3, 1:]).round() / 2
    rois[1::4, 3:] = rois[1::4, 1:3]
    return rois


def options():
    if dynamo:
        return {"dynamic_shapes": ({0: "n", 2: "h", 3: "w"}, {0: "k"})}
    return {"dynamic_axes": {"x": [0, 2, 3], "rois": [0]}}


def exported(model, *tensors, **options):
    onnxop_runtime.export(
        model.eval(),
        tensors,
        "m.onnx",
        dynamo=dynamo,
        opset_version=opset,
        verbose=False,
        **options,
    )
    return onnxruntime.InferenceSession("m.onnx")


torch.manual_seed(0)
for name, (first, call) in CALLS.items():
    for scale in (1.0, 0.37):
        model = Model(call, scale)
        if opset < first:
            continue
        tensors = torch.randn(2, 12, 9, 8), boxes(7, 2, 9)
        session = exported(model, *tensors, input_names=["x", "rois"], **options())
        for n, h, w, k in (
            (2, 9, 8, 7),
            (1, 5, 6, 300),
            (3, 2, 1, 40),
            (2, 7, 7, 0),
            (1, 1, 1, 20),
        ):
            x, rois = torch.randn(n, 12, h, w), boxes(k, n, max(h, w))
            actual = session.run(None, {"x": x.numpy(), "rois": rois.numpy()})
            torch.testing.assert_close(
                torch.from_numpy(actual[0]), model(x, rois), rtol=1e-4, atol=1e-5, equal_nan=True
            )
            print(name)


class Deformed(torch.nn.Module):
    def forward(self, x, offset, weight, mask):
        return ops.deform_conv2d(x, offset, weight, mask=mask, padding=1)


if opset >= 15:
    tensors = torch.randn(2, 4, 6, 5), 9 * torch.randn(2, 36, 6, 5), torch.randn(6, 4, 3, 3)
    mask = torch.rand(2, 18, 6, 5)
    session = exported(Deformed(), *tensors, mask, input_names=["x", "offset", "weight", "mask"])
    names = [one.name for one in session.get_inputs()]
    actual = session.run(None, {n: v.numpy() for n, v in zip(names, (*tensors, mask))})
    wanted = Deformed()(*tensors, mask)
    torch.testing.assert_close(torch.from_numpy(actual[0]), wanted, rtol=1e-4, atol=1e-4)
    nodes = {node.op_type for node in onnx.load("m.onnx").graph.node}
    assert ("DeformConv" in nodes) == (opset >= 19), nodes
print("done")


class Argmax(torch.nn.Module):
    def forward(self, x, rois):
        return torch.ops.torchvision.roi_pool(x, rois, 1.0, 2, 2)[1] + 1


try:
    exported(Argmax(), torch.ones(1, 1, 4, 4), torch.zeros(1, 5))
except ValueError as error:
    print(error)
