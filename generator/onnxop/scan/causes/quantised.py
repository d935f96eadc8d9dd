"""A model of quantised modules → how to get a quantised file of it."""

from __future__ import annotations

import re

from ..report.cause import Cause
from ..report.failed_export import FailedExport

_PACKED = re.compile(r"PackedParamsBase|quantized::")
"""In errors about packed weights, and operators of them."""


def cause(failed: FailedExport) -> Cause | None:
    """Return what to do, if an exporter refuses packed weights of PyTorch's quantised modules."""
    outcome = failed.outcome
    return _CAUSE if outcome.is_refused and _PACKED.search(outcome.why) else None


_CAUSE = Cause(
    "the model has quantised modules, whose packed weights the exporter cannot write",
    advice=(
        "Export the model in float, as it is before torch.ao.quantization converts it, and quantise "
        'the file: onnxruntime.quantization.quantize_dynamic("model.onnx", "quantised.onnx"), or '
        "quantize_static with inputs to calibrate"
    ),
)
