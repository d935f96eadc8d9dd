"""A file that somebody else's code exports, compared with PyTorch."""

from __future__ import annotations

import io
from typing import Any

import onnx
import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.call.watched import ExportCall
from onnxop_runtime.verification import exported
from onnxop_runtime.verification.exported import ModelCall, NotCompared

FILE = """
<ir_version: 8, opset_import: ["": 18]>
graph (float[n, 2] x) => (float[n, 2] y) { y = OP (x) }
"""


class Net(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.relu()


def call(model: torch.nn.Module, **options: Any) -> ModelCall:
    return ModelCall(ExportCall(True, model.eval(), (torch.randn(3, 2),), None, options))


def file(op: str) -> bytes:
    content: bytes = onnx.parser.parse_model(FILE.replace("OP", op)).SerializeToString()
    return content


def test_a_right_file_is_right_at_other_sizes() -> None:
    verdict, comparisons = exported.verify(call(Net()), file("Relu"))
    assert str(verdict) == "right: PyTorch's values, worst absolute error 0.0e+00, also at x[4, 2]"
    assert [comparison.sizes for comparison in comparisons] == ["", "x[4, 2]"]


def test_a_wrong_file() -> None:
    verdict, _ = exported.verify(call(Net()), file("Neg"))
    assert str(verdict).startswith("WRONG: ")


def test_a_file_that_runtimes_refuse() -> None:
    verdict = exported.verdict_of(b"nothing", [])
    assert str(verdict).startswith("WRONG: ONNX Runtime does not load it: ")


class Counting(torch.nn.Module):
    """Returns other values at each call."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def forward(self, x: Tensor) -> Tensor:
        self._count += 1
        return x + self._count


def test_values_that_differ_from_call_to_call() -> None:
    with pytest.raises(NotCompared, match="PyTorch's own values differ from call to call"):
        exported.verify(call(Counting()), file("Neg"))


def test_inputs_of_another_model() -> None:
    with pytest.raises(NotCompared, match="the file has the inputs"):
        call(Net()).names_of(["x", "z"])


class UsesOne(torch.nn.Module):
    def forward(self, unused: Tensor, x: Tensor) -> Tensor:
        return x.relu()


def test_a_file_without_an_unused_input() -> None:
    args = (torch.randn(5), torch.randn(3, 2))
    one = ModelCall(ExportCall(True, UsesOne().eval(), args, None, {}))
    verdict, comparisons = exported.verify(one, file("Relu"))
    assert str(verdict).endswith("worst absolute error 0.0e+00, also at x[4, 2]")
    assert [[*comparison.feeds] for comparison in comparisons] == [["x"], ["x"]]


def test_a_comparison_leaves_the_model_as_it_was() -> None:
    model = torch.nn.BatchNorm1d(2).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ModelCall(ExportCall(True, model, (torch.randn(3, 2),), None, {})).results([torch.randn(3, 2)])
    assert model.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_bytes_of() -> None:
    assert exported.bytes_of(io.BytesIO(b"model")) == b"model"
    assert exported.bytes_of("m.onnx") == "m.onnx"
