"""A model that fails → the calls whose order of equal values its results hang on."""

from __future__ import annotations

from onnxop_runtime.messages import join_words

from ..calls.recorded_calls import with_lines
from ..report.cause import Cause
from ..report.failed_export import FailedExport


def cause(failed: FailedExport) -> Cause | None:
    """Return the calls that alone give equal values in another order, if results are wrong."""
    report, export = failed.report, failed.export
    if not failed.outcome.is_wrong:
        return None
    tied = [c for c in report.calls_of(export) if report.alone.is_of_order(c, export)]
    if not tied:
        return None
    at = join_words(with_lines(tied))
    verb = "sorts" if len({call.op for call in tied}) == 1 else "sort"
    return Cause(
        f"results hang on the order of equal values, which {at} {verb} in another order in ONNX "
        "Runtime",
        tuple(place for call in tied for place in call.places),
        "PyTorch promises no order either: take torch.sort(x, dim=dim, descending=descending, "
        "stable=True), and the first k of it for topk, with the gallery's aten::sort.stable. Or, if "
        "the model never gets equal values, let the function return inputs without them",
    )
