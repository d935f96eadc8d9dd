"""The last paragraph of a scan whose model the specs do not make right yet."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
import torch

from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.pages import next_steps
from onnxop.scan.remedies import last_remedies
from onnxop.scan.remedies.packaged import BuiltPackage
from onnxop.scan.report.findings import Finding, Remedy, RemedyKind
from onnxop.scan.report.report import Report
from onnxop.trial.outcome import Outcome

DYNAMO = Export("dynamo", 20)
WRONG = {DYNAMO: Outcome("values", "output 0 differs")}
NET = Target("net", torch.nn.ReLU(), (torch.ones(2),))
SPECS = Path("specs")
LEFT_OUT = BuiltPackage("net_ops", "specs/net_ops", WRONG, {"specs/topk.toml": "specs/topk.h"})
BUILT = BuiltPackage("net_ops", "specs/net_ops", WRONG)
SKELETON = (
    "specs/topk.h, the kernel of specs/topk.toml, is a skeleton: write its compute(), and run "
    "this again"
)


def wrong(*kinds: RemedyKind) -> Report:
    """Return the report of a wrong model, of which each remedy is that of another call."""
    report = Report(NET, dict(WRONG))
    for kind in kinds:
        called: Any = SimpleNamespace(op=f"aten::{kind}", places=(), overload_name="")
        report.findings.append(Finding(called, WRONG, (Remedy(kind, kind, (str(DYNAMO),)),)))
    return report


def last_lines(
    report: Report, package: BuiltPackage | None = None, folder: Path | None = SPECS
) -> list[str]:
    text = " ".join(" ".join(next_steps.steps(report, package, folder)).split())
    return text.replace("right file: ", "right file:\n").replace(" Then ", "\nThen ").split("\n")


@pytest.mark.parametrize("kind", get_args(RemedyKind))
def test_something_is_left_to_do(kind: RemedyKind) -> None:
    """Whatever the remedy of the failing call is, and whatever was written and built."""
    for report, package, folder in product(
        (wrong(kind), wrong()), (None, LEFT_OUT, BUILT), (None, SPECS)
    ):
        told = last_lines(report, package, folder)
        assert told != [""]
        assert not told[-1].endswith(":")


def test_a_skeleton_that_a_package_lacks_is_what_blocks() -> None:
    first = "Next: change what blocks a right file:"
    assert last_lines(wrong("own"), LEFT_OUT) == [first, SKELETON]
    wrong_with_package = f"{DYNAMO}, with the package: wrong results: output 0 differs"
    assert last_lines(wrong("own"), BUILT) == [first, wrong_with_package]


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (("unfinished",), "complete the kernel skeletons in specs, and scan again with --build."),
        (("own",), "scan again with --build, which compiles the kernels of your specs."),
        (("gallery",), "scan again with --build: specs mend the other calls."),
    ],
)
def test_specs_mend_calls_once_their_kernels_are_written(
    kinds: tuple[RemedyKind, ...], told: str
) -> None:
    """Beside a call that blocks the model, and alone."""
    assert last_lines(wrong("rewrite", *kinds))[-1] == f"Then {told}"
    assert last_lines(wrong(*kinds)) == [f"Next: {told}"]


@pytest.mark.parametrize(
    ("code", "kind", "told"),
    [
        ("not_implemented(kName)", "unfinished", "topk.h is a skeleton: write its compute()"),
        ("", "own", "--build compiles its kernel and tries it"),
    ],
)
def test_the_kernel_of_a_spec_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, kind: str, told: str
) -> None:
    """It is tried as soon as it is written."""
    header = tmp_path / "topk.h"
    monkeypatch.setattr(
        last_remedies, "unwritten_kernel", lambda _: header if code else None, raising=False
    )
    monkeypatch.setattr(last_remedies, "load", lambda _: SimpleNamespace(is_native=True))
    (finding,) = wrong("none").findings
    search: Any = SimpleNamespace(
        keys={finding: "aten::topk"}, own_specs={"aten::topk": tmp_path / "topk.toml"}
    )
    remedy = last_remedies._own_kernel(search, finding)
    assert remedy is not None
    assert (remedy[0], told in remedy[1]) == (kind, True)
