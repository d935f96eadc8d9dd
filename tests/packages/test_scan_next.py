"""The last paragraph of a scan: what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.causes import constant_sizes, other_exporter, where_to_look
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.model.written_buffers import WrittenBuffers
from onnxop.scan.one_side import other_sides
from onnxop.scan.pages import blocking, next_steps, page, told_remedies
from onnxop.scan.remedies import specs_on_model
from onnxop.scan.remedies.packaged import BuiltPackage
from onnxop.scan.remedies.remedy_search import RemedySearch
from onnxop.scan.report.cause import Cause, Note
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.findings import Finding, Remedy
from onnxop.scan.report.report import KeptLines, Report, SingleCalls
from onnxop.scan.scan import scan_model
from onnxop.scan.stopping import Stopped
from onnxop.trial.call import values_of
from onnxop.trial.outcome import Outcome, short
from onnxop.trial.places import Place, code_of
from tests.packages.scanning import NET

DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
WRITING = replace(NET, written=WrittenBuffers(["seen"]))


class Called:
    """A call of an operator, as a finding has it."""

    def __init__(self, op: str) -> None:
        self.op, self.overload_name = op, ""
        self.places: tuple[Place, ...] = ()
        self.others, self.inputs, self.count = (), "", 1


def test_calls_of_one_remedy_are_one_line() -> None:
    """A call that the other exporter has right is no hindrance there."""
    complex_parts = Remedy("none", "compute with real and imaginary parts")
    wrong = {DYNAMO: Outcome("values", "wrong"), TORCHSCRIPT: Outcome("export", "refused")}
    dynamo = Remedy("exporter", "the dynamo exporter", (str(TORCHSCRIPT),))
    refused = {TORCHSCRIPT: Outcome("export", "refused")}
    scan = Report(NET, whole=wrong)
    scan.findings = [
        Finding(Called("aten::stft"), refused, (dynamo, complex_parts)),  # type: ignore[arg-type]
        Finding(Called("aten::angle"), wrong, (complex_parts,)),  # type: ignore[arg-type]
        Finding(Called("aten::istft"), wrong, (complex_parts,)),  # type: ignore[arg-type]
    ]
    assert [*next_steps.steps(scan, None, None)] == [
        "Next: change what blocks a right file:",
        "  aten::angle and aten::istft: compute with real and imaginary parts",
    ]


def test_calls_that_each_exporter_has_right_alone() -> None:
    """Neither exporter takes the model, so both calls are told."""
    complex_parts = Remedy("none", "compute with real and imaginary parts")
    scan = Report(NET, whole={e: Outcome("export", "refused") for e in (DYNAMO, TORCHSCRIPT)})
    for op, export in (("aten::stft", TORCHSCRIPT), ("aten::angle", DYNAMO)):
        right_in = Remedy("exporter", f"the {export.other.exporter} exporter", (str(export),))
        outcomes = {export: scan.whole[export]}
        called: Any = Called(op)
        scan.findings.append(Finding(called, outcomes, (right_in, complex_parts)))
    assert [*next_steps.steps(scan, None, None)] == [
        "Next: change what blocks a right file:",
        "  aten::stft and aten::angle: compute with real and imaginary parts",
    ]


CONDITIONS = """def forward(self, x, n):
    y = x * 2 if x.max() > 1 else x
    if n.max() > 2 and x.sum() > 0:
        y = y + 1
    return y
"""


def test_one_line_a_cause_and_all_causes(tmp_path: Path) -> None:
    """What both exporters fail at is one line, with its advice; a condition below has its own."""
    file = tmp_path / "net.py"
    file.write_text(CONDITIONS, encoding="utf-8")
    first, second = (Place(str(file), n, code_of(str(file), n)) for n in (2, 3))
    wrong = {DYNAMO: Outcome("export", "refused"), TORCHSCRIPT: Outcome("example", "wrong")}
    refused = {"dynamo": RuntimeError("data-dependent")}
    scan = Report(NET, whole=wrong, traced=TracedModel({}, {}, refused, {"dynamo": first}))
    reads = f"torch.jit.trace keeps what Python reads at {first.with_code}"
    scan.causes[TORCHSCRIPT] = Cause(reads, (first,), is_kept=True)
    scan.kept = KeptLines((first, Place(str(file), 2, ""), second))
    told = " ".join(" ".join(next_steps.steps(scan, None, None)).split())
    assert told.count(f"{first}: ") == 1
    assert told.count(f"{second}: ") == 1
    assert told.count("Compute what both sides need") == 2
    assert "torch.jit.trace keeps what it reads there" in told


class Reached(torch.nn.Module):
    """Inputs decide on the first condition; the second is the same for all, the third asks for NaN."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.max() > 1:
            x = x * 2
        if (x * x).sum() >= 0:
            x = x + 1
        if x.isnan().any():
            x = x.nan_to_num()
        return x


def test_conditions_that_no_input_reaches_block_nothing() -> None:
    first = Reached.forward.__code__.co_firstlineno
    at = [Place(__file__, first + n, code_of(__file__, first + n)) for n in (1, 3, 5)]
    net = Target("net", Reached(), (torch.rand(3),), values=((torch.ones(3) * 5,),))
    scan = Report(net, {TORCHSCRIPT: Outcome("values", "wrong")})
    scan.kept = KeptLines(tuple(at))
    scan.kept = replace(scan.kept, one_sided=tuple(other_sides.one_sided_conditions(scan)))
    assert scan.kept.one_sided == (at[1],)
    told = "\n".join(blocking.lines(scan))
    assert f"{at[0]}: if x.max() > 1" in told
    assert str(at[1]) not in told
    assert f"{at[2]}: if x.isnan().any()" in told
    right = replace(scan, whole={TORCHSCRIPT: Outcome("right")})
    assert other_sides.one_sided_conditions(right) == []  # inputs were tried on the file


def test_what_awaits_a_trace_is_told_once() -> None:
    """Each of these calls can be tried again as soon as the exporter traces the model."""
    refused = {DYNAMO: Outcome("export", "refused")}
    scan = Report(NET, refused, findings=[])
    awaits = Remedy("trace", "first change the model so that the exporter can trace it")
    for op in ("aten::renorm", "aten::kthvalue"):
        called: Any = Called(op)
        scan.findings.append(Finding(called, refused, (awaits,)))
    told = page.format_report(scan)
    assert told.count("first change the model so that the exporter can trace it; see") == 1
    assert told.count("aten::kthvalue") == 1


REFUSED = Outcome("export", "ValueError: Cannot view a tensor with shape (2, 3); at net.py:3: y")
FOR_OTHER_SIZES = "exported with dynamic dimensions: refused: ValueError"


@pytest.mark.parametrize(
    ("outcome", "is_listed"),
    [
        (REFUSED, False),
        (Outcome("values", "output 0: 3 of 4 elements differ"), True),
        (Outcome("example", FOR_OTHER_SIZES, "sizes", then="export"), False),
        (Outcome("example", "run with x: wrong results", "sizes", then="values"), True),
        (
            Outcome("example", "run with x: ONNX Runtime fails: Reshape", "sizes", then="runtime"),
            True,
        ),
        (Outcome("example", "run with other values", "values", then="runtime"), False),
    ],
)
def test_likely_causes_are_listed_only_where_no_error_says_the_cause(
    outcome: Outcome, is_listed: bool
) -> None:
    called: Any = Called("aten::view")
    scan = Report(NET, whole={DYNAMO: outcome}, traced=TracedModel({"dynamo": [called]}))
    scan.alone = SingleCalls({(called, DYNAMO): Outcome("right")}, {"dynamo": [called]})
    note = str(where_to_look.cause(FailedExport(scan, DYNAMO, outcome)))
    assert ("Likely causes" in note) is is_listed
    assert is_listed or outcome.why in note
    assert ("Call .contiguous() before .reshape()" in note) is (outcome is REFUSED)


@pytest.mark.parametrize(("low", "told"), [(1.0, ", all 1 in x"), (0.5, ", from 0.5 to 1 in x")])
def test_a_range_of_one_value(low: float, told: str) -> None:
    assert values_of([torch.zeros(2)], [torch.tensor([low, 1.0])], ["x"]) == told


MODEL_OF_TWO = ["aten::renorm", "aten::kthvalue"]
NAMED = Outcome("export", "UnsupportedOperatorError: Exporting the operator 'aten::kthvalue' to")


@pytest.mark.parametrize("left", [NAMED, Outcome("values", "wrong")], ids=["named", "in silence"])
def test_specs_of_calls_that_fail_in_the_model_alone(
    left: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are tried, whichever other exporter's findings there are."""

    def outcome_with(_search: Any, ops: Sequence[str], _export: Export) -> Outcome:
        return Outcome("right") if {*MODEL_OF_TWO} <= {*ops} else left

    monkeypatch.setattr(specs_on_model, "_outcome_with", outcome_with)
    refused = Outcome("export", "refused")
    calls: list[Any] = [Called(op) for op in [*MODEL_OF_TWO, "aten::median"]]
    scan = Report(NET, whole={TORCHSCRIPT: refused}, traced=TracedModel({"TorchScript": calls}))
    remedy = Remedy("gallery", "", (str(TORCHSCRIPT),))
    scan.findings = [Finding(calls[0], {TORCHSCRIPT: refused}, (remedy,))]
    search = RemedySearch(scan, {}, lambda _: None)
    search.specs.helping = search.specs_of(MODEL_OF_TWO[:1])
    tried = specs_on_model.try_specs(search, TORCHSCRIPT, ())
    assert tried is not None
    assert tried.outcome.is_right
    needed = specs_on_model.find_needed_specs(search, TORCHSCRIPT, tried)
    (found,) = specs_on_model.findings_in_model(search, TORCHSCRIPT, needed)
    assert [scan.findings[0].op, found.op] == MODEL_OF_TWO
    assert [*search.specs.helping, *needed] == MODEL_OF_TWO


def test_the_verdict_says_with_which_buffers_a_run_begins() -> None:
    """The TorchScript exporter has called the model before, so they are not those of a fresh one."""
    right = Outcome("right")
    scan = Report(WRITING, whole={DYNAMO: right, TORCHSCRIPT: right})
    dynamo, torchscript = page.format_verdict(scan).split("TorchScript, opset 20")
    assert "it keeps no writes to the buffer seen" in dynamo
    assert "own call" not in dynamo
    assert "begins with their values after the exporter's own call" in " ".join(torchscript.split())


def test_the_table_of_a_package_has_what_a_file_does_not_keep() -> None:
    right = Outcome("right")
    scan = Report(WRITING, whole={DYNAMO: Outcome("export")})
    package = BuiltPackage("net_ops", "specs/net_ops", {DYNAMO: right})
    closing = page.closing_lines(scan, {}, package, None, is_build_wanted=True)
    assert any("right; it keeps no writes to the buffer seen" in line for line in closing)


def test_a_scan_that_was_stopped_early_says_nothing_is_right() -> None:
    scan = Report(NET, stopped="SIGINT")
    closing = [*page.closing_lines(scan, {}, None, None, is_build_wanted=True)]
    assert not scan.is_right
    assert "Built no package: the scan was stopped" in closing
    assert page.report_as_data(scan, {}, None, None)["right"] is False


NO_NODE = "Fatal error: acme:Snap(-1) is not a registered function/op"
OF_LOADING = f"[ONNXRuntimeError] : 1 : FAIL : Load model from /tmp/x/model.onnx failed:{NO_NODE}"
OF_RUNNING = (
    "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Reshape node. "
    "Name:'/Reshape' Status Message: /onnxruntime_src/onnxruntime/core/reshape_helper.h:91 "
    "onnxruntime::ReshapeHelper::ReshapeHelper(const onnxruntime::TensorShape&, bool) "
    "size == requested was false. The input tensor cannot be reshaped"
)
OF_GATHER = (
    "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running GatherElements "
    "node. Name:'' Status Message: /onnxruntime_src/onnxruntime/core/gather_elements.cc:150 void "
    "onnxruntime::core_impl(const Tensor*, int64_t, concurrency::ThreadPool*) [with Tin = long int; "
    "int64_t = long int] GatherElements op: Out of range value in index tensor"
)
OF_INDICES = "GatherElements node: GatherElements op: Out of range value in index tensor"
OF_CONCAT = (
    "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Concat node. "
    "Name:'/c' Status Message: concatbase.h:135 PrepareForComputeImpl Non concat axis dimensions "
    "must match"
)
OF_DIMENSIONS = "Concat node /c: Non concat axis dimensions must match"
OF_SHAPES = "Reshape node /Reshape: The input tensor cannot be reshaped"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (OF_LOADING, NO_NODE),
        (OF_RUNNING, OF_SHAPES),
        (OF_GATHER, OF_INDICES),
        (OF_CONCAT, OF_DIMENSIONS),
    ],
)
def test_an_error_of_onnx_runtime_is_told_without_its_source(text: str, shown: str) -> None:
    assert short(text) == shown


class UpToItsSize(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the rows of x, of [n, m], added up, by a loop that exports unroll."""
        total = x[0]
        for row in range(1, x.shape[0]):
            total = total + x[row]
        return total


@pytest.mark.nightly
def test_a_scan_that_is_stopped_before_other_sizes() -> None:
    """A file that is right for the example inputs is not called right for others."""

    def progress(line: str) -> None:
        if line.startswith("exporting the whole model with dynamic dimensions"):
            raise Stopped("SIGTERM")

    target = Target("net", UpToItsSize(), (torch.rand(4, 3),))
    report = scan_model(target, [DYNAMO], progress)
    assert (report.whole[DYNAMO].kind, report.whole[DYNAMO].awaits_sizes) == ("right", True)
    assert str(report.whole[DYNAMO]) == "right; other sizes were not tried"
    last = [*next_steps.steps(report, None, None)]
    assert last[:2] == [
        "Stopped by SIGTERM, before single calls were tried.",
        "Not looked for: conditions of which a file keeps one side.",
    ]
    assert last[-1] == "Other sizes were not tried: scan again, with more time."
    whole = scan_model(target, [DYNAMO], lambda _: None).whole[DYNAMO]
    assert (whole.kind, whole.awaits_sizes) == ("example", False)


def test_sizes_that_have_to_stay_equal() -> None:
    """They stand beside what one gets; an export that does not need them to be equal comes first."""
    call = Target("net", torch.nn.ReLU(), (torch.rand(4),))
    tied = Outcome("right", equal=("dimension 0 of x and index",))
    report = Report(call, {DYNAMO: tied})
    last = " ".join(" ".join(next_steps.steps(report, None, None)).split())
    assert last.endswith(
        "You get a file that is right for the inputs above, as long as dimension 0 of x and index "
        "have one size; no package is needed. If these sizes may differ, return example inputs in "
        "which they do, and scan again: then scan says what is to change."
    )
    report = Report(call, {DYNAMO: tied, DYNAMO.other: Outcome("right")})
    assert "dynamo=False" in [*next_steps.steps(report, None, None)][1]


def test_sets_of_the_user_are_the_sizes_that_were_tried() -> None:
    """Each one is named, and no other size is promised."""
    example, *others = (torch.rand(n) for n in (4, 6, 9))
    net = Target(
        "net", torch.nn.ReLU(), (example,), sizes=tuple((x,) for x in others), axes={0: {0}}
    )
    alone = Report(net, {DYNAMO: Outcome("right")})
    sets = replace(net, others=tuple(((x,), {}) for x in others))
    report = Report(sets, {DYNAMO: Outcome("right")})
    last = " ".join(" ".join(next_steps.steps(report, None, None)).split())
    assert last.endswith("torch.export.Dim.AUTO. Sizes that are not above were not tried.")
    assert "not above" not in " ".join(next_steps.steps(alone, None, None))
    printed: list[str] = []
    page.ScanPrinter(printed.append).show_report(report)
    told = " ".join(" ".join(printed).split())
    assert "Tried with dynamic dimensions: float32[6]; float32[9]." in told


class Promoted(torch.nn.Module):
    """Has a result of float64 that the TorchScript exporter makes one of float32."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.clone()
        y[:, ::2] += 1
        return y, y.mean().to(torch.float64) + (x > 0).sum()


@pytest.mark.nightly
def test_a_call_that_is_refused_alone_is_no_finding_where_the_model_is_written() -> None:
    """The TorchScript exporter has no rule for `aten::copy`, and writes assignments to views."""
    target = Target("net", Promoted(), (torch.rand(2, 6),))
    report = scan_model(target, [TORCHSCRIPT], lambda _: None, is_static=True)
    assert report.whole[TORCHSCRIPT].kind == "values"
    assert {"aten::copy"} < {call.op for call in report.calls_of(TORCHSCRIPT)}
    assert [finding.op for finding in report.findings] == ["aten::add"]


@pytest.mark.parametrize(
    ("dynamo", "is_told"),
    [
        (Outcome("right"), True),
        (Outcome("example", "ONNX Runtime fails: DFT node n: Shape mismatch"), False),
        (Outcome("export", "no rule"), False),
    ],
)
def test_the_other_exporter_is_a_remedy_where_it_takes_the_model(
    dynamo: Outcome, is_told: bool
) -> None:
    refused = {TORCHSCRIPT: Outcome("export", "refused")}
    remedy = Remedy("exporter", "the dynamo exporter", (str(TORCHSCRIPT),))
    none = Remedy("none", "compute with real and imaginary parts")
    called: Any = Called("aten::fft_irfft")
    finding = Finding(called, refused, (remedy, none))
    report = Report(NET, {DYNAMO: dynamo, **refused}, findings=[finding])
    assert told_remedies.of_finding(report, finding) == [*[remedy] * is_told, none]
    assert ("the dynamo exporter" in page.format_report(report)) == is_told


def test_the_other_exporter_is_a_remedy_if_specs_make_the_model_right_there() -> None:
    """Unless they were tried on the model, and it is wrong all the same."""
    refused = Outcome("export", "refused")
    remedy = Remedy("exporter", "the dynamo exporter", (str(TORCHSCRIPT),))
    spec = Remedy("gallery", "the gallery's spec", (str(DYNAMO),))
    called: Any = Called("aten::fft_irfft")
    finding = Finding(called, {TORCHSCRIPT: refused}, (remedy,))
    mended = Finding(called, {DYNAMO: refused}, (spec,))
    report = Report(NET, {DYNAMO: refused, TORCHSCRIPT: refused}, findings=[finding, mended])
    assert told_remedies.of_finding(report, finding) == [remedy]
    report.with_specs[DYNAMO] = Outcome("values", "output 0 differs")
    assert told_remedies.of_finding(report, finding) == []


def test_the_other_exporter_is_a_remedy_once_it_passes_other_calls() -> None:
    """Not if something else keeps the model from a right file there, too."""
    refused = Outcome("export", "refused")
    remedy = Remedy("exporter", "the dynamo exporter", (str(TORCHSCRIPT),))
    rewrite = Remedy("rewrite", "in the model, torch.sort(x)", (str(DYNAMO),))
    called, sorting = Called("aten::__xor__"), Called("aten::argsort")
    sorting.places = (Place("net.py", 45, "order = x.argsort()"),)
    finding = Finding(called, {TORCHSCRIPT: refused}, (remedy,))  # type: ignore[arg-type]
    blocking = Finding(sorting, {DYNAMO: refused}, (rewrite,))  # type: ignore[arg-type]
    report = Report(NET, {DYNAMO: refused, TORCHSCRIPT: refused}, findings=[finding, blocking])
    (told,) = told_remedies.of_finding(report, finding)
    assert told.text == "the dynamo exporter, once it passes net.py:45"
    report.causes[DYNAMO] = Cause("a size is a constant in the file")
    assert told_remedies.of_finding(report, finding) == []


def test_specs_that_are_named_nowhere() -> None:
    """The last paragraph tells what the notes do, and nothing of specs."""
    wrong = Outcome("example", "ONNX Runtime fails for 3", "values")
    report = Report(NET, {DYNAMO: wrong}, with_specs={DYNAMO: wrong}, untold_specs={DYNAMO})
    report.notes.append(Note(f"{DYNAMO}: each call is right alone", (DYNAMO,)))
    told = [*next_steps.steps(report, None, None)]
    assert told[:2] == [
        "Next: change what blocks a right file:",
        "  dynamo, opset 20: each call is right alone",
    ]
    assert "with the specs" not in "".join(told)


def test_the_other_exporter_is_an_alternative_to_other_advice_alone() -> None:
    called: Any = Called("aten::relu")
    outcomes = {DYNAMO: Outcome("right"), TORCHSCRIPT: Outcome("export", "a bug")}
    report = Report(NET, outcomes, traced=TracedModel({"TorchScript": [called]}))
    cause = where_to_look.cause(FailedExport(report, TORCHSCRIPT, report.whole[TORCHSCRIPT]))
    use = "se the dynamo exporter, which exports the model right"
    assert cause.advice == f"U{use}"
    assert other_exporter.advice(report, "TorchScript") == f"U{use}"
    assert other_exporter.advice(report, "TorchScript", "", "Check x") == f"Check x. Or u{use}"


def test_a_constant_size_of_both_exporters() -> None:
    """The text is true of both: TorchScript's file is of no torch.export."""
    cause = constant_sizes.cause_at([Place("net.py", 3, "for t in range(n):")])
    assert cause.fact == (
        "a size is a constant in the file: it is needed as a Python integer at net.py:3: for t in "
        "range(n)"
    )


@pytest.mark.parametrize(
    ("failing", "condition"),
    [
        (torch.rand(3, 4), "no sizes such as float32[3, 4]"),
        (torch.rand(3, 7), "no other sizes than float32[2, 20]"),
    ],
)
def test_a_file_that_is_right_within_bounds(failing: torch.Tensor, condition: str) -> None:
    """Its call, with dynamic dimensions, is worth more than that for one size."""
    net = Target("net", torch.nn.ReLU(), (torch.rand(2, 20),), axes={0: {0, 1}})
    net = replace(net, sizes=((torch.rand(3, 21),), (torch.rand(3, 7),)))
    beyond = ((torch.rand(3, 9),), (torch.rand(3, 4),))
    wrong = Outcome("example", "differs", "sizes", inputs=(failing,), then="values", beyond=beyond)
    told = [*next_steps.steps(Report(net, {DYNAMO: wrong}), None, None)]
    at = told.index(f"Or, if the model gets {condition}, export with")
    assert "torch.onnx.export(" in told[at + 1]
    has_axes = "dynamic_shapes=({0: AUTO, 1: AUTO},)" in " ".join(" ".join(told[at:]).split())
    assert has_axes is condition.startswith("no sizes")
