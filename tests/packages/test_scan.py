"""`onnxop scan`, on models with ops that do not export, or export wrong."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.scan.calls import recorded_calls, traces
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.calls.recorded_calls import RecordedCall
from onnxop.scan.causes import ties
from onnxop.scan.model.exports import Export
from onnxop.scan.pages import page
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.report import Report
from onnxop.trial import places, trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes
from tests.conftest import Environment
from tests.documents import assert_shown, blocks
from tests.packages.scanning import NET, scanned
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm

PAGE = "generator/FIND.md"
(MODEL,) = blocks(PAGE, "py")
COMMANDS = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]


@pytest.mark.parametrize(
    "command", [nightly(line) if "--build" in line else line for line in COMMANDS]
)
def test_commands_of_the_page(
    command: str, warm: Warm, environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "models.py").write_text(MODEL, encoding="utf-8")
    program, *arguments = shlex.split(command)
    assert program == "onnxop"
    told = warm.checked("-m", "onnxop", *arguments, cwd=tmp_path)
    if "scan" in arguments:
        (shown,) = blocks(PAGE, "text")
        assert_shown(shown, told)
        environment.run("-m", "pip", "uninstall", "--yes", "models_ops", cwd=tmp_path)


WITHOUT_EXPORT = program("scan/without_export")


COMPUTED = program("scan/computed")


@pytest.mark.nightly
def test_specs_for_what_torch_export_does_not_trace(warm: Warm, tmp_path: Path) -> None:
    """A kernel that PyTorch's operators compose is traced instead; a spec comes with those it needs."""
    _, output = scanned(COMPUTED, warm, tmp_path, "--exporter", "dynamo", "--write", "specs")
    (note,) = output["notes"]
    assert note.startswith("torch.export cannot trace the model: ")
    remedies = {finding["op"]: finding["remedies"][0]["kind"] for finding in output["findings"]}
    assert remedies == {"aten::linalg_lstsq": "gallery", "aten::linalg_svdvals": "gallery"}
    names = {file.name for file in (tmp_path / "specs").iterdir()}
    assert names == {"linalg_lstsq.toml", "linalg_svdvals.toml", "linalg_svd_factors.toml"}


@pytest.mark.nightly
def test_a_model_that_torch_export_refuses(warm: Warm, tmp_path: Path) -> None:
    status, output = scanned(WITHOUT_EXPORT, warm, tmp_path)
    assert status == 1  # with a spec, the file has one side of the condition
    kept, note, left = output["notes"]
    assert "these values reach another side of the condition at net.py:8" in left
    assert kept.startswith("net.py:8: torch.jit.trace turns values into constants here. ")
    assert note.startswith("torch.export cannot trace the model: ")
    assert note.endswith(
        " It stops at net.py:8: if float(x.sum()) > 0:  # which torch.export refuses. Change this line; "
        "no spec helps. Compute what both sides need, and choose with torch.where. Scan tried the calls "
        "that torch.jit.trace records instead."
    )
    assert [outcome["kind"] for outcome in output["whole"]] == ["export"] * 2
    (erfinv,) = output["findings"]
    assert erfinv["op"] == "aten::erfinv"
    assert erfinv["count"] == 2
    assert [place["line"] for place in erfinv["places"]] == [11]
    assert {outcome["exporter"] for outcome in erfinv["outcomes"]} == {"dynamo", "TorchScript"}
    assert [remedy["kind"] for remedy in erfinv["remedies"]] == ["gallery"]


EQUALS = program("scan/equals")


@pytest.mark.nightly
def test_an_order_of_equal_values(warm: Warm, tmp_path: Path) -> None:
    """Which of them come first is for each runtime to say."""
    status, output = scanned(EQUALS, warm, tmp_path)
    assert (status, output["findings"]) == (0, [])
    assert [outcome["kind"] for outcome in output["whole"]] == ["order"] * 2
    assert "of 300 elements differ" in output["whole"][0]["why"]


@pytest.mark.nightly
def test_values_that_hang_on_the_order_of_equal_ones(warm: Warm, tmp_path: Path) -> None:
    """They are right if they are PyTorch's in ONNX's order."""
    model = EQUALS.replace("x.topk(300).indices", "torch.arange(4e3)[x.topk(300).indices]")
    status, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript")
    assert (status, output["findings"]) == (0, [])
    assert [outcome["kind"] for outcome in output["whole"]] == ["order"]


def test_calls_that_sort_equal_values_of_a_model_that_is_wrong() -> None:
    export = Export("TorchScript", 20)
    topk: Any = torch.ops.aten.topk.default
    call = RecordedCall(topk, (torch.ones(9), 3), {}, frozenset())
    call.places.append(Place("net.py", 7, "x.topk(3)"))
    wrong = Outcome("values")
    of_net = Report(NET, {export: wrong}, traced=TracedModel({"TorchScript": [call]}))
    assert ties.cause(FailedExport(of_net, export, wrong)) is None
    of_net.alone = of_net.alone.with_outcome(call, export, Outcome("order"))
    cause = ties.cause(FailedExport(of_net, export, wrong))
    assert cause is not None
    assert cause.places == (Place("net.py", 7, "x.topk(3)"),)
    note = str(cause)
    assert (
        "results hang on the order of equal values, which aten::topk (net.py:7: x.topk(3))" in note
    )
    assert "stable=True), and the first k of it for topk" in note


def test_attention_is_traced_as_the_exporter_traces_it() -> None:
    """Its fast path, without gradients, has an operator of its own."""
    attention = torch.nn.MultiheadAttention(4, 2).eval()
    with processes.quiet():
        traced = traces.calls_in_trace(Call(attention, (torch.rand(3, 1, 4),) * 3))
    assert "aten::_native_multi_head_attention" not in [call.op for call in traced]


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        return x.exp() * 2, x.relu()


def test_operators_within_an_autograd_function() -> None:
    """The TorchScript exporter exports them, so a trace records them."""

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            twice, positive = Twice.apply(x)
            return twice - positive

    with processes.quiet():
        traced = traces.calls_in_trace(Call(Net().eval(), (torch.rand(3),)))
    assert [call.op for call in traced] == ["aten::exp", "aten::mul", "aten::relu", "aten::sub"]


def test_results_that_nothing_uses() -> None:
    """A spec may leave them out."""

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return x.max(0)[0], x.sort(0)[1], *x.min(0)

    model = Call(Net().eval(), (torch.rand(3, 4),))
    for record in (recorded_calls.calls_in_program, traces.calls_in_trace):
        with processes.quiet():
            by_op = {call.op: call for call in record(model)}
        counts = {op: len(call.as_model_call().returned()) for op, call in by_op.items()}
        assert counts == {"aten::max": 1, "aten::sort": 1, "aten::min": 2}


COMPLEX = program("scan/complex")


@pytest.mark.nightly
def test_complex_numbers_within_a_model(warm: Warm, tmp_path: Path) -> None:
    """The dynamo exporter writes them as pairs. What the call of an alias lacks is its operator's."""
    status, output = scanned(COMPLEX, warm, tmp_path, "--write", "specs", "--build")
    assert status == 0
    erfinv, *others = sorted(output["findings"], key=lambda finding: "erfinv" not in finding["op"])
    assert [remedy["text"] for remedy in erfinv["remedies"]] == [
        "the gallery's spec: onnxop new --from aten::erfinv"
    ]
    assert len(others) > 2
    for finding in others:
        assert [outcome["exporter"] for outcome in finding["outcomes"]] == ["TorchScript"]
        assert [remedy["text"] for remedy in finding["remedies"]] == ["the dynamo exporter"]
    assert [*output["written"]] == ["specs/erfinv.toml"]
    dynamo, torchscript = output["package"]["whole"]
    assert (dynamo["kind"], torchscript["kind"]) == ("right", "export")
    assert dynamo["why"].startswith("complex tensors are pairs of real numbers")


@pytest.mark.nightly
def test_complex_numbers_of_which_there_is_no_spec(warm: Warm, tmp_path: Path) -> None:
    model = COMPLEX.replace("pairs.conj()", "torch.linalg.eigvals(x.mT @ x)")
    _, output = scanned(model, warm, tmp_path, "--exporter", "dynamo")
    (remedies,) = [f["remedies"] for f in output["findings"] if f["op"] == "aten::linalg_eigvals"]
    (text,) = [one["text"] for one in remedies]
    assert text.startswith("ONNX Runtime does not support complex tensors; compute with real")


REASONS = program("scan/reasons")
PACKED = program("scan/packed")


@pytest.mark.everything
def test_why_there_is_no_spec(warm: Warm, tmp_path: Path) -> None:
    """It is the exporter's own reason, or the specs'; not that of another exporter, or of a trace."""
    _, output = scanned(REASONS, warm, tmp_path, "--exporter", "dynamo", "--static")
    remedies = {finding["op"]: finding["remedies"][-1]["text"] for finding in output["findings"]}
    assert remedies["aten::istft"].startswith(
        "specs do not support complex tensors, and the dynamo exporter, which writes"
    )
    why = "no spec can describe it: op.schema: argument hx is of type Tensor[], which can only be"
    assert why in remedies["aten::lstm"]


@pytest.mark.everything
def test_what_no_spec_helps_with(warm: Warm, tmp_path: Path) -> None:
    """Of a call alone there might be one; the model is not taken for another reason."""
    _, output = scanned(PACKED, warm, tmp_path, "--exporter", "dynamo", "--static")
    remedies = {finding["op"]: finding["remedies"][-1]["text"] for finding in output["findings"]}
    assert "aten::_pack_padded_sequence" in remedies
    assert {*remedies.values()} == {
        "first change the model so that the exporter can trace it; see the note below"
    }


def test_a_long_line_is_told_once() -> None:
    line = places.Place("net.py", 3, "return x" + " + x" * 70)
    told: set[places.Place] = set()
    first, *_ = page._places([line], told)
    again, *_ = page._places([line], told)
    assert line.code in first
    assert len(again) < 110
    assert again.endswith("... (as above)")


UNLIKE_ALONE = program("scan/unlike_alone")


@pytest.mark.nightly
def test_a_model_that_is_right_where_a_call_alone_is_not(warm: Warm, tmp_path: Path) -> None:
    status, output = scanned(UNLIKE_ALONE, warm, tmp_path, "--exporter", "TorchScript", "--build")
    assert (status, output["findings"], output["written"]) == (0, [], {})
    assert output["notes"] == []
    assert output["whole"][0]["why"] == trial.EMPTY


EMPTY = program("scan/empty")


@pytest.mark.nightly
def test_a_call_of_nothing_is_no_finding(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(EMPTY, warm, tmp_path, "--exporter", "dynamo")
    assert output["findings"] == []


SIZES = program("scan/sizes")


@pytest.mark.nightly
def test_a_call_that_is_right_alone_and_not_in_the_model(warm: Warm, tmp_path: Path) -> None:
    """The gallery's specs are tried on the model. What makes it right at one size alone is no remedy."""
    options = ["--exporter", "TorchScript"]
    status, output = scanned(SIZES, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (status, output["notes"], finding["op"]) == (0, [], "aten::col2im")
    assert [place["line"] for place in finding["places"]] == [10]
    assert finding["outcomes"][0]["why"].startswith(
        "exported with dynamic dimensions: refused: TypeError"
    )
    assert [remedy["text"] for remedy in finding["remedies"]] == [
        "the gallery's spec: onnxop new --from aten::col2im",
    ]
    mended = SIZES.replace("(h, w)", "(int(h), int(w))")
    status, output = scanned(mended, warm, tmp_path, *options)
    assert (status, [one["kind"] for one in output["whole"]]) == (0, ["example"])
    assert output["notes"] == []  # with the spec, no line is wrong for other sizes
    assert output["next"][-1] == "It exports this model right (TorchScript, opset 20)."
    assert scanned(mended, warm, tmp_path, *options, "--static")[0] == 0


DYNAMIC = program("scan/dynamic")


@pytest.mark.nightly
def test_a_call_that_is_right_at_one_size_alone(warm: Warm, tmp_path: Path) -> None:
    """It is tried at both that the model takes, and so is the remedy."""
    options = ["--exporter", "TorchScript", "--write", "specs", "--build", "--name", "unfolding"]
    status, output = scanned(DYNAMIC, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (finding["op"], finding["call"]) == ("aten::unfold", "float32[6, 5], 1, 3, 1")
    assert finding["outcomes"][0]["why"].startswith("exported with dynamic dimensions: refused: ")
    assert [remedy["kind"] for remedy in finding["remedies"]] == ["gallery"]
    assert output["whole"][0]["kind"] == "example"
    assert (status, output["package"]["whole"][0]["kind"]) == (0, "right")
    assert " ".join(output["inputs"].split()) == (
        "Tried with float32[6, 5]. Tried with dynamic dimensions: float32[6, 8]. Static, as all "
        "sets have one size there: dimension 0 of x."
    )
