# Run by test_models of test_vision_ops.py.
import onnxruntime
import torch
import torch.nn.functional as F
import vision_ops
from torch import nn


class EncoderLayer(nn.Module):
    """Of a deformable transformer, of two levels."""

    def __init__(self, width=32, heads=4, levels=2, points=3):
        super().__init__()
        self.sizes = heads, levels, points
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.offsets = nn.Linear(width, heads * levels * points * 2)
        self.weights = nn.Linear(width, heads * levels * points)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )

    def forward(self, x, shapes, starts, points):
        heads, levels, count = self.sizes
        value = self.value(x).unflatten(-1, (heads, -1))
        offsets = self.offsets(x).unflatten(-1, (heads, levels, count, 2))
        weights = self.weights(x).unflatten(-1, (heads, levels * count)).softmax(-1)
        places = points[:, :, None, :, None] + offsets / shapes.flip(1)[None, None, None, :, None]
        weights = weights.unflatten(-1, (levels, count))
        x = self.first(
            x + self.out(vision_ops.ms_deform_attn(value, shapes, starts, places, weights))
        )
        return self.second(x + self.feed(x))

    @staticmethod
    def inputs(first, second, batch):
        shapes = torch.tensor([first, second])
        areas = shapes.prod(1)
        length = int(areas.sum())
        return (
            torch.randn(batch, length, 32),
            shapes,
            areas.cumsum(0) - areas,
            torch.rand(batch, length, 2, 2),
        )

    dynamic = {"x": {0: "n", 1: "s"}, "points": {0: "n", 1: "s"}}
    calls = ((5, 6), (3, 3), 2), ((7, 4), (2, 5), 1)


class RotatedHead(nn.Module):
    """A neck that upsamples, and what is kept of the boxes that it is asked about."""

    def __init__(self, width=8):
        super().__init__()
        self.kernels = nn.Conv2d(width, 4 * 9, 3, padding=1)
        self.classes, self.deltas = nn.Linear(9 * width, 1), nn.Linear(9 * width, 5)

    def forward(self, x, rois):
        masks = F.pixel_shuffle(self.kernels(x), 2).softmax(1)
        x = vision_ops.carafe(x, masks, 3, 1, 2)
        features = vision_ops.roi_align_rotated(x, rois, 0.5, 3, 3, sampling_ratio=2).flatten(1)
        boxes, scores = (
            rois[:, 1:] + 0.1 * self.deltas(features),
            self.classes(features)[:, 0].sigmoid(),
        )
        kept = vision_ops.nms_rotated(boxes, scores, 0.3)
        return boxes[kept], scores[kept]

    @staticmethod
    def inputs(height, width, count):
        boxes = torch.cat([torch.rand(count, 4) * 20 + 4, torch.randn(count, 1)], 1)
        return torch.randn(1, 8, height, width), torch.cat([torch.zeros(count, 1), boxes], 1)

    dynamic = {"x": {2: "h", 3: "w"}, "rois": {0: "k"}}
    calls = (6, 7, 30), (9, 5, 41)


class Mamba(nn.Module):
    def __init__(self, width=8, inner=20, states=4, rank=2):
        super().__init__()
        self.sizes = rank, states, states
        self.into, self.out = (
            nn.Linear(width, 2 * inner, bias=False),
            nn.Linear(inner, width, bias=False),
        )
        self.convolution = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
        self.parameters_of, self.delta = (
            nn.Linear(inner, rank + 2 * states, bias=False),
            nn.Linear(rank, inner),
        )
        self.A = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(inner, 1))
        self.D = nn.Parameter(torch.ones(inner))

    def forward(self, x):
        u, z = self.into(x).transpose(1, 2).chunk(2, 1)
        u = F.silu(self.convolution(u)[..., :-3])
        delta, B, C = self.parameters_of(u.transpose(1, 2)).split(self.sizes, 2)
        delta = (delta @ self.delta.weight.t()).transpose(1, 2)
        B, C = B.transpose(1, 2), C.transpose(1, 2)
        y = vision_ops.selective_scan(
            u, delta, -self.A.exp(), B, C, self.D, z, self.delta.bias, True
        )
        return self.out(y.transpose(1, 2))

    @staticmethod
    def inputs(batch, length):
        return (torch.randn(batch, length, 8),)

    dynamic = {"x": {0: "n", 1: "l"}}
    calls = (2, 9), (3, 14)


def check(kind, dynamo):
    torch.manual_seed(0)
    net, first = kind().eval(), kind.inputs(*kind.calls[0])
    names = list(__import__("inspect").signature(net.forward).parameters)
    axes = {name: kind.dynamic.get(name, {}) for name in names}
    dynamic_options: dict[str, object]
    if dynamo:
        dynamic_options = {
            "dynamic_shapes": {n: {d: torch.export.Dim.DYNAMIC for d in a} for n, a in axes.items()}
        }
    else:
        dynamic_options = {"dynamic_axes": kind.dynamic, "input_names": names}
    for domain in ("", "vision_ops"):
        vision_ops.export(
            net,
            first,
            "model.onnx",
            opset_version=18,
            dynamo=dynamo,
            domain=domain,
            verbose=False,
            **dynamic_options,
        )
        made = [onnxruntime.SessionOptions()] + ([vision_ops.session_options()] if domain else [])
        for options in made:
            session = onnxruntime.InferenceSession("model.onnx", options, ["CPUExecutionProvider"])
            for sizes in kind.calls:
                inputs = kind.inputs(*sizes)
                feeds = {
                    i.name: x.numpy() for i, x in zip(session.get_inputs(), inputs, strict=True)
                }
                with torch.no_grad():
                    wanted = net(*inputs)
                wanted = wanted if isinstance(wanted, tuple) else (wanted,)
                for x, y in zip(session.run(None, feeds), wanted, strict=True):
                    torch.testing.assert_close(torch.from_numpy(x), y, rtol=1e-4, atol=1e-4)
