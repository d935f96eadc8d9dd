"""A model that fails in an exporter → advice to use the other one."""

from __future__ import annotations

from ..one_side import wording
from ..report.cause import join_sentences
from ..report.report import Report


def advice(report: Report, exporter: str, *before: str) -> str:
    """Return the advice ``before``, of which texts may be empty, and to use the other exporter, as
    `use` does.
    """
    told = [*filter(None, before)]
    return join_sentences((*told, use(report, exporter, is_alternative=bool(told))))


def use(report: Report, exporter: str, *, is_alternative: bool) -> str:
    """Return advice to use the other exporter, if the model passes there, as sentences without the
    last full stop. It may be an alternative to other advice.
    """
    right = {e.exporter for e, outcome in report.whole.items() if outcome.is_right} - {exporter}
    verb = "Or use" if is_alternative else "Use"
    told: list[str] = []
    for name in sorted(right):
        told.append(f"{verb} the {name} exporter, which exports the model right")
        if name == "TorchScript" and report.kept.places:
            told.append(f"It keeps {wording.kept(report.kept.places)}")
    return join_sentences(told)
