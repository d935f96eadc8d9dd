"""An export of the whole model that fails, with all that a search for its cause asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...trial.outcome import Outcome
from ..model.exports import Export
from .report import Report


@dataclass(frozen=True)
class FailedExport:
    """An export of the whole model that fails.

    Attributes:
        report: what the scan knows of the model.
        export: the exporter and the opset.
        outcome: how it fails, by PyTorch alone or with specs.
    """

    report: Report
    export: Export
    outcome: Outcome


def failed_exports(report: Report, outcomes: Mapping[Export, Outcome]) -> list[FailedExport]:
    """Return those of these exports of the whole model that fail."""
    return [
        FailedExport(report, export, outcome)
        for export, outcome in outcomes.items()
        if not outcome.is_right
    ]
