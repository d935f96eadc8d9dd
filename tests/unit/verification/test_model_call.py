"""Calls of models that are repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from torch import Tensor

from onnxop_runtime.verification.model_call import ModelCall, double_of, doubled, parameters_of


class Counted(torch.nn.Module):
    """Adds the number of its calls, and writes to its argument."""

    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x: Tensor, factor: float = 1.0) -> dict[str, object]:
        self.count += 1
        x += self.count
        return {"sum": x * factor, "factor": factor}


def test_each_call_is_the_first() -> None:
    model, x = Counted(), torch.ones(2)
    call = ModelCall(model, (x,), {"factor": 3.0})
    assert [call.results()[0].tolist() for _ in range(2)] == [[6.0, 6.0]] * 2
    assert (float(model.count), x.tolist()) == (0.0, [1.0, 1.0])
    assert call.with_tensors([torch.zeros(3)]).results()[0].tolist() == [3.0] * 3
    assert call.tensors[0].tolist() == [1.0, 1.0]


def test_a_call_in_float64() -> None:
    model = torch.nn.Linear(2, 3)
    (result,) = ModelCall(model, torch.rand(2)).in_float64().results()
    assert result.dtype == torch.float64
    assert model.weight.dtype == torch.float32


def test_the_mode_of_the_export() -> None:
    model = torch.nn.Dropout(0.99).train()
    (result,) = ModelCall(model, torch.ones(9), is_eval=True).results()
    assert result.tolist() == [1.0] * 9
    assert model.training


def test_an_exported_program() -> None:
    program = torch.export.export(torch.nn.Linear(2, 3), (torch.rand(2),))
    call = ModelCall(program, ())
    assert torch.allclose(call.results()[0], call.in_float64().results()[0].float())


def test_models_and_tensors_in_float64() -> None:
    assert double_of(torch.nn.Linear(2, 3)).weight.dtype == torch.float64
    tensors = [torch.ones(1).half(), torch.ones(1, dtype=torch.complex64), torch.ones(1).int()]
    dtypes = [torch.float64, torch.complex128, torch.int32]
    assert [doubled(tensor).dtype for tensor in tensors] == dtypes
    assert (parameters_of(torch.nn.Linear(2, 3)), parameters_of(torch.sin)) == (9, 0)


class Second(torch.nn.Module):
    """Reads some of its arguments."""

    def forward(self, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return z - y


class Nested(torch.nn.Module):
    def forward(self, x: Tensor, pairs: Any, mode: str, last: Any = None) -> Any:
        return pairs["b"][1] - last


class Times(torch.nn.Module):
    def forward(self, x: Tensor, count: int, y: Tensor) -> Tensor:
        return y * count


def inputs_of(model: Any, args: Any, file: Path, **options: Any) -> list[str]:
    """Return the names of the inputs that the TorchScript exporter writes."""
    torch.onnx.export(model, args, str(file), dynamo=False, verbose=False, **options)
    return [value.name for value in onnx.load(file).graph.input]


def traced() -> Any:
    trace: Any = torch.jit.trace
    return trace(Second(), THREE)


X = torch.ones(2)
THREE = (X, X, X)
PAIRS = {"b": (X, X), "a": (X, X)}
MODELS: dict[str, Any] = {
    "traced": (Second, THREE, {}, [1, 2]),
    "some_names": (Second, THREE, {"input_names": ["x", "second"]}, [1, 2]),
    "torch.jit.trace": (traced, THREE, {}, [1, 2]),
    "torch.jit.script": (lambda: torch.jit.script(Second()), THREE, {}, [1, 2]),
    "nested": (Nested, (X, PAIRS, "mode"), {"kwargs": {"last": X}}, [2, 5]),
}
"""Makers of models, arguments, options of the exporter, and the places of the tensors that are
inputs.
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_inputs_that_the_exporter_leaves_out(name: str, tmp_path: Path) -> None:
    make, args, options, places = MODELS[name]
    model = make()
    inputs = inputs_of(model, args, tmp_path / "m.onnx", **options)
    call = ModelCall(model, args, options.get("kwargs"), options.get("input_names", ()))
    names = call.names_of(inputs)
    assert len(names) == len(call.tensors)
    assert [names.index(name) for name in inputs] == places


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names", [[], ["x", "count", "y"]], ids=["without_names", "with_names"])
def test_a_number_that_is_an_input(names: list[str], tmp_path: Path) -> None:
    args = (X, 3, X)
    inputs = inputs_of(Times(), args, tmp_path / "m.onnx", input_names=names)
    with pytest.raises(ValueError, match="only tensors are compared: pass 3 as a tensor"):
        ModelCall(Times(), args, input_names=names).names_of(inputs)
