"""Traces of the TorchScript exporter that hold for some sizes only: exports warn, and strict ones raise."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime import export
from onnxop_runtime.exporting.call import other_sizes, plain_export
from onnxop_runtime.exporting.call.other_sizes import OneSidedTrace

from .graphs import Calling, registered
from .samples import asinh

pytestmark = pytest.mark.filterwarnings("ignore")


def two_sides(x: Tensor) -> Tensor:
    return torch.asinh(x) if x.shape[0] < 5 else torch.asinh(x) + 1


def padded(x: Tensor) -> Tensor:
    rest = x.shape[0] % 2
    return torch.nn.functional.pad(x, (0, 0, 0, 1)) if rest else x


def steps(x: Tensor) -> Tensor:
    total = torch.zeros_like(x[0])
    for row in range(x.shape[0]):
        total = total + x[row]
    return total


def length(x: Tensor) -> Tensor:
    return x * len(x)


def checks(x: Tensor) -> Tensor:
    if x.shape[0] > 100 or x.shape[1] != 3:
        raise ValueError("too large")
    return torch.asinh(x)


def one_size(x: Tensor) -> Tensor:
    if x.shape[0] != 4:
        raise ValueError("another size")
    return torch.asinh(x)


def computed(x: Tensor) -> Tensor:
    return x[: min(x.shape[0], 3)].reshape(-1, int(x.shape[1])) * 2


class Recurrent(torch.nn.Module):
    """Calls an RNN, which loops in operators, and remembers a mask of the longest input."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = torch.nn.LSTM(3, 2)
        self.mask: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.mask is None or len(self.mask) < 64:
            self.mask = torch.ones(64, 1)
        result: Tensor = self.rnn(x)[0] * self.mask[: x.shape[0]]
        return result


def warned(model: torch.nn.Module, path: Path, **options: Any) -> list[str]:
    """Return the warnings of a file's sizes."""
    requested: dict[str, Any] = {"dynamic_axes": {"x": {0: "n"}}, "input_names": ["x"]}
    with warnings.catch_warnings(record=True) as caught, registered(asinh()):
        warnings.simplefilter("always")
        export(model, (torch.rand(4, 3),), path, dynamo=False, **requested | options)
    return [str(warning.message) for warning in caught if warning.category is OneSidedTrace]


@pytest.mark.parametrize(
    ("function", "line"),
    [(two_sides, "x.shape[0] < 5"), (padded, "pad(x"), (steps, "row in"), (length, "len(x)")],
)
def test_a_trace_that_differs_at_other_sizes(
    function: Callable[[Tensor], Tensor], line: str, tmp_path: Path
) -> None:
    (message,) = warned(Calling(function), tmp_path / "m.onnx")
    assert "where dimension 0 of x is 4, but at sizes near it" in message
    assert f"{Path(__file__).name}:" in message
    assert line in message or function is steps and "x[row]" in message, message


@pytest.mark.parametrize("function", [checks, one_size, computed])
def test_a_trace_that_is_the_same(function: Callable[[Tensor], Tensor], tmp_path: Path) -> None:
    assert not warned(Calling(function), tmp_path / "m.onnx")


def test_an_rnn_and_a_cache(tmp_path: Path) -> None:
    assert not warned(Recurrent().eval(), tmp_path / "m.onnx")


def test_a_caller_that_compares_itself(tmp_path: Path) -> None:
    with other_sizes.unchecked():
        assert not warned(Calling(two_sides), tmp_path / "m.onnx")


def test_static_sizes(tmp_path: Path) -> None:
    assert not warned(Calling(two_sides), tmp_path / "m.onnx", dynamic_axes=None)


class Pair(torch.nn.Module):
    """Adds rows of two inputs, which have the same number of them; where this is odd, one more."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y if x.shape[0] % 2 else x + y + 1


def test_sizes_of_two_names_that_are_equal(tmp_path: Path) -> None:
    axes, args = {"x": {0: "n"}, "y": {0: "m"}}, (torch.rand(4, 3), torch.rand(4, 3))
    with pytest.warns(OneSidedTrace, match="dimension 0 of x is 4"):
        export(Pair(), args, tmp_path / "m.onnx", dynamo=False, dynamic_axes=axes)


def test_a_strict_export_writes_no_such_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(plain_export.STRICT, "1")
    path, axes = tmp_path / "m.onnx", {"x": {0: "n"}}
    with registered(asinh()), pytest.raises(ValueError, match="x.shape\\[0\\] < 5"):
        torch.onnx.export(
            Calling(two_sides),
            (torch.rand(4, 3),),
            path,
            dynamo=False,
            input_names=["x"],
            dynamic_axes=axes,
        )
    assert not path.exists()
