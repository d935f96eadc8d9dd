"""A file by torch.jit.trace of a model that writes to its buffers → the values that it begins with."""

from __future__ import annotations

from ..report.cause import Cause, join_sentences
from ..report.failed_export import FailedExport
from . import other_exporter

_AS_ARGUMENTS = (
    "Make this state an argument and a result of forward, which also keeps it from run to run"
)
_BY_DYNAMO = (
    "Or use the dynamo exporter, if it takes the model: its file has the values at the export"
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the buffers with whose values after the export a file begins, if it is right but for
    these.
    """
    if not failed.outcome.is_of_buffers:
        return None
    report = failed.report
    use = other_exporter.use(report, failed.export.exporter, is_alternative=True)
    advice = join_sentences((_AS_ARGUMENTS, use or _BY_DYNAMO))
    return Cause(
        f"the file begins with what the exporter's own call of the model, with the example inputs, "
        f"left in {report.target.written}, and not with the values that a fresh model has",
        advice=advice,
    )
