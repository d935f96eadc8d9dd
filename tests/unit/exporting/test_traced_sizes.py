"""Sizes that a model gives to functions which torch.jit.trace does not record."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import onnxop_runtime
from onnxop_runtime.exporting.call import traced_sizes

pytestmark = pytest.mark.filterwarnings("ignore")


class Sizes(torch.nn.Module):
    """Returns sizes, and numbers computed of them."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        height, width = x.shape
        return (
            torch.tensor([[height, 2], [3, width]]),
            torch.as_tensor([height, width], dtype=torch.float32),
            torch.tensor([0.5, width]),
            torch.tensor(x.shape) + torch.tensor([1, 2]),
            torch.linspace(0, height - 1, height),
            torch.linspace(0.5, width - 0.5, 7, dtype=x.dtype),
            x + 1,
        )


@pytest.mark.parametrize("rows, columns", [(3, 4), (2, 9), (8, 1)])
def test_sizes_stay_dynamic(rows: int, columns: int, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnxop_runtime.export(
        Sizes(), (torch.rand(3, 4),), path, dynamo=False, dynamic_axes={"x": [0, 1]}
    )
    results = onnxop_runtime.session(path).run(None, {"x": torch.rand(rows, columns).numpy()})
    expected = Sizes()(torch.rand(rows, columns))
    for result, tensor in zip(results[:-1], expected, strict=False):
        torch.testing.assert_close(torch.from_numpy(result), tensor)


def test_sizes_that_are_constants_have_the_dtype(tmp_path: Path) -> None:
    """The exporter's own rule returns float64 for the bounds of a linspace that it has folded."""
    path = tmp_path / "model.onnx"
    onnxop_runtime.export(Sizes(), (torch.rand(3, 4),), path, dynamo=False)
    results = onnxop_runtime.session(path).run(None, {"x": torch.rand(3, 4).numpy()})
    for result, tensor in zip(results[:-1], Sizes()(torch.rand(3, 4)), strict=False):
        torch.testing.assert_close(torch.from_numpy(result), tensor)


def test_other_tensors_are_those_of_pytorch() -> None:
    """Without a trace, of values without sizes, and in threads that trace nothing."""
    before = torch.tensor, torch.as_tensor, torch.linspace
    made: list[torch.Tensor] = []

    class Constants(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            thread = threading.Thread(target=lambda: made.append(torch.tensor([1, 2])))
            thread.start()
            thread.join()
            return x + torch.tensor([1.5, 2.5]) + torch.tensor([]).sum() + torch.tensor(3.0)

    with traced_sizes.recorded():
        assert torch.equal(torch.tensor([[1, 2], [3, torch.tensor(4)]]).sum(), before[0](10))
        trace: Any = torch.jit.trace
        traced = trace(Constants(), (torch.zeros(2),))
    assert torch.equal(traced(torch.zeros(2)), torch.tensor([4.5, 5.5]))
    assert made[0].tolist() == [1, 2]
    assert (torch.tensor, torch.as_tensor, torch.linspace) == before


def test_functions_are_restored_after_an_error() -> None:
    before = torch.tensor
    with pytest.raises(ZeroDivisionError), traced_sizes.recorded():
        raise ZeroDivisionError
    assert torch.tensor is before
