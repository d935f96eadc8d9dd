"""What scan says of conditions and sizes: which side a trace keeps, and lines that exports alone run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.scan.calls import model_calls
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.model import target
from onnxop.scan.one_side.kept_sides import kept_sides
from onnxop.trial import places, trial
from onnxop.trial.call import Call
from onnxop.trial.places import Place
from tests.packages.scanning import NET, scanned
from tests.programs import program
from tests.warm import Warm


@pytest.mark.nightly
def test_a_condition_on_a_size(warm: Warm, tmp_path: Path) -> None:
    """Its line is the cause, where other sizes take the side that the file does not have."""
    status, output = scanned(program("scan/size_condition"), warm, tmp_path)
    assert status == 1
    side = (
        "the file has one side of the condition at net.py:9: if x.shape[1] <= 8; the other is taken "
        "for float32[5, 9]."
    )
    causes = [note for note in output["notes"] if side in note]
    assert [note.partition(":")[0] for note in causes] == [
        "dynamo, opset 20",
        "TorchScript, opset 20",
    ]
    assert "Likely causes" not in json.dumps(output)
    told = " ".join(" ".join(output["next"]).split())
    assert f"dynamo, opset 20 and TorchScript, opset 20: {side} Write one side that" in told


def test_whether_a_line_is_run() -> None:
    def work(is_traced: bool) -> int:
        if is_traced:
            return 1
        return 2

    first = work.__code__.co_firstlineno
    ran = places.lines_run(lambda: work(False))
    assert (__file__, first + 3) in ran
    assert (__file__, first + 2) not in ran
    assert places.lines_run(lambda: work(False), ["another.py"]) == set()


@pytest.mark.nightly
def test_a_line_that_traces_alone_run(warm: Warm, tmp_path: Path) -> None:
    model = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.jit.is_tracing() or torch.compiler.is_compiling():
            x = x.view(5, 5)
        return x + 1


def build():
    return Model().eval(), (torch.rand(2, 3),)
"""
    _, output = scanned(model, warm, tmp_path, "--static")
    told = [note for note in output["notes"] if "does not run this line" in note]
    assert len(told) == 2
    for note, tracer in zip(told, ("torch.export", "torch.jit.trace"), strict=True):
        assert note.startswith(f"{tracer} cannot trace the model")
        assert f"PyTorch does not run this line without {tracer}: a condition before it" in note


@pytest.mark.nightly
def test_a_condition_of_which_a_trace_keeps_one_side(warm: Warm, tmp_path: Path) -> None:
    """Values that reach the other side are tried."""
    _, output = scanned(program("scan/sides"), warm, tmp_path)
    torchscript = output["whole"][1]
    assert (torchscript["kind"], torchscript["fault"]) == ("example", "branch")
    assert torchscript["why"].endswith(
        "these values reach another side of the conditions at net.py:8 and net.py:10"
    )
    told = " ".join(" ".join(output["next"]).split())
    assert told.count("net.py:8: if (x > 0).sum() < 1") == 1
    assert "torch.jit.trace keeps what it reads there" in told
    assert "torch.jit.trace keeps one side of the condition at net.py:10: if x.isnan()" in told


@pytest.mark.nightly
def test_a_condition_that_other_sizes_reach(warm: Warm, tmp_path: Path) -> None:
    """The cause is the condition, and the file is not right for one size alone, either."""
    model = program("scan/sides") + "\n\nbuild = largest\n"
    _, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript")
    assert [outcome["kind"] for outcome in output["whole"]] == ["example"]
    (note,) = [note for note in output["notes"] if note.startswith("TorchScript, opset 20: ")]
    assert "keeps one side of the condition at net.py:50: if large.shape[0] > 3; " in note
    assert any("keeps one side" in line for line in output["next"])
    assert not any("no other sizes" in line for line in output["next"])


@pytest.mark.nightly
def test_the_first_condition_that_torch_export_refuses(warm: Warm, tmp_path: Path) -> None:
    """The model's handler of errors has another one, which only a trace reaches."""
    model = program("scan/sides") + "\n\nbuild = handled\n"
    _, output = scanned(model, warm, tmp_path, "--exporter", "dynamo")
    stop = " ".join(output["next"][1].split())
    assert stop.startswith("torch.export stops at net.py:86: if x.sum() > 0. Compute what both ")
    assert "Eq(u0, 1)" in output["whole"][0]["why"]


@pytest.mark.nightly
def test_the_condition_that_decides(warm: Warm, tmp_path: Path) -> None:
    """Of several conditions, the one of which other sizes take the other side is named, with its code
    and with these.
    """
    model = program("scan/sides") + "\n\nbuild = padded\n"
    _, output = scanned(model, warm, tmp_path)
    torchscript = output["whole"][1]
    assert (torchscript["kind"], len(output["kept_sides"])) == ("example", 2)
    (condition,) = [line for line in output["next"] if "keeps one side" in line]
    assert " ".join(condition.split()) == (
        "torch.jit.trace keeps one side of the condition at net.py:72: if missing > 0; the other is "
        "taken for float32[12]. Compute what both sides need, and choose with torch.where"
    )
    assert not any("Pad" in line for line in output["next"])


@pytest.mark.nightly
def test_a_condition_whose_other_side_is_not_reached(warm: Warm, tmp_path: Path) -> None:
    """It stands beside "right"."""
    model = program("scan/sides") + "\n\nbuild = quiet\n"
    (tmp_path / "net.py").write_text(model, encoding="utf-8")
    done = warm.run("-W", "ignore", "-m", "onnxop", "scan", "net:build", cwd=tmp_path)
    assert done.returncode == 0
    assert "right; it keeps one side of the condition at net.py:19" in done.stdout
    assert done.stdout.endswith(
        "For inputs that reach another side of the condition at net.py:19, it may be wrong.\n"
    )


@pytest.mark.nightly
def test_a_condition_whose_other_side_is_right(warm: Warm, tmp_path: Path) -> None:
    """Values that reach it were tried, which the report says."""
    model = program("scan/sides") + "\n\nbuild = few\n"
    (tmp_path / "net.py").write_text(model, encoding="utf-8")
    command = ["-m", "onnxop", "scan", "net:build", "--exporter", "TorchScript"]
    done = warm.run("-W", "ignore", *command, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.endswith(
        "It is right for inputs that were tried and reach another side of the condition at net.py:104.\n"
    )


@pytest.mark.nightly
def test_a_line_that_a_trace_alone_runs(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(program("scan/traced_only"), warm, tmp_path, "--static")
    (note,) = output["notes"]
    assert "PyTorch runs these lines under torch.jit.trace alone: net.py:9: x = x + 1." in note
    assert "Likely causes" not in note


@pytest.mark.nightly
def test_lines_that_exports_alone_run(warm: Warm, tmp_path: Path) -> None:
    """The file is right by the call that scan writes, with the model's other code."""
    status, output = scanned(program("scan/export_only"), warm, tmp_path, "--static")
    assert {outcome["how"] for outcome in output["whole"]} == {"runtime"}
    assert status == 0
    (note,) = [note for note in output["notes"] if "is_in_onnx_export" in note]
    assert 'it then runs net.py:10: return groups.scatter_reduce(0, index, x, "amax").' in note
    first, block, call, *_ = output["next"]
    assert first == "Next: import onnxop_runtime, and export with"
    assert (
        block == '  with onnxop_runtime.replaced({"torch.onnx.is_in_onnx_export": lambda: False}):'
    )
    assert call.startswith("    onnxop_runtime.export(")


@pytest.mark.nightly
def test_quotients_of_negative_sizes(warm: Warm, tmp_path: Path) -> None:
    """Exporters round them to zero; the file of onnxop_runtime.export is right."""
    status, output = scanned(program("scan/quotients"), warm, tmp_path)
    assert {outcome["how"] for outcome in output["whole"]} == {"runtime"}
    assert status == 0
    (note,) = [note for note in output["notes"] if "rounds down" in note]
    assert "It is computed at net.py:9: first = -height // 4" in note
    assert "-((height + 3) // 4)" in note
    assert "(width - height - (width - height) % 3) // 3" in note


@pytest.mark.nightly
def test_quotients_that_scan_names(warm: Warm, tmp_path: Path) -> None:
    """PyTorch's own exporters write them right."""
    model = program("scan/quotients") + "\n\nbuild = rewritten\n"
    status, output = scanned(model, warm, tmp_path)
    assert [(outcome["kind"], outcome["how"]) for outcome in output["whole"]] == [("right", "")] * 2
    assert status == 0
    assert not [note for note in output["notes"] if "rounds down" in note]


@pytest.mark.nightly
def test_lines_that_exports_alone_run_with_the_same_results(warm: Warm, tmp_path: Path) -> None:
    model = program("scan/export_only") + "\n\nbuild = same\n"
    _, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript")
    assert [outcome["kind"] for outcome in output["whole"]] == ["example"]
    assert "is_in_onnx_export" not in json.dumps([output["notes"], output["next"]])


@pytest.mark.nightly
def test_a_size_that_a_loop_makes_a_constant(warm: Warm, tmp_path: Path) -> None:
    """Both exporters' files are wrong for other sizes, for one cause: the line of the loop."""
    status, output = scanned(program("scan/specialised"), warm, tmp_path)
    assert status == 1
    assert [outcome["kind"] for outcome in output["whole"]] == ["example", "example"]
    assert len(output["notes"]) == 2
    for note in output["notes"]:
        at = "as a Python integer at net.py:9: for step in range(x.shape[0])"
        assert (
            f"{at}. Move the loop, and what computes its number of steps, into a function of tensors: "
            in note
        )
        assert "Likely causes" not in note
    (cause,) = [line for line in output["next"] if "net.py:9: for step in" in line]
    assert " ".join(cause.split()).startswith(
        "dynamo, opset 20 and TorchScript, opset 20: a size is a constant in the file: "
    )
    assert output["next"][-2:] == [
        "Or, if the model gets no other sizes than float32[5, 4], export with",
        '  torch.onnx.export(model, args, "model.onnx", opset_version=20, dynamo=True)',
    ]


@pytest.mark.nightly
def test_lines_that_a_trace_alone_runs_and_that_change_nothing(warm: Warm, tmp_path: Path) -> None:
    model = program("scan/traced_only") + "\n\nbuild = harmless\n"
    _, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript")
    assert [outcome["kind"] for outcome in output["whole"]] == ["example"]
    assert "PyTorch runs these lines" not in json.dumps(output["notes"])


def test_conditions_that_torch_export_has_passed() -> None:
    """They depend on no data, so a trace keeps no side of them."""
    warning = "Converting a tensor to a Python boolean might"
    warned = {Place("net.py", line, ""): warning for line in (3, 5, 7)}
    errors = {"dynamo": RuntimeError("data-dependent")}
    stops = {"dynamo": Place("net.py", 5, "if x.sum() > 0:")}
    kept = kept_sides(TracedModel({}, warned, errors, stops), NET)
    assert [place.line for place in kept] == [5, 7]


def _halved(x: torch.Tensor) -> torch.Tensor:
    for _ in range(x.shape[0]):
        x = x / 2
    return x


def test_a_condition_in_a_model_whose_graph_is_not_read() -> None:
    """The trace warns of it, though its calls cannot be recorded."""
    with pytest.warns(FutureWarning):
        halved = torch.jit.script(_halved)

    class Halved(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = halved(x)
            return x + 1 if x.sum() > 0 else x

    scan = target.Target("net", Halved().eval(), (torch.rand(3, 4),), {})
    traced = model_calls.trace_model(scan, lambda _: None)
    assert isinstance(traced.errors["TorchScript"], NotImplementedError)
    assert ["Python boolean" in why for why in traced.constants.values()] == [True]


def test_lines_of_functions_that_only_one_of_two_runs_call() -> None:
    """`torch.jit.trace` reads properties of modules, whose lines are no cause of anything."""

    def other() -> int:
        return 3

    def work(is_traced: bool) -> int:
        if is_traced:
            return other()
        return 2

    only = places.lines_run_only(lambda: work(False), lambda: work(True))
    assert only == [(__file__, work.__code__.co_firstlineno + 2)]


@pytest.mark.nightly
def test_a_file_with_specs_at_the_other_side_of_a_condition(warm: Warm, tmp_path: Path) -> None:
    model = program("scan/sides") + "\n\nbuild = mended\n"
    options = ["--exporter", "TorchScript", "--write", "specs", "--build"]
    status, output = scanned(model, warm, tmp_path, *options)
    assert (status, output["package"]) == (1, None)
    (condition,) = [line for line in output["next"] if "keeps one side" in line]
    fact = "  torch.jit.trace keeps one side of the condition at net.py:36. Compute what both sides"
    assert condition.startswith(fact)


@pytest.mark.nightly
def test_a_size_that_a_module_gives_to_another_library(tmp_path: Path) -> None:
    """The module's line has to change, not the library's, of which there may be several."""
    folder = tmp_path / "site-packages"
    for name in ("layers", "algebra"):
        (folder / name).mkdir(parents=True)
    library = folder / "algebra" / "__init__.py"
    library.write_text("def size(x):\n    return int(x.shape[0])\n", encoding="utf-8")
    (folder / "layers" / "__init__.py").write_text(
        "import algebra, torch\n\n\ndef rows(x):\n    return algebra.size(x)\n\n\n"
        "class Layer(torch.nn.Module):\n    def forward(self, x):\n        return x + rows(x)\n",
        encoding="utf-8",
    )
    code = (
        "import layers, torch\nfrom onnxop.trial import trial\nwith trial._specialised() as lines:\n"
        "    torch.export.export(layers.Layer(), (torch.rand(3),), "
        "dynamic_shapes=({0: torch.export.Dim.AUTO},))\nprint(*map(str, lines))"
    )
    variables = {**os.environ, "PYTHONPATH": str(folder)}
    asked = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, env=variables)
    assert done.stdout.strip() == "layers/__init__.py:5"


class RolledPart(torch.nn.Module):
    """Rolls a part whose size dynamo does not know: that of a slice to a negative index."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        part = x[:, : -(x.shape[1] // 3)]
        return torch.roll(part, -2, 1)


def test_the_line_of_an_unknown_size() -> None:
    model, args = RolledPart().eval(), (torch.rand(2, 11),)
    sizes = ({1: torch.export.Dim.AUTO},)
    options: dict[str, Any] = {"dynamo": True, "dynamic_shapes": sizes, "verbose": False}
    with pytest.raises(torch.onnx.errors.OnnxExporterError) as raised:
        torch.onnx.export(model, args, **options)
    refusal = trial._refusal(Call(model, args), raised.value)
    assert "Could not guard on data-dependent expression" in refusal.why
    assert refusal.why.endswith("return torch.roll(part, -2, 1)")


@pytest.mark.nightly
def test_sizes_in_tensors_by_the_runtime(warm: Warm, tmp_path: Path) -> None:
    """torch.jit.trace makes constants of them; onnxop_runtime.export records them, without a package."""
    options = ["--exporter", "TorchScript"]
    status, output = scanned(program("scan/sizes_in_tensors"), warm, tmp_path, *options)
    (outcome,) = output["whole"]
    assert (outcome["kind"], outcome["how"]) == ("right", "runtime")
    assert output["next"][:3] == [
        "Next: import onnxop_runtime, and export with",
        '  onnxop_runtime.export(model, args, "model.onnx", opset_version=20, dynamo=False)',
        "You get a file that is right for the inputs above; no package is needed.",
    ]
    assert status == 0


def scanned_numbers(
    function: str, warm: Warm, folder: Path, *options: str
) -> tuple[int, dict[str, Any]]:
    model = program("scan/read_numbers") + f"\n\nbuild = {function}\n"
    return scanned(model, warm, folder, *options)


@pytest.mark.nightly
def test_a_size_that_a_function_of_python_needs(warm: Warm, tmp_path: Path) -> None:
    """Its line is the cause, with the number that the file has, and the one of the inputs."""
    _, output = scanned_numbers("build", warm, tmp_path, "--exporter", "TorchScript")
    assert output["whole"][0]["fault"] == "sizes"
    assert "Likely causes" not in json.dumps(output)
    (note,) = [note for note in output["notes"] if note.startswith("TorchScript, opset 20: ")]
    line = "net.py:11: few = math.isqrt(x.shape[1]) (7; 2 for float32["
    assert f"keeps what Python reads at {line}" in note
    (cause,) = [line for line in output["next"] if "math.isqrt" in line]
    assert cause.startswith("  TorchScript, opset 20: torch.jit.trace keeps")


@pytest.mark.nightly
def test_numbers_of_values_that_a_trace_keeps(warm: Warm, tmp_path: Path) -> None:
    """Values are tried for which they are others; no file is called right that has them."""
    status, output = scanned_numbers("windowed", warm, tmp_path, "--exporter", "TorchScript")
    (torchscript,) = output["whole"]
    assert (status, torchscript["kind"], torchscript["fault"]) == (1, "example", "branch")
    assert torchscript["why"].endswith("these values change the number at net.py:28")
    told = " ".join(" ".join(output["next"]).split())
    assert "net.py:28: few = math.isqrt(int(lengths.max())) (7; " in told
    assert "condition" not in told


@pytest.mark.nightly
def test_conditions_on_numbers_that_a_trace_keeps(warm: Warm, tmp_path: Path) -> None:
    """The line of the condition is told, with what to write instead, not that of the numbers alone."""
    status, output = scanned(program("scan/skipped_experts"), warm, tmp_path)
    torchscript = next(one for one in output["whole"] if one["exporter"] == "TorchScript")
    assert (status, torchscript["kind"]) == (1, "example")
    told = " ".join(" ".join(output["next"]).split())
    assert "torch.jit.trace keeps what it reads there" in told
    assert "At net.py:20: if counts[expert] == 0: Leave out the condition" in told


@pytest.mark.nightly
def test_an_expert_without_a_row_of_the_example(warm: Warm, tmp_path: Path) -> None:
    """The model is right for the example alone; each line is told once, with what to change."""
    model = program("scan/skipped_experts") + "\n\nbuild = gated\n"
    status, output = scanned(model, warm, tmp_path)
    kinds = {outcome["exporter"]: outcome["kind"] for outcome in output["whole"]}
    assert (status, kinds) == (1, {"dynamo": "export", "TorchScript": "example"})
    told = " ".join(" ".join(output["next"]).split())
    assert told.count("net.py:51: if rows.numel() == 0") == 1
    assert told.count("Leave out the condition") == 1
    notes = [note for note in output["notes"] if note.startswith("net.py:51")]
    assert notes == []


@pytest.mark.nightly
def test_numbers_of_values_that_our_export_records(warm: Warm, tmp_path: Path) -> None:
    """It is tried where values have shown that the stock file has constants."""
    options = ["--exporter", "TorchScript", "--static"]  # other sizes would show it first
    status, output = scanned_numbers("padded", warm, tmp_path, *options)
    (torchscript,) = output["whole"]
    assert (status, torchscript["kind"], torchscript["how"]) == (0, "right", "runtime")
    assert "these values change the number at net.py:19" in torchscript["refused"]
    assert "onnxop_runtime.export(model, args" in output["next"][1]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("function", "kept"),
    [
        ("build", "values reach another side of the condition at net.py:10"),
        ("in_one_line", "values change the number at net.py:19"),
    ],
)
def test_conditions_of_other_sizes_and_in_one_line(
    function: str, kept: str, warm: Warm, tmp_path: Path
) -> None:
    """They are tried at the second size, too. What the model prints is no output of scan."""
    (tmp_path / "net.py").write_text(program("scan/at_other_sizes"), encoding="utf-8")
    options = ["--exporter", "TorchScript", "--json"]
    done = warm.run(
        "-W", "ignore", "-m", "onnxop", "scan", f"net:{function}", *options, cwd=tmp_path
    )
    assert "printed by forward" not in done.stdout
    output = json.loads(done.stdout[done.stdout.index("{\n") :])
    (torchscript,) = output["whole"]
    assert (done.returncode, torchscript["kind"]) == (1, "example")
    assert torchscript["fault"] == "branch"
    assert torchscript["why"].endswith(kept)


def test_the_instructions_of_a_line_that_run() -> None:
    """Both sides of a condition in one line differ by these."""

    def chosen(x: int) -> int:
        return x * 2 if x > 5 else x

    line = chosen.__code__.co_firstlineno + 1
    at = {(__file__, line)}
    low, also_low, high = (places.parts_run(lambda n=n: chosen(n), at) for n in (1, 2, 9))  # type: ignore[misc]
    assert (__file__, line, -1) in low & high
    assert low == also_low
    assert low != high


@pytest.mark.nightly
@pytest.mark.parametrize("function", ["sliced", "checked"])
def test_no_condition_of_results(function: str, warm: Warm, tmp_path: Path) -> None:
    """A slice by tensors is none, which a trace records; nor is one that only raises."""
    status, output = scanned_numbers(function, warm, tmp_path)
    assert (status, output["kept_sides"]) == (0, [])
    assert "may be wrong" not in " ".join(output["next"])


@pytest.mark.nightly
def test_calls_that_run_at_their_own_sizes_alone(warm: Warm, tmp_path: Path) -> None:
    """They are tried with the values at which the file fails."""
    options = ["--exporter", "TorchScript"]
    _, output = scanned_numbers("picked", warm, tmp_path, *options)
    assert output["whole"][0]["fault"] == "values"
    assert [finding["op"] for finding in output["findings"]] == ["aten::index"]
    assert "could be tried alone" not in json.dumps(output)
