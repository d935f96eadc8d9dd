"""Writes to views and to tensors of ``out=``, of which the TorchScript exporter loses most."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import onnxop_runtime
from tests.tiers import nightly

pytestmark = pytest.mark.filterwarnings("ignore")

VIEWS = [
    "y[1:3]",
    "y[..., 1]",
    "y.narrow(0, -3, 2)",
    "y.narrow(1, 1, 2)",
    "y.select(1, 2)",
    "y.transpose(0, 1)[1:]",
    "y.T",
    "y.view(-1)[2:]",
    "y.unsqueeze(0)",
    "y.chunk(2)[0]",
    "y.split(2)[1]",
    "y.unbind()[1]",
    "y.permute(1, 0)",
    "y[1:].narrow(1, 0, 2)[:, 1]",
]
WRITES = [
    nightly("view.zero_()"),
    "view.mul_(3)",
    nightly("view += x.sum()"),
    nightly("view.copy_(x.sum())"),
    nightly("view[...] = 7"),
    "torch.cumsum(view.clone(), 0, out=view)",
    nightly("torch.add(view, 1, out=view)"),
    nightly("torch.ops.aten.add_.Tensor(view, x.sum())"),
    nightly("view.fill_(2).add_(x.mean())"),
]


def model_of(*lines: str) -> torch.nn.Module:
    """Return a module whose forward has these lines."""
    code = "\n".join(["def forward(self, x):", *(f"    {line}" for line in lines)])
    names: dict[str, object] = {"torch": torch}
    exec(code, names)  # noqa: S102 - of this file
    model: torch.nn.Module = type("Model", (torch.nn.Module,), {"forward": names["forward"]})()
    return model.eval()


def check(model: torch.nn.Module, path: Path) -> None:
    """Compare the exported file at two sizes."""
    axes = {"x": [1]}
    onnxop_runtime.export(model, (torch.rand(4, 4),), path, dynamo=False, dynamic_axes=axes)
    session = onnxop_runtime.session(path)
    for shape in ((4, 4), (4, 6)):
        x = torch.rand(shape)
        expected = model(x)
        results = session.run(None, {"x": x.numpy()})
        for result, tensor in zip(results, expected, strict=True):
            torch.testing.assert_close(torch.from_numpy(result), tensor)


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITES)
def test_views(write: str, tmp_path: Path) -> None:
    """What is read later, through the view and through another one, has the new values, too."""
    lines = ["results = []"]
    for view in VIEWS:
        lines += ["y = x * 2", "other = y[1:]", f"view = {view}", write]
        lines += ["results += [y + 1, view + 1, other + 1, view]"]
    check(model_of(*lines, "return results"), tmp_path / "model.onnx")


def test_writes_to_whole_tensors(tmp_path: Path) -> None:
    lines = "y = x * 2", "view = y[1:]", "y += 1", "y[0] = x[1]", "y.mul_(view.sum())"
    check(model_of(*lines, "return y, view"), tmp_path / "model.onnx")


def test_results_with_out(tmp_path: Path) -> None:
    """One of several results, and one of another type."""
    lines = (
        "largest, at = x.new_empty(x.shape[0]), torch.zeros(x.shape[0], dtype=torch.long)",
        "torch.max(x, 1, out=(largest, at))",
        "whole = torch.zeros(x.shape)",
        "torch.add(at, 1, out=whole[:, 0])",
        "return largest, at, whole",
    )
    check(model_of(*lines), tmp_path / "model.onnx")


def test_pytorch_alone_loses_a_write(tmp_path: Path) -> None:
    """If this fails, PyTorch's exporter has learned it."""
    model, x = model_of("y = x * 2", "view = y[1:]", "view.mul_(3)", "return y"), torch.rand(4, 4)
    path = tmp_path / "model.onnx"
    torch.onnx.export(model, (x,), str(path), dynamo=False, input_names=["x"])
    (result,) = onnxop_runtime.session(path).run(None, {"x": x.numpy()})
    torch.testing.assert_close(torch.from_numpy(result), x * 2)
