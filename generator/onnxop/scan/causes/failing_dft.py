"""A file at whose DFT node ONNX Runtime fails → the calls for which the exporter writes such nodes."""

from __future__ import annotations

from onnxop_runtime.messages import join_words

from ..calls.recorded_calls import with_lines
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from .facts import FACTS

_AT_NODE = "ONNX Runtime fails: DFT node "
_TRANSFORMS = "aten::fft_", "aten::stft", "aten::istft"


def cause(failed: FailedExport) -> Cause | None:
    """Return the Fourier transforms of the model, if ONNX Runtime fails at a DFT node, with what to
    compute instead.
    """
    if _AT_NODE not in str(failed.outcome):
        return None
    calls = failed.report.traced.calls.get(failed.export.exporter, [])
    transforms = [call for call in calls if call.op.startswith(_TRANSFORMS)]
    if not transforms:
        return None
    return Cause(
        "ONNX Runtime fails at a DFT node of the file, as the exporter writes for "
        f"{join_words(with_lines(transforms))}",
        tuple(place for call in transforms for place in call.places),
        f"In the model, compute with real and imaginary parts: {FACTS['hints']['aten::fft_fft']}",
    )
