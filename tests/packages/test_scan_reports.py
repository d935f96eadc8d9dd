"""What scan tells of models, and models that it cannot scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop import cli
from onnxop.errors import OnnxopError
from onnxop.scan.attempts import single_calls
from onnxop.scan.calls.model_calls import TracedModel, stops_at
from onnxop.scan.calls.recorded_calls import RecordedCall
from onnxop.scan.causes import model_notes, stopped_traces
from onnxop.scan.model import target
from onnxop.scan.model.exports import Export
from onnxop.scan.pages import page
from onnxop.scan.remedies import converted, remedies, unsorted
from onnxop.scan.remedies.remedy_search import RemedySearch
from onnxop.scan.report.findings import Finding
from onnxop.scan.report.report import Report
from onnxop.trial import places, trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Kind, Outcome
from tests.packages.scanning import NET, lines, scanned
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm

TRAINING = program("scan/training")


@pytest.mark.nightly
def test_a_model_in_training_mode(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(TRAINING, warm, tmp_path, "--exporter", "dynamo")
    assert output["whole"][0]["kind"] == "values"
    assert any(note.startswith("The model is in training mode") for note in output["notes"])


def test_a_model_in_training_mode_that_is_random() -> None:
    kinds_told: dict[Kind, bool] = {"random": True, "right": False}
    for kind, is_told in kinds_told.items():
        export = Export("dynamo", 20)
        scanned = Report(NET, {export: Outcome(kind)})
        kinds = target.Target("net", torch.nn.Dropout(), ()).kinds_in_training
        assert bool(model_notes.of_training(scanned, kinds)) is is_told


def test_a_model_that_is_not_run() -> None:
    """Of which there is no line to change."""
    for error, end in (
        (
            ValueError("Unsupported input type"),
            "Change the model or its inputs; no spec helps.",
        ),
        (
            ValueError(f'File "{__file__}", line 1, in forward'),
            "Change this line; no spec helps.",
        ),
    ):
        place = stops_at(error)
        stops = {"dynamo": place} if place else {}
        traced = TracedModel({}, {}, {"dynamo": error}, stops)
        scanned = Report(NET, {Export("dynamo", 20): Outcome("export")}, traced=traced)
        assert end in stopped_traces.note(scanned, "dynamo", error).text


def test_how_scan_knows_the_spec_of_a_call() -> None:
    """An operator may be another name of one that the gallery has."""
    x = torch.rand(2) + 3
    search = RemedySearch(Report(NET), {}, lambda _: None)
    special = torch.ops.aten
    for overload, args, known in (
        (special.special_zeta.other_scalar, (x, 2.0), "special_zeta"),
        (special.special_multigammaln.default, (x, 2), "mvlgamma"),
    ):
        call = RecordedCall(overload, args, {}, frozenset())
        assert remedies._spec_key(search, Finding(call, {})) == f"aten::{known}"


def test_a_call_with_a_number_that_equals_nothing() -> None:
    """NaN is not a size that differs."""
    x = torch.rand(3)
    for number in (float("nan"), float("inf")):
        args = (x > 0.5, number, x)
        call = RecordedCall(torch.ops.aten.where.ScalarSelf, args, {}, frozenset())
        assert torch.allclose(
            call.as_model_call().returned()[0], torch.where(*args), equal_nan=True
        )


def test_every_call_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many in one model, which is divided until the failing ones are known."""

    def outcomes(works: Sequence[Any]) -> Iterator[tuple[int, Outcome]]:
        for place, work in enumerate(works):
            (group,) = work.args
            kinds = ["values" if one.call.args[0].numel() in (3, 17) else "right" for one in group]
            yield place, Outcome("values" if "values" in kinds else "right")

    monkeypatch.setattr(trial, "run_works", outcomes)
    export = Export("dynamo", 20)
    jobs = [
        single_calls.Attempt(
            RecordedCall(torch.ops.aten.relu.default, (torch.ones(n),), {}, frozenset()),
            export,
        )
        for n in range(40)
    ]
    kinds = {
        one.call.args[0].numel(): out.kind
        for one, out in single_calls.try_each(jobs, lambda _: None, "")
    }
    assert [*sorted(kinds)] == [*range(40)]
    assert [n for n, kind in kinds.items() if kind != "right"] == [3, 17]


WRONG_SPEC = """
[op]
schema = "aten::erfinv"

[onnx]
opset = 13
mapping = "op.Erf(self)"

[[samples]]
self = [0.5]
"""


@pytest.mark.nightly
def test_a_spec_that_gives_wrong_values_is_no_way_out(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "erfinv.toml").write_text(WRONG_SPEC, encoding="utf-8")
    model = (
        program("scan/within")
        .replace("torch.vmap(torch.erfinv)(x / 3)", "x.erfinv()")
        .replace("while_loop(", "x #")
    )
    options = ["--exporter", "TorchScript", "--write", "specs"]
    _, output = scanned(model, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert [remedy["text"] for remedy in finding["remedies"]] == [
        "your spec for aten::erfinv does not help: wrong results: output 0: 12 of 12 elements differ by "
        + "more than 1e-05 + 0.0001 * |expected|"
    ]


def test_a_place_is_the_users_line() -> None:
    """And tells the library's that it led to."""
    import torchvision  # type: ignore[import-untyped]

    frames = [(__file__, 1), (torchvision.__file__, 2), (torch.__file__, 3)]
    place = places.of_frames(frames)
    assert place is not None
    assert (place.file, place.line, place.through) == (__file__, 1, "torchvision/__init__.py:2")


PROGRAM = program("scan/program")


@pytest.mark.nightly
def test_an_exported_program(warm: Warm, tmp_path: Path) -> None:
    """Of its own either exporter says the same: it has no modes, in which it would be exported."""
    (tmp_path / "save.py").write_text(PROGRAM, encoding="utf-8")
    warm.run("save.py", cwd=tmp_path)
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net.pt2"]
    assert warm.run(*command, cwd=tmp_path).stdout == (
        "net.pt2: loading it can run any code as you; give --trust if you trust its author\n"
    )
    told = warm.run(*command, "--trust", cwd=tmp_path).stdout
    assert "  TorchScript, opset 20: refused: no rule for aten::erfinv\n" in told
    table, _, following = told.partition("\nNext: ")
    assert table.splitlines()[-1].split("  ")[-1] == "refused: no rule for aten::erfinv"
    assert following.splitlines()[1] == "  onnxop scan net.pt2 --trust --write specs --build"


OF_ITS_OWN = f"""
import own
{PROGRAM.replace("torch.erfinv", "own.squash")}
"""


@pytest.mark.nightly
def test_a_program_with_an_operator_of_its_own(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(program("scan/own"), encoding="utf-8")
    (tmp_path / "save.py").write_text(OF_ITS_OWN, encoding="utf-8")
    warm.checked("-W", "ignore", "save.py", cwd=tmp_path)
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net.pt2", "--trust", "--exporter", "dynamo"]
    told = warm.run(*command, cwd=tmp_path).stdout
    assert "name the module that registers its operators with --requires MODULE" in told
    told = warm.run(*command, "--requires", "own", cwd=tmp_path).stdout
    assert "remedy: complete a starter: onnxop new --from acme::squash --requires own\n" in told


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_a_file_that_is_no_program(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "net.pt2"
    if content is None:
        torch.save({"weight": torch.ones(1)}, file)
    else:
        file.write_bytes(content)
    with pytest.raises(OnnxopError, match=r"net.pt2: torch.export.load raises .*; save it again"):
        target.load(str(file), is_trusted=True)


@pytest.mark.parametrize("args", [((torch.ones(2, 3),),), (5, {}), None], ids=str)
def test_a_program_with_odd_inputs(args: Any, tmp_path: Path) -> None:
    program = torch.export.export(torch.nn.ReLU(), (torch.ones(2, 3),))
    program._example_inputs = args
    torch.export.save(program, tmp_path / "net.pt2")
    with pytest.raises(OnnxopError, match=r"net.pt2: has no example inputs \(args, kwargs\)"):
        target.load(str(tmp_path / "net.pt2"), is_trusted=True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--name", "a b"], "--name 'a b': is not an identifier"),
        (["--write", __file__], "is a file; give a folder"),
        (
            ["--opset", "5"],
            "left out for the TorchScript exporter, which supports 9 to 23.\nNo export is left to try; write another",
        ),
    ],
)
def test_what_no_scan_can_end_with(
    options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before anything is imported."""
    assert cli.main(["scan", "nothing_here:build", *options]) == 1
    told = capsys.readouterr().err
    assert why in told
    assert "nothing_here" not in told


RAISES = program("scan/raises")

NOTHING = program("scan/nothing")


@pytest.mark.parametrize(
    ("code", "name", "why"),
    [
        ("def build(): return 1", "net:build", "net:build: returns <class 'int'>; return (model"),
        nightly("def build(): raise KeyError(1)", "net:build", "build() raises KeyError: 1, at "),
        nightly("import nothing_here", "net:build", "importing net raises ModuleNotFoundError"),
        nightly("", "net:build", "net has no function build"),
        nightly("def built(): pass", "net:build", "net has no function build; did you mean built?"),
        (RAISES, "net:build", "net:build: the model itself raises ValueError: one two, at "),
        nightly(NOTHING, "net:build", "net:build: the model returns nothing; return tensors from"),
        ("", "nett:build", "no module nett can be imported from"),
        nightly("", "net", "is not a function; write package.module:function"),
        nightly("", "net.pt2", "net.pt2: no such file"),
        nightly("", "nosuch.py:build", "nosuch.py: no such file"),
    ],
)
def test_what_is_no_model(code: str, name: str, why: str, warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(code, encoding="utf-8")
    done = warm.run("-m", "onnxop", "scan", name, cwd=tmp_path)
    assert done.returncode == 1
    assert why in done.stdout
    assert len(lines(done.stdout)) == 1


class Padding(torch.nn.Module):
    def forward(self, mask: torch.Tensor) -> torch.Tensor:
        return (1.0 - mask[:, None]) * -100


def test_a_number_before_an_integer_tensor() -> None:
    """The dynamo exporter fails after torch.export; scan tries the tensor converted before."""
    mask, export = torch.ones(2, 3, dtype=torch.int64), Export("dynamo", 20)
    outcome = trial.try_export(Call(Padding().eval(), (mask,)), *astuple(export))
    assert outcome.why.startswith(
        "converting dtypes, the exporter finds no overload of aten::sub that takes a float as self; "
    )
    line = places.at(__file__, Padding.forward.__code__.co_firstlineno + 1)
    assert str(line) in outcome.why
    sub = torch.ops.aten.rsub.Scalar
    call = RecordedCall(sub, (mask[:, None], 1.0), {}, frozenset(), places=[line])
    call.others.append(((mask[:1, None], 1.0), {}))
    report = Report(NET, {export: outcome}, findings=[Finding(call, {export: outcome})])
    ((_, remedy),) = converted.remedies(report, lambda _: None)
    assert remedy.text.endswith("result first: 1.0 - mask[:, None].to(torch.float32)")
    assert remedy.fixes == (str(export),)


def test_elements_without_an_order() -> None:
    """ONNX Runtime has another order than PyTorch, which leaves it open; both have one if sorted."""
    exports = [Export("dynamo", 20), Export("TorchScript", 20)]
    outcomes = dict.fromkeys(exports, Outcome("values", "output 0 differs"))
    values, others = torch.rand(3, 20), torch.rand(3, 20)
    topk = torch.ops.aten.topk.default
    call = RecordedCall(topk, (values, 5, -1, True, False), {}, frozenset())
    call.others.append(((others, 5, -1, True, False), {}))
    sorted_call = replace(call, args=(values, 5), others=[])
    findings = [Finding(one, outcomes) for one in (call, sorted_call)]
    ((finding, remedy),) = unsorted.remedies(
        Report(NET, outcomes, findings=findings), lambda _: None
    )
    assert finding.call is call
    assert remedy.text.startswith("in the model, leave out sorted=False: ")
    assert sorted(remedy.fixes) == ["TorchScript, opset 20", "dynamo, opset 20"]


def test_a_long_error_is_told_once() -> None:
    export, error = Export("dynamo", 20), "no-overload" * 20
    call = RecordedCall(torch.ops.aten.relu.default, (torch.ones(2),), {}, frozenset())
    whole = Outcome("export", f"{error}; at net.py:3: relu(x)")
    report = Report(
        NET, {export: whole}, findings=[Finding(call, {export: Outcome("export", error)})]
    )
    printed: list[str] = []
    printer = page.ScanPrinter(printed.append)
    printer.show_report(report)  # of a scan that was stopped before it told verdicts
    assert printed[0].count(error) == 2
    printer.on_whole_model(report)
    printer.show_report(report)
    assert error in printed[1]
    assert printed[2].count("refused: as told above") == 2
    assert error not in printed[2]
