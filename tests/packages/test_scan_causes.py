"""What `onnxop scan` says of a model that fails: the cause, one finding a cause, and what to do next."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop import cli
from onnxop.scan.attempts import single_calls, whole_model
from onnxop.scan.calls import recorded_calls, traces
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.calls.own_functions import OwnFunctionCall
from onnxop.scan.causes import exporter_errors, failing_node, switches, unknown_nodes, vmapped
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.scan.pages import blocking
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.report import Report
from onnxop.trial import places
from onnxop.trial.call import Call, format_value
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes
from tests.packages.scanning import NET, scanned
from tests.programs import program
from tests.warm import Warm


def test_random_numbers_are_the_cause(warm: Warm, tmp_path: Path) -> None:
    """And no list of likely causes."""
    status, output = scanned(program("scan/random_operator"), warm, tmp_path, "--static")
    assert status == 1
    notes = output["notes"]
    assert [note.partition(":")[0] for note in notes] == [
        "dynamo, opset 20",
        "TorchScript, opset 20",
    ]
    assert "aten::randn" in "".join(output["next"])
    for note in notes:
        assert "draws random numbers: aten::randn (net.py:8: return x @ torch.randn(4, 4))" in note
        assert "self.register_buffer" in note
        assert "Likely causes" not in note


@pytest.mark.nightly
def test_a_random_operator_that_fails_alone(warm: Warm, tmp_path: Path) -> None:
    """No spec is sought for it."""
    model = program("scan/random_operator") + "\n\nbuild = normal\n"
    _, output = scanned(model, warm, tmp_path, "--static", "--exporter", "TorchScript")
    (finding,) = output["findings"]
    (remedy,) = finding["remedies"]
    assert (finding["op"], remedy["kind"]) == ("aten::normal", "rewrite")
    assert remedy["text"].startswith("in the model, draw the numbers once")


@pytest.mark.nightly
def test_results_that_are_random_in_pytorch_too(warm: Warm, tmp_path: Path) -> None:
    """Scan says that it compares nothing of them, and which operator draws them."""
    model = program("scan/random_operator") + "\n\nbuild = noise\n"
    status, output = scanned(model, warm, tmp_path, "--static", "--exporter", "dynamo")
    assert (status, output["whole"][0]["kind"]) == (0, "random")
    told = " ".join(output["next"])
    assert (
        "Of all results, dtypes and shapes alone were compared, as values differ from call" in told
    )
    assert "aten::randn_like (net.py:" in told


@pytest.mark.nightly
def test_the_operator_that_the_error_names_comes_first(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(program("scan/or_of_a_bool"), warm, tmp_path, "--exporter", "TorchScript")
    first = output["findings"][0]
    assert first["op"] == "aten::__or__"
    assert "aten::embedding" not in [finding["op"] for finding in output["findings"]]
    texts = [remedy["text"] for remedy in first["remedies"]]
    assert texts == ["in the model, torch.bitwise_or(x, torch.tensor(value))"]


@pytest.mark.nightly
def test_a_node_that_no_library_has(warm: Warm, tmp_path: Path) -> None:
    status, output = scanned(program("scan/vendor_node"), warm, tmp_path)
    (note,) = output["notes"]
    assert note.startswith(
        "TorchScript, opset 20: the file has the node acme::Snap, which no library"
    )
    assert "The symbolic of net.Snap writes it (net.py:" in note
    assert 'domain = "acme" and op_type = "Snap"' in note
    assert "Likely causes" not in note
    assert [called["name"] for called in output["functions"]] == ["net.Snap.apply"]
    assert status == 0  # the dynamo exporter writes a right file
    assert output["next"][1].endswith("opset_version=20, dynamo=True)")


class _Chip(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.round()

    @staticmethod
    def symbolic(g: Any, x: Any) -> Any:
        return g.op("edgechip::Round", g.op("aten::relu", x))


def test_a_vendor_s_node_in_a_model_that_is_refused_before_it_is_written() -> None:
    """Both ways are told, those to keep the node beside those to replace the function."""
    called = OwnFunctionCall("net.Chip.apply", "", _Chip.apply, (), {}, ())
    export = Export("TorchScript", 20)
    scan = Report(NET, whole={export: Outcome("export", "no rule for aten::lift_fresh")})
    told = unknown_nodes.to_keep(scan, called)
    assert told.startswith(". Or keep the node edgechip::Round that its symbolic writes")
    assert 'domain = "edgechip" and op_type = "Round"' in told
    assert "aten" not in told
    error = "Fatal error: edgechip:Round(-1) is not a registered function/op"
    scan.whole[export] = Outcome("runtime", error)
    assert not unknown_nodes.to_keep(scan, called)  # the cause says it


@pytest.mark.nightly
def test_no_call_is_called_right_that_was_not_recorded(warm: Warm, tmp_path: Path) -> None:
    """The specs of the operators that errors name are tried on the model."""
    options = ["--exporter", "TorchScript"]
    status, output = scanned(program("scan/scripted_loop"), warm, tmp_path, *options)
    assert status == 0
    assert not [note for note in output["notes"] if "is right alone" in note]
    assert output["notes"][-1] == (
        "TorchScript, opset 20: the model is right with the gallery's spec: onnxop new --from aten::erfinv."
    )
    assert output["next"][1] == "  onnxop scan net:build --write specs --build"


@pytest.mark.nightly
def test_one_cause_is_one_finding(warm: Warm, tmp_path: Path) -> None:
    """A remedy is for an exporter that was requested."""
    options = ["--exporter", "TorchScript", "--static"]
    _, output = scanned(program("scan/neighbours"), warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (finding["op"], len(finding["alike"]), finding["count"]) == ("aten::index_add", 1, 2)
    assert [remedy["kind"] for remedy in finding["remedies"]] == ["gallery"]


@pytest.mark.nightly
def test_a_quantised_model(warm: Warm, tmp_path: Path) -> None:
    """Its calls cannot be tried alone, which is no finding; no line of Python's own is to be changed."""
    status, output = scanned(program("scan/quantised"), warm, tmp_path, "--static")
    assert status == 0
    ops = {finding["op"] for finding in output["findings"]}
    assert ops <= {"aten::quantize_per_tensor"}
    assert "contextlib" not in json.dumps(output)


@pytest.mark.nightly
def test_packed_weights(warm: Warm, tmp_path: Path) -> None:
    """The file is to be quantised, not the model: no call is called right that was not tried."""
    status, output = scanned(program("scan/packed_weights"), warm, tmp_path, "--static")
    assert status == 1
    assert len(output["notes"]) == 2
    for note in output["notes"]:
        assert 'onnxruntime.quantization.quantize_dynamic("model.onnx", "quantised.onnx")' in note
        assert "right alone" not in note
    (cause,) = [line for line in output["next"] if "quantize_dynamic" in line]
    assert cause


class Mapped(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.vmap(lambda row: row @ row)(x)


def test_a_call_of_vmap_is_the_cause() -> None:
    """Of a file that fails for other sizes; of one that refuses a value it is not."""
    args, export = (torch.rand(2, 3),), Export("dynamo", 20)
    mapped = Report(target.Target("net", Mapped(), args, {}))
    for_sizes = Outcome("example", "wrong", "sizes")
    cause = vmapped.cause(FailedExport(mapped, export, for_sizes))
    assert "return torch.vmap(lambda row: row @ row)(x). Write the function for" in str(cause)
    for_values = Outcome("example", "wrong", "values")
    assert vmapped.cause(FailedExport(mapped, export, for_values)) is None
    plain = Report(target.Target("net", torch.nn.ReLU(), args, {}))
    assert vmapped.cause(FailedExport(plain, export, for_sizes)) is None


@pytest.mark.nightly
def test_sparse_tensors(warm: Warm, tmp_path: Path) -> None:
    """What scan says to write instead is right in both exporters."""
    options = "--static", "--exporter", "dynamo"
    status, output = scanned(program("scan/sparse"), warm, tmp_path, *options)
    assert status == 1
    remedies = {finding["op"]: finding["remedies"][-1] for finding in output["findings"]}
    assert "aten::sparse_coo_tensor" in remedies
    for remedy in remedies.values():
        assert remedy["kind"] == "none"
        assert "exporters and specs do not support sparse tensors" in remedy["text"]
    assert output["next"][0] == "Next: change what blocks a right file:"
    dense = program("scan/sparse") + "\n\nbuild = dense\n"
    status, _ = scanned(dense, warm, tmp_path, "--exporter", "dynamo")
    assert status == 0


@pytest.mark.nightly
def test_an_exporter_in_which_specs_mend_the_model(warm: Warm, tmp_path: Path) -> None:
    """The other one has calls that no spec mends, which is no hindrance."""
    status, output = scanned(program("scan/mended_by_one_exporter"), warm, tmp_path)
    assert status == 0
    assert output["next"][0] == "Next: build a package of the specs with"
    assert output["next"][-1] == "It exports this model right (TorchScript, opset 20)."


def test_a_time_limit_ends_with_what_is_known(warm: Warm, tmp_path: Path) -> None:
    begin = time.monotonic()
    status, output = scanned(program("scan/scripted_loop"), warm, tmp_path, "--time-limit", "0.5")
    assert output["stopped"] == "--time-limit 0.5"
    assert output["next"][0].startswith("Stopped by --time-limit 0.5")
    assert status == 1
    assert time.monotonic() - begin < 60


@pytest.mark.nightly
def test_a_time_limit_ends_the_load_of_a_model(warm: Warm, tmp_path: Path) -> None:
    begin = time.monotonic()
    model = "import time\n\n\ndef build():\n    time.sleep(300)\n"
    status, output = scanned(model, warm, tmp_path, "--time-limit", "0.5", "--write", "specs")
    assert (status, output["whole"], output["written"]) == (1, [], {})
    assert output["next"] == [
        "Stopped by --time-limit 0.5, before the model was loaded.",
        "Next: scan again, with more time.",
    ]
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "x", "inf"])
def test_a_time_limit_that_is_none(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["scan", "net:build", f"--time-limit={seconds}"])
    assert "is no number of seconds above 0" in capsys.readouterr().err


def test_a_module_as_an_argument_is_its_type() -> None:
    layers = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(40)])
    assert format_value([layers, torch.ones(2)]) == "[Sequential, float32[2]]"
    assert "\n" not in format_value(layers.state_dict())


def test_the_line_to_change_is_no_line_of_python() -> None:
    import contextlib

    frames = [(__file__, 1), (str(contextlib.__file__), 137)]
    place = places.of_frames(frames)
    assert place is not None
    assert (place.line, place.through) == (1, "")
    assert places.of_frames(frames[1:]) is None


def test_calls_are_tried_in_order_of_suspicion() -> None:
    """Those first that an error names or that have no rule, and then those that the gallery has a spec for."""

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return x.tanh() + torch.special.bessel_j0(x) + x.logcumsumexp(1) + x.expm1() + x.abs()

    export = Export("TorchScript", 20)
    with processes.quiet():
        recorded = traces.calls_in_trace(Call(Net().eval(), (torch.rand(3, 4),)))
        jobs = [single_calls.Attempt(call, export) for call in recorded]
        order = [
            one.call.op for one, _ in single_calls.try_each(jobs, lambda _: None, "", {"aten::abs"})
        ]
    without_rule = {"aten::special_bessel_j0", "aten::logcumsumexp", "aten::expm1"}
    assert set(order[:4]) == {"aten::abs", *without_rule}
    assert set(order[4:]) == {"aten::tanh", "aten::add"}


@pytest.mark.nightly
def test_no_package_is_built_that_cannot_help(warm: Warm, tmp_path: Path) -> None:
    """What remains is named, with its line."""
    options = ["--static", "--write", "specs", "--build"]
    status, output = scanned(program("scan/remaining"), warm, tmp_path, *options)
    assert status == 1
    assert [*output["written"]] == ["specs/erfinv.toml"]
    assert output["package"] is None
    assert output["next"][0] == "Next: change what blocks a right file:"
    assert output["next"][1].startswith("  aten::linalg_eig (net.py:8): ONNX Runtime does not")


def test_what_remains_after_the_specs_is_named() -> None:
    class Windows(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return x.as_strided((3, 2), (1, 1))

    line = Windows.forward.__code__.co_firstlineno + 1
    with processes.quiet():
        recorded = traces.calls_in_trace(Call(Windows().eval(), (torch.rand(8),)))
    scan = Report(NET, traced=TracedModel({"TorchScript": recorded}))
    outcome = Outcome("export", "Exporting the operator 'aten::as_strided' is not supported")
    told = str(blocking.remaining(scan, outcome))
    assert told.startswith("remaining: aten::as_strided at ")
    assert told.endswith(
        f"test_scan_causes.py:{line}; for overlapping windows: x.unfold(dim, size, step)"
    )


def test_a_switch_for_exports_near_the_line_of_a_call(tmp_path: Path) -> None:
    """Longformer takes its own as an argument, beside overlapping windows."""
    file = tmp_path / "chunks.py"
    file.write_text(
        "def chunks(x, onnx_export=False):\n    if not onnx_export:\n        return x.as_strided((3, 2), (1, 1))\n"
        "    return x.unfold(0, 2, 1)  # config.other_export\n",
        encoding="utf-8",
    )
    told = switches.near(Place(str(file), 3, ""))
    assert told == " onnx_export near this line may be a switch for exports: try it."


@pytest.mark.nightly
def test_a_line_at_which_a_trace_with_dynamic_dimensions_stops(warm: Warm, tmp_path: Path) -> None:
    model = program("scan/remaining") + "\n\nbuild = counted\n"
    _, output = scanned(model, warm, tmp_path, "--exporter", "dynamo")
    (note,) = output["notes"]
    stop = "net.py:44: if positive.shape[0] + x.shape[0] == 9"
    assert f"with dynamic dimensions, torch.export stops at {stop}. Change this line." in note
    assert "Likely causes" not in note


@pytest.mark.nightly
def test_an_operator_that_writes_to_out(warm: Warm, tmp_path: Path) -> None:
    model = program("scan/remaining") + "\n\nbuild = written\n"
    _, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript", "--static")
    assert [(one["kind"], one["how"]) for one in output["whole"]] == [("right", "runtime")]
    assert output["findings"] == []


@pytest.mark.nightly
def test_rules_that_the_model_s_module_registers(warm: Warm, tmp_path: Path) -> None:
    """Its owner exports with them, and so does scan, which names them."""
    options = ["--static", "--exporter", "TorchScript"]
    status, output = scanned(program("scan/registers"), warm, tmp_path, *options)
    assert status == 0
    text = " ".join(output["next"])
    assert "no package is needed" not in text
    assert "registers: aten::erfinv (onnxop_runtime.registered)." in " ".join(text.split())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (
            "build",
            "aten::add (net.py:11: row += 2) writes to a view of a tensor: the exporter loses",
        ),
        (
            "masked",
            "aten::index_put (net.py:56: y[mask, 0] = x[mask]) writes to a view of a tensor: the",
        ),
        (
            "attention",
            "the file differs from PyTorch from aten::view on (net.py:32: return self.layer(x), in",
        ),
        ("packed", "the file differs from PyTorch from aten::_pad_packed_sequence on (net.py:48: "),
    ],
)
def test_the_first_call_that_a_file_computes_otherwise(
    function: str, cause: str, warm: Warm, tmp_path: Path
) -> None:
    """Although each call is right alone: no list of likely causes."""
    model = program("scan/first_difference") + f"\n\nbuild = {function}\n"
    _, output = scanned(model, warm, tmp_path)
    (note,) = [note for note in output["notes"] if note.startswith("TorchScript, opset 20: ")]
    assert note.startswith(f"TorchScript, opset 20: {cause}")
    is_of_module = "in place of torch.nn.MultiheadAttention, put a module of your own" in note
    assert is_of_module is (function == "attention")
    assert "Likely causes" not in json.dumps(output)


@pytest.mark.nightly
@pytest.mark.parametrize("function", ["assigned", "padded", "chosen"])
def test_what_to_write_for_a_call_that_a_file_computes_otherwise(
    function: str, warm: Warm, tmp_path: Path
) -> None:
    model = program("scan/first_difference") + f"\n\nbuild = {function}\n"
    status, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript")
    assert (status, [outcome["kind"] for outcome in output["whole"]]) == (0, ["right"])


@pytest.mark.everything
def test_a_scan_ends_without_a_word_of_other_libraries() -> None:
    """Triton's bindings list what Python has not freed at its end, below the report."""
    code = "from onnxop.trial import trial; trial.warm_up_exporters()"
    asked = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


class Smooth(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.fft.rfft(x, dim=1)
        kept = spectrum * (spectrum.abs() > 1.0)
        smooth: torch.Tensor = torch.fft.irfft(kept, n=x.shape[1], dim=1)
        return smooth


def test_onnx_runtime_fails_at_a_fourier_transform() -> None:
    """The cause names the transforms, with what to compute instead; no list of likely causes."""
    export = Export("dynamo", 20)
    net = other_inputs.find_other_inputs(
        target.Target("net", Smooth().eval(), (torch.randn(2, 24),))
    )
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.then) == ("example", "runtime")
    with processes.quiet():
        calls = recorded_calls.calls_in_program(net.call("dynamo"))
    report = Report(net, {export: outcome}, traced=TracedModel({"dynamo": calls}))
    cause = exporter_errors.cause(FailedExport(report, export, outcome))
    assert cause is not None
    start = Smooth.forward.__code__.co_firstlineno
    assert [place.line for place in cause.places] == [start + 1, start + 3]
    assert "DFT node" in cause.fact
    assert "matrices of cosines and sines" in cause.advice
    right = FailedExport(report, export, Outcome("values", "output 0 differs"))
    assert exporter_errors.cause(right) is None


@pytest.mark.nightly
def test_a_loop_in_a_scripted_function(warm: Warm, tmp_path: Path) -> None:
    """Each exporter's line in it is named: the loop, which torch.export traces in another mode than
    the one that stops at the line before, and the call of the node at which ONNX Runtime fails.
    """
    status, output = scanned(program("scan/scripted_rows"), warm, tmp_path)
    assert status == 1
    told = " ".join(" ".join(output["next"]).split())
    assert "a Python integer at net.py:8: for row in range(x.size(0)). torch.export does" in told
    assert "net.py:6" not in told
    assert "The node is of net.py:9: repeated = torch.repeat_interleave(" in told
    assert "Scan tries no calls within scripted functions" in told


class Heads(torch.nn.Module):
    """Repeats heads: of a size that it takes from another tensor, TorchScript's file has a wrong one."""

    def __init__(self) -> None:
        super().__init__()
        self.out = torch.nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.repeat_interleave(2, -1)
        projected: torch.Tensor = self.out(y.reshape(x.shape[0], -1))
        return projected


def test_the_line_of_the_node_that_an_error_names() -> None:
    """Of ONNX Runtime or of the checker; the exporter tells it of each node, if it is asked."""
    net = target.Target("net", Heads().eval(), (torch.rand(2, 4),))
    export = Export("TorchScript", 20)
    first = Heads.forward.__code__.co_firstlineno
    for error in (
        "Inference error(s): (op_type:MatMul, node name: /out/Gemm): [ShapeInferenceError]",
        "Non-zero status: Loop node Loop_3: Gemm node /out/Gemm: no such size",
    ):
        failed = FailedExport(Report(net), export, Outcome("checker", error))
        place = failing_node.line(failed)
        assert place is not None
        assert (place.file, place.line) == (__file__, first + 2)
    for unknown in ("no node", "Gemm node /none: no such size"):
        assert (
            failing_node.line(FailedExport(Report(net), export, Outcome("runtime", unknown)))
            is None
        )
    dynamo = FailedExport(Report(net), Export("dynamo", 20), failed.outcome)
    assert failing_node.line(dynamo) is None
