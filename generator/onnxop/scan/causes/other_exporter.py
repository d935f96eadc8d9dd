"""A model that fails in an exporter → advice to use the other one."""

from __future__ import annotations

from ..one_side import wording
from ..report.cause import join_sentences
from ..report.report import Report


def advice(report: Report, exporter: str) -> str:
    """Return advice to use the other exporter, if the model passes there, as sentences without the
    last full stop.
    """
    right = {e.exporter for e, outcome in report.whole.items() if outcome.is_right} - {exporter}
    told: list[str] = []
    for name in sorted(right):
        told.append(f"Or use the {name} exporter, which exports the model right")
        if name == "TorchScript" and report.kept.places:
            told.append(f"It keeps {wording.kept(report.kept.places)}")
    return join_sentences(told)
