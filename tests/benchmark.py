"""The kernels of the reference packages against PyTorch's, side by side in one run.

    python tests/benchmark.py

builds the packages into a scratch folder, measures every pair in shuffled order and prints the
ratio of the medians, ours to PyTorch's. Times differ between machines and runs; ratios hold.
"""

from __future__ import annotations

import importlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("my_add", "asinh", "deform_conv2d", "dynamic_resize")
ROUNDS = 40

Work = Callable[[], object]


def install(folder: str) -> None:
    for package in PACKAGES:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
        command += ["--no-deps", "--disable-pip-version-check", "--target", folder]
        with tempfile.TemporaryDirectory() as copy:
            source = Path(copy, package)
            spec = ROOT / "reference_ops" / package / "ops"
            subprocess.run(
                [sys.executable, "-m", "onnxop", "new", spec, source],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            subprocess.run([*command, source], check=True)


def pairs() -> list[tuple[str, Work, Work]]:
    import torch

    asinh, my_add = importlib.import_module("asinh"), importlib.import_module("my_add")

    found: list[tuple[str, Work, Work]] = []

    def add(label: str, a: torch.Tensor, b: torch.Tensor) -> None:
        found.append((label, lambda: my_add.my_add(a, b), lambda: torch.add(b, a, alpha=2)))

    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        a, b = torch.randn(2, 4_000_000).to(dtype)
        add(f"my_add, 4 M {dtype}", a, b)
    a, b = torch.randn(2, 4_000_000)
    found.append(("my_add, 4 M, to 2 * a + b", lambda: my_add.my_add(a, b), lambda: 2 * a + b))
    add("my_add, 1000 floats", *torch.randn(2, 1000))
    add("my_add, [64, 1, 256] and [128, 256]", torch.randn(64, 1, 256), torch.randn(128, 256))
    add("my_add, 2048 x 2048, one transposed", torch.randn(2048, 2048).t(), torch.randn(2048, 2048))
    x = torch.randn(4_000_000)
    found.append(("asinh, 4 M floats", lambda: asinh.asinh(x), lambda: torch.asinh(x)))
    return [*found, *deform_pairs(), resize_pair()]


def deform_pairs() -> Iterator[tuple[str, Work, Work]]:
    """3 x 3 with a mask, forward, and backward with all gradients."""
    import torch

    importlib.import_module("torchvision")
    importlib.import_module("deform_conv2d")
    both = torch.ops.deform_conv2d.deform_conv2d, torch.ops.torchvision.deform_conv2d
    for batch, channels, size, groups in ((1, 64, 56, 1), (1, 256, 28, 1), (8, 64, 28, 4)):
        tensors = [
            torch.randn(batch, channels, size, size),
            torch.randn(channels, channels, 3, 3),
            torch.randn(batch, 18 * groups, size, size),
            torch.rand(batch, 9 * groups, size, size),
            torch.randn(channels),
        ]
        numbers = (1, 1, 1, 1, 1, 1, 1, groups, True)
        label = f"deform_conv2d, {batch}x{channels}x{size}x{size}, {groups} offset groups"
        ours, theirs = (partial(op, *tensors, *numbers) for op in both)
        yield label, ours, theirs
        leaves = [tensor.requires_grad_() for tensor in map(torch.clone, tensors)]
        results = [op(*leaves, *numbers) for op in both]
        grad = torch.randn_like(results[0])
        ours, theirs = (
            partial(torch.autograd.grad, result, leaves, grad, retain_graph=True)
            for result in results
        )
        yield "  backward", ours, theirs


def resize_pair() -> tuple[str, Work, Work]:
    import torch

    resize = importlib.import_module("dynamic_resize").resize
    x, scales = torch.randn(1, 3, 256, 256), torch.tensor([1.0, 1.0, 2.5, 2.5])
    interpolate = partial(torch.nn.functional.interpolate, scale_factor=2.5, mode="bicubic")
    return "resize, 3x256x256 by 2.5", lambda: resize(x, scales), lambda: interpolate(x)


def measure(work: Work) -> float:
    """Seconds of one call; quick work is repeated."""
    start = time.perf_counter()
    work()
    once = time.perf_counter() - start
    repeats = max(1, int(0.002 / max(once, 1e-7)))
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - start) / repeats


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        install(folder)
        sys.path.insert(0, folder)
        print(f"{'work':<50} {'ours':>10} {'PyTorch':>10} {'ratio':>6}")
        for label, *works in pairs():
            times: list[list[float]] = [[], []]
            for _ in range(ROUNDS):
                for side in random.sample((0, 1), 2):
                    times[side].append(measure(works[side]))
            ours, theirs = (statistics.median(side) for side in times)
            print(f"{label:<50} {ours * 1e6:>8.1f}us {theirs * 1e6:>8.1f}us {ours / theirs:>6.2f}")


if __name__ == "__main__":
    main()
