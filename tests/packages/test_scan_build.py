"""What `onnxop scan --build` asks before it scans, and says when it cannot build; its time limit."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
import torch

from onnxop import cli
from onnxop.errors import DestinationError, OnnxopError
from onnxop.package import build
from onnxop.scan import scan, stopping
from onnxop.scan.model import target
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.pages import page
from onnxop.scan.remedies import packaged, remedies, spec_folder
from onnxop.scan.remedies.remedy_search import Specs
from onnxop.scan.report.report import Report
from onnxop.trial import trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop_runtime import processes
from tests.packages.scanning import NET


def test_a_name_of_another_module_is_refused(tmp_path: Path) -> None:
    """A package in its place would write over it, or be hidden by it."""
    with pytest.raises(DestinationError, match="--name 'torchvision'.* is there already"):
        spec_folder.check_package_name("torchvision", tmp_path / "torchvision")
    spec_folder.check_package_name("my_own_ops", tmp_path / "my_own_ops")
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(DestinationError, match="taken: is a file"):
        spec_folder.check_package_name("taken", tmp_path / "taken")


def test_a_package_of_onnxop_may_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spec_folder, "packages_distributions", lambda: {"json": ["json-ops"]})
    monkeypatch.setattr(spec_folder, "requires", lambda _: ["torch", "onnxop-runtime>=0.4"])
    spec_folder.check_package_name("json", tmp_path / "json")


@pytest.mark.parametrize("name", ["", "json_tool"])
def test_what_a_build_needs_is_asked_before_the_model_is_loaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "has_pip", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda *_: None)
    monkeypatch.setattr(target, "load", lambda *_, **__: pytest.fail("the model is loaded"))
    command = [
        "scan",
        "net:build",
        "--build",
        "--write",
        str(tmp_path),
        *(["--name", name] if name else []),
    ]
    assert cli.main(command) == 1
    assert "has neither pip nor uv" in capsys.readouterr().err


def test_what_is_next_after_a_failed_build() -> None:
    scanned = Report(NET, with_specs={Export("dynamo", 20): Outcome("right")})
    scanned.build_failure = "specs/a.toml: op.schema: is that of specs/b.toml"
    closing = [
        *page.closing_lines(scanned, {}, None, None, scanned.build_failure, is_build_wanted=True)
    ]
    assert f"Built no package: {scanned.build_failure}" in closing
    assert closing[-1].startswith("Next: mend what keeps the package from being built")


def test_specs_that_are_found_invalid_at_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the scan found is told, with the error and what to do next."""
    shutil.copy("reference_ops/my_add/ops/my_add.toml", tmp_path)
    export = Export("dynamo", 20)
    scanned = Report(NET, {export: Outcome("export", "refused")}, with_specs={})

    def fail(*_: object) -> None:
        raise OnnxopError("specs/a.toml: op.schema: is that of specs/b.toml")

    monkeypatch.setattr(target, "load", lambda *_, **__: Target("net:build", torch.nn.ReLU(), ()))
    monkeypatch.setattr(scan, "scan_model", lambda *_, **__: scanned)
    monkeypatch.setattr(remedies, "find_remedies", lambda *_: Specs())
    monkeypatch.setattr(packaged, "build", fail)
    command = ["scan", "net:build", "--build", "--write", str(tmp_path), "--name", "own_net_ops"]
    assert cli.main(command) == 1
    told = capsys.readouterr().out
    assert "Built no package: specs/a.toml: op.schema: is that of specs/b.toml" in told
    assert "Next: mend what keeps the package from being built" in told


def test_the_time_limit_counts_from_the_start() -> None:
    """What was done before the block, as imports, is part of it."""
    begin = time.monotonic()
    with pytest.raises(stopping.Stopped), stopping.raising(5.0, begin - 60.0):
        time.sleep(5.0)
    assert time.monotonic() - begin < 4


class RaisesLater(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ torch.rand(7, 2)


def test_the_line_of_a_model_that_raises() -> None:
    with processes.quiet():
        outcome = trial.try_export(Call(RaisesLater(), (torch.rand(4, 3),)), "TorchScript", 20)
    assert outcome.fault == "model"
    assert "test_scan_build.py:" in outcome.why
    assert outcome.why.endswith("return x @ torch.rand(7, 2)")
