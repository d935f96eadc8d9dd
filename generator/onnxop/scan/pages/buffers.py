"""The buffers to which a model's forward writes → sentences on what a file does not keep."""

from __future__ import annotations

from ..model.exports import Export
from ..report.report import Report


def beside_right(report: Report, export: Export) -> str:
    """Return a sentence on what an exported file does not keep of a model that writes to its
    buffers.
    """
    written = report.target.written
    if not written.names:
        return ""
    begins = "with their values at the export"
    if export.exporter == "TorchScript":
        begins = "with their values after the exporter's own call of the model"
    return (
        f"The file keeps nothing of what forward writes to {written}: each run begins "
        f"{begins}. To keep them from run to run, make them arguments and results of forward."
    )
