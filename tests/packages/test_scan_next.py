"""The last paragraph of a scan: what to do next."""

from __future__ import annotations

from pathlib import Path

import onnxruntime  # type: ignore[import-untyped]
import pytest
import torch

from onnxop.scan import following
from onnxop.scan.dynamic_argument import dynamic_argument
from onnxop.scan.report import Export, Finding, Remedy, Report
from onnxop.scan.target import Target
from onnxop.trial.outcome import Outcome, short
from onnxop_runtime import processes


class Attended(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return (x @ weight).softmax(-1)


class OfAny(torch.nn.Module):
    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return tensors[0] + 1


DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
PAIR = torch.rand(2, 3), torch.rand(3, 4)


@pytest.mark.parametrize("export", [DYNAMO, TORCHSCRIPT], ids=str)
def test_the_argument_of_dynamic_dimensions_is_code(export: Export, tmp_path: Path) -> None:
    """An export with it takes other sizes."""
    told = dynamic_argument(Target("net", Attended(), PAIR), {0: {0}, 1: {1}}, export)
    code = told.removeprefix("and add ").partition(", where ")[0]
    options = eval(f"dict({code})", {"AUTO": torch.export.Dim.AUTO})
    path = tmp_path / "net.onnx"
    with processes.quiet():
        is_dynamo = export.exporter == "dynamo"
        torch.onnx.export(Attended(), PAIR, path, dynamo=is_dynamo, **options)
    session = onnxruntime.InferenceSession(path)
    others = torch.rand(5, 3), torch.rand(3, 7)
    names = [one.name for one in session.get_inputs()]
    feeds = {name: tensor.numpy() for name, tensor in zip(names, others, strict=True)}
    (result,) = session.run(None, feeds)
    torch.testing.assert_close(torch.tensor(result), Attended()(*others))


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Target("net", OfAny(), PAIR), "input 0"),
        (Target("net", Attended(), (PAIR[0],), {"weight": PAIR[1]}), "x"),
        (Target("net", Attended(), ([PAIR[0]], PAIR[1])), "x[0]"),
    ],
)
def test_arguments_that_are_no_plain_tensors(target: Target, name: str) -> None:
    """Their dimensions are named."""
    told = dynamic_argument(target, {0: {0, 1}}, DYNAMO)
    assert told == f"with dimension 0 of {name} and dimension 1 of {name} in dynamic_shapes"


class Called:
    """A call of an operator, as a finding has it."""

    def __init__(self, op: str) -> None:
        self.op, self.places = op, ()


def test_calls_of_one_remedy_are_one_line() -> None:
    """A call that the other exporter has right is no hindrance there."""
    complex_parts = Remedy("none", "compute with real and imaginary parts")
    wrong = {DYNAMO: Outcome("values", "wrong"), TORCHSCRIPT: Outcome("export", "refused")}
    dynamo = Remedy("exporter", "the dynamo exporter", (str(TORCHSCRIPT),))
    refused = {TORCHSCRIPT: Outcome("export", "refused")}
    scan = Report("net", whole=wrong)
    scan.findings = [
        Finding(Called("aten::stft"), refused, (dynamo, complex_parts)),  # type: ignore[arg-type]
        Finding(Called("aten::angle"), wrong, (complex_parts,)),  # type: ignore[arg-type]
        Finding(Called("aten::istft"), wrong, (complex_parts,)),  # type: ignore[arg-type]
    ]
    assert [*following.steps(scan, None, None)] == [
        "Next: change what blocks a right file:",
        "  aten::angle and aten::istft: compute with real and imaginary parts",
    ]


NO_NODE = "Fatal error: acme:Snap(-1) is not a registered function/op"
OF_LOADING = f"[ONNXRuntimeError] : 1 : FAIL : Load model from /tmp/x/model.onnx failed:{NO_NODE}"
OF_RUNNING = (
    "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Reshape node. "
    "Name:'/Reshape' Status Message: /onnxruntime_src/onnxruntime/core/reshape_helper.h:91 "
    "onnxruntime::ReshapeHelper::ReshapeHelper(const onnxruntime::TensorShape&, bool) "
    "size == requested was false. The input tensor cannot be reshaped"
)
OF_SHAPES = "Reshape node /Reshape: The input tensor cannot be reshaped"


@pytest.mark.parametrize(("text", "shown"), [(OF_LOADING, NO_NODE), (OF_RUNNING, OF_SHAPES)])
def test_an_error_of_onnx_runtime_is_told_without_its_source(text: str, shown: str) -> None:
    assert short(text) == shown
