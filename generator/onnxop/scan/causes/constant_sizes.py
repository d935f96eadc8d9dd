"""A file that is wrong for other sizes → the lines at which torch.export makes a size a constant."""

from __future__ import annotations

from collections.abc import Sequence

from onnxop_runtime.messages import join_words

from ...trial.outcome import Outcome
from ...trial.places import Place
from ..model.exports import Export
from ..report.cause import Cause, join_sentences
from ..report.report import Report
from ..source.kept_lines import MOST_LINES
from ..source.number_conditions import advice_on


def lines(report: Report, export: Export, outcome: Outcome) -> tuple[Place, ...]:
    """Return the lines at which a size is made a constant, if a file is wrong for other sizes.
    Those of torch.export are the trace's, too, unless there is scripted code, whose sizes a trace
    keeps.
    """
    if not outcome.is_of_sizes:
        return ()
    every = [outcome, *report.whole.values()]
    known = next((one.lines for one in every if one.lines), ())
    is_kept = export.exporter == "TorchScript" and report.traced.has_scripted_code
    return () if is_kept else known[:MOST_LINES]


def cause(at: Sequence[Place]) -> Cause:
    """Return that a size is a constant, as these lines need it, and what to write there instead."""
    shown = join_words(line.with_code for line in at)
    return Cause(
        "a size is a constant in the file. torch.export, which tells where, needs it as a Python "
        f"integer at {shown}",
        tuple(at),
        join_sentences(map(advice_on, at))
        or "Compute it by operators of PyTorch, which take sizes as they are",
    )
