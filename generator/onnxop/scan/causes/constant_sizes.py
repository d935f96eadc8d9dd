"""A file that is wrong for other sizes → the lines at which torch.export makes a size a constant."""

from __future__ import annotations

from collections.abc import Sequence

from onnxop_runtime.messages import join_words

from ...trial.places import Place
from ..report.cause import Cause, join_sentences
from ..report.failed_export import FailedExport
from ..source.number_conditions import advice_on
from ..source.shown_lines import MOST_LINES


def lines(failed: FailedExport) -> tuple[Place, ...]:
    """Return the lines at which a size is made a constant, if a file is wrong for other sizes.
    Those of torch.export are the trace's, too, unless there is scripted code, whose sizes a trace
    keeps.
    """
    if not failed.outcome.is_of_sizes:
        return ()
    outcomes = [failed.outcome, *failed.report.whole.values()]
    at = next((outcome.lines for outcome in outcomes if outcome.lines), ())
    is_trace = failed.export.exporter == "TorchScript"
    has_dynamic_sizes = is_trace and failed.report.traced.has_scripted_code
    return () if has_dynamic_sizes else at[:MOST_LINES]


def cause_at(at: Sequence[Place]) -> Cause:
    """Return that a size is a constant, as these lines need it, and what to write there instead."""
    shown = join_words(line.with_code for line in at)
    return Cause(
        f"a size is a constant in the file: it is needed as a Python integer at {shown}",
        tuple(at),
        join_sentences(map(advice_on, at))
        or "Compute it by operators of PyTorch, which take sizes as they are",
    )
