"""Causes of a failure, as data, and the lines of a report on them."""

from __future__ import annotations

from pathlib import Path

import torch

from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.causes import exporter_errors, notes, trace_constants
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.one_side import data_conditions
from onnxop.scan.pages import blocking, next_steps, page
from onnxop.scan.report.cause import Cause
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.report import KeptLines, Report
from onnxop.trial import places
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place

TORCHSCRIPT = Export("TorchScript", 20)
DYNAMO = Export("dynamo", 20)
NET = Target("net", torch.nn.ReLU(), (torch.ones(2),))
USERS = Place("net.py", 3, "y = layer(x)", "library/layer.py:9", "if x.sum() > 0:")
WARNING = "Converting a tensor to a Python boolean might"


def test_a_cause_names_the_lines_of_users_and_of_libraries() -> None:
    cause = Cause("it stops", (USERS,), "Change it", (Place("net.py", 7, "n = 2"),))
    assert cause.lines == {"net.py:3", "library/layer.py:9", "net.py:7"}
    assert str(cause) == "it stops. Change it"
    assert str(Cause("it stops", exports=("dynamo", "TorchScript"))) == (
        "dynamo and TorchScript: it stops"
    )


def test_a_line_that_a_cause_names_is_told_once() -> None:
    """Wherever it stands in the cause's text: at its end, or as the line of a library."""
    constants = {Place("net.py", line, ""): WARNING for line in (3, 5)}
    traced = TracedModel(constants=constants)
    report = Report(NET, {TORCHSCRIPT: Outcome("values")}, traced=traced)
    (note,) = trace_constants.notes(report)
    assert str(note).startswith(
        "net.py:3 and net.py:5: torch.jit.trace turns values into constants"
    )
    report.causes[TORCHSCRIPT] = Cause("results depend on what is read at net.py:3", (USERS,))
    (note,) = trace_constants.notes(report)
    assert str(note).startswith("net.py:5: ")


def test_causes_by_the_pattern_of_an_error() -> None:
    report = Report(NET)
    unregistered = "Fatal error: acme:Snap(-1) is not a registered function/op"
    packed = Outcome("export", "Unsupported: PackedParamsBase")
    for outcome, fact in (
        (Outcome("runtime", unregistered), "the file has the node acme::Snap, which no library"),
        (packed, "the model has quantised modules"),
    ):
        cause = exporter_errors.cause(FailedExport(report, DYNAMO, outcome))
        assert cause is not None
        assert cause.fact.startswith(fact)
    for outcome in Outcome("values", "of PackedParamsBase"), Outcome("export", "another error"):
        assert exporter_errors.cause(FailedExport(report, DYNAMO, outcome)) is None


def test_a_condition_at_which_both_exporters_fail_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text("def forward(x):\n    y = x + 1 if x.sum() > 0 else x\n    return y\n", "utf-8")
    place = Place(str(file), 2, "y = x + 1 if x.sum() > 0 else x")
    traced = TracedModel({}, {}, {"dynamo": RuntimeError("data-dependent")}, {"dynamo": place})
    whole = {DYNAMO: Outcome("export", "refused"), TORCHSCRIPT: Outcome("example", "wrong")}
    report = Report(NET, whole, traced=traced, kept=KeptLines((place,)))
    report.causes[TORCHSCRIPT] = Cause("torch.jit.trace keeps it", (place,), is_kept=True)
    (line,) = blocking.lines(report)
    assert line.startswith("torch.export stops at ")
    assert line.endswith(". torch.jit.trace keeps what it reads there")


def test_sides_that_no_input_decides_are_told_once(tmp_path: Path) -> None:
    """In the last paragraph, and in the note, with what to write."""
    file = tmp_path / "net.py"
    file.write_text("if x.sum() > 0:\n    x = x + 1\nif x.max() > 1:\n    x = x * 2\n", "utf-8")
    first, second = places.at(str(file), 1), places.at(str(file), 3)
    constants = {first.inner: WARNING, second.inner: WARNING}
    error = RuntimeError("data-dependent")
    traced = TracedModel({}, constants, {"dynamo": error}, {"dynamo": first})
    whole = {DYNAMO: Outcome("export", "refused"), TORCHSCRIPT: Outcome("example", "wrong")}
    kept = KeptLines((first.inner, second.inner))
    report = Report(NET, whole, traced=traced, kept=kept)
    failed = FailedExport(report, TORCHSCRIPT, whole[TORCHSCRIPT])
    assert data_conditions.explain(failed)
    note = notes.of_failure(failed)
    assert note is not None
    report.notes = [note]
    _, sides = blocking.lines(report)
    fact = f"torch.jit.trace keeps one side of the conditions at {first} and {second}"
    assert sides.startswith(f"{fact}. Compute what both sides need")
    assert str(note) == f"{TORCHSCRIPT}: {sides}."
    report.causes[TORCHSCRIPT] = Cause("it reads a number", (USERS,))
    assert not data_conditions.explain(failed)


def test_what_to_do_next_is_the_shortest_step() -> None:
    right = Report(NET, {DYNAMO: Outcome("right"), TORCHSCRIPT: Outcome("right", how="no_grad")})
    assert next(next_steps.steps(right, None, None)) == "Next: export with"
    stopped = Report(NET, stopped="SIGINT")
    assert [*next_steps.steps(stopped, None, None)] == [
        "Stopped by SIGINT, before the whole model was exported.",
        "Next: scan again, with more time.",
    ]
    failed = Report(NET, {DYNAMO: Outcome("values")}, build_failure="no compiler")
    (line,) = next_steps.steps(failed, None, None)
    assert line.startswith("Next: mend what keeps the package from being built")


def test_random_results_are_not_called_right() -> None:
    dropping = Target("net", torch.nn.Dropout(), (torch.ones(2),))
    first, call, _, file, *_ = next_steps.steps(
        Report(dropping, {DYNAMO: Outcome("random")}), None, None
    )
    assert first.startswith("First: return model.eval(), and scan again, unless the exported file")
    assert call == "Next: export with"
    assert file == (
        "You get a file that is right for the inputs above except for random results; "
        "no package is needed."
    )
    lines = [*next_steps.steps(Report(dropping, {DYNAMO: Outcome("right")}), None, None)]
    assert lines[0] == "Next: export with"


def test_causes_are_data_in_json() -> None:
    net = Target("net", torch.nn.ReLU(), (torch.ones(2),))
    report = Report(net, {DYNAMO: Outcome("values", "wrong")})
    report.causes[DYNAMO] = Cause("it differs", (USERS,), "Change it")
    (cause,) = page.report_as_data(report, {}, None, None)["causes"]
    assert (cause["exporter"], cause["opset"], cause["fact"]) == ("dynamo", 20, "it differs")
    assert [place["line"] for place in cause["places"]] == [3]


def test_a_page_without_facts_is_not_shown() -> None:
    shown: list[str] = []
    page.ScanPrinter(shown.append).show_report(Report(NET, stopped="SIGINT"))
    assert shown == []
