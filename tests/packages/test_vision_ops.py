"""The package of ops of real models: its own tests, and small models of real shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.conftest import ROOT, Build
from tests.packages.test_packages import PYTEST, at_the_ends
from tests.programs import program
from tests.warm import Warm

MODELS = """
import onnxruntime, torch, torch.nn.functional as F, vision_ops
from torch import nn


class EncoderLayer(nn.Module):
    '''Of a deformable transformer, of two levels.'''

    def __init__(self, width=32, heads=4, levels=2, points=3):
        super().__init__()
        self.sizes = heads, levels, points
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.offsets = nn.Linear(width, heads * levels * points * 2)
        self.weights = nn.Linear(width, heads * levels * points)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, x, shapes, starts, points):
        heads, levels, count = self.sizes
        value = self.value(x).unflatten(-1, (heads, -1))
        offsets = self.offsets(x).unflatten(-1, (heads, levels, count, 2))
        weights = self.weights(x).unflatten(-1, (heads, levels * count)).softmax(-1)
        places = points[:, :, None, :, None] + offsets / shapes.flip(1)[None, None, None, :, None]
        weights = weights.unflatten(-1, (levels, count))
        x = self.first(x + self.out(vision_ops.ms_deform_attn(value, shapes, starts, places, weights)))
        return self.second(x + self.feed(x))

    @staticmethod
    def inputs(first, second, batch):
        shapes = torch.tensor([first, second])
        areas = shapes.prod(1)
        length = int(areas.sum())
        return torch.randn(batch, length, 32), shapes, areas.cumsum(0) - areas, torch.rand(batch, length, 2, 2)

    dynamic = {"x": {0: "n", 1: "s"}, "points": {0: "n", 1: "s"}}
    calls = ((5, 6), (3, 3), 2), ((7, 4), (2, 5), 1)


class RotatedHead(nn.Module):
    '''A neck that upsamples, and what is kept of the boxes that it is asked about.'''

    def __init__(self, width=8):
        super().__init__()
        self.kernels = nn.Conv2d(width, 4 * 9, 3, padding=1)
        self.classes, self.deltas = nn.Linear(9 * width, 1), nn.Linear(9 * width, 5)

    def forward(self, x, rois):
        masks = F.pixel_shuffle(self.kernels(x), 2).softmax(1)
        x = vision_ops.carafe(x, masks, 3, 1, 2)
        features = vision_ops.roi_align_rotated(x, rois, 0.5, 3, 3, sampling_ratio=2).flatten(1)
        boxes, scores = rois[:, 1:] + 0.1 * self.deltas(features), self.classes(features)[:, 0].sigmoid()
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
        self.into, self.out = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width, bias=False)
        self.convolution = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
        self.parameters_of, self.delta = nn.Linear(inner, rank + 2 * states, bias=False), nn.Linear(rank, inner)
        self.A = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(inner, 1))
        self.D = nn.Parameter(torch.ones(inner))

    def forward(self, x):
        u, z = self.into(x).transpose(1, 2).chunk(2, 1)
        u = F.silu(self.convolution(u)[..., :-3])
        delta, B, C = self.parameters_of(u.transpose(1, 2)).split(self.sizes, 2)
        delta = (delta @ self.delta.weight.t()).transpose(1, 2)
        B, C = B.transpose(1, 2), C.transpose(1, 2)
        y = vision_ops.selective_scan(u, delta, -self.A.exp(), B, C, self.D, z, self.delta.bias, True)
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
    if dynamo:
        dynamic_options = {"dynamic_shapes": {n: {d: torch.export.Dim.DYNAMIC for d in a} for n, a in axes.items()}}
    else:
        dynamic_options = {"dynamic_axes": kind.dynamic, "input_names": names}
    for domain in ("", "vision_ops"):
        vision_ops.export(net, first, "model.onnx", opset_version=18, dynamo=dynamo, domain=domain, verbose=False, **dynamic_options)
        made = [onnxruntime.SessionOptions()] + ([vision_ops.session_options()] if domain else [])
        for options in made:
            session = onnxruntime.InferenceSession("model.onnx", options, ["CPUExecutionProvider"])
            for sizes in kind.calls:
                inputs = kind.inputs(*sizes)
                feeds = {i.name: x.numpy() for i, x in zip(session.get_inputs(), inputs, strict=True)}
                with torch.no_grad():
                    wanted = net(*inputs)
                wanted = wanted if isinstance(wanted, tuple) else (wanted,)
                for x, y in zip(session.run(None, feeds), wanted, strict=True):
                    torch.testing.assert_close(torch.from_numpy(x), y, rtol=1e-4, atol=1e-4)
"""


def test_its_own_quick_tests(vision_ops: Path, warm: Warm) -> None:
    assert " passed" in warm.checked(*PYTEST, "-m", "quick", cwd=vision_ops)


@pytest.mark.everything
def test_its_own_tests(vision_ops: Path, warm: Warm) -> None:
    assert " passed" in warm.checked(*PYTEST, "-k", at_the_ends(vision_ops), cwd=vision_ops)


@pytest.mark.parametrize(
    "dynamo",
    [False, pytest.param(True, marks=pytest.mark.everything)],
    ids=["TorchScript", "dynamo"],
)
def test_models(dynamo: bool, vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Run models in stock ONNX Runtime and with the package's library, at other sizes than at export."""
    calls = f"for kind in (EncoderLayer, RotatedHead, Mamba): check(kind, {dynamo})\nprint('done')"
    output = warm.checked("-W", "ignore", "-c", f"{MODELS}\n{calls}", cwd=tmp_path)
    assert output.splitlines()[-1] == "done"


HOSTS = program("vision_ops/hosts")


def test_hosts_agree(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check inputs that one host might refuse while another computes them, or another number, in silence."""
    assert warm.checked("-W", "ignore", "-c", HOSTS, cwd=tmp_path).splitlines()[-1] == "done"


MAMBA = program("vision_ops/mamba")


def test_as_mamba_calls_it(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check selective_scan by the paper's formula: dtypes, groups, gradients, states, decoding, exports."""
    assert warm.checked("-W", "ignore", "-c", MAMBA, cwd=tmp_path).splitlines()[-1] == "done"


ANGLES = program("vision_ops/angles")


def test_angles_have_one_sign(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check that nms_rotated and roi_align_rotated turn boxes in the same direction, also by default."""
    assert warm.checked("-W", "ignore", "-c", ANGLES, cwd=tmp_path).splitlines()[-1] == "done"


OFFSETS = program("vision_ops/offsets")


def test_offsets_of_the_border_start_as_in_torchvision(
    build: Build, warm: Warm, tmp_path: Path
) -> None:
    """Check what the page of deform_conv2d says of gradients where a training starts."""
    build(ROOT / "reference_ops" / "deform_conv2d" / "ops" / "deform_conv2d.toml")
    assert warm.checked("-W", "ignore", "-c", OFFSETS, cwd=tmp_path).splitlines()[-1] == "done"


STOCK = program("vision_ops/stock")


@pytest.mark.everything
def test_the_page_says_what_stock_runs(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check the first opset at which ONNX Runtime loads the standard nodes, by dtype, through TorchScript."""
    output = warm.checked("-W", "ignore", "-c", STOCK, tmp_path / "model.onnx", cwd=vision_ops)
    rows = [line for line in output.splitlines() if line.startswith("|")]
    assert len(rows) == 6
    assert "\n".join(rows) in (ROOT / "reference_ops" / "README.md").read_text("utf-8")
