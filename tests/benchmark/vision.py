"""Measurements of vision_ops: kernels against published code, torchvision and reference
implementations; nodes in ONNX Runtime against their function bodies.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmark.works import Work, as_module, there_and_back

LEVELS = [(64, 64), (32, 32), (16, 16), (8, 8)]


def vision_ops() -> Iterator[Work]:
    import torch

    package = importlib.import_module("vision_ops")
    in_torch = partial(Work, "kernels", "PyTorch", rounds=5)
    for name, sizes, theirs, against, tensors, numbers in calls():
        ours, leaves = getattr(package, name), [t for t in tensors if t.is_floating_point()]
        in_torch = partial(in_torch, rounds=3 if name == "selective_scan" else 5)
        both = [partial(op, *tensors, *numbers) for op in (ours, theirs)]
        yield in_torch(f"{name}, {sizes}", against, both[0], both[1])
        if name == "nms_rotated":
            continue
        for leaf in leaves if name != "roi_align_rotated" else leaves[:1]:
            leaf.requires_grad_()
        with torch.no_grad():
            grad = torch.randn_like(ours(*tensors, *numbers))
        back = [partial(there_and_back, op, tensors, numbers, grad) for op in (ours, theirs)]
        yield in_torch(f"  and backward, {sizes}", against, back[0], back[1])
        for leaf in leaves:
            leaf.requires_grad_(False)
    for name, sizes, _, _, tensors, numbers in calls():
        yield in_runtime(package, name, sizes, tensors, numbers)


def calls() -> Iterator[tuple[str, str, Any, str, list[Any], tuple[Any, ...]]]:
    """Yield each op's name, sizes, competitor with its name, tensors and numbers."""
    import torch

    torch.manual_seed(0)
    shapes = torch.tensor(LEVELS)
    areas = shapes.prod(1)
    tensors = [
        torch.randn(1, int(areas.sum()), 8, 32),
        shapes,
        areas.cumsum(0) - areas,
        torch.rand(1, 5000, 8, 4, 4, 2),
        torch.rand(1, 5000, 8, 4, 4),
    ]
    sizes = "5000 queries, 8 heads of 32, 4 levels"
    yield "ms_deform_attn", sizes, by_grid_sample, "grid_sample", tensors, ()
    with suppress(ImportError):
        vision = importlib.import_module("torchvision")
        centres, sides = torch.rand(512, 2) * 56, torch.rand(512, 2) * 20 + 2
        zeros = torch.zeros(512, 1)
        rois = torch.cat([zeros, centres, sides, zeros], 1)

        def aligned(x: Any, rois: Any, *numbers: Any) -> Any:
            first, last = rois[:, 1:3] - rois[:, 3:5] / 2, rois[:, 1:3] + rois[:, 3:5] / 2
            boxes = torch.cat([rois[:, :1], first, last], 1)
            return vision.ops.roi_align(x, boxes, 7, 1.0, 2, aligned=True)

        x, sizes = torch.randn(1, 256, 56, 56), "256x56x56, 512 boxes"
        against = "torchvision's roi_align"
        yield "roi_align_rotated", sizes, aligned, against, [x, rois], (1.0, 7, 7, 2)
    boxes = [torch.rand(2000, 2) * 200, torch.rand(2000, 2) * 30 + 2, torch.randn(2000, 1) * 3]
    tensors = [torch.cat(boxes, 1), torch.rand(2000)]
    yield "nms_rotated", "2000 boxes", reference("nms_rotated"), "its reference", tensors, (0.3,)
    tensors = [torch.randn(1, 256, 32, 32), torch.rand(1, 25, 64, 64)]
    yield "carafe", "256x32x32 by 2", reference("carafe"), "its reference", tensors, (5, 1, 2)
    wide, narrow = (1, 768, 1024), (1, 16, 1024)
    tensors = [torch.randn(wide), torch.rand(wide) * 0.1, -torch.rand(768, 16) * 4]
    tensors += [torch.randn(narrow), torch.randn(narrow), torch.randn(768), torch.randn(wide)]
    sizes, other = "1x768x1024, 16 states", reference("selective_scan")
    yield "selective_scan", sizes, other, "its reference", tensors, ()


def reference(name: str) -> Any:
    return importlib.import_module(f"vision_ops._{name}")._reference


def by_grid_sample(value: Any, shapes: Any, starts: Any, locations: Any, weights: Any) -> Any:
    """Compute it like the fallback that Deformable DETR's authors publish for machines without
    CUDA.
    """
    import torch

    batch, _, heads, channels = value.shape
    _, queries, _, levels, points, _ = locations.shape
    sizes = shapes.tolist()
    grids, samples = 2 * locations - 1, []
    for level, part in enumerate(value.split([h * w for h, w in sizes], 1)):
        image = part.flatten(2).transpose(1, 2).reshape(batch * heads, channels, *sizes[level])
        grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
        samples.append(torch.nn.functional.grid_sample(image, grid, align_corners=False))
    shares = weights.transpose(1, 2).reshape(batch * heads, 1, queries, levels * points)
    result = (torch.stack(samples, -2).flatten(-2) * shares).sum(-1)
    return result.view(batch, heads * channels, queries).transpose(1, 2).contiguous()


def in_runtime(package: Any, name: str, sizes: str, tensors: Any, numbers: Any) -> Work:
    """Compare the package's library with the node's function body, in one model."""
    import onnxruntime  # type: ignore[import-untyped]

    def call(*tensors: Any) -> Any:
        return getattr(package, name)(*tensors, *numbers)

    with tempfile.TemporaryDirectory() as folder:
        file, net = str(Path(folder, "model.onnx")), as_module(call)
        package.export(
            net, tuple(tensors), file, domain="vision_ops", opset_version=18, dynamo=False
        )
        options = package.session_options(), onnxruntime.SessionOptions()
        made = partial(onnxruntime.InferenceSession, file, providers=["CPUExecutionProvider"])
        native, plain = (made(option) for option in options)
    names = [port.name for port in native.get_inputs()]
    feeds = {name: x.numpy() for name, x in zip(names, tensors, strict=True)}
    calls = [partial(session.run, None, feeds) for session in (native, plain)]
    work = partial(Work, "kernels", "ONNX Runtime", f"{name}, {sizes}", "its function body")
    return work(ours=calls[0], theirs=calls[1], rounds=5, pause=0.02)
