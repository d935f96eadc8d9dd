"""Calls of models that are repeated."""

from __future__ import annotations

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
