"""A model that fails → the calls whose order of equal values its results hang on."""

from __future__ import annotations

from onnxop_runtime.messages import join_words

from ..trial.outcome import Outcome
from .calls import with_lines
from .report import Export, Report


def cause(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the calls that alone give equal values in another order, if results are wrong."""
    if outcome.kind not in ("values", "first"):
        return ""
    tied = [c for c in report.tried(export) if report.alone_kind(c, export) == "order"]
    if not tied:
        return ""
    at = join_words(with_lines(tied))
    verb = "sorts" if len({call.op for call in tied}) == 1 else "sort"
    return (
        f"results hang on the order of equal values, which {at} {verb} in another order in ONNX "
        "Runtime. PyTorch promises no order either: take torch.sort(x, dim=dim, "
        "descending=descending, stable=True), and the first k of it for topk, with the gallery's "
        "aten::sort.stable. Or, if the model never gets equal values, let the function return "
        "inputs without them."
    )
