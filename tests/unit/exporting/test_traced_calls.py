"""Calls of which torch.jit.trace makes constants."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import onnxop_runtime
from onnxop_runtime.exporting.call import traced_calls

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
            x.new_tensor([[height], [width]]),
            x.new(height, 2).fill_(width),
            x.new(x.shape).zero_(),
            torch.linspace(0, height - 1, height),
            torch.linspace(0.5, width - 0.5, 7, dtype=x.dtype),
            x + 1,
        )


@pytest.mark.slow
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


class Windows(torch.nn.Module):
    """Has overlapping windows of a transposed and of a padded tensor."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        heads, length = x.shape[1], x.shape[0]
        chunks = x.transpose(0, 1).reshape(heads, length // 4, 4, 2)
        first, second, third, last = chunks.stride()
        padded = torch.nn.functional.pad(x.transpose(0, 1), (0, 0, 2, 2)).contiguous()
        row, column, _ = padded.stride()
        return (
            chunks.as_strided(
                (heads, length // 4 * 2 - 1, 4, 2), (first, second // 2, third, last)
            ),
            torch.as_strided(padded, (heads, length // 2, 6, 2), (row, 2 * column, column, 1)),
            x[1:].as_strided((2, 2), (1, 2), x.storage_offset() + x.stride(0) + 1),
        )


@pytest.mark.slow
@pytest.mark.parametrize("length", [8, 12, 32])
def test_overlapping_views(length: int, tmp_path: Path) -> None:
    """The strides of the second one depend on a dynamic size."""
    path, x = tmp_path / "model.onnx", torch.rand(8, 3, 2)
    onnxop_runtime.export(Windows(), (x,), path, dynamo=False, dynamic_axes={"x": [0]})
    x = torch.rand(length, 3, 2)
    results = onnxop_runtime.session(path).run(None, {"x": x.numpy()})
    for result, tensor in zip(results, Windows()(x), strict=True):
        torch.testing.assert_close(torch.from_numpy(result), tensor)


class Layers(torch.autograd.Function):
    """Runs modules that are an argument, as reversible layers do."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor, layers: torch.nn.ModuleList) -> Any:
        context.save_for_backward(x)
        for layer in layers:
            x = layer(x)
        context.mark_non_differentiable(x)
        return x


class Doubled(torch.autograd.Function):
    """Has a forward without a context."""

    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @staticmethod
    def setup_context(context: Any, inputs: Any, output: Any) -> None:
        pass


class Reversible(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            result: torch.Tensor = Doubled.apply(x)
        results: torch.Tensor = Layers.apply(result, self.layers)
        return results


def test_functions_of_autograd_are_traced_through(tmp_path: Path) -> None:
    """torch.jit.trace fails at modules among their arguments."""
    path, model, x = tmp_path / "model.onnx", Reversible().eval(), torch.rand(2, 3)
    before = vars(torch.autograd.Function)["apply"]
    with pytest.raises(IndexError):
        torch.onnx.export(model, (x,), str(tmp_path / "plain.onnx"), dynamo=False)
    onnxop_runtime.export(model, (x,), path, dynamo=False)
    (result,) = onnxop_runtime.session(path).run(None, {"x": x.numpy()})
    linear = torch.nn.Sequential(*model.layers)
    torch.testing.assert_close(torch.from_numpy(result), linear(2 * x).detach())
    assert vars(torch.autograd.Function)["apply"] is before


class Lengths(torch.nn.Module):
    """Splits by lengths that are an input, and by ones that are a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fixed", torch.tensor([1, 2]))
        self.scale = {1: 10.0, 2: 20.0}

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        parts = torch.split(x, lengths.tolist())
        fixed: Any = self.fixed
        scale = sum(self.scale[length] for length in fixed.tolist())
        return torch.stack([part.sum() for part in parts]) * scale


def test_lists_of_integers_stay_dynamic(tmp_path: Path) -> None:
    path, example = tmp_path / "model.onnx", (torch.rand(5), torch.tensor([2, 3]))
    axes = {"x": [0]}
    onnxop_runtime.export(Lengths().eval(), example, path, dynamo=False, dynamic_axes=axes)
    x, lengths = torch.rand(9), torch.tensor([8, 1])
    (result,) = onnxop_runtime.session(path).run(None, {"x": x.numpy(), "lengths": lengths.numpy()})
    torch.testing.assert_close(torch.from_numpy(result), Lengths()(x, lengths))


def test_a_model_that_needs_numbers_gets_them(tmp_path: Path) -> None:
    """A tensor is no key of a dictionary: the file has the numbers of the trace, as PyTorch's own
    has.
    """

    class Looked(torch.nn.Module):
        def forward(self, x: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
            return x * {1: 2.0, 3: 4.0}[key.tolist()[0]]

    path, x = tmp_path / "model.onnx", torch.rand(2)
    onnxop_runtime.export(Looked(), (x, torch.tensor([3])), path, dynamo=False)
    (result,) = onnxop_runtime.session(path).run(None, {"x": x.numpy()})
    torch.testing.assert_close(torch.from_numpy(result), 4 * x)


def test_other_tensors_are_those_of_pytorch() -> None:
    """Without a trace, of values without sizes, and in threads that trace nothing."""
    before = torch.tensor, torch.as_tensor, torch.linspace, torch.Tensor.tolist
    made: list[torch.Tensor] = []

    class Constants(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            thread = threading.Thread(target=lambda: made.append(torch.tensor([1, 2])))
            thread.start()
            thread.join()
            return x + torch.tensor([1.5, 2.5]) + torch.tensor([]).sum() + torch.tensor(3.0)

    with traced_calls.recorded(torch.nn.Identity()):
        assert torch.equal(torch.tensor([[1, 2], [3, torch.tensor(4)]]).sum(), before[0](10))
        trace: Any = torch.jit.trace
        traced = trace(Constants(), (torch.zeros(2),))
    assert torch.equal(traced(torch.zeros(2)), torch.tensor([4.5, 5.5]))
    assert made[0].tolist() == [1, 2]
    assert (torch.tensor, torch.as_tensor, torch.linspace, torch.Tensor.tolist) == before
    assert "tolist" not in vars(torch.Tensor)


def test_functions_are_restored_after_an_error() -> None:
    before = torch.tensor
    with pytest.raises(ZeroDivisionError), traced_calls.recorded(torch.nn.Identity()):
        raise ZeroDivisionError
    assert torch.tensor is before


def above(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=0) + torch.tensor(1).to(x)


def test_a_function_that_a_trace_scripts(tmp_path: Path) -> None:
    """It calls the operators in whose place a trace calls other functions."""

    class Scripted(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = torch.jit.script(above)(x)
            return result

    path = tmp_path / "model.onnx"
    x = torch.tensor([-1.0, 2.0])
    onnxop_runtime.export(Scripted(), (x,), path, dynamo=False, input_names=["x"])
    (result,) = onnxop_runtime.session(path).run(None, {"x": x.numpy()})
    torch.testing.assert_close(torch.from_numpy(result), torch.tensor([1.0, 3.0]))
