"""Corrections of the program that the dynamo exporter returns."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from onnxop_runtime import export

from .graphs import Calling, check_values, registered
from .samples import asinh

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.linspace(-1, 1, 6).reshape(2, 3)


def test_outputs_have_pytorch_s_dtype() -> None:
    """The exporter's last cast may be of a float32 input."""

    def compute(x: Tensor) -> Tensor:
        return torch.asinh(x).double()

    with registered(asinh()):
        program = export(Calling(compute).eval(), X, opset_version=18)
    assert program is not None
    check_values(program.model_proto, compute, X)


def test_an_input_that_is_an_output_keeps_its_name() -> None:
    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        return x, torch.asinh(x)

    with registered(asinh()):
        program = export(Calling(both).eval(), X, input_names=["x"], opset_version=18)
    assert program is not None
    assert [value.name for value in program.model.graph.inputs] == ["x"]


def test_bodies_are_in_the_program() -> None:
    with registered(asinh(default_domain="acme")):
        program = export(Calling(torch.asinh).eval(), X, opset_version=18)
    assert program is not None
    assert [key[:2] for key in program.model.functions] == [("acme", "asinh")]
    assert program.model.opset_imports["acme"] == 1
    assert "onnxop.aten::asinh" in program.model.metadata_props


def test_weights_stay_in_their_order() -> None:
    class Large(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(20, 20)
            self.last = torch.nn.Linear(20, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(torch.asinh(self.first(x)))  # type: ignore[no-any-return]

    with registered(asinh(default_domain="acme")):
        program = export(Large().eval(), torch.ones(2, 20), opset_version=18)
    assert program is not None
    names = [name for name in program.model.graph.initializers if "." in name]
    assert names == ["first.weight", "first.bias", "last.weight", "last.bias"]
    assert all(program.model.graph.initializers[name].const_value is not None for name in names)
