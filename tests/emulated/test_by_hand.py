"""Kernels by hand for GPUs, compared with those for CPUs: rows that share one text, and loops in a
file of their own.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.conftest import Shared
from tests.emulated.emulation import ROOT, Argument, Kernels, build
from tests.gpu.inputs import FLOATS
from tests.rendering import generate

VISION = ROOT / "reference_ops" / "vision_ops" / "csrc"
Both = tuple[Kernels, Kernels]
GATHER_ROWS = """
[op]
schema = "my_lib::gather_rows(Tensor table, Tensor index) -> Tensor"
[onnx]
opset = 13
mapping = "op.Gather(table, index, axis=0)"
[kernel]
source = "gather_rows.h"
cuda = "gather_rows.cuh"
backward = ["table"]
[[samples]]
table = "float32[n=5, m=3]"
index = "int64[k=4]"
[package]
runtimes = ["onnxruntime", "cuda"]
"""

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]


@pytest.fixture(scope="session")
def both(shared: Shared) -> Callable[[str], Both]:
    """Return a function that builds the kernels of an op for CPUs and for GPUs."""

    def kernels(op: str) -> Both:
        def make(folder: Path) -> None:
            source = VISION / f"{op}.cpp"
            if not source.exists():
                (spec,) = (ROOT / "tests").glob(f"*/{op}.toml")
                generate(spec, folder / op)
                source = folder / op / "csrc" / f"{op}.cpp"
            for place in ("cpu", "cuda"):
                build([source], folder / place / "libkernels.so", for_cuda=place == "cuda")

        folder = shared.once(f"emulated_{op}", make)
        return Kernels(folder / "cpu" / "libkernels.so"), Kernels(folder / "cuda" / "libkernels.so")

    return kernels


def assert_alike(one: Tensor, other: Tensor) -> None:
    """Compare results of which sums have another order, or are rounded once more."""
    eps = torch.finfo(one.dtype).eps
    torch.testing.assert_close(
        one,
        other,
        rtol=8 * eps,
        atol=8 * eps * float(other.abs().nan_to_num().max() if other.numel() else 0),
        equal_nan=True,
    )


def computed(both: Both, op: str, like: Tensor, *arguments: Argument) -> Tensor:
    """Return the result on a GPU, which is like the CPU's."""
    results = [torch.full_like(like, math.nan) for _ in both]
    for kernels, result in zip(both, results, strict=True):
        kernels.compute(op, [result], *arguments)
    assert_alike(results[1], results[0])
    return results[1]


def differentiated(
    both: Both, op: str, grad: Tensor, wanted: list[Tensor | None], *arguments: Argument
) -> list[Tensor]:
    """Return the wanted gradients on a GPU, which are like the CPU's."""
    results = [[None if t is None else torch.full_like(t, math.nan) for t in wanted] for _ in both]
    for kernels, gradients in zip(both, results, strict=True):
        kernels.backward(op, gradients, [grad], *arguments)
    for one, other in zip(*results, strict=True):
        if one is not None and other is not None:
            assert_alike(other, one)
    return [gradient for gradient in results[1] if gradient is not None]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "shape",
    [
        *((4, 70), (2, 9, 5), (3, 1), (1, 1000), (0, 5), (3, 0), (40, 33)),
        *((9, 1031), (6, 2048)),  # of a block, unaligned and aligned
        (5, 12_300),  # too long for sums in shared memory
    ],
    ids=str,
)
def test_rows(both: Callable[[str], Both], shape: tuple[int, ...], dtype: torch.dtype) -> None:
    kernels, name, eps = both("rms_norm"), "my_lib::rms_norm", 1e-6
    x, weight = torch.randn(shape).to(dtype), torch.randn(shape[-1]).to(dtype)
    result = computed(kernels, name, x, x, weight, eps)
    expected = torch.nn.functional.rms_norm(x.double(), shape[-1:], weight.double(), eps)
    limits = torch.finfo(dtype)
    subnormal_step = limits.tiny * limits.eps
    torch.testing.assert_close(result.double(), expected, rtol=4 * limits.eps, atol=subnormal_step)
    grad = torch.randn(shape).to(dtype)
    whole = differentiated(kernels, name, grad, [x, weight], x, weight, eps)
    again = differentiated(kernels, name, grad, [x, weight], x, weight, eps)
    assert all(map(torch.equal, whole, again))  # no order that varies
    (alone,) = differentiated(kernels, name, grad, [x, None], x, weight, eps)
    assert torch.equal(alone, whole[0])
    differentiated(kernels, name, grad, [None, weight], x, weight, eps)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(3, 5), (40, 70), (3, 0), (5, 1031), (2, 3000)], ids=str)
def test_reductions_of_what_a_team_wrote(
    both: Callable[[str], Both], shape: tuple[int, int], dtype: torch.dtype
) -> None:
    x = 30 * torch.randn(shape, dtype=dtype)
    x[0, :2] = -math.inf
    result = computed(both("softmax_rows"), "my_lib::softmax_rows", x, x)
    assert_alike(result, x.softmax(-1))
    x[-1, -3:] = math.nan
    result = computed(both("softmax_rows"), "my_lib::softmax_rows", x, x)
    assert_alike(result, x.softmax(-1))


def boxes(dtype: torch.dtype) -> Tensor:
    return torch.tensor(
        [
            [0, 4.0, 4.0, 5.0, 3.0, 0.3],
            [1, 9.0, 2.0, 17.0, 12.0, -2.2],
            [0, 3.0, 3.0, 0.0, 2.0, 0.5],
            [1, 5.0, 4.0, 0.01, 0.01, 1.0],
            [0, 50.0, 3.0, 4.0, 4.0, 0.1],
        ]
    ).to(dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("is_aligned", [True, False])
def test_roi_align_rotated(
    both: Callable[[str], Both], is_aligned: bool, ratio: int, dtype: torch.dtype
) -> None:
    kernels, name = both("roi_align_rotated"), "vision_ops::roi_align_rotated"
    image, rois = torch.randn(2, 5, 9, 8).to(dtype), boxes(dtype)
    rest = rois, 0.75, 3, 2, ratio, is_aligned, not is_aligned
    like = torch.empty(len(rois), 5, 3, 2, dtype=dtype)
    computed(kernels, name, like, image, *rest)
    differentiated(kernels, name, torch.randn(like.shape).to(dtype), [image], image, *rest)
    none = rois[:0], *rest[1:]
    (zeros,) = differentiated(kernels, name, like[:0], [image], image, *none)
    assert not zeros.any()
    computed(kernels, name, like[:0], image, *none)


@pytest.mark.parametrize(
    ("repeats", "channels", "rows", "columns", "ratio"),
    [(220, 70, 2, 1, 2), (1, 3, 20, 15, 1), (1, 5, 7, 5, 9)],
    ids=str,
)
def test_parts_of_boxes(
    both: Callable[[str], Both], repeats: int, channels: int, rows: int, columns: int, ratio: int
) -> None:
    """Boxes with more channels, bins or points than a block of a GPU has at once."""
    kernels, name = both("roi_align_rotated"), "vision_ops::roi_align_rotated"
    image, rois = torch.randn(2, channels, 9, 8), boxes(torch.float32).repeat(repeats, 1)
    rest = rois, 1.0, rows, columns, ratio, True, False
    like = torch.empty(len(rois), channels, rows, columns)
    computed(kernels, name, like, image, *rest)
    differentiated(kernels, name, torch.randn(like.shape), [image], image, *rest)


def test_boxes_without_an_image(both: Callable[[str], Both]) -> None:
    """A GPU's kernel cannot raise: such boxes give NaN, and no gradient."""
    _, on_gpu = both("roi_align_rotated")
    image, rois = torch.randn(1, 2, 6, 5), boxes(torch.float32)[:3]
    rois[2, 0] = math.nan
    rest = rois, 1.0, 2, 2, 0, True, False
    out = torch.zeros(3, 2, 2, 2)
    on_gpu.compute("vision_ops::roi_align_rotated", [out], image, *rest)
    assert out[0].isfinite().all() and out[1:].isnan().all()
    grad, given = torch.full_like(image, math.nan), torch.ones_like(out)
    on_gpu.backward("vision_ops::roi_align_rotated", [grad], [given], image, *rest)
    assert grad.isfinite().all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ms_deform_attn(both: Callable[[str], Both], dtype: torch.dtype) -> None:
    kernels, name = both("ms_deform_attn"), "vision_ops::ms_deform_attn"
    shapes = torch.tensor([[6, 4], [3, 2]])
    starts = torch.tensor([0, 24])
    value = torch.randn(2, 30, 3, 8).to(dtype)
    locations = (torch.rand(2, 7, 3, 2, 4, 2) * 1.4 - 0.2).to(dtype)
    locations[0, 0, 0, 0, 0] = torch.tensor([math.nan, math.inf])
    weights = torch.rand(2, 7, 3, 2, 4).to(dtype)
    arguments = value, shapes, starts, locations, weights
    like = torch.empty(2, 7, 24, dtype=dtype)
    computed(kernels, name, like, *arguments)
    grad = torch.randn(like.shape).to(dtype)
    differentiated(kernels, name, grad, [value, locations, weights], *arguments)
    differentiated(kernels, name, grad, [None, locations, None], *arguments)
    differentiated(kernels, name, grad, [value, None, None], *arguments)
    out = torch.zeros_like(like)
    kernels[1].compute(name, [out], value, shapes, starts + 1, locations, weights)
    assert out.isnan().all()


@pytest.mark.parametrize(
    ("channels", "queries", "points"), [(5, 60, 4), (40, 30, 4), (1040, 2, 1), (8, 150, 9)], ids=str
)
def test_parts_of_queries(
    both: Callable[[str], Both], channels: int, queries: int, points: int
) -> None:
    """Channels that make no groups of 16 bytes, or more queries, channels and samples than a block
    of a GPU has at once.
    """
    kernels, name = both("ms_deform_attn"), "vision_ops::ms_deform_attn"
    shapes, starts = torch.tensor([[5, 4], [2, 3]]), torch.tensor([0, 20])
    value = torch.randn(1, 26, 2, channels)
    locations, weights = (
        torch.rand(1, queries, 2, 2, points, 2),
        torch.rand(1, queries, 2, 2, points),
    )
    arguments = value, shapes, starts, locations, weights
    like = torch.empty(1, queries, 2 * channels)
    computed(kernels, name, like, *arguments)
    grad = torch.randn(like.shape)
    differentiated(kernels, name, grad, [value, locations, weights], *arguments)


def test_the_example_of_the_page(tmp_path: Path) -> None:
    """Compute with the file that the page about CUDA shows; an index without a row gives NaN."""
    page = (ROOT / "docs" / "howto" / "cuda.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```cpp\n(#pragma once\n.*?)```", page, re.DOTALL)
    (tmp_path / "gather_rows.toml").write_text(GATHER_ROWS)
    generate(tmp_path / "gather_rows.toml", tmp_path / "made")
    header = tmp_path / "made" / "ops" / "gather_rows.h"
    text = header.read_text(encoding="utf-8").replace("Types<float, double>", "FloatTypes")
    sizes = "{table.sizes.begin(), table.sizes.end()}"
    assert sizes in text
    header.write_text(text.replace(sizes, "{index.sizes[0], table.sizes[1]}"))
    header.with_suffix(".cuh").write_text(example)
    build([tmp_path / "made" / "csrc" / "gather_rows.cpp"], tmp_path / "kernels.so", for_cuda=True)
    kernels, name = Kernels(tmp_path / "kernels.so"), "my_lib::gather_rows"
    for dtype in FLOATS:
        table, index = torch.randn(5, 300).to(dtype), torch.tensor([4, 0, 0, 2])
        out = torch.empty(4, 300, dtype=dtype)
        kernels.compute(name, [out], table, index)
        assert torch.equal(out, table[index])
        grad, result = torch.randn(4, 300).to(dtype), torch.full_like(table, math.nan)
        kernels.backward(name, [result], [grad], table, index)
        assert_alike(result, torch.zeros_like(table).index_add(0, index, grad))
        kernels.compute(name, [out], table, torch.tensor([5, -1, 0, 2]))
        assert out[:2].isnan().all() and torch.equal(out[2:], table[[0, 2]])
