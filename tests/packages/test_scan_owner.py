"""`onnxop scan` exports a model as its owner does, and where that is refused, in other ways."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from onnxop.scan.attempts import whole_model
from onnxop.scan.model import target
from onnxop.scan.model.exports import Export
from onnxop.trial import trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop_runtime import processes
from tests.packages.scanning import scanned
from tests.programs import program
from tests.warm import Warm

CALLED = program("scan/called")


def called(function: str, warm: Warm, folder: Path) -> tuple[list[dict[str, str]], list[str]]:
    """Return the outcomes for the whole model, and the last paragraph."""
    model = f"{CALLED}\n\nbuild = {function}\n"
    status, output = scanned(model, warm, folder, "--static")
    assert status == 0
    return output["whole"], output["next"]


@pytest.mark.nightly
def test_a_model_is_exported_as_its_owner_exports_it(warm: Warm, tmp_path: Path) -> None:
    (dynamo, torchscript), last = called("keywords", warm, tmp_path)
    assert (dynamo["kind"], dynamo["how"]) == ("right", "")
    assert (torchscript["kind"], torchscript["how"]) == ("right", "tensors")
    assert torchscript["refused"] == "KeyError: 'a'"
    assert (
        last[1]
        == '  torch.onnx.export(model, args, "model.onnx", kwargs=kwargs, opset_version=20, dynamo=True)'
    )


@pytest.mark.nightly
def test_a_model_that_exports_without_gradients_alone(warm: Warm, tmp_path: Path) -> None:
    whole, last = called("writes", warm, tmp_path)
    assert [(outcome["kind"], outcome["how"]) for outcome in whole] == [("right", "no_grad")] * 2
    assert "a leaf Variable that requires grad" in whole[0]["refused"]
    assert last[1] == "  with torch.no_grad():"


@pytest.mark.parametrize("function", ["numbers", "dictionary"])
def test_numbers_and_dictionaries_among_the_arguments(function: str) -> None:
    owner = target.load(f"tests.programs.scan.called:{function}")
    exports = [Export("dynamo", 20), Export("TorchScript", 20)]
    outcomes = whole_model.try_exports(owner, exports, lambda _: None)
    assert [(outcome.kind, outcome.how) for outcome in outcomes.values()] == [("right", "")] * 2


@pytest.mark.nightly
def test_a_model_is_exported_before_its_first_call(warm: Warm, tmp_path: Path) -> None:
    """It keeps a table: with it, an export would have no erfinv."""
    _, output = scanned(program("scan/keeps_state"), warm, tmp_path, "--exporter", "dynamo")
    assert [outcome["kind"] for outcome in output["whole"]] == ["export"]
    (finding,) = output["findings"]
    assert finding["op"] == "aten::erfinv"


@pytest.mark.nightly
def test_a_result_that_depends_on_no_input(warm: Warm, tmp_path: Path) -> None:
    """The model is tried without it. PyTorch's error says "output 1" of any result."""
    model = program("scan/remaining") + "\n\nbuild = loss\n"
    status, output = scanned(model, warm, tmp_path, "--static", "--exporter", "TorchScript")
    (outcome,) = output["whole"]
    assert (status, outcome["kind"], outcome["how"], outcome["dropped"]) == (
        0,
        "right",
        "results",
        [2],
    )
    assert "output 1 " in outcome["refused"]
    assert output["next"][1].endswith("without result 2, which no input changes")
    assert output["next"][2].startswith("  torch.onnx.export(plain, tensors, ")


def test_a_model_that_keeps_a_tensor_without_values() -> None:
    """The export leaves one of the trace in it, with which PyTorch computes no values, either."""

    class Anchors(torch.nn.Module):
        anchors = torch.zeros(0)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if len(self.anchors) != len(x):
                self.anchors = torch.arange(len(x)) * x.new_ones(1)
            return self.anchors * 2

    call = Call(Anchors().eval(), (torch.rand(3),), is_as_written=True)
    with processes.quiet():
        assert trial.try_export(call, "dynamo", 20) == Outcome("right")
