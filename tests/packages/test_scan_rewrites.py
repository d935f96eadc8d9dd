"""Models that are written as `onnxop scan` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.scanning import scanned
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm


@pytest.mark.parametrize(
    ("build", "exporters"),
    [
        nightly("recurrent", ["TorchScript"]),
        ("until", ["TorchScript"]),
        nightly("as_operator", ["dynamo"]),
        nightly("checked", ["dynamo", "TorchScript"]),
        nightly("largest", ["dynamo", "TorchScript"]),
        nightly("counted", ["dynamo", "TorchScript"]),
    ],
)
def test_models_that_are_written_so(
    warm: Warm, tmp_path: Path, build: str, exporters: list[str]
) -> None:
    """They are right at other sizes and values."""
    options = [option for exporter in exporters for option in ("--exporter", exporter)]
    model = f"{program('scan/rewritten')}\n\nbuild = {build}\n"
    status, output = scanned(model, warm, tmp_path, *options)
    outcomes = {outcome["exporter"]: outcome["kind"] for outcome in output["whole"]}
    assert outcomes == dict.fromkeys(exporters, "right"), output["next"]
    assert status == 0
    assert "dynamic_" in output["next"][-1], output["next"]


@pytest.mark.nightly
def test_a_model_that_torch_export_takes_in_its_strict_mode(warm: Warm, tmp_path: Path) -> None:
    """It stops nowhere; the spec of the operator without a rule is all it needs."""
    _, output = scanned(program("scan/strict"), warm, tmp_path, "--exporter", "dynamo")
    assert "aten.sort" in output["whole"][0]["why"]
    assert "torch.export stops" not in "".join(output["next"])
    (finding,) = output["findings"]
    assert [remedy["kind"] for remedy in finding["remedies"]] == ["gallery"]
    assert output["next"][-1] == "It exports this model right (dynamo, opset 20)."


@pytest.mark.nightly
def test_a_shift_that_is_computed_from_a_size(warm: Warm, tmp_path: Path) -> None:
    """No exporter's own rule of roll takes it; the gallery's does."""
    _, output = scanned(program("scan/rolled"), warm, tmp_path)
    assert [outcome["kind"] for outcome in output["whole"]] == ["example", "example"]
    texts = [remedy["text"] for finding in output["findings"] for remedy in finding["remedies"]]
    assert "the gallery's spec: onnxop new --from aten::roll" in texts, output["next"]
    assert output["next"][-1] == "It exports this model right (dynamo, opset 20)."
