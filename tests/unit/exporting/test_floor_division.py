"""Quotients of sizes, which PyTorch's exporters round to zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

import onnxop_runtime

pytestmark = pytest.mark.filterwarnings("ignore")


class Quotients(torch.nn.Module):
    """Returns quotients of each sign, and one of integers that are an input."""

    def forward(self, x: torch.Tensor, whole: torch.Tensor) -> tuple[torch.Tensor, ...]:
        height, width = x.shape
        numbers = (
            -height // 4,
            (1 - height) // 3,
            height // -4,
            -height // width,
            (height - 20) // width,
            -(-height // 4),
            height // 2,
            2 * height // width,
        )
        zero = x.sum() * 0
        return *(zero + number for number in numbers), whole // 4, x // 0.3


@pytest.mark.slow
@pytest.mark.parametrize("dynamo", [True, False])
def test_they_are_rounded_down(tmp_path: Path, *, dynamo: bool) -> None:
    path, example = tmp_path / "model.onnx", (torch.rand(7, 5), torch.tensor([-7, 8]))
    auto: Any = torch.export.Dim.DYNAMIC
    axes: dict[str, Any] = {"dynamic_axes": {"x": [0, 1]}}
    shapes: dict[str, Any] = {"dynamic_shapes": ({0: auto, 1: auto}, {})}
    options = shapes if dynamo else axes
    onnxop_runtime.export(Quotients(), example, path, dynamo=dynamo, **options)
    session = onnxop_runtime.session(path)
    for height, width in ((7, 5), (8, 8), (26, 5), (30, 9)):
        x, whole = torch.rand(height, width), torch.tensor([-9, 9])
        results = session.run(None, {"x": x.numpy(), "whole": whole.numpy()})
        expected = Quotients()(x, whole)
        for result, tensor in zip(results[:8], expected, strict=False):
            torch.testing.assert_close(torch.from_numpy(result), tensor)
        if not dynamo:
            torch.testing.assert_close(torch.from_numpy(results[8]), expected[8])


@pytest.mark.parametrize("dynamo", [True, False])
def test_sizes_alone_are_divided_by_one_node(tmp_path: Path, *, dynamo: bool) -> None:
    """They are at least 0, and so are their sums and products."""

    class Half(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[: (3 * x.shape[0] + 1) // 4]

    path, auto = tmp_path / "model.onnx", torch.export.Dim.DYNAMIC
    axes: dict[str, Any] = {"dynamic_axes": {"x": [0]}}
    shapes: dict[str, Any] = {"dynamic_shapes": ({0: auto},)}
    options = shapes if dynamo else axes
    onnxop_runtime.export(Half(), (torch.rand(7),), path, dynamo=dynamo, **options)
    nodes = [node.op_type for node in onnx.load(path).graph.node]
    assert nodes.count("Div") == 1
    assert not {"Mod", "Sub"} & {*nodes}
